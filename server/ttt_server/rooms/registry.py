"""The rooms in memory by name, how many each address has made, and their clock."""

from collections import Counter
from collections.abc import Callable, Collection
from typing import NamedTuple, Protocol, TypeVar

from ttt_protocol.codes import RefusalCode
from ttt_protocol.state import RoomName, RoomState, Summary
from ttt_server.concurrency.wall_clock import WallClock
from ttt_server.core.errors import Refused
from ttt_server.core.room import Room
from ttt_server.limits.census import ALONE, EVERYONE, Census, Countable
from ttt_server.limits.client_address import Source
from ttt_server.rooms.live_room import LiveRoom

T = TypeVar("T")


class Elsewhere(Exception):
    """Another server has the room."""


class RoomOwnership(Protocol):
    """Which rooms are this server's, where several share a store."""

    def has(self, name: RoomName) -> bool:
        """Return whether a room may be loaded here."""

    async def acquire(self, name: RoomName) -> None:
        """Make a room this server's.

        Raises:
            Elsewhere: if it is another's.
            StorageFailed: if that cannot be found out.
        """

    async def take(self, name: RoomName) -> bool:
        """Make a room this server's, even if it is another's: that one gives it up.

        Return whether it was another's: then its clock may have to go on here.

        Raises:
            StorageFailed: if that server does not answer, or that cannot be found out.
        """

    def hand_on(self, name: RoomName) -> None:
        """Leave a room to other servers: this one cannot read its log."""

    async def read(self, name: RoomName, decode: Callable[[bytes], T]) -> T | None:
        """Return the public state of a room or event that another server has in memory.

        Args:
            name: of its log.
            decode: reads the state, or raises `BadMessage`.

        Returns:
            `None` if none has it, or that server does not answer.

        Raises:
            StorageFailed: if that cannot be found out.
        """

    async def read_events(self) -> list[bytes]:
        """Return the public events of each other process of this server, as they encode them."""


class RoomLimits(NamedTuple):
    """How many rooms there may be, and how long they stay."""

    rooms: int
    """In memory at once."""
    rooms_per_address: int
    """Made from one address and still in memory."""
    idle_s: float
    """Without members, before a room leaves memory."""
    abandon_s: float
    """Without members, before an unfinished game is ended."""


class RoomRegistry:
    """The rooms in memory. At most one `LiveRoom` per name is registered.

    A room loaded only to be read is not registered; an unloaded one is no longer.
    """

    def __init__(self, limits: RoomLimits, clock: WallClock, census: Census = ALONE) -> None:
        """`census`: what the other processes of this server have."""
        self._limits = limits
        self._census = census
        self._rooms: dict[RoomName, LiveRoom] = {}
        self._makers: dict[LiveRoom, str] = {}
        """The address that made each room; rooms read from a log have none."""
        self._made: Counter[str] = Counter()
        """The number of rooms by maker."""
        self._beyond: set[LiveRoom] = set()
        """Rooms that do not count towards the limit: this server has to look after them."""
        self._ownership: RoomOwnership | None = None
        """`None` where every room is this server's."""
        self.now = clock.now
        """Return the Unix time in ms."""
        self.clock_shift = 0
        """The sum of all settings of the clock, in ms."""
        clock.call_on_step(self._shift)

    def share(self, ownership: RoomOwnership) -> None:
        """Load only this server's rooms from now on."""
        self._ownership = ownership

    @property
    def all(self) -> Collection[LiveRoom]:
        """All rooms. The collection changes with every await."""
        return self._rooms.values()

    @property
    def is_full(self) -> bool:
        here = len(self._rooms) - len(self._beyond)
        return here + self._census.elsewhere(Countable.ROOMS, EVERYONE) >= self._limits.rooms

    def is_ours(self, name: RoomName) -> bool:
        """Return whether a room may be loaded here without asking other servers."""
        return self._ownership is None or self._ownership.has(name)

    async def acquire(self, name: RoomName) -> None:
        """Make a room this server's.

        Raises:
            Elsewhere: if it is another's.
            StorageFailed: if that cannot be found out.
        """
        if self._ownership is not None:
            await self._ownership.acquire(name)

    async def take(self, name: RoomName) -> bool:
        """Make a room this server's, even if it is another's. See `RoomOwnership.take`."""
        return self._ownership is not None and await self._ownership.take(name)

    def hand_on(self, name: RoomName) -> None:
        """Leave a room to other servers, if there are any."""
        if self._ownership is not None:
            self._ownership.hand_on(name)

    async def read_elsewhere(
        self, name: RoomName, decode: Callable[[bytes], RoomState]
    ) -> RoomState | None:
        """Return the state of a room that another server has. See `RoomOwnership.read`."""
        if self._ownership is None or self._ownership.has(name):
            return None
        return await self._ownership.read(name, decode)

    def __contains__(self, live: LiveRoom) -> bool:
        return self._rooms.get(live.room.name) is live

    def get(self, name: RoomName) -> LiveRoom | None:
        """Return the room if it is in memory."""
        return self._rooms.get(name)

    def summary(self, name: RoomName) -> Summary | None:
        """Return a room's entry in the list; `None` if it is not in memory or not public."""
        live = self._rooms.get(name)
        return live.summary if live is not None and live.is_public else None

    def open(self, name: RoomName, *, may_exceed: bool = False) -> LiveRoom:
        """Return a room, registering it if it is not in memory.

        `may_exceed`: it does not count towards the rooms that there may be.

        Raises:
            Refused: `server_full`.
        """
        live = self._rooms.get(name)
        if live is None:
            if self.is_full and not may_exceed:
                raise Refused(RefusalCode.SERVER_FULL)
            live = self._rooms[name] = self.unregistered(name)
            if may_exceed:
                self._beyond.add(live)
            else:
                self._census.add(Countable.ROOMS, EVERYONE, 1)
        return live

    def unregistered(self, name: RoomName) -> LiveRoom:
        """Return a room that is only to be read from its log."""
        return LiveRoom(Room(name), self.now)

    def forget(self, live: LiveRoom) -> None:
        """Unload a room. Its log has everything."""
        del self._rooms[live.room.name]
        if live in self._beyond:
            self._beyond.remove(live)
        else:
            self._census.add(Countable.ROOMS, EVERYONE, -1)
        self.discharge(live)
        live.timers.close()

    def charge(self, live: LiveRoom, address: str) -> None:
        """Charge a new room to the address that makes it.

        Raises:
            Refused: `server_full`.
        """
        maker = self._makers.get(live)
        if maker == address:
            return
        source = Source(address)
        # Before the others' are read: they do the same.
        self._census.add(Countable.ROOMS, source, 1)
        made = self._made[address] + self._census.elsewhere(Countable.ROOMS, source)
        if made >= self._limits.rooms_per_address:
            self._census.add(Countable.ROOMS, source, -1)
            raise Refused(RefusalCode.SERVER_FULL, "too many rooms were made from this address")
        self.discharge(live)
        self._makers[live] = address
        self._made[address] += 1

    def discharge(self, live: LiveRoom) -> None:
        """Charge a room to nobody."""
        address = self._makers.pop(live, None)
        if address is None:
            return
        self._made[address] -= 1
        self._census.add(Countable.ROOMS, Source(address), -1)
        if not self._made[address]:
            del self._made[address]

    def _shift(self, by: int) -> None:
        """Give `by` ms, in which nobody could play, back to the clocks of the games."""
        self.clock_shift += by
        for live in self._rooms.values():
            live.shift(by)
