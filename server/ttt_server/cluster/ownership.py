"""Which server owns a room: claims, in batches, the rooms of this server, and those of no other."""

import asyncio
import heapq
import json
import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from contextlib import suppress
from typing import Any, Final
from uuid import UUID

from ttt_protocol.state import RoomName
from ttt_server.cluster.lease import Lease, now
from ttt_server.cluster.siblings import ALONE, Siblings
from ttt_server.core.errors import Refused
from ttt_server.storage.base import StorageFailed
from ttt_server.storage.postgres import statements
from ttt_server.storage.postgres.connecting import Readers

logger = logging.getLogger(__name__)

_REAP_S: Final = 0.05
"""The least time between two checks for dead servers, unless one seems to be dead."""

_LOOK_EVERY_S: Final = 60.0
"""How often to look for rooms of servers that no reaper has freed."""

_ADOPTED: Final = 1000
"""The most rooms to adopt in one statement."""

_REMEMBERED: Final = 10_000
"""Rooms of other servers whose address is remembered; the oldest are forgotten."""

_UNREADABLE_S: Final = 60.0
"""How long a room that this server could not read is left to the others."""

_ATTEMPTS: Final = 3
"""Attempts to claim a room whose owner keeps changing."""

_AT_ONCE: Final = 32
"""Rooms that are opened at the same time."""

_AGAIN_S: Final = 1.0
"""The pause before another attempt to open a room."""

_LATER_S: Final = 5.0
"""When to open the first of the rooms in which nothing is due."""

_PAUSE_S: Final = 0.02
"""The time between two of them."""

OLD_SUMMARY: Final = '{"runs": true, "acts": true}'
"""For logs of which no summary says more."""


class Ownership:
    """The rooms of this server. A room is claimed before it is opened."""

    def __init__(
        self, readers: Readers, lease: Lease, hold_s: float, siblings: Siblings = ALONE
    ) -> None:
        """Begin without rooms.

        Args:
            readers: of the database.
            lease: of this server.
            hold_s: how long a claimed room is kept without members.
            siblings: are told which rooms this process has.
        """
        self.siblings = siblings
        """The other processes of this server."""
        self._readers = readers
        self._lease = lease
        self._hold_s = hold_s
        self._owned: dict[RoomName, float] = {}
        """The rooms, and when each was last asked for, by `now`."""
        self._elsewhere: dict[RoomName, str] = {}
        """The addresses of others' rooms, as they were told last."""
        self._unreadable: dict[RoomName, float] = {}
        """Rooms that this server cannot read, and until when it leaves them to others."""
        self.others: Sequence[str] = ()
        """The addresses of the other servers."""
        self._asked: dict[RoomName, asyncio.Future[str | None]] = {}
        self._asking: asyncio.Task[None] | None = None
        self._statements = asyncio.Lock()
        """Held during claims and releases."""
        self._reaped_at = 0.0
        self._looked_at = -_LOOK_EVERY_S

    def has(self, name: RoomName) -> bool:
        """Return whether this server may open and serve a room."""
        return name in self._owned and self._lease.serves

    async def find(self, name: RoomName) -> str | None:
        """Do as `locate`, but believe what was told before of a room of another server.

        That server says if it is wrong: then `forget` the room.
        """
        return self._elsewhere.get(name) or await self.locate(name)

    def forget(self, name: RoomName) -> None:
        """Ask again where a room is: what is remembered may be wrong."""
        self._elsewhere.pop(name, None)

    def leave(self, addresses: Collection[str]) -> None:
        """Forget the rooms of servers that are gone."""
        self._elsewhere = {
            name: address for name, address in self._elsewhere.items() if address not in addresses
        }

    async def locate(self, name: RoomName, *, is_in_doubt: bool = False) -> str | None:
        """Return the owner of a room; if it has none, claim it for this server.

        Args:
            name: the room.
            is_in_doubt: whether its owner could not be reached.

        Returns:
            The address of the owner; `None` if it is this server.

        Raises:
            StorageFailed: if the database cannot tell.
        """
        if self.has(name):
            self._owned[name] = now()
            return None
        if is_in_doubt:
            self._reaped_at = 0.0
        if self._unreadable.get(name, 0.0) > now():
            return await self._elsewhere_at(name)
        asked = self._asked.get(name)
        if asked is None:
            asked = self._asked[name] = asyncio.get_running_loop().create_future()
            if self._asking is None or self._asking.done():
                self._asking = asyncio.create_task(self._ask())
        address = await asyncio.shield(asked)
        if address is None and not self.has(name):
            raise StorageFailed(f"room {name}: it was given up in the meantime")
        self._remember(name, address)
        return address

    async def hand_on(self, name: RoomName) -> None:
        """Leave a room to the other servers for a while: this one cannot read it."""
        at = now()
        self._unreadable = {each: until for each, until in self._unreadable.items() if until > at}
        self._unreadable[name] = at + _UNREADABLE_S
        with suppress(StorageFailed):  # else it is free once this server stops
            await self.give(name, None)

    async def give(self, name: RoomName, number: UUID | None) -> None:
        """Give a room to the server of this number, or leave it to any.

        Raises:
            StorageFailed: if the database fails; it may still be this server's there.
        """
        if self._owned.pop(name, None) is not None:
            self.siblings.tell((), (name,))
        async with self._statements:
            await self._readers.fetch(statements.HAND_ON, name, self._lease.owner, number)

    async def _elsewhere_at(self, name: RoomName) -> str:
        """Return the server of a room that cannot be read here, or one that may claim it.

        Raises:
            StorageFailed: if there is none.
        """
        self.forget(name)
        address = await self.look_up(name) or next(iter(self.others), None)
        if address is None:
            raise StorageFailed(f"room {name}: no server can read its log")
        self.others = (*self.others[1:], *self.others[:1])  # that one may not be able to
        return address

    async def look_up(self, name: RoomName) -> str | None:
        """Return the address of another server that owns a room, if any. Claim nothing.

        Raises:
            StorageFailed: if the database cannot be asked.
        """
        if self.has(name):
            return None
        address = self._elsewhere.get(name)
        if address is None:
            rows = await self._readers.fetch(statements.OWNERS, [name])
            address = next((found for _, found in rows), None)
            self._remember(name, address)
        return address

    def _remember(self, name: RoomName, address: str | None) -> None:
        self.forget(name)
        if address is not None:
            if len(self._elsewhere) == _REMEMBERED:
                self.forget(next(iter(self._elsewhere)))
            self._elsewhere[name] = address

    async def reap(self) -> None:
        """Remove dead servers, so that their rooms can be claimed.

        Raises:
            StorageFailed: if the database cannot be asked.
        """
        me = self._lease.owner
        if me is None:
            return
        self._reaped_at = now()
        judge = statements.REAP_UNLOCKED if self._lease.may_judge else statements.REAP
        try:
            if dead := [str(id_) for (id_,) in await self._readers.fetch(judge, me)]:
                await self._readers.fetch(statements.FREE, dead)
        except StorageFailed:
            self._looked_at = -_LOOK_EVERY_S  # servers may be gone whose rooms are not free
            raise
        for id_ in dead:
            logger.warning("server %s is gone: its rooms are free", id_)

    async def adopt(self) -> list[tuple[RoomName, str | None, bool]]:
        """Take some running rooms without an owner.

        Returns:
            The rooms, what is known of each, and whether it is public.

        Raises:
            StorageFailed: if the database fails.
        """
        async with self._statements:
            me = self._lease.owner
            if me is None:
                return []
            if now() - self._looked_at > _LOOK_EVERY_S:
                await self._readers.fetch(statements.FREE_LOST)
                self._looked_at = now()
            found = await self._readers.fetch(statements.ADOPT, me, _ADOPTED, [*self._unreadable])
            if self._lease.owner != me:
                raise StorageFailed("this server has no lease")
            taken = [(RoomName(name), *about) for name, *about in found]
            self._gain([name for name, *_ in taken])
            return taken

    def give_up(self) -> None:
        """Drop all rooms: the lease is lost."""
        self._owned.clear()
        self.siblings.tell((), None)

    async def hand_over(self) -> None:
        """Release all rooms to the other servers.

        Raises:
            StorageFailed: if the database fails; the others then wait for the end of the lease.
        """
        me = self._lease.owner
        async with self._statements:
            self.give_up()
            if me is not None:
                await self._readers.fetch(statements.HAND_OVER, me)

    async def release(self, is_needed: Callable[[RoomName], bool]) -> None:
        """Release the rooms that are not needed here.

        Raises:
            StorageFailed: if the database fails.
        """
        async with self._statements:
            me, before = self._lease.owner, now() - self._hold_s
            idle = [name for name, at in self._owned.items() if at < before and not is_needed(name)]
            if me is None or not idle:
                return
            for name in idle:
                del self._owned[name]
            self.siblings.tell((), idle)
            await self._readers.fetch(statements.RELEASE, idle, me)

    def close(self) -> None:
        """Stop claiming."""
        if self._asking is not None:
            self._asking.cancel()

    async def _ask(self) -> None:
        """Claim the rooms that were asked for, in batches."""
        while self._asked:
            await asyncio.sleep(0)  # gather the questions of this turn of the loop
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
                    asked.set_exception(StorageFailed(f"room {name}: its owner keeps changing"))

    async def _claim(self, names: Iterable[RoomName]) -> dict[RoomName, str | None]:
        """Return the addresses of the rooms' owners; `None` for this server."""
        owners: dict[RoomName, str | None] = {}
        rest = sorted(names)
        for _ in range(_ATTEMPTS):
            me = self._lease.owner
            if me is None:
                raise StorageFailed("this server has no lease")
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
            raise StorageFailed("this server has no lease")
        gained = [RoomName(name) for (name,) in rows]
        self._gain(gained)
        return dict.fromkeys(gained)

    def _gain(self, names: Collection[RoomName]) -> None:
        self._owned |= dict.fromkeys(names, now())
        self.siblings.tell(names, ())


def _fail(waiting: Iterable["asyncio.Future[str | None]"], error: StorageFailed) -> None:
    for asked in waiting:
        if not asked.done():
            asked.set_exception(StorageFailed(str(error)))
            asked.exception()  # the caller may have left


class Adoption:
    """Takes over the rooms of servers that are gone, all at once, and opens them when due.

    To own a room costs a row, to open it a log. So a survivor first takes all rooms that run, and
    from then on their clocks count as if they were open. It opens a room when its flag falls, when
    an AI is to move, and the others one after another, so that games that nobody plays on are
    ended in time.
    """

    def __init__(
        self,
        ownership: Ownership,
        adopt: Callable[[RoomName], Awaitable[None]],
        take: Callable[[RoomName], None],
    ) -> None:
        """Do nothing until `run`.

        Args:
            ownership: claims the rooms.
            adopt: opens a room or event.
            take: called when a room becomes this server's: its clock runs from then on.
        """
        self._ownership = ownership
        self._adopt = adopt
        self._take = take
        self._heaps: tuple[list[tuple[float, RoomName]], ...] = ([], [], [])
        """When each room is to be opened: fallen flags, moves of AIs, the rest."""
        self.waiting: dict[RoomName, bool] = {}
        """The rooms that are still to be opened, and whether each is public."""
        self._changed = asyncio.Event()

    def give_up(self) -> None:
        """Forget all rooms: the lease is lost."""
        self.waiting.clear()
        for heap in self._heaps:
            heap.clear()

    async def take_over(self) -> None:
        """Take all running rooms that have no owner.

        Raises:
            StorageFailed: if the database fails; the next call makes up for it.
        """
        while found := await self._ownership.adopt():
            for name, text, is_public in found:
                self.waiting[name] = is_public
                self._plan(name, json.loads(text or OLD_SUMMARY))
            self._changed.set()

    async def run(self) -> None:
        """Open rooms in time, until cancelled."""
        while True:
            if names := self._next():
                await asyncio.gather(*map(self._open, names))
                continue
            self._changed.clear()
            first = min((heap[0][0] for heap in self._heaps if heap), default=None)
            with suppress(TimeoutError):
                async with asyncio.timeout(None if first is None else max(first - now(), 0.01)):
                    await self._changed.wait()

    def _plan(self, name: RoomName, summary: dict[str, Any]) -> None:
        at = now()
        self._take(name)
        if summary.get("acts"):
            order, due = 1, at
        elif (left_ms := summary.get("left")) is not None:
            order, due = 0, at + left_ms / 1000
        else:
            order, due = 2, at + _LATER_S + _PAUSE_S * len(self._heaps[2])
        heapq.heappush(self._heaps[order], (due, name))

    def _next(self) -> list[RoomName]:
        """Take some rooms that are due."""
        names: list[RoomName] = []
        at = now()
        for heap in self._heaps:
            while heap and heap[0][0] <= at and len(names) < _AT_ONCE:
                names.append(heapq.heappop(heap)[1])
        return names

    async def _open(self, name: RoomName) -> None:
        if not self._ownership.has(name):  # given up, or handed on
            self.waiting.pop(name, None)
            return
        try:
            await self._adopt(name)
        except (StorageFailed, Refused) as error:
            logger.warning("room %s: could not be adopted: %s", name, error)
            heapq.heappush(self._heaps[1], (now() + _AGAIN_S, name))
        else:
            self.waiting.pop(name, None)
