"""Alpha-beta search for as long as the level allows."""

from collections.abc import Callable

from ttt_engine.builtin import Builtin, long_cost
from ttt_engine.position import Position
from ttt_engine.search import Budget, SearchResult, TimeBudget, search, see_at_once
from ttt_engine.search.negamax import WON
from ttt_engine.search.proof import KeptProofs
from ttt_engine.strategy import HIGHEST_LEVEL, Thought, require_level, require_playable
from ttt_engine.tracing.steps import Rule, Tell

LEAST_SECONDS, MOST_SECONDS = 0.02, 2.0
"""The times of the lowest and the highest level. The others lie between, in equal ratios."""

RESERVE = 0.03
"""The share of the time reserved for the step in which the deadline is noticed."""

PACE = 50_000
"""How many positions count as one second in a search without a clock."""


class Search(Builtin):
    """Searches until its time is up or the position is solved.

    With a clock, such as `time.monotonic`, it takes the time of its level, or `seconds`, so the
    same position may get different thoughts. On large boards it then goes on with the proofs of
    its last thought in the same game: with those in `kept`, if given. Without a clock it counts
    positions at a fixed pace, and the same position always gets the same thought.

    The values of a thought are proven: with best play, a cell wins (1), draws (0) or loses (-1).

    Raises:
        InvalidLevel: the level is not 0 to 9.
    """

    name = "search"
    levels = True
    cost = staticmethod(long_cost)
    parts = ("clock", "seconds", "kept")
    about = "Looks as many moves ahead as its time allows: from a blink to two seconds by level."
    boards = "every board; of the variants ultimate, cube, torus and connect6"
    variants = frozenset({"cube", "torus", "ultimate", "connect6"})

    def __init__(
        self,
        level: int = HIGHEST_LEVEL,
        clock: Callable[[], float] | None = None,
        seconds: float | None = None,
        kept: KeptProofs | None = None,
    ) -> None:
        self.level = require_level(level)
        if seconds is None:
            seconds = LEAST_SECONDS * (MOST_SECONDS / LEAST_SECONDS) ** (level / HIGHEST_LEVEL)
        self.seconds = seconds
        self._clock = clock
        self._kept = None if clock is None else kept or KeptProofs()

    def think_aloud(self, position: Position, tell: Tell | None) -> Thought:
        budget = self._budget()
        require_playable(self, position)
        result = see_at_once(position)
        if tell is not None:
            tell(Rule("see at once", () if result is None else result.cells))
        if result is None:
            result = search(position, budget, tell, self._kept)
        return Thought(result.cells, result.reason, result.values or None)

    def search(self, position: Position) -> SearchResult:
        """Return what the search finds out about the position.

        It takes as long as `think`, and longer where a single cell blocks: `think` then returns
        that cell at once, and this goes on to find out whether the block is enough.

        Raises:
            GameOver: the game has its outcome.
        """
        budget = self._budget()
        require_playable(self, position)
        return search(position, budget, kept=self._kept)

    def worth(self, position: Position) -> int:
        """Return the value of the position for the side to move: see `openings.choose`."""
        found = self.search(position)
        return found.estimate if found.value is None else found.value * WON

    def _budget(self) -> Budget:
        if self._clock is None:
            return Budget(int(self.seconds * PACE))
        return TimeBudget(self._clock() + self.seconds * (1 - RESERVE), self._clock)
