"""What is due later: deadlines of equal length, alarms at times of their own, and named timers."""

import heapq
import math
from asyncio import TimerHandle, get_running_loop
from collections.abc import Callable, Iterator
from contextvars import Context
from typing import Any, Generic, TypeVar

T = TypeVar("T")

_TICK_S = 0.1
"""Timer resolution: items due within one tick are handled together."""

_SPARE = 64
"""Entries of alarms that were cancelled or set anew, beyond as many as there are alarms."""

_AHEAD_S = 600.0
"""Later alarms are far: they take their place in the order when less than this is left."""


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


class Alarms(Generic[T]):
    """Calls `ring` with each item at its time, unless it was cancelled or set anew.

    All share one timer. An alarm takes some 200 bytes, a far one 130.
    """

    def __init__(self, ring: Callable[[T], None]) -> None:
        self._loop = get_running_loop()
        self._ring = ring
        self._due: dict[T, float] = {}
        """When each rings, on the loop's clock."""
        self._heap: list[tuple[float, T]] = []
        """Those before `_far_at`, soonest first, and entries that are no longer true."""
        self._far_at = self._loop.time() + _AHEAD_S
        self._timer: TimerHandle | None = None
        self._timer_at = math.inf
        """When it rings. uvloop's handle of what is due at once has no `when`."""
        self._context = Context()
        """A timer keeps that of whoever sets it otherwise."""

    def __contains__(self, item: T) -> bool:
        return item in self._due

    def set(self, item: T, delay_s: float) -> None:
        """Ring for an item after so many seconds, in place of an earlier alarm."""
        due = self._loop.time() + delay_s
        self._due[item] = due
        if due < self._far_at:
            heapq.heappush(self._heap, (due, item))
            if len(self._heap) > 2 * len(self._due) + _SPARE:
                self._sort()
        if due < self._timer_at:
            self._arm()

    def cancel(self, item: T) -> None:
        """Do not ring for an item."""
        self._due.pop(item, None)

    def clear(self) -> None:
        """Cancel all, and the timer."""
        self._due.clear()
        self._heap.clear()
        self._arm()

    def _sort(self) -> None:
        self._heap = [(due, item) for item, due in self._due.items() if due < self._far_at]
        heapq.heapify(self._heap)

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._timer_at = None, math.inf
        if self._due:
            self._timer_at = self._heap[0][0] if self._heap else self._far_at
            self._timer = self._loop.call_at(self._timer_at, self._wake, context=self._context)

    def _wake(self) -> None:
        now = self._loop.time()
        if now >= self._far_at:
            self._far_at = now + _AHEAD_S
            self._sort()
        while self._heap and self._heap[0][0] <= now:
            due, item = heapq.heappop(self._heap)
            if self._due.get(item) == due:
                del self._due[item]
                self._ring(item)
        self._arm()


class NamedTimers:
    """The timers of one object, by purpose: at most one each."""

    __slots__ = ("_handles", "_loop")

    def __init__(self) -> None:
        self._loop = get_running_loop()
        self._handles: dict[str, TimerHandle] = {}

    def __contains__(self, purpose: str) -> bool:
        return purpose in self._handles

    def set(self, delay_s: float, purpose: str, call: Callable[..., None], *args: Any) -> None:
        """Call `call` once after a delay, in place of an earlier timer for the same purpose."""
        self.cancel(purpose)
        self._handles[purpose] = self._loop.call_later(delay_s, self._call, purpose, call, *args)

    def cancel(self, purpose: str) -> None:
        """Drop the timer for this purpose."""
        if handle := self._handles.pop(purpose, None):
            handle.cancel()

    def close(self) -> None:
        """Drop all timers."""
        for purpose in tuple(self._handles):
            self.cancel(purpose)

    def _call(self, purpose: str, call: Callable[..., None], *args: Any) -> None:
        del self._handles[purpose]
        call(*args)
