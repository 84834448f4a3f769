"""Many alarms at times of their own, sharing one timer: each costs some 200 bytes, far ones 130."""

import heapq
import math
from asyncio import TimerHandle, get_running_loop
from collections.abc import Callable, Hashable
from contextvars import Context
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)

_SPARE = 64
"""Entries of alarms that were cancelled or set anew, beyond as many as there are alarms."""

_AHEAD_S = 600.0
"""Later alarms are far: they take their place in the order when less than this is left."""


class Alarms(Generic[T]):
    """Calls `ring` with each item at its time, unless it was cancelled or set anew."""

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
