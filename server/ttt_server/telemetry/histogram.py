"""How long things took, counted as they happen: two additions, as moves wait for them."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate


class Histogram:
    """Counts durations by the bounds that they stay within. `bounds`: in seconds, ascending."""

    def __init__(self, bounds: Sequence[float]) -> None:
        self._bounds = tuple(bounds)
        self._counts = [0] * (len(bounds) + 1)
        self.sum = 0.0
        """Of all durations."""

    def observe(self, seconds: float, times: int = 1) -> None:
        """Counts a duration, or several that are equal."""
        self._counts[bisect_left(self._bounds, seconds)] += times
        self.sum += seconds * times

    @property
    def buckets(self) -> list[tuple[str, float]]:
        """By bound, how many were no longer; the last bound is `+Inf`."""
        bounds = (*map(str, self._bounds), "+Inf")
        return list(zip(bounds, accumulate(self._counts), strict=True))
