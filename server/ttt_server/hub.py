"""The rooms in memory: where a command becomes an event on disk, and then news.

The path of a move: under the room's lock `decide`, `store.append`, `evolve`, publish. What a
member has seen in an `update` is on disk.
"""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Any

from ttt_engine import EngineError
from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import AskHint, Command, Join, Leave, Say
from ttt_protocol.state import (
    GivenSettings,
    Role,
    RoomName,
    RoomState,
    SessionId,
    Settings,
    Summary,
)
from ttt_server.ai import Thinkers
from ttt_server.driver import drive, has_work
from ttt_server.live import Listener, LiveRoom, Member
from ttt_server.room import (
    Decision,
    InvalidLog,
    Refused,
    Room,
    admit,
    create,
    decide,
    evolve_all,
)
from ttt_server.seats import BadToken, Signer, new_session
from ttt_server.settings import conflicts, settle
from ttt_server.store import Conflict, EventStore, StorageFailed

logger = logging.getLogger(__name__)

_ATTEMPTS = 3
"""How often a decision is taken anew because another process wrote first."""


class Hub:
    """Owns the rooms in memory and the tasks that move in them.

    Args:
        store: where the logs are kept.
        signer: of seat tokens.
        thinkers: who chooses for AI seats.
        max_rooms: in memory at once.
        max_rooms_per_address: made from one address and still in memory.
        room_idle_s: how long a room with nobody in it stays in memory.
    """

    def __init__(
        self,
        store: EventStore,
        signer: Signer,
        thinkers: Thinkers,
        *,
        max_rooms: int,
        max_rooms_per_address: int,
        room_idle_s: float,
    ) -> None:
        self._store = store
        self._signer = signer
        self._thinkers = thinkers
        self._max_rooms = max_rooms
        self._max_rooms_per_address = max_rooms_per_address
        self._room_idle_s = room_idle_s
        self._rooms: dict[RoomName, LiveRoom] = {}
        self._made_from: Counter[str] = Counter()
        self._tasks: set[asyncio.Task[None]] = set()
        self._drivers: dict[LiveRoom, asyncio.Task[None]] = {}
        self._idle_timers: dict[LiveRoom, asyncio.TimerHandle] = {}
        self.is_healthy = True
        """Whether the last write went well."""
        self.on_change: Callable[[], None] = lambda: None
        """Called when the public rooms may look different."""

    def public_rooms(self) -> tuple[Summary, ...]:
        """The rooms in memory that are listed."""
        return tuple(
            live.summary
            for live in self._rooms.values()
            if live.room.seq and live.room.settings.public
        )

    async def read(self, name: RoomName) -> RoomState | None:
        """The state of a room, in memory or not; null if there is none.

        Raises:
            StorageFailed: if its log cannot be read.
        """
        live = self._rooms.get(name) or LiveRoom(name)
        async with live.lock:
            await self._catch_up(live)
        return live.state if live.room.seq else None

    async def join(self, name: RoomName, join: Join, listener: Listener, address: str) -> Member:
        """Lets someone into a room, makes the room if need be, and welcomes them.

        Raises:
            Refused: with the refusal of the contract.
            StorageFailed: nothing changed.
        """
        session = self._session(name, join)
        live = self._live(name)
        member = Member(listener, live, join.name, session if join.role is Role.PLAYER else None)

        def let_in(room: Room, now: int) -> Decision:
            events = self._let_in(room, session, join, now)
            if not room.seq:
                self._charge(live, address)
            return events

        live.joining += 1
        self._stay(live)
        try:
            async with live.lock:
                events = await self._keep(live, let_in)
                live.enter(member)
                token = None if member.session is None else self._signer.token(name, session)
                live.welcome(member, token)
                if events:
                    self._publish(live, events, besides=member)
        finally:
            live.joining -= 1
            self._release(live)
        self.on_change()
        return member

    async def carry_out(self, member: Member, command: Command) -> None:
        """Does what a member says.

        Raises:
            Refused: with the refusal of the contract.
            StorageFailed: nothing changed.
        """
        live = member.live
        match command:
            case Join():
                raise Refused(RefusalCode.ALREADY_JOINED)
            case Say(text=text):
                live.say(member, text)
            case AskHint():
                raise Refused(RefusalCode.NOT_ALLOWED, "hints are not offered yet")
            case _:
                events = await self.transact(
                    live, lambda room, now: decide(room, member.session, command, now)
                )
                if not events and not isinstance(command, Leave):
                    live.show(member)

    async def transact(self, live: LiveRoom, decision: Callable[[Room, int], Decision]) -> Decision:
        """Decides, keeps what follows, and tells everyone; in this order, one at a time.

        Raises:
            Refused: by `decision`.
            StorageFailed: nothing changed.
        """
        async with live.lock:
            events = await self._keep(live, decision)
            if events:
                self._publish(live, events)
            return events

    def exit(self, member: Member) -> None:
        """Someone's connection is gone. Their seat stays theirs."""
        live = member.live
        live.exit(member)
        self._release(live)
        self.on_change()

    async def close(self) -> None:
        """Ends what the rooms do by themselves. Call it when nobody is connected any more."""
        for timer in self._idle_timers.values():
            timer.cancel()
        for live in self._rooms.values():
            live.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _session(self, name: RoomName, join: Join) -> SessionId:
        if join.token is None:
            return new_session()
        try:
            return self._signer.session(name, join.token)
        except BadToken:
            raise Refused(RefusalCode.BAD_TOKEN) from None

    def _live(self, name: RoomName) -> LiveRoom:
        live = self._rooms.get(name)
        if live is None:
            if len(self._rooms) >= self._max_rooms:
                raise Refused(RefusalCode.SERVER_FULL)
            live = self._rooms[name] = LiveRoom(name)
        return live

    def _let_in(self, room: Room, session: SessionId, join: Join, now: int) -> Decision:
        given = join.settings or GivenSettings()
        if not room.seq:
            return self._create(room, session, join, given, now)
        if differing := conflicts(given, room.settings):
            reason = "the room has other settings: " + ", ".join(differing)
            raise Refused(RefusalCode.SETTINGS_CONFLICT, reason)
        if join.role is Role.PLAYER:
            return admit(room, session, join, now)
        _spectators_allowed(room.settings)
        return ()

    def _create(
        self,
        room: Room,
        session: SessionId,
        join: Join,
        given: GivenSettings,
        now: int,
    ) -> Decision:
        if join.token is not None:
            raise Refused(RefusalCode.BAD_TOKEN)
        if join.role is Role.SPECTATOR and not given.seats.all_ai:
            raise Refused(RefusalCode.NO_SUCH_ROOM)
        settings = settle(given)
        created = create(room.name, settings, now)
        if join.role is Role.SPECTATOR:
            _spectators_allowed(settings)
            return created
        return created + admit(evolve_all(room, created), session, join, now)

    def _charge(self, live: LiveRoom, address: str) -> None:
        """Counts a room for who makes it. Before it is written, as others are made meanwhile."""
        if live.made_from == address:
            return
        if self._made_from[address] >= self._max_rooms_per_address:
            raise Refused(RefusalCode.SERVER_FULL, "too many rooms were made from this address")
        self._discharge(live)
        live.made_from = address
        self._made_from[address] += 1

    def _discharge(self, live: LiveRoom) -> None:
        if live.made_from:
            self._made_from[live.made_from] -= 1
            if not self._made_from[live.made_from]:
                del self._made_from[live.made_from]

    async def _keep(self, live: LiveRoom, decision: Callable[[Room, int], Decision]) -> Decision:
        """Decides and writes. The lock is held. When it returns, the events are on disk."""
        for _ in range(_ATTEMPTS):
            await self._catch_up(live)
            events = decision(live.room, time.time_ns() // 1_000_000)
            if not events:
                return events
            live.is_stale = True  # if we are stopped in between, the log has to tell
            try:
                await self._store.append(live.room.name, events)
            except Conflict:
                continue
            except StorageFailed:
                self.is_healthy = False
                raise
            self.is_healthy = True
            live.is_stale = False
            live.room = evolve_all(live.room, events)
            return events
        raise StorageFailed(f"room {live.room.name}: others write to it all the time")

    async def _catch_up(self, live: LiveRoom) -> None:
        """Reads what the log has and `live` does not know."""
        if not live.is_stale:
            return
        log = await self._store.load(live.room.name)
        if missed := log[live.room.seq :]:
            try:
                live.room = evolve_all(live.room, missed)
            except (InvalidLog, EngineError) as error:
                raise StorageFailed(f"the log makes no sense: {error}") from error
            self._publish(live, missed)
        live.is_stale = False

    def _publish(self, live: LiveRoom, events: Decision, *, besides: Member | None = None) -> None:
        live.changed_at = asyncio.get_running_loop().time()
        live.publish(events, besides=besides)
        self._wake(live)
        self.on_change()

    def _wake(self, live: LiveRoom) -> None:
        """Starts what the room does by itself, if it is its turn and it does not do it yet."""
        if self._is_known(live) and live not in self._drivers and has_work(live.room):
            driver = self._start(drive(live, self._thinkers, self.transact))
            self._drivers[live] = driver
            driver.add_done_callback(lambda driver: self._driver_ended(live, driver))

    def _driver_ended(self, live: LiveRoom, driver: asyncio.Task[None]) -> None:
        del self._drivers[live]
        # The room may have moved on between the driver's last look and this call.
        if not driver.cancelled() and driver.exception() is None:
            self._wake(live)

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            logger.error("a room's own task failed", exc_info=error)

    def _stay(self, live: LiveRoom) -> None:
        """Someone comes: the room is not forgotten."""
        if timer := self._idle_timers.pop(live, None):
            timer.cancel()

    def _release(self, live: LiveRoom) -> None:
        """Someone may have been the last to go."""
        if live.joining or not live.is_empty or live in self._idle_timers:
            return
        if not self._is_known(live):
            return  # this was an old connection, and the room has come back as another
        # A room that was refused its making leaves nothing behind.
        idle_s = self._room_idle_s if live.room.seq else 0
        loop = asyncio.get_running_loop()
        self._idle_timers[live] = loop.call_later(idle_s, self._forget, live)

    def _is_known(self, live: LiveRoom) -> bool:
        """Whether this is the room of its name: not one that is only read, or was forgotten."""
        return self._rooms.get(live.room.name) is live

    def _forget(self, live: LiveRoom) -> None:
        """Puts a room with nobody in it out of memory. Its log has everything."""
        del self._idle_timers[live]
        del self._rooms[live.room.name]
        if driver := self._drivers.get(live):
            driver.cancel()
        self._discharge(live)
        live.close()
        self.on_change()


def _spectators_allowed(settings: Settings) -> None:
    if not settings.spectators:
        raise Refused(RefusalCode.SPECTATORS_OFF)
