"""Monte Carlo tree search: it plays many games to their end, and learns from how they go."""

from collections.abc import Callable
from random import Random
from typing import Final

from ttt_engine.builtin import Builtin, told
from ttt_engine.position import Position
from ttt_engine.rules import Rules
from ttt_engine.search.negamax import WON, depth_reason
from ttt_engine.search.result import SearchResult
from ttt_engine.strategy import EVERY, HIGHEST_LEVEL, Cost, Thought, require_level, require_playable
from ttt_engine.tracing.steps import Tell
from ttt_engine.uct import PlayoutTree

FEWEST: Final = 30
"""The playouts of level 0. Each level has twice those of the one below."""

FEW: Final = 3
"""How many cells an unproven result names at most."""

MOST_SECONDS: Final = 2.0
"""The longest thought with a clock."""

PACE: Final = 400_000
"""How many cells of playouts count as one second without a clock: 5 000 boards of 81."""

_RESERVE: Final = 0.03
"""The share of the time reserved for the last playout and the answer."""


class Mcts(Builtin):
    """Plays games in its mind, more of those that do well, until its playouts or its time are over.

    It needs nothing but the rules, so it plays every variant. It stops as soon as it has a proof.
    With a clock, such as `time.monotonic`, it also stops after `seconds`. Without one it counts
    playouts only, and the same position always gets the same thought.

    The values of a thought are what it expects of a cell: from -1, a loss, to 1, a win.

    Args:
        level: 0 to 9; see `FEWEST`.
        clock: returns seconds.
        seconds: the time for a thought.
        playouts: their number, in place of the level's.
        seed: of the random games.

    Raises:
        InvalidLevel: the level is not 0 to 9.
    """

    name = "mcts"
    levels = True
    parts = ("clock", "seconds")
    about = "Plays many random games in its mind, and the move that wins most of them."
    boards = "every board and variant"
    variants = EVERY

    def __init__(
        self,
        level: int = HIGHEST_LEVEL,
        clock: Callable[[], float] | None = None,
        seconds: float = MOST_SECONDS,
        *,
        playouts: int | None = None,
        seed: int = 0,
    ) -> None:
        self.level = require_level(level)
        self.seconds = seconds
        self._clock = clock
        self._playouts = FEWEST << level if playouts is None else playouts
        self._seed = seed

    @staticmethod
    def cost(rules: Rules) -> Cost:  # noqa: ARG004 - the same on every board
        return Cost.LONG

    def think_aloud(self, position: Position, tell: Tell | None) -> Thought:
        tree = self._grown(position)
        values = {child.cell: child.worth for child in tree.root.children}
        values = {cell: values[cell] for cell in sorted(values)}
        return told(Thought(tree.best(), _reason(tree), values), tell)

    def search(self, position: Position) -> SearchResult:
        """Return what the playouts prove of the position, and estimate of its value.

        Of many cells that were tried as often, it names the few that did best. Without a reason it
        saw no further than a move.

        Raises:
            GameOver: the game has its outcome.
        """
        tree = self._grown(position)
        values = {one.cell: one.proven for one in tree.root.children if one.proven is not None}
        value, worth = tree.root.proven, int(WON * tree.root.worth)
        cells, reason = tree.best(), _reason(tree)
        if value is None and len(cells) > FEW:
            worths = {one.cell: one.worth for one in tree.root.children}
            cells = tuple(sorted(sorted(cells, key=lambda cell: -worths.get(cell, 0))[:FEW]))
            reason = reason if tree.expected() > 1 else ""
        return SearchResult(value, cells, values, reason, worth)

    def worth(self, position: Position) -> int:
        """Return the value of the position for the side to move: see `openings.choose`."""
        return self.search(position).estimate

    def _grown(self, position: Position) -> PlayoutTree:
        deadline = None if self._clock is None else self._clock() + self.seconds * (1 - _RESERVE)
        require_playable(self, position)
        tree = PlayoutTree(position, Random(self._seed))
        playouts = self._playouts
        if self._clock is None:
            playouts = min(playouts, int(self.seconds * PACE / position.rules.cells))
        for _ in range(max(1, playouts)):
            if tree.is_decided:
                break
            tree.grow()
            if self._clock is not None and deadline is not None and self._clock() >= deadline:
                break
        return tree


def _reason(tree: PlayoutTree) -> str:
    proven, depth = tree.root.proven, tree.expected()
    if proven == 1 and depth == 1:
        return "win"
    return depth_reason(depth, proven)
