"""How many games of the same two addresses the learner believes."""

from collections import OrderedDict, deque

LESSONS = 20
"""In an hour, from one pair of addresses."""

_HOUR_MS = 3_600_000

_MOST_PAIRS = 10_000
"""Pairs that are remembered; the one that taught longest ago is dropped."""


Pair = frozenset[str]
"""The addresses of two players; a single one where both have the same."""


class LessonLimiter:
    """Counts the lessons of each pair of addresses in the last hour."""

    def __init__(self) -> None:
        self._taught: OrderedDict[Pair, deque[int]] = OrderedDict()
        """The times of the newest `LESSONS` lessons of a pair, in Unix ms."""

    def takes(self, pair: Pair, now: int) -> bool:
        """Return whether these two may teach, and count the lesson if so. `now`: Unix ms."""
        times = self._taught.setdefault(pair, deque(maxlen=LESSONS))
        if len(times) == LESSONS and now - times[0] < _HOUR_MS:
            return False
        times.append(now)
        self._taught.move_to_end(pair)
        if len(self._taught) > _MOST_PAIRS:
            self._taught.popitem(last=False)
        return True
