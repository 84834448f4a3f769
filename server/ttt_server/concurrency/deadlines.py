"""Many deadlines of equal length, sharing one timer."""

from asyncio import TimerHandle, get_running_loop
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")

_TICK_S = 0.1
"""Timer resolution: items due within one tick are handled together."""


class Deadlines(Generic[T]):
    """Calls `on_due` with each item `delay_s` after it was added, unless it was discarded.

    Items come due in the order they were added, so only the first need checking.
    """

    def __init__(self, delay_s: float, on_due: Callable[[T], None]) -> None:
        self._loop = get_running_loop()
        self.delay_s = delay_s
        self._on_due = on_due
        self._due: dict[T, float] = {}
        """When each item is due, on the loop's clock; next first."""
        self._timer: TimerHandle | None = None

    def __contains__(self, item: T) -> bool:
        return item in self._due

    def __iter__(self) -> Iterator[T]:
        """Yield the items, next due first."""
        return iter(self._due)

    def add(self, item: T) -> None:
        """Start, or restart, the delay of an item."""
        self._due.pop(item, None)
        self._due[item] = at = self._loop.time() + self.delay_s
        if self._timer is None:
            self._timer = self._loop.call_at(at, self._call_due)

    def discard(self, item: T) -> None:
        """Drop an item. The timer stays, as the next item is seldom far off."""
        self._due.pop(item, None)

    def clear(self) -> None:
        """Drop all items, and the timer."""
        self._due.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _call_due(self) -> None:
        self._timer = None
        now = self._loop.time()
        due = []
        for item, at in self._due.items():
            if at > now:
                self._timer = self._loop.call_at(max(at, now + _TICK_S), self._call_due)
                break
            due.append(item)
        for item in due:
            del self._due[item]
        for item in due:
            self._on_due(item)
