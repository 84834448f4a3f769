"""Timers by purpose: at most one each."""

import asyncio
from collections.abc import Callable
from typing import Any


class NamedTimers:
    """The timers of one object."""

    __slots__ = ("_handles", "_loop")

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._handles: dict[str, asyncio.TimerHandle] = {}

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
