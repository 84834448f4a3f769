"""The value of a position to the side to move, as the search counts it."""

from typing import Final, NamedTuple

WON: Final = 1 << 24
"""A win is worth this plus the number of empty cells at its end, a loss the negative of that.

So an early win is worth more than a late one. A draw is worth 0, and estimates lie between.
"""

LIMIT: Final = 2 * WON
"""No value reaches this."""


class Found(NamedTuple):
    """The result of a look: a value or, outside the window of the search, a bound of it."""

    value: int
    proven: bool
    """Whether it is certain: no estimate and no left-out cell has a part in it."""


def sign(value: int) -> int:
    """Return 1 for a value above 0, -1 for one below, and 0 for 0."""
    return (value > 0) - (value < 0)
