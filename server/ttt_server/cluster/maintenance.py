"""What servers tell each other of their rooms: regular work, and the list of all public ones."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import UUID

import asyncpg

from ttt_protocol.codec import encode_message
from ttt_protocol.state import Ai, RoomName, Status
from ttt_server.cluster.lease import Lease, now
from ttt_server.cluster.ownership import Adoption, Ownership
from ttt_server.core.room import Room
from ttt_server.lobby.room_list import INTERVAL_S, Page, PageWish, PublicRooms
from ttt_server.rooms.event_log import EventLog
from ttt_server.rooms.live_room import LiveRoom
from ttt_server.rooms.registry import RoomRegistry
from ttt_server.storage.base import StorageFailed
from ttt_server.storage.postgres import statements
from ttt_server.storage.postgres.connecting import Readers
from ttt_server.storage.postgres.store import PostgresStore

logger = logging.getLogger(__name__)

EVERY_S: Final = 1.0

TAKE_OVER_EVERY_S: Final = 0.5
"""How often to look for servers that are gone."""

_ROUGHLY_S: Final = 10.0
"""How far the time of a change may lie back that is not noted."""

_PURGE_EVERY_S: Final = 600.0
"""How often to remove rows of deleted events whose numbers need not stay taken."""

_ORPHANS: Final = 100
"""The most rooms without an owner to handle in one round."""


_PAGES: Final = 8
"""Pages to keep for a second."""


class Maintenance:
    """Publish this server's rooms, see who is there, adopt rooms without an owner."""

    def __init__(
        self,
        store: PostgresStore,
        registry: RoomRegistry,
        lease: Lease,
        ownership: Ownership,
        directory: "Directory",
        *,
        needs: Callable[[RoomName], bool],
        adoption: Adoption,
        on_gone: Callable[[frozenset[str]], None],
    ) -> None:
        """Do nothing until `run`.

        Args:
            needs: returns whether a log is in use here.
            adoption: takes over the rooms of servers that are gone.
            on_gone: called with the addresses of servers that are no longer alive.
        """
        self._store = store
        self._fetch = store.readers.fetch
        self._registry = registry
        self._lease = lease
        self._ownership = ownership
        self._directory = directory
        self._needs = needs
        self._adoption = adoption
        self._on_gone = on_gone
        self._told: dict[LiveRoom, tuple[Room, int]] = {}
        """What was last written of each room: its value and the number of spectators."""
        self.peers: frozenset[str] = frozenset()
        """The hosts of the other servers."""
        self._addresses: frozenset[str] = frozenset()
        """The addresses of the other servers."""
        self._taught: frozenset[UUID] = frozenset()
        """The others when their lessons were last looked for."""
        self._purged_at = 0.0

    async def run(self) -> None:
        """Work until cancelled. Slow statements of the rounds hold up no room of a dead server."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._repeat(self._take_over, TAKE_OVER_EVERY_S))
            tasks.create_task(self._repeat(self._round, EVERY_S))

    async def _repeat(self, work: Callable[[], Awaitable[None]], every_s: float) -> None:
        while True:
            began = now()
            try:
                await work()
            except StorageFailed as error:
                logger.debug("this round was not finished: %s", error)
            await asyncio.sleep(max(began + every_s - now(), every_s / 2))

    async def _take_over(self) -> None:
        """Take the rooms of servers that are gone."""
        if self._lease.owner is not None:
            await self._ownership.reap()
            await self._adoption.take_over()

    async def _round(self) -> None:
        me = self._lease.owner
        if me is None:
            return
        await self._ownership.release(self._needs)
        await self._summarize()
        servers = await self._fetch(statements.SERVERS)
        others = [row for row in servers if row["id"] != me and row["is_alive"]]
        self._meet(others)
        await self._look_after_orphans()
        if now() - self._purged_at > _PURGE_EVERY_S:
            await self._store.purge()
            self._purged_at = now()
        there = frozenset(row["id"] for row in others)
        if there or self._taught:  # a server that has just gone may have kept a last lesson
            await self._store.follow_lessons()
        self._taught = there

    def _meet(self, others: Sequence[asyncpg.Record]) -> None:
        """Note which servers there are, and report those that are gone."""
        addresses = frozenset(row["address"] for row in others)
        self.peers = frozenset(
            urlsplit(address).hostname or ""
            for address in addresses
            if not self._ownership.siblings.have(address)
        )
        self._ownership.others = tuple(row["address"] for row in others)
        self._directory.meet({row["id"]: row["listed"] for row in others})
        gone, self._addresses = self._addresses - addresses, addresses
        if gone:
            self._on_gone(gone)

    async def _summarize(self) -> None:
        """Write what changed in the rooms of this server."""
        changed: list[tuple[str, str, str | None]] = []
        told: dict[LiveRoom, tuple[Room, int]] = {}
        for live in self._registry.all:
            now = live.room, live.members.spectators
            told[live] = now
            before = self._told.get(live)
            is_known = before is not None and before[0] is now[0] and before[1] == now[1]
            if live.room.seq and not is_known:
                listed = encode_message(live.summary).decode() if live.is_public else None
                changed.append((live.room.name, _summary(live.room), listed))
        if changed:
            columns = map(list, zip(*changed, strict=True))
            await self._fetch(statements.SUMMARIZE, *columns, self._lease.owner, _ROUGHLY_S)
        self._told = told

    async def _look_after_orphans(self) -> None:
        """Drop rooms without an owner in which nothing is due."""
        orphans = [RoomName(name) for (name,) in await self._fetch(statements.ORPHANS, _ORPHANS)]
        if orphans:  # their server may have left games that the learner has not read
            await self._store.learn(dict.fromkeys(orphans, ()))
            await self._fetch(statements.DROP_ORPHANS, orphans)


class Directory:
    """This server's own list of rooms together with the others', which the database has.

    Nothing is read while nobody asks.
    """

    def __init__(
        self,
        registry: RoomRegistry,
        log: EventLog,
        own: PublicRooms,
        lease: Lease,
        readers: Readers,
        adoption: Adoption,
    ) -> None:
        """`adoption` knows the rooms that this server has taken over and not opened yet."""
        self._registry = registry
        self._log = log
        self._own = own
        self._lease = lease
        self._readers = readers
        self._adoption = adoption
        self._others: Mapping[UUID, int] = {}
        """The other servers, and how many public rooms each has."""
        self._pages: dict[PageWish, tuple[float, Page]] = {}
        """Pages, and when each was read, by `now`."""

    @property
    def is_healthy(self) -> bool:
        """Whether the database can be written and the lease holds.

        A server without rooms writes only its lease, so a failed renewal shows first.
        """
        return self._log.is_healthy and self._lease.serves

    @property
    def listed(self) -> int:
        """The number of public rooms of this server."""
        in_memory = sum(live.is_public for live in self._registry.all)
        return in_memory + sum(self._adoption.waiting.values())

    def meet(self, others: Mapping[UUID, int]) -> None:
        """Note the other servers, each with the number of its public rooms."""
        self._others = others

    def subscribe(self, call: Callable[[], None]) -> None:
        """Call `call` when the rooms of this server have changed since a page was asked for."""
        self._own.subscribe(call)

    async def page(self, wish: PageWish) -> Page:
        """Return a page of the list.

        Raises:
            StorageFailed: if the other servers' rooms cannot be read.
        """
        me = self._lease.owner
        if me is None or not (self._others or self._adoption.waiting):
            return await self._own.page(wish)
        at, page = self._pages.get(wish, (0.0, None))
        if page is not None and now() - at < INTERVAL_S:
            return page
        own = await self._own.page(PageWish(wish.limit + 1, wish.after))
        rooms = sorted({**await self._read(wish, me), **own.rooms}.items())
        page = Page.cut(wish, rooms, self.listed + sum(self._others.values()))
        if len(self._pages) >= _PAGES:
            self._pages.clear()
        self._pages[wish] = now(), page
        return page

    async def _read(self, wish: PageWish, me: UUID) -> Mapping[RoomName, bytes]:
        """Return rooms that this server does not have in memory: one more than the limit."""
        found: dict[RoomName, bytes] = {}
        after, most = wish.after or "", wish.limit + 1
        owners = [str(owner) for owner in self._others] + [str(me)] * bool(self._adoption.waiting)
        while len(found) < most:
            rows = await self._readers.fetch(statements.LISTED, after, owners, most)
            for name, owner, listed in rows:
                if owner != me or name in self._adoption.waiting:
                    found[name] = listed.encode()
            if len(rows) < most:
                break
            after = rows[-1]["name"]
        return found


def _summary(room: Room) -> str:
    """Return what a server that takes over a room needs to know, as JSON."""
    is_timed = room.status is Status.PLAYING and room.settings.days is None
    game = room.game
    is_ai_to_act = is_timed and game is not None and isinstance(room.seats[game.turn], Ai)
    about: dict[str, Any] = {"runs": is_timed or room.next_game_due}
    if room.next_game_due or is_ai_to_act:
        about["acts"] = True
    elif is_timed and (falls_at := room.flag_falls_at) is not None:
        about["left"] = max(0, falls_at - room.changed_at)
    return json.dumps(about)
