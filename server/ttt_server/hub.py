"""The rooms in memory: where a command becomes an event on disk, and then news.

The path of a move: under the room's lock `decide`, `ledger.append`, publish. What a member has seen
in an `update` is on disk.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Coroutine
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any, assert_never

from ttt_engine.strategies import Description
from ttt_protocol.codes import Reason, RefusalCode
from ttt_protocol.commands import (
    Accept,
    AskHint,
    Claim,
    Command,
    Decline,
    Fill,
    Join,
    Leave,
    Offer,
    Play,
    Resign,
    Say,
)
from ttt_protocol.state import AiSetting, Role, RoomName, RoomState, SessionId, Status, Summary
from ttt_server.ai import AiFailed, Thinkers
from ttt_server.census import Census
from ttt_server.decide import PlayerCommand, decide
from ttt_server.door import Door
from ttt_server.driver import RETRY_S, Decide, drive, has_work
from ttt_server.entrance import Guest, let_in
from ttt_server.games import Decision, end, fallen_flag
from ttt_server.hints import position_to_hint
from ttt_server.ledger import Ledger
from ttt_server.live import Listener, LiveRoom, Member, take
from ttt_server.logs import about_room
from ttt_server.refused import Refused
from ttt_server.room import Room, engine_rules
from ttt_server.store import Conflict, EventStore, StorageFailed
from ttt_server.tasks import Tasks
from ttt_server.wall import WallClock

logger = logging.getLogger(__name__)

_ATTEMPTS = 3
"""How often a decision is taken anew because another process wrote first."""


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


@dataclass(frozen=True, slots=True)
class _Left:
    """Since when nobody is in an unfinished room, in Unix ms, and the timer that will end it."""

    at: int
    timer: asyncio.TimerHandle


class Hub:
    """Owns the rooms in memory, and the tasks and timers that move in them."""

    def __init__(
        self, store: EventStore, door: Door, thinkers: Thinkers, limits: RoomLimits
    ) -> None:
        self._tasks = Tasks()
        self.ledger = Ledger(store, self._tasks)
        self._door = door
        self._thinkers = thinkers
        self._limits = limits
        self._census = Census(limits.rooms_per_address)
        self._clock = WallClock()
        self._rooms: dict[RoomName, LiveRoom] = {}
        self._drivers: dict[LiveRoom, asyncio.Task[None]] = {}
        self._left: dict[RoomName, _Left] = {}
        self.on_change: Callable[[], None] = lambda: None
        """Called when the public rooms may look different."""

    @property
    def is_healthy(self) -> bool:
        """Whether a write has gone well since the store failed last."""
        return self.ledger.is_healthy

    @property
    def rooms(self) -> Collection[LiveRoom]:
        """Those in memory; it changes with every await."""
        return self._rooms.values()

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
        live = self._rooms.get(name) or LiveRoom(name, self._now)
        async with live.lock:
            await self._catch_up(live)
        return live.state if live.room.seq else None

    async def read_log(self, name: RoomName) -> Decision:
        """All that happened in a room; nothing if there is none.

        Raises:
            StorageFailed: if its log cannot be read.
        """
        return await self.ledger.log(name)

    async def strategies(self) -> tuple[Description, ...]:
        """What can sit in an AI seat."""
        return await self._thinkers.catalogue()

    async def join(self, name: RoomName, join: Join, listener: Listener, address: str) -> Member:
        """Lets someone into a room, makes the room if need be, and welcomes them.

        Raises:
            Refused: with the refusal of the contract.
            StorageFailed: nothing changed.
        """
        session = self._door.session(name, join)
        live = self._live(name)
        member = Member(listener, live, join.name, session if join.role is Role.PLAYER else None)
        live.joining += 1
        live.cancel("idle")
        try:
            while not await self._try_to_enter(member, join, session, address):
                pass  # the room was made meanwhile, by another who came
        finally:
            live.joining -= 1
            self._release(live)
        self.on_change()
        return member

    async def _try_to_enter(
        self, member: Member, join: Join, session: SessionId, address: str
    ) -> bool:
        """Lets the member in, unless the room has another lock than the one that was tried."""
        live = member.live
        async with live.lock:
            await self._catch_up(live)
        lock = live.room.lock
        # Slow where there is a password: nobody else in the room waits for it.
        guest = await self._door.guest(live.room, await self._cast(live, join), session)
        async with live.lock:
            if live.room.lock != lock:
                return False
            events = await self._keep(live, self._admission(live, guest, address))
            live.enter(member)
            self._no_longer_left(live.room.name)
            seated = member.session is not None
            live.welcome(member, self._door.token(live.room.name, session) if seated else None)
            if live.room.settings.hints:
                self._thinkers.expect_to_judge(engine_rules(live.room.settings))
            if events:
                self._publish(live, events, besides=member)
        return True

    async def carry_out(self, member: Member, command: Command) -> None:
        """Does what a member says.

        Raises:
            Refused: with the refusal of the contract.
            StorageFailed: nothing changed.
        """
        live = member.live
        match command:
            case Play() | Resign() | Offer() | Accept() | Decline() | Claim() | Fill() | Leave():
                if isinstance(command, Fill):
                    command = await self._cast_fill(member, command)
                events = await self.transact(live, _by(member, command))
                if not events and not isinstance(command, Leave):
                    live.show(member)
            case Say(text=text):
                live.say(member, text)
            case AskHint():
                await self._hint(member)
            case Join():
                raise Refused(RefusalCode.ALREADY_JOINED)
            case _:
                assert_never(command)

    def carry_out_at_once(
        self,
        member: Member,
        command: PlayerCommand,
        otherwise: Callable[[], Coroutine[Any, Any, None]],
    ) -> asyncio.Future[None] | None:
        """As `carry_out`, without waiting for the disk: what follows is told when it is kept.

        The future is done when it has been told, or could not be kept: then `otherwise` is run.
        Null, and nothing was done, where `carry_out` has to see to it: there is something to wait
        for, or to do first, or the command is refused, or nothing follows.
        """
        live = member.live
        if live.is_stale or live.lock.locked():
            return None
        now = self._now()
        if self._overdue(live, now):
            return None
        try:
            events = _by(member, command)(live.room, now)
        except Refused:
            return None
        if not events or not take(live.lock):
            return None
        began = perf_counter()
        writing = self.ledger.begin(live, events)
        writing.add_done_callback(partial(self._written, live, events, began, otherwise))
        return writing

    async def _cast(self, live: LiveRoom, join: Join) -> Join:
        """For a new room the AIs that are not ours are asked, in processes of their own."""
        if live.room.seq or join.settings is None:
            return join
        settings = await self._thinkers.strangers.audition_all(join.settings)
        return join.model_copy(update={"settings": settings})

    async def _cast_fill(self, member: Member, fill: Fill) -> Fill:
        """The same for a seat that a player wants to fill."""
        room = member.live.room
        if room.seat_of(member.session) is None:
            return fill  # and be refused
        wish = AiSetting(strategy=fill.strategy, level=fill.level)
        settled = await self._thinkers.strangers.audition(wish, engine_rules(room.settings))
        return fill.model_copy(update={"level": settled.level})

    async def transact(self, live: LiveRoom, decision: Decide) -> Decision:
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
        member.live.exit(member)
        self._release(member.live)
        self.on_change()

    async def close(self) -> None:
        """Ends what the rooms do by themselves. Call it when nobody is connected any more."""
        for live in self._rooms.values():
            live.close()
        for left in self._left.values():
            left.timer.cancel()
        await self._tasks.close()

    def _live(self, name: RoomName) -> LiveRoom:
        live = self._rooms.get(name)
        if live is None:
            if len(self._rooms) >= self._limits.rooms:
                raise Refused(RefusalCode.SERVER_FULL)
            live = self._rooms[name] = LiveRoom(name, self._now)
            if left := self._left.get(name):
                live.emptied_at = left.at
        return live

    def _admission(self, live: LiveRoom, guest: Guest, address: str) -> Decide:
        def decision(room: Room, now: int) -> Decision:
            events = let_in(room, guest, now)
            if not room.seq:
                self._census.charge(live, address)
            return events

        return decision

    async def _hint(self, member: Member) -> None:
        live = member.live
        position = position_to_hint(live.room, member.session)
        try:
            judgement = await self._thinkers.judge(position)
        except AiFailed as failure:
            logger.warning("no hint: %s", failure)
            raise Refused(RefusalCode.NOT_ALLOWED, "no hint could be found") from None
        live.hint(member, judgement)

    # The path of a move

    async def _keep(self, live: LiveRoom, decision: Decide) -> Decision:
        """Decides and writes. The lock is held. When it returns, the events are on disk."""
        for _ in range(_ATTEMPTS):
            await self._catch_up(live)
            now = self._now()
            try:
                if overdue := self._overdue(live, now):
                    await self.ledger.append(live, overdue)
                    self._publish(live, overdue)
                if events := decision(live.room, now):
                    await self.ledger.append(live, events)
            except Conflict:
                continue
            return events
        raise StorageFailed(f"room {live.room.name}: others write to it all the time")

    def _written(
        self,
        live: LiveRoom,
        events: Decision,
        began: float,
        otherwise: Callable[[], Coroutine[Any, Any, None]],
        writing: asyncio.Future[None],
    ) -> None:
        try:
            self.ledger.end(live, events, writing, began)
            self._publish(live, events)
        except (Conflict, StorageFailed):
            self._tasks.start(otherwise())
        finally:
            live.lock.release()

    async def _catch_up(self, live: LiveRoom) -> None:
        if missed := await self.ledger.catch_up(live, self._now()):
            self._publish(live, missed)

    def _publish(self, live: LiveRoom, events: Decision, *, besides: Member | None = None) -> None:
        live.changed_at = asyncio.get_running_loop().time()
        live.publish(events, besides=besides)
        if self._is_known(live):
            self._arm_flag(live)
            self._wake(live)
        self.on_change()

    def _now(self) -> int:
        """Unix time in ms. If it has jumped, the clocks of the games jump with it."""
        if step := self._clock.step():
            for live in self._rooms.values():
                live.room = live.room.with_clock_shifted(step)
        return self._clock.now()

    # What rooms do by themselves

    def _overdue(self, live: LiveRoom, now: int) -> Decision:
        """What should have happened by itself before `now`: a flag, the end of a left room."""
        room = live.room
        if live.is_empty and room.status is Status.PLAYING and room.ai_to_move is None:
            left_at = max(room.changed_at, live.emptied_at)
            if now - left_at >= self._limits.abandon_s * 1000:
                return end(room, Reason.ABANDONMENT, None, now)
        return fallen_flag(room, now)

    def _arm_flag(self, live: LiveRoom) -> None:
        falls_at = live.room.flag_falls_at
        if falls_at is None:
            live.cancel("flag")
        else:
            live.after((falls_at - self._now()) / 1000, "flag", self._look_again, live)

    def _look_again(self, live: LiveRoom) -> None:
        """Something may be overdue."""
        self._tasks.start(self._settle(live))

    async def _settle(self, live: LiveRoom) -> None:
        about_room(live.room.name)
        try:
            await self.transact(live, lambda _room, _now: ())
        except StorageFailed as error:
            logger.error("%s", error)
            live.after(RETRY_S, "flag", self._look_again, live)
        else:
            self._arm_flag(live)  # a timer may go off a little early
            self._release(live)

    def _wake(self, live: LiveRoom) -> None:
        """Starts what the room does by itself, if it is its turn and it does not do it yet."""
        if live not in self._drivers and has_work(live.room):
            driver = self._tasks.start(drive(live, self._thinkers, self.transact))
            self._drivers[live] = driver
            driver.add_done_callback(lambda driver: self._driver_ended(live, driver))

    def _driver_ended(self, live: LiveRoom, driver: asyncio.Task[None]) -> None:
        del self._drivers[live]
        # The room may have moved on between the driver's last look and this call.
        if self._is_known(live) and not driver.cancelled() and driver.exception() is None:
            self._wake(live)

    # How rooms go

    def _is_known(self, live: LiveRoom) -> bool:
        """Whether this is the room of its name: not one that is only read, or was forgotten."""
        return self._rooms.get(live.room.name) is live

    def _release(self, live: LiveRoom) -> None:
        """Someone may have been the last to go."""
        if live.joining or not live.is_empty or live.awaits("idle") or not self._is_known(live):
            return
        if not live.room.seq:
            live.after(0, "idle", self._forget, live)  # it was refused its making
        elif live.is_void:
            self._tasks.start(self._vanish(live))
        else:
            live.after(self._limits.idle_s, "idle", self._forget, live)
            self._leave(live)

    def _leave(self, live: LiveRoom) -> None:
        """An unfinished room with nobody in it is ended in the end, in memory or not."""
        if live.room.status is Status.PLAYING:
            name = live.room.name
            loop = asyncio.get_running_loop()
            timer = loop.call_later(self._limits.abandon_s, self._abandon, name)
            self._no_longer_left(name)
            self._left[name] = _Left(live.emptied_at, timer)

    def _no_longer_left(self, name: RoomName) -> None:
        if left := self._left.pop(name, None):
            left.timer.cancel()

    def _abandon(self, name: RoomName) -> None:
        try:
            live = self._live(name)
        except Refused:  # the server is full: the next who joins finds it overdue
            return
        self._left.pop(name)
        self._look_again(live)

    def _forget(self, live: LiveRoom) -> None:
        """Puts a room with nobody in it out of memory. Its log has everything."""
        if live.awaits("flag"):  # a clock runs, and somebody is to lose by it
            live.after(self._limits.idle_s, "idle", self._forget, live)
            return
        del self._rooms[live.room.name]
        if driver := self._drivers.get(live):
            driver.cancel()
        self._census.discharge(live)
        live.close()
        self.on_change()

    async def _vanish(self, live: LiveRoom) -> None:
        """Deletes a room in which nobody sits and nothing was played."""
        about_room(live.room.name)
        async with live.lock:
            if live.joining or not live.is_void or not self._is_known(live):
                return
            try:
                await self.ledger.delete(live)
            except StorageFailed as error:
                logger.error("%s", error)
                live.after(self._limits.idle_s, "idle", self._forget, live)
                return
        self._release(live)


def _by(member: Member, command: PlayerCommand) -> Decide:
    """What follows from the command of a member."""
    session, gone_since = member.session, member.live.gone_since
    return lambda room, now: decide(room, session, command, now, gone_since)
