"""Whose turn it is: a lock that one may wait for without a task."""

import asyncio
from collections import deque
from collections.abc import Callable


class CallbackLock:
    """First come first served, tasks that `acquire` and calls that stand in the same line."""

    __slots__ = ("_is_handing_on", "_is_held", "_line")

    def __init__(self) -> None:
        self._is_held = False
        self._is_handing_on = False
        self._line: deque[Callable[[], None]] | None = None

    def locked(self) -> bool:
        return self._is_held

    @property
    def is_wanted(self) -> bool:
        """Whether somebody stands in the line."""
        return bool(self._line)

    def then(self, call: Callable[[], None]) -> None:
        """Calls `call` when it has the lock: now, if nobody has it. It has to `release` it."""
        if self._is_held:
            self._queue(call)
        else:
            self._is_held = True
            call()

    async def acquire(self) -> None:
        """Waits for its turn."""
        if not self._is_held:
            self._is_held = True
            return
        turn = asyncio.get_running_loop().create_future()

        def begin() -> None:
            if turn.done():
                self.release()  # it waits no more
            else:
                turn.set_result(None)

        self._queue(begin)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                self.release()  # its turn came, and it is no longer there
            raise

    def release(self) -> None:
        """Hands it on to the next in the line, if there is one."""
        self._is_held = False
        if self._line is None or self._is_handing_on:
            return  # one who lets it go at once is called by the loop below
        self._is_handing_on = True
        try:
            while self._line and not self._is_held:
                self._is_held = True
                self._line.popleft()()
        finally:
            self._is_handing_on = False

    async def __aenter__(self) -> None:
        await self.acquire()

    async def __aexit__(self, *_: object) -> None:
        self.release()

    def _queue(self, call: Callable[[], None]) -> None:
        if self._line is None:
            self._line = deque()
        self._line.append(call)
