"""The rooms as the endpoints see them: join, submit, exit, read."""

import asyncio
from collections.abc import Callable, Collection
from functools import partial
from typing import assert_never

from ttt_protocol.codes import CloseCode, RefusalCode
from ttt_protocol.commands import (
    Accept,
    AskHint,
    Choose,
    Claim,
    Command,
    Decline,
    Fill,
    Join,
    Leave,
    Moderate,
    Offer,
    Play,
    Rename,
    Resign,
    Say,
    Seek,
)
from ttt_protocol.state import GivenSettings, Mark, RoomName, Summary
from ttt_server.ai.runner import StrategyRunner
from ttt_server.concurrency.callback_future import CallbackFuture
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.concurrency.wall_clock import WallClock
from ttt_server.core.decision import Decide, Decision
from ttt_server.core.errors import Refused
from ttt_server.rooms.admission import Admission
from ttt_server.rooms.ai_player import AiPlayer, answer
from ttt_server.rooms.announcer import Announcer, Broadcaster
from ttt_server.rooms.change import Changes, Done
from ttt_server.rooms.event_log import EventLog
from ttt_server.rooms.eviction import Eviction
from ttt_server.rooms.filling import SeatFiller
from ttt_server.rooms.hints import Hints
from ttt_server.rooms.joining import Joined, Joining
from ttt_server.rooms.live_room import LiveRoom, Member, Recipient
from ttt_server.rooms.reading import RoomReader
from ttt_server.rooms.registry import Elsewhere, Ownership, RoomLimits, RoomRegistry
from ttt_server.rooms.reservations import HeldSeat, Reservations
from ttt_server.rooms.social import SocialCommands
from ttt_server.rooms.timers import Timers
from ttt_server.storage.base import EventStore, StorageFailed


class Hub:
    """The facade of the rooms: builds their parts, and hands each request to the right one."""

    def __init__(
        self,
        store: EventStore,
        admission: Admission,
        runner: StrategyRunner,
        limits: RoomLimits,
        broadcaster: Broadcaster,
        clock: WallClock,
    ) -> None:
        self._tasks = TaskOwner()
        self.log = EventLog(store, self._tasks)
        self._admission = admission
        self._runner = runner
        self._registry = RoomRegistry(limits, clock)
        self._announcer = Announcer(broadcaster, on_seen=self._notify)
        self._changes = Changes(
            self.log,
            self._announcer,
            self._tasks,
            abandon_s=limits.abandon_s,
            now=self._registry.now,
            answer=partial(answer, runner),
            on_change=self._changed,
            on_end=self._ended,
        )
        self._timers = Timers(self._registry, self._changes, on_settled=self._settled)
        self.log.when_certain(self._timers.settle_overdue)
        clock.call_on_sleep(self._timers.note_sleep)
        self._ai_player = AiPlayer(
            self._registry, self._changes, runner, self._tasks, on_rest=self._rested
        )
        self._eviction = Eviction(
            self._registry,
            limits,
            self.log,
            self._ai_player,
            self._tasks,
            settle_overdue=self._timers.settle_overdue,
            on_gone=self._notify,
        )
        self._reservations = Reservations(admission)
        self._joining = Joining(
            self._registry,
            admission,
            self._eviction,
            self._changes,
            runner,
            self._reservations,
            on_enter=self._notify,
        )
        self.reader = RoomReader(self._registry, self._changes, self.log, admission)
        self._filler = SeatFiller(runner, self._changes, self._tasks)
        self._social = SocialCommands(self._announcer, self._changes)
        self._hints = Hints(runner, self._announcer, self._tasks)
        self._subscribers: list[Callable[[RoomName], None]] = []
        self._end_listeners: list[Callable[[LiveRoom], None]] = []
        self._observers: dict[RoomName, Callable[[LiveRoom], None]] = {}
        self._is_closed = False
        self._ownership: Ownership | None = None
        """`None` where every room is this server's."""

    # The part of other servers

    def share(self, ownership: Ownership) -> None:
        """Open from now on only the rooms that are this server's."""
        self._ownership = ownership
        self.reader.share(ownership)

    def needs(self, name: RoomName) -> bool:
        """Tell whether a room is in memory, or is to be ended here in time."""
        return self._registry.get(name) is not None or self._eviction.keeps(name)

    async def adopt(self, name: RoomName) -> None:
        """Look after a room that no client has joined here: its clock, its AI seats.

        Raises:
            Refused: `server_full`.
            StorageFailed: if it cannot be read, or is another server's.
        """
        await self.change(name, lambda room, _now: Decision(room))

    def give_up(self) -> None:
        """Drop all rooms from memory: another server may have them."""
        for live in self._registry.all:
            for member in tuple(live.members):
                member.listener.dismiss(CloseCode.RESTARTING)
        given_up = tuple(self._registry.all)
        self._eviction.give_up()
        for live in given_up:
            self._notify(live)

    def stand_for(self, member: Member, count: int, *, is_asking: bool) -> None:
        """Note that a spectator's connection is for so many; tell it the state, if it asks."""
        live = member.live
        if count != member.stands_for or not member.is_shared:
            live.members.recount(member, count)
            self._announcer.presence(live)
            self._notify(live)
        if is_asking:
            self._announcer.welcome(member, self._admission.watch(live.room, member.public_id))

    # Requests of endpoints

    def join(
        self, name: RoomName, join: Join, listener: Recipient, address: str, done: Joined
    ) -> None:
        """Let a connection into a room. `done` is given the member, or `Refused` and the like."""
        if self._ownership is None or self._ownership.has(name):
            self._joining.join(name, join, listener, address, done)
            return

        def acquired(error: BaseException | None) -> None:
            if error is None:
                self._joining.join(name, join, listener, address, done)
                return
            if isinstance(error, Elsewhere):
                listener.dismiss(CloseCode.RESTARTING)  # it comes back, and is passed on
                error = asyncio.CancelledError()
            done(None, error)

        self._tasks.start(self._ownership.acquire(name), acquired)

    def submit(self, member: Member, command: Command, done: Done) -> None:
        """Carry out a command of a member. `done` is called once, when everyone was told."""
        match command:
            case Play() | Offer() | Choose() | Resign() | Accept() | Decline() | Claim() | Leave():
                self._changes.command(member, command, done)
            case Fill():
                self._filler.fill(member, command, done)
            case Say() | Rename() | Moderate():
                self._social.submit(member, command, done)
            case AskHint():
                self._hints.ask(member, done)
            case Seek():
                done(Refused(RefusalCode.NOT_ALLOWED, "this is a room: seek at /ws/play"))
            case Join():
                done(Refused(RefusalCode.ALREADY_JOINED))
            case _:
                assert_never(command)

    async def run(self, member: Member, command: Command) -> None:
        """Carry out a command, for a task that waits.

        Raises:
            Refused: with the refusal of the contract.
            StorageFailed: if nothing was changed.
        """
        outcome = CallbackFuture()
        self.submit(member, command, outcome.settle)
        await outcome.future

    def hold(
        self, settings: GivenSettings, marks: tuple[Mark, ...], *, makes_host: bool
    ) -> tuple[RoomName, tuple[HeldSeat, ...]]:
        """Hold seats of a new room. See `Reservations.hold`."""
        return self._reservations.hold(settings, marks, makes_host=makes_host)

    def settle_here(self, name: RoomName, then: Callable[[BaseException | None], None]) -> None:
        """Make a room this server's before its name is told: seats are held here alone.

        `then` is called at once where every room is this server's, and else given the error.
        """
        if self._ownership is None:
            then(None)
        else:
            self._tasks.start(self._ownership.acquire(name), then)

    def exit(self, member: Member) -> None:
        """Note that the connection of a member is gone. The seat stays with its owner."""
        live = member.live
        self._hints.drop(member)
        if live.members.exit(member, live.room, self._registry.now()):
            self._announcer.presence(live)
        self._eviction.release(live)
        self._notify(live)

    async def change(self, name: RoomName, decision: Decide) -> LiveRoom:
        """Bring a room into memory, do what `decision` says about it, and return it.

        Raises:
            Refused: by `decision`; `server_full`.
            StorageFailed: if the room cannot be read, or nothing was changed.
        """
        if self._ownership is not None:
            try:
                await self._ownership.acquire(name)
            except Elsewhere:
                raise StorageFailed(f"room {name}: another server has it") from None
        live = self._eviction.open(name)
        self._eviction.begin_join(live, "")
        try:
            await self._changes.run(live, decision)
        finally:
            self._eviction.end_join(live)
        return live

    def give_time(self, name: RoomName, by: int) -> None:
        """Give time back in a room in memory. See `Timers.give`."""
        self._timers.give(name, by)

    def in_memory(self, name: RoomName) -> LiveRoom | None:
        """Return a room, if it is in memory."""
        return self._registry.get(name)

    async def forget_for_good(self, name: RoomName, before: int) -> bool:
        """Delete a room that is not in memory and has had no event since `before`, in Unix ms.

        Raises:
            StorageFailed: if it still exists.
        """
        is_needed = self._is_closed or name in self._observers  # as by a tournament that goes on
        return not is_needed and await self._eviction.forget_for_good(name, before)

    @property
    def rooms(self) -> Collection[LiveRoom]:
        """The rooms in memory. The collection changes with every await."""
        return self._registry.all

    def summary(self, name: RoomName) -> Summary | None:
        """Return what the list says of a room; `None` if it is not in memory, or not public."""
        live = self._registry.get(name)
        is_listed = live is not None and live.room.seq and live.room.settings.public
        return live.summary if live is not None and is_listed else None

    @property
    def is_healthy(self) -> bool:
        """Whether a write has succeeded since the store failed last."""
        return self.log.is_healthy

    def observe(self, name: RoomName, call: Callable[[LiveRoom], None]) -> None:
        """Call `call` after each change of a room, when it has been told."""
        self._observers[name] = call

    def ignore(self, name: RoomName) -> None:
        """Observe a room no more."""
        self._observers.pop(name, None)

    def subscribe(self, call: Callable[[RoomName], None]) -> None:
        """Call `call` with the name of each room of which the `summary` may have changed."""
        self._subscribers.append(call)

    def call_on_end(self, call: Callable[[LiveRoom], None]) -> None:
        """Call `call` with each room in which a game has ended, when the end has been told."""
        self._end_listeners.append(call)

    # The end

    def stop_admitting(self) -> None:
        """Admit no more joins: the server is about to stop."""
        self._joining.stop()

    async def close(self) -> None:
        """End what the rooms do by themselves. Call this when all connections are gone."""
        self._is_closed = True
        self._joining.close()
        self._eviction.close()
        self._admission.close()
        await self._tasks.close()

    # Calls of the parts

    def _changed(self, live: LiveRoom) -> None:
        """Look after what the room does next by itself, which a change may have changed."""
        room = live.room
        if room.settings.clock is not None or room.seats.has_ai or live.members.is_empty:
            self._look_after(live)
        if self._observers and (observer := self._observers.get(room.name)) is not None:
            observer(live)
        self._notify(live)

    def _ended(self, live: LiveRoom) -> None:
        for call in self._end_listeners:
            call(live)

    def _look_after(self, live: LiveRoom) -> None:
        if live in self._registry and not self._is_closed:
            self._timers.arm(live)
            self._ai_player.wake(live)
            self._eviction.release(live)

    def _settled(self, live: LiveRoom) -> None:
        if not live.is_left:
            self._eviction.stay(live)
        self._eviction.release(live)

    def _rested(self, live: LiveRoom) -> None:
        self._eviction.release(live)

    def _notify(self, live: LiveRoom) -> None:
        for call in self._subscribers:
            call(live.room.name)
