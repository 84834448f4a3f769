"""The rooms as the rest of the server sees them: join, submit, exit, read."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import partial
from typing import assert_never

from ttt_protocol import commands
from ttt_protocol.codec import decode_room
from ttt_protocol.codes import CloseCode, RefusalCode
from ttt_protocol.records import GameRecord
from ttt_protocol.state import Human, Mark, RoomName, RoomState, Settings, Summary
from ttt_server.ai.runner import StrategyRunner
from ttt_server.concurrency.fair_semaphore import BoundedLock
from ttt_server.concurrency.tasks import CallbackFuture, TaskOwner
from ttt_server.concurrency.wall_clock import WallClock
from ttt_server.core.archive.anonymous import Rewrite
from ttt_server.core.errors import Refused
from ttt_server.core.evolve import Decide, Decision, unchanged
from ttt_server.core.room import Room
from ttt_server.core.seating import KeptName, create
from ttt_server.limits.census import ALONE, Census
from ttt_server.rooms.admission import Admission, Reservations, Rights
from ttt_server.rooms.ai_player import AiPlayer, answer
from ttt_server.rooms.announcer import Announcer, Sender
from ttt_server.rooms.change import Changes, CountsGames, Done
from ttt_server.rooms.event_log import EventLog, Feed
from ttt_server.rooms.eviction import Eviction
from ttt_server.rooms.joining import Joined, Joining
from ttt_server.rooms.live_room import LiveRoom, Member, Recipient
from ttt_server.rooms.registry import Elsewhere, RoomLimits, RoomRegistry
from ttt_server.rooms.social import Hints, SocialCommands
from ttt_server.rooms.timers import Timers
from ttt_server.storage.base import EventStore, StorageFailed


class Hub:
    """The facade of the rooms: builds their parts, and passes each request to the right one."""

    def __init__(
        self,
        store: EventStore,
        admission: Admission,
        runner: StrategyRunner,
        limits: RoomLimits,
        broadcaster: Sender,
        clock: WallClock,
        *,
        rated: CountsGames | None = None,
        census: Census = ALONE,
    ) -> None:
        """Build the parts.

        Args:
            store: of the logs.
            admission: makes and checks tokens.
            runner: lets strategies think.
            limits: of the rooms.
            broadcaster: sends to many.
            clock: of all rooms.
            rated: counts the games of rated rooms, if there may be such rooms.
            census: what the other processes of this server have.
        """
        self._tasks = tasks = TaskOwner()
        self._admission = admission
        self._is_closed = False
        self.notices = Notices()
        self.registry = registry = RoomRegistry(limits, clock, census)
        self.feed = Feed(store)
        self.notices.call_on_presence(self.feed.entered)
        self.log = EventLog(store, tasks, registry.hand_on)
        self._announcer = Announcer(broadcaster, on_seen=self.notices.seen)
        self._changes = changes = Changes(
            self.log,
            self._announcer,
            tasks,
            abandon_s=limits.abandon_s,
            now=registry.now,
            answer=partial(answer, runner),
            on_change=self._changed,
            on_end=self.notices.ended,
            feed=self.feed,
            rated=rated,
        )
        self.timers = Timers(registry, changes, on_settled=self._settled)
        self.log.settle = settle = self.timers.settle_overdue
        entered = self.notices.entered
        clock.call_on_sleep(self.timers.note_sleep)
        self._ai_player = AiPlayer(registry, changes, runner, tasks, on_rest=self._release)
        self._eviction = Eviction(
            registry, limits, self.log, self._ai_player, tasks, settle, entered
        )
        self.reservations = Reservations(admission, registry, tasks)
        self._joining = Joining(
            registry, admission, self._eviction, changes, runner, self.reservations, entered
        )
        self.reader = RoomReader(registry, changes, self.log, admission)
        self._social = SocialCommands(self._announcer, changes)
        self._hints = Hints(runner, self._announcer, tasks)

    # Connections

    def join(
        self,
        name: RoomName,
        join: commands.Join,
        recipient: Recipient,
        address: str,
        done: Joined,
        person: KeptName | None = None,
    ) -> None:
        """Let a connection into a room. `done` gets the member, or why there is none."""
        self._joining.join(name, join, recipient, address, done, person)

    def submit(self, member: Member, command: commands.Command, done: Done) -> None:
        """Carry out a command of a member. `done` is called once everyone was told."""
        match command:
            case (
                commands.Play()
                | commands.Offer()
                | commands.Choose()
                | commands.Resign()
                | commands.Accept()
                | commands.Decline()
                | commands.Claim()
            ):
                self._changes.command(member, command, done)
            case commands.Leave():
                self._changes.command(member, command, done, leaves=True)
            case commands.Fill():
                self._ai_player.fill(member, command, done)
            case commands.Say() | commands.Rename() | commands.Moderate():
                self._social.submit(member, command, done)
            case commands.AskHint():
                self._hints.ask(member, done)
            case commands.Seek():
                done(Refused(RefusalCode.NOT_ALLOWED, "this is a room: seek at /ws/play"))
            case commands.Join():
                done(Refused(RefusalCode.ALREADY_JOINED))
            case _:
                assert_never(command)

    async def run(self, member: Member, command: commands.Command) -> None:
        """Carry out a command, for a task that waits.

        Raises:
            Refused: with the refusal of the contract.
            StorageFailed: if nothing was changed, or that is uncertain: `OutcomeUnknown`.
        """
        outcome = CallbackFuture()
        self.submit(member, command, outcome.settle)
        await outcome.future

    def exit(self, member: Member) -> None:
        """Note that a member's connection is gone. The seat stays with its owner."""
        live = member.live
        self._hints.drop(member)
        if live.members.exit(member, live.room, self.registry.now()):
            self._announcer.presence(live)
        self._eviction.release(live)
        self.notices.entered(live)

    # Rooms

    @property
    def rooms(self) -> Collection[LiveRoom]:
        """The rooms in memory. The collection changes with every await."""
        return self.registry.all

    def in_memory(self, name: RoomName) -> LiveRoom | None:
        """Return a room if it is in memory."""
        return self.registry.get(name)

    def summary(self, name: RoomName) -> Summary | None:
        """Return a room's entry in the list; `None` if it is not in memory or not public."""
        live = self.registry.get(name)
        return None if live is None or not live.is_public else live.summary

    def subscribe(self, call: Callable[[RoomName], None]) -> None:
        """Call `call` with the name of each room whose `summary` may have changed."""
        self.notices.subscribe(call)

    @property
    def is_healthy(self) -> bool:
        """Whether a write has succeeded since the store failed last."""
        return self.log.is_healthy

    def take(self, name: RoomName) -> None:
        """Run a room's clock from now, though the room is not in memory."""
        self.log.take(name, self.registry.now())

    async def change(
        self, name: RoomName, decision: Decide, *, may_exceed: bool = False
    ) -> LiveRoom:
        """Load a room, do what `decision` says, and return it.

        `may_exceed`: also beyond the number of rooms that there may be.

        Raises:
            Refused: by `decision`; `server_full`.
            StorageFailed: if the room cannot be read, nothing was changed, or that is uncertain:
                `OutcomeUnknown`.
        """
        try:
            await self.registry.acquire(name)
        except Elsewhere:
            raise StorageFailed(f"room {name}: another server has it") from None
        live = self._eviction.open(name, may_exceed=may_exceed)
        self._eviction.begin_join(live, "")
        try:
            await self._changes.run(live, decision)
        finally:
            self._eviction.end_join(live)
        return live

    async def make_room(self, name: RoomName, settings: Settings, person: KeptName) -> None:
        """Make a room, unless it is there, in which a person has the seat O and is the host.

        Raises:
            Refused: `server_full`.
            StorageFailed: if it cannot be made.
        """
        session = self._admission.session(name, commands.Join(), self.registry.now)
        human = Human(id=session, name=person.name, person=person.person)

        def decide(room: Room, now: int) -> Decision:
            seats = {Mark.O: human}
            return Decision(room) if room.seq else create(name, settings, now, humans=seats)

        await self.change(name, decide)

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
        return await self.change(name, unchanged)

    async def adopt(self, name: RoomName) -> None:
        """Load a room that no client has joined here, and run its clock and AI seats.

        It does not count towards the rooms that may be opened.

        Raises:
            StorageFailed: if it cannot be read, or is another server's.
        """
        await self.change(name, unchanged, may_exceed=True)

    async def rewrite(self, name: RoomName, rewrite: Rewrite) -> None:
        """Put the log of a room into other words, and show the room to its members anew.

        Raises:
            StorageFailed: if the log may be as it was.
        """
        live = self.registry.get(name)
        if live is None:
            return await self.log.rewrite(name, None, rewrite)
        async with live.lock:
            await self.log.rewrite(name, live, rewrite)
        await self.change(name, unchanged)
        return None

    def needs(self, name: RoomName) -> bool:
        """Return whether a room is in memory, or its game is to be ended here in time."""
        return self.registry.get(name) is not None or self._eviction.keeps(name)

    async def forget_for_good(self, name: RoomName, before: int) -> bool:
        """Delete a room that is not in memory and has had no event since `before` (Unix ms).

        Raises:
            StorageFailed: if it still exists.
        """
        is_needed = self._is_closed or self.notices.is_observed(name)  # by a tournament
        return not is_needed and await self._eviction.forget_for_good(name, before)

    def give_up(self) -> None:
        """Unload all rooms: another server may have them."""
        given_up = tuple(self.registry.all)
        for live in given_up:
            for member in tuple(live.members):
                member.listener.dismiss(CloseCode.RESTARTING)
        self._eviction.give_up()
        for live in given_up:
            self.notices.entered(live)

    def stop_admitting(self) -> None:
        """Refuse joins from now on: the server is about to stop."""
        self._joining.stop()

    async def close(self) -> None:
        """Stop everything. Call this when all connections are gone."""
        self._is_closed = True
        self._joining.close()
        self._eviction.close()
        self._admission.close()
        await self._tasks.close()

    # What follows from a change

    def _changed(self, live: LiveRoom) -> None:
        room = live.room
        if room.settings.clock is not None or room.seats.has_ai or live.members.is_empty:
            self._look_after(live)
        self.notices.changed(live)

    def _look_after(self, live: LiveRoom) -> None:
        """Arrange what the room does next by itself."""
        if live in self.registry and not self._is_closed:
            self.timers.arm(live)
            self._ai_player.wake(live)
            self._eviction.release(live)

    def _settled(self, live: LiveRoom) -> None:
        if not live.is_left:
            self._eviction.stay(live)
        self._eviction.release(live)

    def _release(self, live: LiveRoom) -> None:
        self._eviction.release(live)


class Notices:
    """Calls other parts of the server after changes, once members have been told."""

    def __init__(self) -> None:
        self._subscribers: list[Callable[[RoomName], None]] = []
        self._observers: dict[RoomName, Callable[[LiveRoom], None]] = {}
        self._on_end: list[Callable[[LiveRoom], None]] = []
        self._on_presence: list[Callable[[LiveRoom], None]] = []

    def subscribe(self, call: Callable[[RoomName], None]) -> None:
        """Call `call` with the name of each room whose summary may have changed."""
        self._subscribers.append(call)

    def observe(self, name: RoomName, call: Callable[[LiveRoom], None]) -> None:
        """Call `call` after each change of one room."""
        self._observers[name] = call

    def ignore(self, name: RoomName) -> None:
        """Stop observing a room."""
        self._observers.pop(name, None)

    def is_observed(self, name: RoomName) -> bool:
        return name in self._observers

    def call_on_end(self, call: Callable[[LiveRoom], None]) -> None:
        """Call `call` with each room in which a game has ended."""
        self._on_end.append(call)

    def call_on_presence(self, call: Callable[[LiveRoom], None]) -> None:
        """Call `call` with each room whose members came or went."""
        self._on_presence.append(call)

    def changed(self, live: LiveRoom) -> None:
        """Report a change."""
        if self._observers and (observer := self._observers.get(live.room.name)) is not None:
            observer(live)
        for call in self._subscribers:
            call(live.room.name)

    def entered(self, live: LiveRoom) -> None:
        """Report that members came or went, and nothing else changed."""
        for look in self._on_presence:
            look(live)
        self.seen(live)

    def seen(self, live: LiveRoom) -> None:
        """Report that a room looks different, though nothing has happened in it."""
        for call in self._subscribers:
            call(live.room.name)

    def ended(self, live: LiveRoom) -> None:
        """Report the end of a game."""
        for call in self._on_end:
            call(live)


MOST_READERS = 32
"""Reads of rooms not in memory, under way or waiting, at once."""


@dataclass(eq=False, slots=True)
class RoomReader:
    """Reads rooms for clients outside of them. It loads no room for good, and changes none."""

    registry: RoomRegistry
    changes: Changes
    log: EventLog
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
        return await self.log.read_game(name, number)

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
