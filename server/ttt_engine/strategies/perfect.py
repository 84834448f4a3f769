"""Perfect play that also makes the opponent's mistakes likely."""

from collections.abc import Mapping
from functools import cache
from typing import Final, NamedTuple

from ttt_engine.builtin import Builtin, told
from ttt_engine.position import Position
from ttt_engine.rules import TIC_TAC_TOE, Rules
from ttt_engine.strategies.solved import solver_of
from ttt_engine.strategy import Cost, Thought, best_of, require_playable
from ttt_engine.tracing.steps import Tell

CASES: Final = (1, 1, 2, 3, 8, 15, 48, 105, 384)
"""The number of equally likely ways in which a random opponent can move to the end.

The index is the number of empty cells at its turn: 8 = 4 * 2, for it has four cells to choose from,
and two at its next turn.
"""


class Prospect(NamedTuple):
    """The promise of a move. Prospects of one position compare as `Perfect` prefers them."""

    value: int
    """1, 0 or -1: the result with best play."""

    wins: int
    """How many of the `CASES` it wins, playing on like this against random moves."""

    draws: int
    """How many of the `CASES` end in a draw."""


_DRAWN: Final = Prospect(0, 0, 1)
"""A full board."""

_FULL: Final = TIC_TAC_TOE.full
_complete, _ends = TIC_TAC_TOE.lines.complete, TIC_TAC_TOE.lines.ends


class Perfect(Builtin):
    """Keeps the value of the position, then maximises the chance of a mistake.

    The values of a thought are the value of a cell, 1, 0 or -1, plus the chance of beating an
    opponent that plays at random.
    """

    name = "perfect"
    about = "Never errs, and of the moves that do not takes those that are hardest to answer."
    boards = "3x3 without gravity: plain, misere, torus, vanishing; notakto up to 4x4"
    variants = frozenset({"misere", "notakto", "torus", "vanishing"})

    def plays(self, rules: Rules) -> bool:
        if rules is TIC_TAC_TOE:  # nearly always, and ten times as quick as to compare
            return True
        return rules == TIC_TAC_TOE or solver_of(rules) is not None

    @staticmethod
    def cost(rules: Rules) -> Cost:
        return Cost.INSTANT if rules == TIC_TAC_TOE else Cost.LONG

    def think_aloud(self, position: Position, tell: Tell | None) -> Thought:
        require_playable(self, position)
        rules = position.rules
        solver = None if rules.variant is None else solver_of(rules)
        return told(_thought(position) if solver is None else _solved(solver(position)), tell)


def _solved(scores: Mapping[int, int]) -> Thought:
    return Thought(best_of(scores), "book", scores)


@cache  # bounded: 3x3 has 4 520 positions in which the game goes on
def _thought(position: Position) -> Thought:
    own, other = position.sides
    prospects = {cell: after_move(own | 1 << cell, other) for cell in position.legal_moves}
    cases = CASES[len(prospects) - 1]
    return Thought(
        best_of(prospects),
        "book",
        {cell: (value * cases + wins) / cases for cell, (value, wins, _) in prospects.items()},
    )


@cache  # the table: each position is worked out once, most of them by the first thoughts
def after_move(own: int, other: int) -> Prospect:
    """Return the prospect of the side that holds `own` and has just moved."""
    free = _FULL ^ own ^ other
    if _complete(own):
        return Prospect(1, CASES[free.bit_count()], 0)
    if not free:
        return _DRAWN
    lost = free & _ends(other)
    value, wins, draws = -1 if lost else 1, 0, 0
    free ^= lost
    while free:
        bit = free & -free
        free ^= bit
        answered, then_wins, then_draws = of_position(own, other | bit)
        value = min(value, answered)
        wins += then_wins
        draws += then_draws
    return Prospect(value, wins, draws)


@cache
def of_position(own: int, other: int) -> Prospect:
    """Return the best prospect of the side to move, which holds `own`."""
    free = _FULL ^ own ^ other
    if _ends(own) & free:
        return Prospect(1, CASES[free.bit_count() - 1], 0)
    if not free:
        return _DRAWN
    blocks = free & _ends(other)
    best = _best(own, other, blocks)
    if best.value >= 0:
        return best  # every other cell loses
    return max(best, _best(own, other, free ^ blocks))


def _best(own: int, other: int, cells: int) -> Prospect:
    best = Prospect(-1, 0, 0)
    while cells:
        bit = cells & -cells
        cells ^= bit
        best = max(best, after_move(own | bit, other))
    return best
