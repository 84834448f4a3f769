"""What a position is worth to the side to move."""

from typing import Final, NamedTuple

WON: Final = 1 << 24
"""A win is worth this and the number of cells that are free at its end; a loss the negative.

So a win is worth more the sooner it comes. A draw is worth 0, and estimates lie between.
"""

LIMIT: Final = 2 * WON
"""No value reaches this."""


class Found(NamedTuple):
    """What a look found: a value; or, outside the window that was asked for, a bound of it."""

    value: int
    proven: bool
    """Whether it holds whatever is played: no estimate, and no cell left out, has a part in it."""


def sign(value: int) -> int:
    """1 for what is good for the side to move, -1 for what is bad, 0."""
    return (value > 0) - (value < 0)
