"""Keys that count for a while, in bounded memory: names that rest, members that were removed."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)


class ExpiringKeys(Generic[K]):
    """At most `most` keys, each until a time of its own. The one added first is dropped first.

    Times are seconds on any clock that does not go back.
    """

    __slots__ = ("_most", "_until")

    def __init__(self, most: int) -> None:
        self._most = most
        self._until: OrderedDict[K, float] = OrderedDict()

    def add(self, key: K, until: float) -> None:
        """Let a key count until then, instead of what was set before."""
        self._until.pop(key, None)
        self._until[key] = until
        if len(self._until) > self._most:
            self._until.popitem(last=False)

    def discard(self, key: K) -> None:
        """Drop a key."""
        self._until.pop(key, None)

    @property
    def all(self) -> tuple[K, ...]:
        """The keys, the one added first comes first; the time of some may be over."""
        return tuple(self._until)

    def left_s(self, key: K, now: float) -> float:
        """Return for how long a key still counts; 0 if it does not."""
        return max(0.0, self._until.get(key, now) - now)
