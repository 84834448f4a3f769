"""The rooms in memory, by name, and the time that they go by."""

from collections.abc import Collection
from dataclasses import dataclass

from ttt_protocol.codes import RefusalCode
from ttt_protocol.state import RoomName
from ttt_server.concurrency.wall_clock import WallClock
from ttt_server.core.errors import Refused
from ttt_server.rooms.census import Census
from ttt_server.rooms.live_room import LiveRoom
from ttt_server.transport.broadcast import Broadcaster


@dataclass(frozen=True, slots=True)
class RoomLimits:
    """How many rooms, and for how long."""

    rooms: int
    """In memory at once."""
    rooms_per_address: int
    """Made from one address and still in memory."""
    idle_s: float
    """With nobody in it, before it leaves memory."""
    abandon_s: float
    """Left unfinished, before its game is ended."""


class RoomRegistry:
    """Whoever is here is the room of its name: what is only read, or was forgotten, is not."""

    def __init__(self, limits: RoomLimits, writes: Broadcaster, clock: WallClock) -> None:
        """`writes` has what the rooms say; if `clock` jumps, those of their games jump with it."""
        self._writes = writes
        self._limit = limits.rooms
        self._rooms: dict[RoomName, LiveRoom] = {}
        self.census = Census(limits.rooms_per_address)
        self.now = clock.now
        """Unix time in ms."""
        self.set_by = 0
        """By how many ms the clock was set, all in all."""
        clock.on_step = self.shift

    @property
    def all(self) -> Collection[LiveRoom]:
        """They change with every await."""
        return self._rooms.values()

    def get(self, name: RoomName) -> LiveRoom | None:
        return self._rooms.get(name)

    def __contains__(self, live: LiveRoom) -> bool:
        return self._rooms.get(live.room.name) is live

    @property
    def is_full(self) -> bool:
        return len(self._rooms) >= self._limit

    def open(self, name: RoomName) -> LiveRoom:
        """The room of this name; one that nothing is known of yet, if it is not in memory.

        Raises:
            Refused: `server_full`.
        """
        live = self._rooms.get(name)
        if live is None:
            if self.is_full:
                raise Refused(RefusalCode.SERVER_FULL)
            live = self._rooms[name] = self.unlisted(name)
        return live

    def unlisted(self, name: RoomName) -> LiveRoom:
        """A room to read from the log, and let go."""
        return LiveRoom(name, self.now, self._writes)

    def forget(self, live: LiveRoom) -> None:
        """Puts it out of memory. Its log has everything."""
        del self._rooms[live.room.name]
        self.census.discharge(live)
        live.close()

    def shift(self, by: int) -> None:
        """Gives `by` ms, in which nobody could play, back to the clocks of the games."""
        self.set_by += by
        for live in self._rooms.values():
            live.shift(by)
