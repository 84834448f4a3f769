"""Whose turn it is: a lock that one may wait for without a task."""

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial


class Lock:
    """As `asyncio.Lock`, first come first served; `then` stands in the same line."""

    __slots__ = ("_is_held", "_line")

    def __init__(self) -> None:
        self._is_held = False
        self._line: deque[Callable[[], None]] | None = None

    def locked(self) -> bool:
        return self._is_held

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
        begin = partial(turn.set_result, None)
        line = self._queue(begin)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                line.remove(begin)
            else:
                self.release()  # it came, to one who is no longer there
            raise

    def release(self) -> None:
        """Gives it to the next in the line, if there is one: then it was never free."""
        if self._line:
            self._line.popleft()()
        else:
            self._is_held = False

    async def __aenter__(self) -> None:
        await self.acquire()

    async def __aexit__(self, *_: object) -> None:
        self.release()

    def _queue(self, call: Callable[[], None]) -> deque[Callable[[], None]]:
        if self._line is None:
            self._line = deque()
        self._line.append(call)
        return self._line
