"""The chances of both sides to win a small board of ultimate, as its judgement counts them.

Nobody knows who will move there next. So a coin decides it at each mark, and both sides choose the
cell that serves them best: the winner of such a game is known by chance alone.

Source: Peres, Schramm, Sheffield and Wilson, "Random-Turn Hex and Other Selection Games" (2007).
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
            steps = [power for power, digit in zip(POWERS, digits, strict=True) if not digit]
            best = max((contents + step for step in steps), key=lambda at: mine[at] - theirs[at])
            worst = min(
                (contents + 2 * step for step in steps), key=lambda at: mine[at] - theirs[at]
            )
            mine[contents] = (mine[best] + mine[worst]) / 2
            theirs[contents] = (theirs[best] + theirs[worst]) / 2
    return tuple(round(SURE * each) for each in mine), tuple(round(SURE * each) for each in theirs)
