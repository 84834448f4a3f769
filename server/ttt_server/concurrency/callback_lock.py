"""A mutex that a callback can wait for without a task."""

import asyncio
from collections import deque
from collections.abc import Callable


class CallbackLock:
    """A lock in first-come order, for callbacks (`then`) and tasks (`acquire`) alike."""

    __slots__ = ("_is_held", "_is_releasing", "_waiters")

    def __init__(self) -> None:
        self._is_held = False
        self._is_releasing = False
        self._waiters: deque[Callable[[], None]] | None = None
        """Waiting callbacks, next first. Most locks never have any."""

    def locked(self) -> bool:
        """Return whether the lock is held."""
        return self._is_held

    def then(self, call: Callable[[], None]) -> None:
        """Call `call` with the lock held: now if it is free, else in turn.

        The callback, or what it starts, must `release` the lock.
        """
        if self._is_held:
            self._queue(call)
        else:
            self._is_held = True
            call()

    async def acquire(self) -> None:
        """Wait for the lock."""
        if not self._is_held:
            self._is_held = True
            return
        turn = asyncio.get_running_loop().create_future()

        def begin() -> None:
            if turn.done():
                self.release()  # the task was cancelled
            else:
                turn.set_result(None)

        self._queue(begin)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                self.release()  # the lock came together with the cancellation
            raise

    def release(self) -> None:
        """Hand the lock to the next waiter, if there is one."""
        self._is_held = False
        if not self._waiters or self._is_releasing:
            return  # a re-entrant release: the loop below calls the next waiter
        self._is_releasing = True
        try:
            while self._waiters and not self._is_held:
                self._is_held = True
                self._waiters.popleft()()
        finally:
            self._is_releasing = False

    async def __aenter__(self) -> None:
        await self.acquire()

    async def __aexit__(self, *_: object) -> None:
        self.release()

    def _queue(self, call: Callable[[], None]) -> None:
        if self._waiters is None:
            self._waiters = deque()
        self._waiters.append(call)
