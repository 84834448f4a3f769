"""What a server does each second for the others, and for the rooms that no server has."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final
from urllib.parse import urlsplit

from pydantic import ValidationError

from ttt_protocol.codec import encode_message
from ttt_protocol.state import RoomName, Status, Summary
from ttt_server.cluster.directory import Directory
from ttt_server.cluster.lease import Lease
from ttt_server.cluster.ownership import Ownership
from ttt_server.core.errors import Refused
from ttt_server.core.room import Room
from ttt_server.rooms.hub import Hub
from ttt_server.rooms.live_room import LiveRoom
from ttt_server.storage.base import StorageFailed
from ttt_server.storage.postgres import statements
from ttt_server.storage.postgres.store import PostgresStore

logger = logging.getLogger(__name__)

EVERY_S: Final = 1.0

_LOOK_BACK_S: Final = 5.0
"""How far back the changes of other servers are read: a commit may be seen late."""

_ORPHANS: Final = 100
"""The most rooms without an owner that are looked after in one round."""


class Rounds:
    """The rounds of one server."""

    def __init__(
        self,
        store: PostgresStore,
        hub: Hub,
        lease: Lease,
        ownership: Ownership,
        directory: Directory,
        *,
        needs: Callable[[RoomName], bool],
        adopt: Callable[[RoomName], Awaitable[None]],
    ) -> None:
        """`needs` tells whether a log is in use here, and `adopt` takes one into use."""
        self._store = store
        self._fetch = store.readers.fetch
        self._hub = hub
        self._lease = lease
        self._ownership = ownership
        self._directory = directory
        self._needs = needs
        self._adopt = adopt
        self._told: dict[LiveRoom, tuple[Room, int]] = {}
        """What was written of each room: its value, and how many watch."""
        self.peers: frozenset[str] = frozenset()
        """The hosts of the other servers."""

    async def run(self) -> None:
        """Do a round each second, until cancelled."""
        while True:
            try:
                await self._round()
            except StorageFailed as error:
                logger.debug("the round of this second was not finished: %s", error)
            await asyncio.sleep(EVERY_S)

    async def _round(self) -> None:
        me = self._lease.owner
        if me is None:
            return
        await self._ownership.reap()
        await self._ownership.release(self._needs)
        await self._summarize()
        servers = await self._fetch(statements.SERVERS)
        others = [row for row in servers if row["id"] != me and row["is_alive"]]
        self.peers = frozenset(urlsplit(row["address"]).hostname or "" for row in others)
        await self._look_after_orphans()
        if others:
            await self._store.learn_from_others()
            await self._read_others()
        else:
            self._directory.follow({}, set())

    async def _summarize(self) -> None:
        """Write what is new in the rooms of this server."""
        names: list[str] = []
        summaries: list[str] = []
        told: dict[LiveRoom, tuple[Room, int]] = {}
        for live in self._hub.rooms:
            now = live.room, live.members.spectators
            told[live] = now
            before = self._told.get(live)
            is_known = before is not None and before[0] is now[0] and before[1] == now[1]
            if live.room.seq and not is_known:
                names.append(live.room.name)
                summaries.append(_summary(live))
        if names:
            await self._fetch(statements.SUMMARIZE, names, summaries, self._lease.owner)
        self._told = told

    async def _read_others(self) -> None:
        me = self._lease.owner
        changed: dict[RoomName, Summary | None] = {}
        for name, text in await self._fetch(statements.LISTED, me, _LOOK_BACK_S):
            changed[RoomName(name)] = _listed(text)
        there = await self._fetch(statements.OWNED_BY_OTHERS, me)
        self._directory.follow(changed, {RoomName(name) for (name,) in there})

    async def _look_after_orphans(self) -> None:
        """Take over rooms without an owner in which something happens; forget the others."""
        idle = []
        for name, text in await self._fetch(statements.ORPHANS, _ORPHANS):
            if text is not None and not json.loads(text)["runs"]:
                idle.append(name)
                continue
            try:
                if await self._ownership.locate(RoomName(name)) is None:
                    await self._adopt(RoomName(name))
            except (StorageFailed, Refused) as error:
                logger.warning("room %s: it cannot be taken over: %s", name, error)
        if idle:
            await self._fetch(statements.DROP_ORPHANS, idle)


def _listed(text: str) -> Summary | None:
    """Return what another server says of a room; `None` if it is not to be listed."""
    listed = json.loads(text).get("listed")
    try:
        return None if listed is None else Summary.model_validate_json(json.dumps(listed))
    except ValidationError as error:  # a newer server says what this one does not know
        logger.debug("a room is not listed: %s", error)
        return None


def _summary(live: LiveRoom) -> str:
    """Return what others need to know of a room, as JSON."""
    room = live.room
    about: dict[str, Any] = {"runs": room.status is Status.PLAYING or room.next_game_due}
    if room.settings.public:
        about["listed"] = json.loads(encode_message(live.summary))
    return json.dumps(about)
