"""The rooms as the rest of the server sees them."""

from functools import partial
from typing import assert_never

from ttt_protocol.codes import RefusalCode
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
from ttt_server.ai.runner import StrategyRunner
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.concurrency.wall_clock import WallClock
from ttt_server.core.errors import Refused
from ttt_server.limits.census import ALONE, Census
from ttt_server.rooms.admission import Admission, Reservations
from ttt_server.rooms.ai_player import AiPlayer, answer
from ttt_server.rooms.announcer import Announcer, Observers, Sender
from ttt_server.rooms.change import Changes, Done
from ttt_server.rooms.event_log import EventLog, Feed
from ttt_server.rooms.eviction import Eviction
from ttt_server.rooms.joining import Joining
from ttt_server.rooms.live_room import LiveRoom, Member
from ttt_server.rooms.rated_end import CountsGames
from ttt_server.rooms.reader import RoomReader
from ttt_server.rooms.registry import RoomLimits, RoomRegistry
from ttt_server.rooms.social import Hints, SocialCommands
from ttt_server.rooms.timers import Timers
from ttt_server.rooms.upkeep import Upkeep
from ttt_server.storage.base import EventStore


class Hub:
    """Builds the parts of the rooms, and passes each command of a member to the right one."""

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
            rated: counts the games of rated rooms; `None` where there are none.
            census: what the other processes of this server have.
        """
        self._tasks = tasks = TaskOwner()
        self._admission = admission
        self.observers = observers = Observers()
        self.registry = registry = RoomRegistry(limits, clock, census)
        self.feed = Feed(store)
        observers.call_on_presence(self.feed.entered)
        self.log = EventLog(store, tasks, registry.hand_on)
        self._announcer = announcer = Announcer(broadcaster, on_seen=observers.seen)
        self._changes = changes = Changes(
            self.log,
            announcer,
            tasks,
            abandon_s=limits.abandon_s,
            now=registry.now,
            answer=partial(answer, runner),
            on_change=self._changed,
            on_end=observers.ended,
            feed=self.feed,
            rated=rated,
        )
        self._ai_player = ai_player = AiPlayer(registry, changes, runner, tasks)
        self.timers = timers = Timers(registry, changes)
        clock.call_on_sleep(timers.note_sleep)
        self.log.settle = timers.settle_overdue
        self.eviction = eviction = Eviction(
            registry, limits, self.log, ai_player, timers, tasks, observers
        )
        ai_player.on_rest = eviction.release
        timers.on_settled = eviction.settled
        self.reservations = Reservations(admission, registry, tasks)
        self.joining = Joining(
            registry, admission, eviction, changes, runner, self.reservations, observers.entered
        )
        self.upkeep = Upkeep(registry, admission, eviction, changes)
        self.reader = RoomReader(registry, changes, admission)
        self._social = SocialCommands(announcer, changes)
        self._hints = Hints(runner, announcer, tasks)

    def submit(self, member: Member, command: Command, done: Done) -> None:
        """Carry out a command of a member. `done` is called once everyone has been told."""
        match command:
            case Play() | Offer() | Choose() | Resign() | Accept() | Decline() | Claim():
                self._changes.command(member, command, done)
            case Leave():
                self._changes.command(member, command, done, leaves=True)
            case Fill():
                self._ai_player.fill(member, command, done)
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

    def exit(self, member: Member) -> None:
        """Note that a member's connection is gone. The seat stays with its owner."""
        live = member.live
        self._hints.drop(member)
        if live.members.exit(member, live.room, self.registry.now()):
            self._announcer.presence(live)
        self.eviction.release(live)
        self.observers.entered(live)

    async def close(self) -> None:
        """Stop everything. Call this when all connections are gone."""
        self.joining.close()
        self.eviction.close()
        self._admission.close()
        await self._tasks.close()

    def _changed(self, live: LiveRoom) -> None:
        """Arrange what a room does next by itself, if anything, and report its change."""
        room = live.room
        may_act = room.settings.clock is not None or room.seats.has_ai or live.members.is_empty
        if may_act and live in self.registry and not self.eviction.is_closed:
            self.timers.arm(live)
            self._ai_player.wake(live)
            self.eviction.release(live)
        self.observers.changed(live)
