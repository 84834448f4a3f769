"""Changes of rooms that no member asks for: of tournaments, deadlines, persons, other servers."""

from contextlib import suppress
from dataclasses import dataclass

from ttt_protocol.commands import Join
from ttt_protocol.state import Human, Mark, RoomName, Settings
from ttt_server.core.archive.anonymous import Rewrite
from ttt_server.core.evolve import Decide, Decision, unchanged
from ttt_server.core.room import Room
from ttt_server.core.seating import KeptName, create
from ttt_server.rooms.admission import Admission
from ttt_server.rooms.change import Changes
from ttt_server.rooms.eviction import Eviction
from ttt_server.rooms.live_room import LiveRoom
from ttt_server.rooms.registry import Elsewhere, RoomRegistry


@dataclass(frozen=True, eq=False, slots=True)
class Upkeep:
    """Makes and changes rooms for other parts of the server, and loads them first if need be."""

    registry: RoomRegistry
    admission: Admission
    eviction: Eviction
    changes: Changes

    async def change(
        self, name: RoomName, decision: Decide, *, may_exceed: bool = False
    ) -> LiveRoom:
        """Load a room, from another server if need be, do what `decision` says, and return it.

        `may_exceed`: also beyond the number of rooms that there may be.

        Raises:
            Refused: by `decision`; `server_full`.
            StorageFailed: if the room cannot be read, nothing was changed, or that is uncertain:
                `OutcomeUnknown`.
        """
        await self.registry.take(name)
        return await self._change(name, decision, may_exceed=may_exceed)

    async def make_room(self, name: RoomName, settings: Settings, person: KeptName) -> None:
        """Make a room, unless it is there, in which a person has the seat O and is the host.

        A room that another server has is there.

        Raises:
            Refused: `server_full`.
            StorageFailed: if it cannot be made.
        """
        session = self.admission.session(name, Join(), self.registry.now)
        human = Human(id=session, name=person.name, person=person.person)

        def decide(room: Room, now: int) -> Decision:
            seats = {Mark.O: human}
            return Decision(room) if room.seq else create(name, settings, now, humans=seats)

        with suppress(Elsewhere):
            await self.registry.acquire(name)
            await self._change(name, decide)

    async def look_at(self, name: RoomName) -> LiveRoom | None:
        """Load a room and settle what is overdue in it; `None` if another server has it.

        Raises:
            Refused: `server_full`.
            StorageFailed: if it cannot be read, or written.
        """
        try:
            await self.registry.acquire(name)
        except Elsewhere:
            return None
        return await self._change(name, unchanged)

    async def adopt(self, name: RoomName) -> None:
        """Load a room that no client has joined here, and run its clock and AI seats.

        It does not count towards the rooms that may be opened.

        Raises:
            StorageFailed: if it cannot be read.
        """
        with suppress(Elsewhere):  # another server has just taken it
            await self.registry.acquire(name)
            await self._change(name, unchanged, may_exceed=True)

    async def rewrite(self, name: RoomName, rewrite: Rewrite) -> None:
        """Put the log of a room into other words, and show the room to its members anew.

        A room that another server has comes here: what it has in memory would be written again.

        Raises:
            StorageFailed: if the log may be as it was.
        """
        if await self.registry.take(name):
            await self._change(name, unchanged, may_exceed=True)
        log, live = self.changes.log, self.registry.get(name)
        if live is None:
            return await log.rewrite(name, None, rewrite)
        async with live.lock:
            await log.rewrite(name, live, rewrite)
        await self._change(name, unchanged)
        return None

    async def _change(
        self, name: RoomName, decision: Decide, *, may_exceed: bool = False
    ) -> LiveRoom:
        """Load a room that is this server's, do what `decision` says, and return it."""
        live = self.eviction.open(name, may_exceed=may_exceed)
        self.eviction.begin_join(live, "")
        try:
            await self.changes.run(live, decision)
        finally:
            self.eviction.end_join(live)
        return live
