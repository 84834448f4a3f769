"""Numbers about numbers. Pure."""

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple


def percentile(values: Sequence[float], part: float) -> float:
    """The least of the values that so large a part of them does not exceed; nan if there are none.

    >>> percentile([3, 1, 2, 4], 0.5)
    2
    """
    if not values:
        return float("nan")
    ordered = sorted(values)
    return ordered[max(0, math.ceil(part * len(ordered)) - 1)]


class Spread(NamedTuple):
    """What one figure was over the rounds."""

    median: float
    least: float
    largest: float


def spread(values: Sequence[float]) -> Spread:
    """Of at least one value."""
    return Spread(statistics.median(values), min(values), max(values))
