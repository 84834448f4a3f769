"""Keys that expire, in bounded memory: names on cooldown, removed members."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)


class ExpiringKeys(Generic[K]):
    """At most `most` keys, each with a time of expiry. The oldest is dropped first.

    Times are seconds on any clock that does not go back.
    """

    __slots__ = ("_most", "_until")

    def __init__(self, most: int) -> None:
        self._most = most
        self._until: OrderedDict[K, float] = OrderedDict()

    def add(self, key: K, until: float) -> None:
        """Add a key, or set another time of expiry."""
        self._until.pop(key, None)
        self._until[key] = until
        if len(self._until) > self._most:
            self._until.popitem(last=False)

    def discard(self, key: K) -> None:
        """Drop a key."""
        self._until.pop(key, None)

    @property
    def all(self) -> tuple[K, ...]:
        """The keys, oldest first. Some may have expired."""
        return tuple(self._until)

    def left_s(self, key: K, now: float) -> float:
        """Return the seconds until a key expires; 0 if it has, or is unknown."""
        return max(0.0, self._until.get(key, now) - now)
