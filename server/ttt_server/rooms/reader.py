"""Reads rooms for clients outside of them."""

from dataclasses import dataclass, field

from ttt_protocol.codec import decode_room
from ttt_protocol.records import GameRecord
from ttt_protocol.state import RoomName, RoomState
from ttt_server.concurrency.fair_semaphore import BoundedLock
from ttt_server.rooms.admission import Admission, Rights
from ttt_server.rooms.change import Changes
from ttt_server.rooms.live_room import LiveRoom
from ttt_server.rooms.registry import RoomRegistry

MOST_READERS = 32
"""Reads of rooms not in memory, under way or waiting, at once."""


@dataclass(eq=False, slots=True)
class RoomReader:
    """Reads rooms for clients outside of them. It loads no room for good, and changes none."""

    registry: RoomRegistry
    changes: Changes
    admission: Admission
    _readers: BoundedLock = field(default_factory=lambda: BoundedLock(MOST_READERS))

    async def read(self, name: RoomName) -> RoomState | None:
        """Return the public state of a room; `None` if there is none.

        Raises:
            StorageFailed: if its log cannot be read.
            TooBusy: if too many rooms that are not in memory are being read.
        """
        # A log does not tell who is connected, or what the clocks show.
        state = await self.registry.read_elsewhere(name, decode_room)
        if state is not None:
            return state
        live = await self._loaded(name)
        return live.public_state if live.room.seq else None

    def in_memory(self, name: RoomName) -> RoomState | None:
        """Return the public state of a room; `None` if it is not in memory."""
        live = self.registry.get(name)
        return live.public_state if live is not None and live.room.seq else None

    async def rights(self, name: RoomName, token: str) -> Rights:
        """Return what a token lets its owner see of a private room.

        Raises:
            Refused: `bad_token`.
            StorageFailed: if its log cannot be read.
            TooBusy: if too many rooms that are not in memory are being read.
        """
        return self.admission.rights((await self._loaded(name)).room, token)

    async def read_game(self, name: RoomName, number: int) -> GameRecord | None:
        """Return a game of a room; `None` if it has not begun.

        Raises:
            GameNotKept: if it is no longer kept.
            StorageFailed: if the log cannot be read.
        """
        return await self.changes.log.read_game(name, number)

    async def _loaded(self, name: RoomName) -> LiveRoom:
        """Return a room, up to date with its log."""
        if (live := self.registry.get(name)) is not None:
            await self._catch_up(live)
            return live
        async with self._readers.take():
            live = self.registry.unregistered(name)
            await self._catch_up(live)
            return live

    async def _catch_up(self, live: LiveRoom) -> None:
        async with live.lock:
            await self.changes.catch_up(live)
