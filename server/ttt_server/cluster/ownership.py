"""Whose room it is: claims, in batches, and the rooms that this server owns."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from typing import Final
from uuid import UUID

from ttt_protocol.state import RoomName
from ttt_server.cluster.lease import Lease, now
from ttt_server.storage.base import StorageFailed
from ttt_server.storage.postgres import statements
from ttt_server.storage.postgres.readers import Readers

logger = logging.getLogger(__name__)

_REAP_S: Final = 0.05
"""The least time between two looks for dead servers, unless one is known to be in doubt."""

_ATTEMPTS: Final = 3
"""To claim a room whose owner changes."""


class Ownership:
    """The rooms of this server. A room is asked for before it is opened."""

    def __init__(self, readers: Readers, lease: Lease, hold_s: float) -> None:
        """`hold_s`: how long a room that was asked for is kept, if no member comes."""
        self._readers = readers
        self._lease = lease
        self._hold_s = hold_s
        self._owned: dict[RoomName, float] = {}
        """The rooms, and when each was last asked for, by `now`."""
        self._asked: dict[RoomName, asyncio.Future[str | None]] = {}
        self._asking: asyncio.Task[None] | None = None
        self._statements = asyncio.Lock()
        """Claims and releases come one after the other."""
        self._reaped_at = 0.0

    @property
    def count(self) -> int:
        return len(self._owned)

    def has(self, name: RoomName) -> bool:
        """Tell whether this server may open and serve a room."""
        return name in self._owned and self._lease.owner is not None

    async def locate(self, name: RoomName, *, is_in_doubt: bool = False) -> str | None:
        """Find the owner of a room; without one this server becomes it.

        Args:
            name: the room.
            is_in_doubt: whether its owner could not be reached.

        Returns:
            The owner's address; `None` if this server is the owner.

        Raises:
            StorageFailed: if that cannot be found out.
        """
        if self.has(name):
            self._owned[name] = now()
            return None
        if is_in_doubt:
            self._reaped_at = 0.0
        asked = self._asked.get(name)
        if asked is None:
            asked = self._asked[name] = asyncio.get_running_loop().create_future()
            if self._asking is None or self._asking.done():
                self._asking = asyncio.create_task(self._ask())
        address = await asyncio.shield(asked)
        if address is None and not self.has(name):
            raise StorageFailed(f"room {name}: it was given up meanwhile")
        return address

    async def look_up(self, name: RoomName) -> str | None:
        """Return the address of the other server that has a room; `None` if none has. Claim none.

        Raises:
            StorageFailed: if the database cannot be asked.
        """
        if self.has(name):
            return None
        rows = await self._readers.fetch(statements.OWNERS, [name])
        return next((address for _, address in rows), None)

    async def reap(self) -> None:
        """Remove the servers that are dead, so that their rooms may be claimed.

        Raises:
            StorageFailed: if the database cannot be asked.
        """
        me = self._lease.owner
        if me is None:
            return
        self._reaped_at = now()
        judge = statements.REAP_UNLOCKED if self._lease.may_judge else statements.REAP
        for (dead,) in await self._readers.fetch(judge, me):
            logger.warning("server %s is gone: its rooms are free", dead)

    def give_up(self) -> None:
        """Own nothing any more: the lease is over."""
        self._owned.clear()

    async def hand_over(self) -> None:
        """Leave all rooms to the other servers.

        Raises:
            StorageFailed: if they cannot be told; then they find out by the lease.
        """
        me = self._lease.owner
        async with self._statements:
            self._owned.clear()
            if me is not None:
                await self._readers.fetch(statements.HAND_OVER, me)

    async def release(self, is_needed: Callable[[RoomName], bool]) -> None:
        """Give back the rooms that are not needed here.

        Raises:
            StorageFailed: if the others cannot be told.
        """
        async with self._statements:
            me, before = self._lease.owner, now() - self._hold_s
            idle = [name for name, at in self._owned.items() if at < before and not is_needed(name)]
            if me is None or not idle:
                return
            for name in idle:
                del self._owned[name]
            await self._readers.fetch(statements.RELEASE, idle, me)

    def close(self) -> None:
        """Ask for nothing any more."""
        if self._asking is not None:
            self._asking.cancel()

    async def _ask(self) -> None:
        """Claim all rooms that are asked for, in batches."""
        while self._asked:
            await asyncio.sleep(0)  # other questions of this turn of the loop come along
            async with self._statements:
                batch, self._asked = self._asked, {}
                try:
                    owners = await self._claim(batch)
                except StorageFailed as error:
                    _fail(batch.values(), error)
                    continue
            for name, asked in batch.items():
                if asked.done():
                    continue
                if name in owners:
                    asked.set_result(owners[name])
                else:
                    asked.set_exception(StorageFailed(f"room {name}: its owner changes"))

    async def _claim(self, names: Iterable[RoomName]) -> dict[RoomName, str | None]:
        """Return the owners' addresses of rooms, `None` for this server's own."""
        owners: dict[RoomName, str | None] = {}
        rest = sorted(names)
        for _ in range(_ATTEMPTS):
            me = self._lease.owner
            if me is None:
                raise StorageFailed("the lease of this server is over")
            owners |= await self._try_to_claim(rest, me)
            rest = [name for name in rest if name not in owners]
            if not rest:
                break
            if now() - self._reaped_at > _REAP_S:
                await self.reap()
                owners |= await self._try_to_claim(rest, me)
                rest = [name for name in rest if name not in owners]
            found = await self._readers.fetch(statements.OWNERS, rest)
            owners |= {RoomName(name): address for name, address in found}
            rest = [name for name in rest if name not in owners]
            if not rest:
                break
        return owners

    async def _try_to_claim(self, names: list[RoomName], me: UUID) -> dict[RoomName, str | None]:
        rows = await self._readers.fetch(statements.CLAIM, names, me)
        if self._lease.owner != me:
            raise StorageFailed("the lease of this server is over")
        gained = [RoomName(name) for (name,) in rows]
        self._owned |= dict.fromkeys(gained, now())
        return dict.fromkeys(gained)


def _fail(waiting: Iterable["asyncio.Future[str | None]"], error: StorageFailed) -> None:
    for asked in waiting:
        if not asked.done():
            asked.set_exception(StorageFailed(str(error)))
            asked.exception()  # the caller may be gone
