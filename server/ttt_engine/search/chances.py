"""The chances of both sides to win a small board of ultimate, as its judgement counts them.

Nobody knows who will move there next, nor whether they will choose the cell for this board or for
the one that it sends to. So chance decides both, and each mark on each free cell is as likely.
"""

from functools import cache
from typing import Final

from ttt_engine.bitboard import cells_of
from ttt_engine.rules import TIC_TAC_TOE

SURE: Final = 100
"""The chance of a side that has won the board."""

POWERS: Final = tuple(3**place for place in range(9))
"""What an own mark on a place adds to the number of a board's contents; another's adds twice."""

TERNARY: Final = tuple(sum(POWERS[place] for place in cells_of(places)) for places in range(1 << 9))
"""The numbers of boards with only own marks, by the set of them."""


@cache
def chances() -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the chances of the own and the other side, 0 to `SURE`, by the contents of a board."""
    mine, theirs = [0.0] * 3**9, [0.0] * 3**9
    complete = TIC_TAC_TOE.lines.complete
    # Later contents have a greater number than those they come from.
    for contents in range(3**9 - 1, -1, -1):
        digits = [contents // power % 3 for power in POWERS]
        own, other = (
            sum(1 << place for place, digit in enumerate(digits) if digit == side)
            for side in (1, 2)
        )
        if complete(own):
            mine[contents] = 1.0
        elif complete(other):
            theirs[contents] = 1.0
        elif 0 in digits:
            after = [
                contents + side * power
                for power, digit in zip(POWERS, digits, strict=True)
                if not digit
                for side in (1, 2)
            ]
            for side in (mine, theirs):
                side[contents] = sum(side[at] for at in after) / len(after)
    return tuple(round(SURE * each) for each in mine), tuple(round(SURE * each) for each in theirs)
