"""The learner: play what worked in earlier games."""

from typing import Final

from ttt_engine.bitboard import cells_of
from ttt_engine.builtin import Builtin, first_rule, told
from ttt_engine.learning.memory import Memory, Tally
from ttt_engine.position import Position
from ttt_engine.rules import TIC_TAC_TOE, Rules
from ttt_engine.strategy import Thought, require_playable
from ttt_engine.symmetry import canonical_views
from ttt_engine.tracing.steps import Remember, Rule, Tell


class Learner(Builtin):
    """Wins or blocks where it can, else takes cells after which remembered games ended well.

    It knows a game by its moves in order, which `think_after` is given. `think` is given the board
    alone, which is enough for the first two moves. Later positions count as never seen, and there
    it plays at random.

    The values of a thought: for each cell seen, the balance of wins and losses, from -1 to 1.
    """

    name = "learner"
    parts = ("memory",)
    about = "Plays from the games that this server has seen, and gets better by losing."
    boards = "3x3 without gravity"

    def __init__(self, memory: Memory | None = None) -> None:
        self._memory = Memory() if memory is None else memory

    def plays(self, rules: Rules) -> bool:
        return rules == TIC_TAC_TOE

    def think_after(self, position: Position, moves: tuple[int, ...]) -> Thought:
        """Like `think`, for a position to which `moves` led."""
        return self.think_aloud_after(position, moves, None)

    def think_aloud(self, position: Position, tell: Tell | None) -> Thought:
        require_playable(self, position)
        if position.ply < 2:
            return self.think_aloud_after(position, cells_of(position.x), tell)
        return _at_once(position, tell) or told(Thought(position.legal_moves, "random"), tell)

    def think_aloud_after(
        self, position: Position, moves: tuple[int, ...], tell: Tell | None
    ) -> Thought:
        """Like `think_after`, but report each step."""
        require_playable(self, position)
        thought = _at_once(position, tell)
        if thought is None:
            thought = _by_experience(position, self._seen(position, moves, tell), tell)
        return thought

    def _seen(
        self, position: Position, moves: tuple[int, ...], tell: Tell | None
    ) -> dict[int, Tally]:
        """Return how the games ended that went on with each legal cell, if any did."""
        prefix, views = canonical_views(moves, TIC_TAC_TOE)
        seen = {}
        for cell in position.legal_moves:
            sequence = (*prefix, min([view[cell] for view in views]))
            tally = self._memory.tally(sequence)
            if tell is not None:
                mark = position.turn
                ends = tally.won_by(mark), tally.won_by(mark.other), tally.draws
                tell(Remember(cell, sequence, *ends))
            if tally.games:
                seen[cell] = tally
        return seen


def _at_once(position: Position, tell: Tell | None) -> Thought | None:
    """Apply the first two rules, which need no memory."""
    complete = TIC_TAC_TOE.lines.complete
    return first_rule(
        (
            (reason, tuple([cell for cell in position.legal_moves if complete(marks | 1 << cell)]))
            for marks, reason in zip(position.sides, ("win", "block"), strict=True)
        ),
        tell,
    )


def _by_experience(position: Position, seen: dict[int, Tally], tell: Tell | None) -> Thought:
    """Apply the other rules."""
    thought = _experienced(position, seen)
    if tell is not None:
        for rule in _EXPERIENCE:  # pragma: no branch - the last decides if no other does
            decides = rule == thought.reason
            tell(Rule(rule, thought.cells if decides else ()))
            if decides:
                break
    return thought


_EXPERIENCE: Final = ("pursue a win", "pursue a draw", "avoid a loss", "random")
"""The rules of `_experienced`, in their order."""


def _experienced(position: Position, seen: dict[int, Tally]) -> Thought:
    mark, legal = position.turn, position.legal_moves
    won = {cell: seen[cell].won_by(mark) for cell in seen}
    lost = {cell: seen[cell].won_by(mark.other) for cell in seen}
    drawn = {cell: seen[cell].draws for cell in seen}
    values = {cell: (won[cell] - lost[cell]) / seen[cell].games for cell in seen}
    for good, reason in ((won, "pursue a win"), (drawn, "pursue a draw")):
        promising = [cell for cell in seen if good[cell] > lost[cell]]
        if promising:
            most = max([good[cell] for cell in promising])
            best = tuple([cell for cell in promising if good[cell] == most])
            return Thought(best, reason, values)
    if not any(lost.values()):
        return Thought(legal, "random", values or None)
    least = min([lost.get(cell, 0) for cell in legal])
    safest = tuple([cell for cell in legal if lost.get(cell, 0) == least])
    return Thought(safest, "avoid a loss", values)
