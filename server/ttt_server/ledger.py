"""The logs of the rooms: written before anything is told, read where memory may be behind."""

from ttt_engine import EngineError
from ttt_protocol.state import RoomName
from ttt_server.games import Decision
from ttt_server.live import LiveRoom
from ttt_server.room import InvalidLog, evolve_all
from ttt_server.store import EventStore, StorageFailed


class Ledger:
    """Brings rooms and their logs together. The caller holds the room's lock."""

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self.is_healthy = True
        """Whether the last write went well, and no read has failed since."""

    async def append(self, live: LiveRoom, events: Decision) -> None:
        """When it returns, `events` are on disk and `live.room` is the room after them.

        Raises:
            Conflict: another process wrote first.
            StorageFailed: nothing changed.
        """
        live.is_stale = True  # if we are stopped in between, the log has to tell
        try:
            await self._store.append(live.room.name, events)
        except StorageFailed:
            self.is_healthy = False
            raise
        self.is_healthy = True
        live.is_stale = False
        live.room = evolve_all(live.room, events)

    async def catch_up(self, live: LiveRoom, now: int) -> Decision:
        """What the log has and `live` did not know; now it does.

        Raises:
            StorageFailed: the log could not be read, or understood.
        """
        if not live.is_stale:
            return ()
        try:
            log = await self._store.load(live.room.name)
        except StorageFailed:
            self.is_healthy = False
            raise
        missed = log[live.room.seq :]
        if missed:
            try:
                room = evolve_all(live.room, missed)
            except (InvalidLog, EngineError) as error:
                raise StorageFailed(f"the log makes no sense: {error}") from error
            # Nobody pays for the time that passed while nobody served the room.
            live.room = room.with_clock_shifted(max(0, now - room.changed_at))
        live.is_stale = False
        return missed

    async def log(self, name: RoomName) -> Decision:
        """All that happened in a room; nothing if there is none.

        Raises:
            StorageFailed: if it cannot be read.
        """
        return await self._store.load(name)

    async def delete(self, live: LiveRoom) -> None:
        """Forgets the room, which is then none.

        Raises:
            StorageFailed: if it is still there.
        """
        live.is_stale = True
        await self._store.delete(live.room.name)
        live.reset()
