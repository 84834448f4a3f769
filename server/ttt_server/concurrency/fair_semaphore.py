"""A semaphore that is fair between keys: one with many waiters does not delay the others.

And a mutex made of it, with a bounded queue.
"""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager


class Slot:
    """A slot of a `FairSemaphore`, as its holder sees it."""

    __slots__ = ("_key", "_semaphore", "is_held")

    def __init__(self, semaphore: "FairSemaphore", key: str) -> None:
        self._semaphore = semaphore
        self._key = key
        self.is_held = True
        """`False` while the holder gives way."""

    async def give_way(self) -> None:
        """Let one waiter of every other key go first."""
        self.is_held = False
        await self._semaphore.requeue(self._key)
        self.is_held = True


class FairSemaphore:
    """Up to `size` holders at a time; waiters are served round-robin by their keys."""

    def __init__(self, size: int) -> None:
        self._free = size
        self._waiters: dict[str, deque[asyncio.Future[None]]] = {}
        """The waiters by key; the key to serve next comes first."""

    def locked(self) -> bool:
        """Return whether the next `take` has to wait."""
        return not self._free

    @asynccontextmanager
    async def take(self, key: str = "") -> AsyncIterator[Slot]:
        """Wait for a slot, and hold it inside.

        Args:
            key: waiters with the same key share one place in the round.
        """
        if self._free:
            self._free -= 1
        else:
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiters.setdefault(key, deque()).append(turn)
            await self._wait(key, turn)
        slot = Slot(self, key)
        try:
            yield slot
        finally:
            if slot.is_held:
                self._pass_on()

    async def requeue(self, key: str) -> None:
        """Pass a slot on, and wait behind other keys but first among the same key."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiters = self._waiters.pop(key, deque())
        waiters.appendleft(turn)
        self._waiters[key] = waiters
        self._pass_on()
        await self._wait(key, turn)

    async def _wait(self, key: str, turn: asyncio.Future[None]) -> None:
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._leave(key, turn)
            else:
                self._pass_on()  # the slot came together with the cancellation
            raise

    def _leave(self, key: str, turn: asyncio.Future[None]) -> None:
        """Remove a cancelled waiter from the queue, unless `_pass_on` has."""
        waiters = self._waiters.get(key)
        if waiters is not None and turn in waiters:
            waiters.remove(turn)
            if not waiters:
                del self._waiters[key]

    def _pass_on(self) -> None:
        """Give the slot to the next waiter."""
        while self._waiters:
            key = next(iter(self._waiters))
            waiters = self._waiters.pop(key)
            while waiters and waiters[0].done():
                waiters.popleft()  # cancelled, and its task has not run since
            if waiters:
                waiters.popleft().set_result(None)
                if waiters:
                    self._waiters[key] = waiters  # behind all other keys
                return
        self._free += 1


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
                try:
                    async with asyncio.timeout(patience_s):
                        await stack.enter_async_context(self._lock.take(key))
                except TimeoutError:
                    raise TooBusy from None
                yield
        finally:
            self._users[key] -= 1
            if not self._users[key]:
                del self._users[key]
