"""What is said in the rooms: each command goes to its room, and becomes events or an answer.

Who comes in is in `arrivals`. The path of a move goes on in `lane`, or the common way in `commits`:
under the room's lock decide, append, evolve, publish.
"""

import logging
from collections.abc import Callable, Collection
from functools import partial
from typing import assert_never

from ttt_engine.strategies import Description
from ttt_protocol.codes import RefusalCode
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
from ttt_protocol.state import AiSetting, RoomName, RoomState, Summary
from ttt_server.ai.runner import AiFailed, StrategyRunner
from ttt_server.concurrency.bounded_lock import MOST_READERS, BoundedLock
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.concurrency.wall_clock import WallClock
from ttt_server.core.decide import Decide, PlayerCommand, decide
from ttt_server.core.errors import Refused
from ttt_server.core.play import Decision, position_to_hint
from ttt_server.core.room import Room, engine_rules
from ttt_server.rooms.admission import Admission
from ttt_server.rooms.event_log import EventLog
from ttt_server.rooms.joining import Joining
from ttt_server.rooms.lane import Lane
from ttt_server.rooms.live_room import LiveRoom, Member
from ttt_server.rooms.registry import RoomLimits, RoomRegistry
from ttt_server.rooms.timers import Upkeep, overdue
from ttt_server.rooms.transactions import Transactions
from ttt_server.storage.base import EventStore
from ttt_server.transport.broadcast import Broadcaster

logger = logging.getLogger(__name__)


class Hub:
    """Owns the rooms in memory, and the tasks and timers that move in them."""

    def __init__(
        self,
        store: EventStore,
        door: Admission,
        runner: StrategyRunner,
        limits: RoomLimits,
        writes: Broadcaster,
        clock: WallClock,
    ) -> None:
        self._tasks = TaskOwner()
        self.ledger = EventLog(store, self._tasks)
        self._door = door
        self._runner = runner
        self._rooms = RoomRegistry(limits, writes, clock)
        now, late = self._rooms.now, partial(overdue, abandon_s=limits.abandon_s)
        told = self._changed
        self._commits = Transactions(self.ledger, now=now, overdue=late, on_change=told)
        self.lane = Lane(self.ledger, self._tasks, runner, now=now, overdue=late, on_change=told)
        self._upkeep = Upkeep(
            self._rooms,
            limits,
            self.ledger,
            runner,
            self._tasks,
            transact=self._commits.transact,
            on_gone=self._looks_different,
        )
        self.arrivals = Joining(
            self._rooms,
            self._door,
            self._upkeep,
            self.ledger,
            self._commits,
            runner,
            on_change=self._looks_different,
        )
        self._readers = BoundedLock(MOST_READERS)
        self.on_change: Callable[[], None] = lambda: None
        """Called when the public rooms may look different."""

    @property
    def is_healthy(self) -> bool:
        """Whether a write has gone well since the store failed last."""
        return self.ledger.is_healthy

    @property
    def rooms(self) -> Collection[LiveRoom]:
        """Those in memory; it changes with every await."""
        return self._rooms.all

    def public_rooms(self) -> tuple[Summary, ...]:
        """The rooms in memory that are listed."""
        return tuple(
            live.summary for live in self._rooms.all if live.room.seq and live.room.settings.public
        )

    async def read(self, name: RoomName) -> RoomState | None:
        """The state of a room, in memory or not; null if there is none.

        Raises:
            StorageFailed: if its log cannot be read.
            TooBusy: if too many want rooms that are not in memory.
        """
        if (live := self._rooms.get(name)) is not None:
            return await self._look(live)
        async with self._readers.take():
            return await self._look(self._rooms.unlisted(name))

    async def _look(self, live: LiveRoom) -> RoomState | None:
        async with live.lock:
            await self._commits.catch_up(live)
        return live.state if live.room.seq else None

    async def read_log(self, name: RoomName) -> Decision:
        """All that happened in a room; nothing if there is none.

        Raises:
            StorageFailed: if its log cannot be read.
        """
        return await self.ledger.log(name)

    async def strategies(self) -> tuple[Description, ...]:
        """What can sit in an AI seat."""
        return await self._runner.catalogue()

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
                step = await self._commits.transact(live, self._by(member, command))
                if step is None and not isinstance(command, Leave):
                    live.show(member)
            case Say(text=text):
                if not live.say(member, text):
                    words = "too much is said in this room, slow down"
                    raise Refused(RefusalCode.RATE_LIMITED, words)
            case AskHint():
                await self._hint(member)
            case Join():
                raise Refused(RefusalCode.ALREADY_JOINED)
            case _:
                assert_never(command)

    async def _cast_fill(self, member: Member, fill: Fill) -> Fill:
        """The same for a seat that a player wants to fill."""
        room = member.live.room
        if room.seat_of(member.session) is None:
            return fill  # and be refused
        wish = AiSetting(strategy=fill.strategy, level=fill.level)
        settled = await self._runner.plugins.probe(wish, engine_rules(room.settings))
        return fill.model_copy(update={"level": settled.level})

    def _by(self, member: Member, command: PlayerCommand) -> Decide:
        """What follows from the command of a member."""
        session, gone_since = member.session, member.live.gone_since

        def decision(room: Room, now: int) -> Decision:
            events = decide(room, session, command, now, gone_since)
            if not isinstance(command, Fill):
                return events
            # Its strategy is the last that a fill may be refused for.
            wish = AiSetting(strategy=command.strategy, level=command.level)
            level = self._runner.settle_ai(wish, engine_rules(room.settings)).level
            settled = command.model_copy(update={"level": level})
            return decide(room, session, settled, now, gone_since)

        return decision

    def exit(self, member: Member) -> None:
        """Someone's connection is gone. Their seat stays theirs."""
        if member.live.exit(member):
            member.live.tell_presence()
        self._upkeep.release(member.live)
        self.on_change()

    def stop_admitting(self) -> None:
        """Admit no more joins: the server is about to stop."""
        self.arrivals.stop()

    async def close(self) -> None:
        """Ends what the rooms do by themselves. Call it when nobody is connected any more."""
        self.arrivals.close()
        self._upkeep.close()
        self._door.close()
        await self._tasks.close()

    def _changed(self, live: LiveRoom) -> None:
        self._upkeep.changed(live)
        self.on_change()

    def _looks_different(self) -> None:
        self.on_change()

    async def _hint(self, member: Member) -> None:
        live = member.live
        position = position_to_hint(live.room, member.session)
        try:
            evaluation = await self._runner.evaluate(position, whose=live.opened_from)
        except AiFailed as failure:
            logger.warning("no hint: %s", failure)
            raise Refused(RefusalCode.NOT_ALLOWED, "no hint could be found") from None
        if position_to_hint(live.room, member.session) != position:
            raise Refused(RefusalCode.NOT_ALLOWED, "the position is another one by now")
        live.hint(member, evaluation)
