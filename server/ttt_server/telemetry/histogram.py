"""A histogram of durations. Counting is two additions, as every move pays for it."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate


class Histogram:
    """Counts durations by upper bounds. `bounds`: in seconds, ascending."""

    def __init__(self, bounds: Sequence[float]) -> None:
        self._bounds = tuple(bounds)
        self._counts = [0] * (len(bounds) + 1)
        self.sum = 0.0
        """The sum of all durations."""

    def __add__(self, other: "Histogram") -> "Histogram":
        """Return both together; they have the same bounds."""
        both = Histogram(self._bounds)
        both._counts = [one + two for one, two in zip(self._counts, other._counts, strict=True)]
        both.sum = self.sum + other.sum
        return both

    @property
    def count(self) -> int:
        """The number of durations."""
        return sum(self._counts)

    def observe(self, seconds: float) -> None:
        """Count a duration."""
        self._counts[bisect_left(self._bounds, seconds)] += 1
        self.sum += seconds

    @property
    def buckets(self) -> list[tuple[str, float]]:
        """The number of durations up to each bound; the last bound is `+Inf`."""
        bounds = (*map(str, self._bounds), "+Inf")
        return list(zip(bounds, accumulate(self._counts), strict=True))
