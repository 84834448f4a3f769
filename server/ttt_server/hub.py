"""Who comes in, and what they say: each command goes to its room, and becomes events or an answer.

The path of a move goes on in `lane`, or the common way in `commits`: under the room's lock decide,
append, evolve, publish.
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
from ttt_protocol.state import AiSetting, Role, RoomName, RoomState, SessionId, Summary
from ttt_server.ai import AiFailed, Thinkers
from ttt_server.commits import Commits
from ttt_server.decide import PlayerCommand, decide
from ttt_server.door import Door
from ttt_server.driver import Decide
from ttt_server.entrance import Guest, let_in, makes_room
from ttt_server.games import Decision
from ttt_server.hints import position_to_hint
from ttt_server.lane import Lane
from ttt_server.ledger import Ledger
from ttt_server.live import Listener, LiveRoom, Member
from ttt_server.refused import Refused
from ttt_server.room import Room, engine_rules
from ttt_server.rooms import RoomLimits, Rooms
from ttt_server.step import Step
from ttt_server.store import EventStore
from ttt_server.tasks import Tasks
from ttt_server.turns import MOST_READERS, Turns
from ttt_server.upkeep import Upkeep, overdue
from ttt_server.wall import WallClock
from ttt_server.writes import Writes

logger = logging.getLogger(__name__)


class Hub:
    """Owns the rooms in memory, and the tasks and timers that move in them."""

    def __init__(
        self,
        store: EventStore,
        door: Door,
        thinkers: Thinkers,
        limits: RoomLimits,
        writes: Writes,
        clock: WallClock,
    ) -> None:
        self._tasks = Tasks()
        self.ledger = Ledger(store, self._tasks)
        self._door = door
        self._thinkers = thinkers
        self._rooms = Rooms(limits, writes, clock)
        now, late = self._rooms.now, partial(overdue, abandon_s=limits.abandon_s)
        told = self._changed
        self._commits = Commits(self.ledger, now=now, overdue=late, on_change=told)
        self.lane = Lane(self.ledger, self._tasks, thinkers, now=now, overdue=late, on_change=told)
        self._upkeep = Upkeep(
            self._rooms,
            limits,
            self.ledger,
            thinkers,
            self._tasks,
            transact=self._commits.transact,
            on_gone=self._gone,
        )
        self._readers = Turns(MOST_READERS)
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
        return await self._thinkers.catalogue()

    async def join(self, name: RoomName, join: Join, listener: Listener, address: str) -> Member:
        """Lets someone into a room, makes the room if need be, and welcomes them.

        Raises:
            Refused: with the refusal of the contract.
            StorageFailed: nothing changed.
        """
        session = self._door.session(name, join)
        live = self._upkeep.open(name)
        member = Member(listener, live, join.name, session if join.role is Role.PLAYER else None)
        self._upkeep.arrives(live)
        live.opened_from = live.opened_from or address
        try:
            while not await self._try_to_enter(member, join, session, address):
                pass  # the room was made meanwhile, by another who came
        finally:
            live.joining -= 1
            self._upkeep.release(live)
        self.on_change()
        return member

    async def _try_to_enter(
        self, member: Member, join: Join, session: SessionId, address: str
    ) -> bool:
        """Lets the member in, unless the room has another lock than the one that was tried."""
        live, newcomer = member.live, Guest(join, session)
        async with live.lock:
            if await self._try_to_make(member, newcomer, address):
                return True
            await self._commits.catch_up(live)
            if self._door.is_open(live.room, join):
                await self._let_in(member, newcomer, address)
                return True
            lock = live.room.lock
        # Slow where there is a password: nobody else in the room waits for it.
        guest = await self._door.guest(live.room, await self._cast(live, join), session, address)
        async with live.lock:
            if live.room.lock != lock:
                return False
            await self._let_in(member, guest, address)
        return True

    async def _try_to_make(self, member: Member, guest: Guest, address: str) -> bool:
        """Makes the room without a look into its log, if that is all that the guest can want."""
        live = member.live
        if not makes_room(guest.join):
            return False
        step = await self._commits.make(live, self._admission(live, guest, address))
        if step is not None:
            self._enter(member, step)
        elif not live.room.seq:
            self._rooms.census.discharge(live)  # it may be there, and made by others
        return step is not None

    async def _let_in(self, member: Member, guest: Guest, address: str) -> None:
        live = member.live
        self._enter(member, await self._commits.keep(live, self._admission(live, guest, address)))

    def _enter(self, member: Member, step: Step | None) -> None:
        """Welcomes one who was admitted, and tells the others, if it was a step of the room."""
        live, session = member.live, member.session
        live.enter(member)
        self._upkeep.entered(live)
        if step is not None:  # first, as the others hear of the step before they hear who is here
            self._commits.publish(live, step.lines, besides=member)
        live.welcome(member, None if session is None else self._door.token(live.room.name, session))
        if live.room.settings.hints:
            self._thinkers.expect_to_judge(engine_rules(live.room.settings))

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
                step = await self._commits.transact(live, _by(member, command))
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

    def exit(self, member: Member) -> None:
        """Someone's connection is gone. Their seat stays theirs."""
        if member.live.exit(member):
            member.live.tell_presence()
        self._upkeep.release(member.live)
        self.on_change()

    async def close(self) -> None:
        """Ends what the rooms do by themselves. Call it when nobody is connected any more."""
        self._upkeep.close()
        self._door.close()
        await self._tasks.close()

    def _changed(self, live: LiveRoom) -> None:
        self._upkeep.changed(live)
        self.on_change()

    def _gone(self) -> None:
        self.on_change()

    def _admission(self, live: LiveRoom, guest: Guest, address: str) -> Decide:
        def decision(room: Room, now: int) -> Decision:
            events = let_in(room, guest, now)
            if not room.seq:
                self._rooms.census.charge(live, address)
            return events

        return decision

    async def _hint(self, member: Member) -> None:
        live = member.live
        position = position_to_hint(live.room, member.session)
        try:
            judgement = await self._thinkers.judge(position, whose=live.opened_from)
        except AiFailed as failure:
            logger.warning("no hint: %s", failure)
            raise Refused(RefusalCode.NOT_ALLOWED, "no hint could be found") from None
        live.hint(member, judgement)


def _by(member: Member, command: PlayerCommand) -> Decide:
    """What follows from the command of a member."""
    session, gone_since = member.session, member.live.gone_since
    return lambda room, now: decide(room, session, command, now, gone_since)
