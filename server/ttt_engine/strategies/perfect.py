"""Perfect play that also hopes for the other's mistakes."""

from functools import cache
from typing import Final, NamedTuple

from ttt_engine.bitboard import cells_of
from ttt_engine.position import Position
from ttt_engine.rules import TIC_TAC_TOE, Rules
from ttt_engine.strategies.base import Thought, require_playable

CASES: Final = (1, 1, 2, 3, 8, 15, 48, 105, 384)
"""In how many equally likely ways a random opponent can move, to the end, by the cells left to it.

8 is 4 * 2: it has four cells, and two when its turn comes again.
"""


class Prospect(NamedTuple):
    """What a move promises. Prospects of one position compare as `Perfect` prefers them."""

    value: int
    """1, 0 or -1: the win, draw or loss that the side can force, or must allow."""

    wins: int
    """In how many of the `CASES` it wins, when it plays on like this, and the other at random."""

    draws: int
    """The same for draws."""


class Perfect:
    """Never gives away what a position is worth, and then takes the best chance to gain by errors.

    A thought's values say both: the cell's value, 1, 0 or -1, and added to it the chance of
    beating an opponent who plays at random.
    """

    name = "perfect"
    levels = False
    about = "Never errs, and of the moves that do not takes those that are hardest to answer."
    boards = "3x3 without gravity"

    def plays(self, rules: Rules) -> bool:
        return rules == TIC_TAC_TOE

    def think(self, position: Position) -> Thought:
        require_playable(self, position)
        own, other = position.sides
        prospects = {cell: of_move(own, other, 1 << cell) for cell in position.legal_moves}
        best = max(prospects.values())
        cases = CASES[len(prospects) - 1]
        return Thought(
            tuple(cell for cell in prospects if prospects[cell] == best),
            "book",
            {cell: (value * cases + wins) / cases for cell, (value, wins, _) in prospects.items()},
        )


def of_move(own: int, other: int, bit: int) -> Prospect:
    """The prospect of the side that holds `own`, once it has taken the cell `bit`."""
    own |= bit
    free = cells_of(TIC_TAC_TOE.playable(own | other))
    if TIC_TAC_TOE.lines.complete(own):
        return Prospect(1, CASES[len(free)], 0)
    if not free:
        return Prospect(0, 0, 1)
    answers = [_after_answer(own, other | 1 << cell, len(free) - 1) for cell in free]
    return Prospect(
        min(answer.value for answer in answers),
        sum(answer.wins for answer in answers),
        sum(answer.draws for answer in answers),
    )


def _after_answer(own: int, other: int, left: int) -> Prospect:
    if TIC_TAC_TOE.lines.complete(other):
        return Prospect(-1, 0, 0)
    return of_position(own, other) if left else Prospect(0, 0, 1)


@cache  # this is the table: each position is worked out once, most of them by the first thoughts
def of_position(own: int, other: int) -> Prospect:
    """The best prospect of the side to move, which holds `own`."""
    free = cells_of(TIC_TAC_TOE.playable(own | other))
    return max(of_move(own, other, 1 << cell) for cell in free)
