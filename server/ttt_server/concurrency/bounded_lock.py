"""Work that is done one after the other, and few who wait for it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

MOST_READERS = 32
"""Who read the log of a room, which may be long, or wait for it, at once."""


class TooBusy(Exception):
    """Too many wait; later there may be room."""


class BoundedLock:
    """One at a time; no more than `most` have it or wait for it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._waiting = 0
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def take(self) -> AsyncIterator[None]:
        """Waits for a turn, and has it inside.

        Raises:
            TooBusy
        """
        if self._waiting >= self._most:
            raise TooBusy
        self._waiting += 1
        try:
            async with self._turn:
                yield
        finally:
            self._waiting -= 1
