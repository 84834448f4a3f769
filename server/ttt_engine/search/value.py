"""The value of a position to the side to move, as the search counts it."""

from collections.abc import Mapping
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


def worth_of(scores: Mapping[int, float] | None) -> int | None:
    """Return what a position is worth whose cells have these scores, above 0 where they win.

    None without scores.
    """
    if not scores:
        return None
    best = max(scores.values())
    return WON if best > 0 else -WON if best < 0 else 0


def sign(value: int) -> int:
    """Return 1 for a value above 0, -1 for one below, and 0 for 0."""
    return (value > 0) - (value < 0)
