"""Whoever comes to a room: let in, and welcomed.

A `join` that takes a free seat, where nothing has to be read, asked or hashed first, is an entry of
its round, as a move is in `lane`; that costs less than a task of its own. Every other goes the
common way.
"""

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Protocol

from ttt_protocol.codes import CloseCode, RefusalCode
from ttt_protocol.commands import Join
from ttt_protocol.state import Role, RoomName, SessionId
from ttt_server.ai.runner import StrategyRunner
from ttt_server.core.errors import Refused
from ttt_server.core.join import Applicant, let_in, makes_room, settings_to_settle
from ttt_server.core.play import Decision
from ttt_server.core.room import Room, engine_rules
from ttt_server.core.transition import Transition, transition
from ttt_server.rooms.admission import Admission
from ttt_server.rooms.event_log import Entry, EventLog
from ttt_server.rooms.live_room import Listener, LiveRoom, Member
from ttt_server.rooms.registry import RoomRegistry
from ttt_server.rooms.timers import Upkeep
from ttt_server.rooms.transactions import Transactions
from ttt_server.storage.base import Conflict, StorageFailed

logger = logging.getLogger(__name__)


class Newcomer(Protocol):
    """Whoever wants to come in; one of the two is called, unless the server stops before."""

    def came_in(self, member: Member) -> None:
        """They are a member, until they exit; one who could not be welcomed has to go."""

    def has_to_join(self) -> None:
        """Nothing was done: `join` may have to read, to ask or to refuse, or could keep it now."""


class Joining:
    """Where newcomers become members of rooms."""

    def __init__(
        self,
        rooms: RoomRegistry,
        door: Admission,
        upkeep: Upkeep,
        ledger: EventLog,
        commits: Transactions,
        runner: StrategyRunner,
        *,
        on_change: Callable[[], None],
    ) -> None:
        """`on_change` is called when someone came in without a step of the room."""
        self._rooms = rooms
        self._door = door
        self._upkeep = upkeep
        self.ledger = ledger
        self._commits = commits
        self._runner = runner
        self._on_change = on_change
        self._is_stopping = False
        self.is_closed = False

    def stop(self) -> None:
        """Nobody is admitted any more: no seat is kept for one who would not hear of it."""
        self._is_stopping = True

    def close(self) -> None:
        """Nobody is welcomed any more, should their seat be kept only now."""
        self.stop()
        self.is_closed = True

    def take_in(
        self, name: RoomName, join: Join, listener: Listener, address: str, newcomer: Newcomer
    ) -> None:
        """As `join`, at once where that can be; it ends with a call of `newcomer`."""
        if makes_room(join) and join.password is None:
            session = self._door.session(name, join)
            try:
                member = self._arrives(name, session, join, listener, address)
            except Refused:
                pass  # of which `join` tells
            else:
                guest = Applicant(join, session)
                member.live.lock.then(_Arrival(self, member, guest, address, newcomer).begin)
                return
        newcomer.has_to_join()

    async def join(self, name: RoomName, join: Join, listener: Listener, address: str) -> Member:
        """Lets someone into a room, makes the room if need be, and welcomes them.

        Raises:
            Refused: with the refusal of the contract.
            StorageFailed: nothing changed.
        """
        session = self._door.session(name, join)
        member = self._arrives(name, session, join, listener, address)
        try:
            while not await self._try_to_enter(member, join, session, address):
                pass  # the room was made meanwhile, by another who came
        finally:
            self.leave_the_door(member.live)
        self._on_change()
        return member

    def step(self, live: LiveRoom, guest: Applicant, address: str) -> Transition | None:
        """What follows from a newcomer; null where something has to be read or to be done first.

        Raises:
            Refused: as far as is known without the log.
        """
        now = self._rooms.now()  # first, as to look at it may set the clock of the room
        room = live.room
        if self._is_stopping or (room.seq and live.is_stale):
            return None
        # Of a room that is not known the store finds out whether there is one.
        return transition(room, self._admit(live, guest, address, room, now))

    def enter(self, member: Member, step: Transition | None) -> None:
        """Welcomes one who was admitted, and tells the others, if it was a step of the room."""
        live, session = member.live, member.session
        live.enter(member)
        self._upkeep.entered(live)
        if step is not None:  # first, as the others hear of the step before they hear who is here
            self._commits.publish(live, step.events, besides=member)
        live.welcome(member, None if session is None else self._door.token(live.room.name, session))
        if live.room.settings.hints:
            self._runner.expect_to_evaluate(engine_rules(live.room.settings))

    def leave_the_door(self, live: LiveRoom) -> None:
        """One who arrived is in, or has gone away."""
        live.joining -= 1
        self._upkeep.release(live)

    def _arrives(
        self, name: RoomName, session: SessionId, join: Join, listener: Listener, address: str
    ) -> Member:
        """Who is at the door of a room, and a member of it as soon as they enter.

        Raises:
            Refused: `server_full`.
        """
        live = self._upkeep.open(name)
        self._upkeep.arrives(live)
        live.opened_from = live.opened_from or address
        return Member(listener, live, join.name, session if join.role is Role.PLAYER else None)

    async def _try_to_enter(
        self, member: Member, join: Join, session: SessionId, address: str
    ) -> bool:
        """Lets the member in, unless the room has another lock than the one that was tried."""
        live, newcomer = member.live, Applicant(join, session)
        async with live.lock:
            if await self._try_to_make(member, newcomer, address):
                return True
            await self._commits.catch_up(live)
            if self._door.is_open(live.room, join):
                await self._let_in(member, newcomer, address)
                return True
            lock = live.room.password_hash
        # Slow where there is a password: nobody else in the room waits for it.
        guest = await self._door.guest(live.room, await self._cast(live, join), session, address)
        async with live.lock:
            if live.room.password_hash != lock:
                return False
            await self._let_in(member, guest, address)
        return True

    async def _try_to_make(self, member: Member, guest: Applicant, address: str) -> bool:
        """Makes the room without a look into its log, if that is all that the guest can want."""
        live = member.live
        if not makes_room(guest.join):
            return False
        step = await self._commits.make(live, partial(self._admit, live, guest, address))
        if step is not None:
            self.enter(member, step)
        elif not live.room.seq:
            self._rooms.census.discharge(live)  # it may be there, and made by others
        return step is not None

    async def _let_in(self, member: Member, guest: Applicant, address: str) -> None:
        live = member.live
        decision = partial(self._admit, live, guest, address)
        self.enter(member, await self._commits.keep(live, decision))

    async def _cast(self, live: LiveRoom, join: Join) -> Join:
        """For a new room the AIs that are not ours are asked, in processes of their own."""
        if live.room.seq or join.settings is None:
            return join
        settings = await self._runner.plugins.probe_all(join.settings)
        return join.model_copy(update={"settings": settings})

    def _admit(
        self, live: LiveRoom, guest: Applicant, address: str, room: Room, now: int
    ) -> Decision:
        if self._is_stopping:  # while it was read, asked or hashed
            raise Refused(RefusalCode.SERVER_FULL, "the server is restarting, come back")
        if (wished := settings_to_settle(room, guest.join)) is not None:
            settled = self._runner.settle(wished)
            guest = replace(guest, join=guest.join.model_copy(update={"settings": settled}))
        events = let_in(room, guest, now)
        self._charge(live, address)
        return events

    def _charge(self, live: LiveRoom, address: str) -> None:
        if not live.room.seq:
            self._rooms.census.charge(live, address)


class _Arrival(Entry):
    """One who takes a seat: it is called when its turn comes, and when that is kept."""

    __slots__ = ("_address", "_arrivals", "_guest", "_member", "_newcomer")

    def __init__(
        self, arrivals: Joining, member: Member, guest: Applicant, address: str, newcomer: Newcomer
    ) -> None:
        super().__init__(member.live)
        self._arrivals = arrivals
        self._member = member
        self._guest = guest
        self._address = address
        self._newcomer = newcomer

    def begin(self) -> None:
        """It has the lock."""
        arrivals = self._arrivals
        try:
            step = arrivals.step(self.live, self._guest, self._address)
            if step is not None:
                arrivals.ledger.begin(self, (step,))
                return
        except Refused:
            pass  # unless the log knows better; `join` finds out, and tells of it
        except Exception:  # whoever hands on the lock is not to suffer by it
            logger.exception("room %s: a join failed", self.live.room.name)
        self._give_up()

    def then(self, error: Exception | None) -> None:
        arrivals, member = self._arrivals, self._member
        try:
            arrivals.ledger.end(self, error)
            if not arrivals.is_closed:
                arrivals.enter(member, self.steps[0])
        except (Conflict, StorageFailed):
            self._give_up()
            return
        except Exception:  # a fault of ours ends here, and nobody waits for ever
            logger.exception("room %s: a join failed", self.live.room.name)
            member.listener.dismiss(CloseCode.SERVER_FAULT)
        self._leave()
        if not arrivals.is_closed:
            self._newcomer.came_in(member)

    def _give_up(self) -> None:
        self._leave()
        if not self._arrivals.is_closed:
            self._newcomer.has_to_join()

    def _leave(self) -> None:
        self.live.lock.release()
        self._arrivals.leave_the_door(self.live)
