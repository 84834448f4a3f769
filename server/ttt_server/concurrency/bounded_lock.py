"""A mutex with a bounded queue that is fair between keys."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from ttt_server.concurrency.fair_semaphore import FairSemaphore


class TooBusy(Exception):
    """The queue is full. A later attempt may succeed."""


class KeyTooBusy(TooBusy):
    """The queue is full for this key. There may be room for others."""


class BoundedLock:
    """A lock that at most `limit` tasks hold or wait for. Others are turned away at once.

    Args:
        limit: the most tasks holding the lock or waiting for it.
        limit_of_key: the most of them with the same key; `None` for `limit`.
    """

    def __init__(self, limit: int, limit_of_key: int | None = None) -> None:
        self._limit = limit
        self._limit_of_key = limit if limit_of_key is None else limit_of_key
        self._users: Counter[str] = Counter()
        self._lock = FairSemaphore(1)

    @asynccontextmanager
    async def take(self, patience_s: float | None = None, key: str = "") -> AsyncIterator[None]:
        """Wait at most `patience_s` for the lock, and hold it inside.

        Args:
            patience_s: the longest wait in seconds; `None` for no limit.
            key: waiters with the same key take turns with those of other keys.

        Raises:
            TooBusy: if `limit` tasks hold it or wait for it, or the wait was too long.
            KeyTooBusy: if `limit_of_key` tasks of this key hold it or wait for it.
        """
        if self._users.total() >= self._limit:
            raise TooBusy
        if self._users[key] >= self._limit_of_key:
            raise KeyTooBusy
        self._users[key] += 1
        try:
            async with AsyncExitStack() as stack:
                await self._acquire(stack, patience_s, key)
                yield
        finally:
            self._users[key] -= 1
            if not self._users[key]:
                del self._users[key]

    async def _acquire(self, stack: AsyncExitStack, patience_s: float | None, key: str) -> None:
        try:
            async with asyncio.timeout(patience_s):
                await stack.enter_async_context(self._lock.take(key))
        except TimeoutError:
            raise TooBusy from None
