"""A mutex with a bounded queue."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class TooBusy(Exception):
    """The queue is full; a later attempt may succeed."""


class BoundedLock:
    """A lock that at most `limit` tasks hold or wait for; others are turned away at once."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._users = 0
        self._lock = asyncio.Lock()

    @asynccontextmanager
    async def take(self, patience_s: float | None = None) -> AsyncIterator[None]:
        """Wait for the lock, no longer than `patience_s`, and hold it inside.

        Raises:
            TooBusy: if `limit` tasks hold it or wait for it, or the wait was too long.
        """
        if self._users >= self._limit:
            raise TooBusy
        self._users += 1
        try:
            await self._acquire(patience_s)
            try:
                yield
            finally:
                self._lock.release()
        finally:
            self._users -= 1

    async def _acquire(self, patience_s: float | None) -> None:
        try:
            async with asyncio.timeout(patience_s):
                await self._lock.acquire()
        except TimeoutError:
            raise TooBusy from None
