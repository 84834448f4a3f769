"""Deadlines that are all equally far away: one timer for all, and next to no memory for each."""

from asyncio import TimerHandle, get_running_loop
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

_TICK_S = 0.1
"""What comes due in such a time is looked at together: nobody hurries them."""


class Deadlines(Generic[T]):
    """Calls `on_due` with each that was added `delay_s` ago, and neither again nor discarded since.

    They come due in the order in which they were added: only the first are ever looked at.
    """

    def __init__(self, delay_s: float, on_due: Callable[[T], None]) -> None:
        self._loop = get_running_loop()  # which is asked of the kernel each time: many come by here
        self._delay_s = delay_s
        self._on_due = on_due
        self._due: dict[T, float] = {}
        """When, on the loop's clock; the next one first."""
        self._timer: TimerHandle | None = None

    def __contains__(self, waiting: T) -> bool:
        return waiting in self._due

    def add(self, waiting: T) -> None:
        """Its time begins now, if it ran already too."""
        self._due.pop(waiting, None)
        self._due[waiting] = at = self._loop.time() + self._delay_s
        if self._timer is None:
            self._timer = self._loop.call_at(at, self._look)

    def discard(self, waiting: T) -> None:
        self._due.pop(waiting, None)  # the timer stays, as the next is seldom far

    def _look(self) -> None:
        self._timer = None
        now = self._loop.time()
        over = []
        for waiting, at in self._due.items():
            if at > now:
                self._timer = self._loop.call_at(max(at, now + _TICK_S), self._look)
                break
            over.append(waiting)
        for waiting in over:
            del self._due[waiting]
        for waiting in over:
            self._on_due(waiting)
