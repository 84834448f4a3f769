"""Joins: whom a room lets in, who hears of it, and what takes time before that."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal

from ttt_protocol.codec import EncodedEvents, encode_message
from ttt_protocol.codes import CloseCode, RefusalCode
from ttt_protocol.commands import Join
from ttt_protocol.messages import StillReading
from ttt_protocol.state import Role, RoomName
from ttt_server.ai.plugins import settle
from ttt_server.ai.runner import StrategyRunner
from ttt_server.concurrency.deadlines import Deadlines
from ttt_server.core.errors import Refused
from ttt_server.core.evolve import Decision
from ttt_server.core.join import Applicant, let_in, makes_room, recognised, settings_to_settle
from ttt_server.core.room import Room, engine_rules, whole_rules
from ttt_server.core.seating import KeptName, told_from_players
from ttt_server.rooms.admission import Admission, Reservations
from ttt_server.rooms.change import Changes
from ttt_server.rooms.eviction import Eviction
from ttt_server.rooms.live_room import LiveRoom, Member, Recipient
from ttt_server.rooms.registry import Elsewhere, RoomRegistry

PROGRESS_S: Final = 1.0
"""How often an applicant who waits for the log of a room is told of progress."""

Joined = Callable[[Member | None, BaseException | None], None]
"""Called once with the outcome of a join: the member, or why there is none."""


@dataclass(eq=False, slots=True)
class Joining:
    """Lets applicants into rooms, and makes the rooms."""

    registry: RoomRegistry
    admission: Admission
    eviction: Eviction
    changes: Changes
    runner: StrategyRunner
    reservations: Reservations
    on_enter: Callable[[LiveRoom], None]
    """Called when a member has entered a room and nothing else has changed."""
    waiting: "Deadlines[Arrival]" = field(init=False)
    """Arrivals at rooms whose logs are still to be read."""
    is_stopping: bool = False
    """Whether nobody is admitted any more."""
    is_closed: bool = False
    """Whether nobody is welcomed any more, even if a seat was just written."""

    def __post_init__(self) -> None:
        self.waiting = Deadlines(PROGRESS_S, Arrival.tell_progress)

    def join(
        self,
        name: RoomName,
        join: Join,
        recipient: Recipient,
        address: str,
        done: Joined,
        person: KeptName | None = None,
    ) -> None:
        """Let an applicant into a room, creating it if need be, and welcome the new member.

        `done` gets the member, or why there is none.
        """
        if join.settings is not None and join.settings.rated and self.changes.rated is None:
            words = "settings.rated: this server keeps no names, so no game here is rated"
            done(None, Refused(RefusalCode.BAD_COMMAND, words))
            return
        if join.settings is not None and join.settings.rules.variant is not None:
            try:
                whole = whole_rules(join.settings.rules, "settings.rules")
            except Refused as refused:
                done(None, refused)
                return
            settings = join.settings.model_copy(update={"rules": whole})
            join = join.model_copy(update={"settings": settings})

        def begin(error: BaseException | None) -> None:
            if isinstance(error, Elsewhere):
                recipient.dismiss(CloseCode.RESTARTING)  # it reconnects, and is passed on
                error = asyncio.CancelledError()
            if error is not None:
                done(None, error)
                return
            try:
                session = self.admission.session(name, join, self.registry.now)
                live = self.eviction.open(name)
            except Refused as refused:
                done(None, refused)
                return
            self.eviction.begin_join(live, address)
            applicant = Applicant(join, session, person=person)
            Arrival(self, live, applicant, recipient, address, done).begin()

        self.reservations.settle_here(name, begin)

    def stop(self) -> None:
        """Admit nobody from now on: no seat is taken for a connection about to be closed."""
        self.is_stopping = True

    def close(self) -> None:
        """Welcome nobody from now on, even if a seat was just written."""
        self.stop()
        self.is_closed = True
        self.waiting.clear()


class _Unprepared(Exception):
    """The room has another password than the one the applicant was checked for."""


@dataclass(eq=False, slots=True)
class Arrival:
    """A join under way: what it decides, and who is told how.

    Passwords are hashed and plug-ins asked without the lock; then it is the applicant's turn again.
    """

    joining: Joining
    live: LiveRoom
    applicant: Applicant
    recipient: Recipient
    address: str
    joined: Joined
    _member: Member | None = None
    _is_charged: bool = False
    """Whether the applicant was charged for making the room."""
    _checked_for: str | Literal[False] | None = False
    """The password hash of the room the applicant was prepared for; `False` before that."""

    def begin(self) -> None:
        """Ask for the decision. A room with default settings is taken for a new one."""
        if self.live.is_stale:
            self.joining.waiting.add(self)
        is_guess = makes_room(self.applicant.join)
        self.joining.changes.change(
            self.live, self._decide, self._done, enter=self._enter, is_guess=is_guess
        )

    def tell_progress(self) -> None:
        """Tell the applicant how far the log is read, and again in a while."""
        if self.live.is_stale and not self.recipient.is_dismissed:
            read = self.joining.changes.log.progress(self.live.room.name)
            self.recipient.send(encode_message(StillReading(seq=read)))
            self.joining.waiting.add(self)

    def _decide(self, room: Room, now: int) -> Decision:
        """Return what follows: nothing for spectators and returning players."""
        joining = self.joining
        if not self._is_prepared(room):
            raise _Unprepared
        if joining.is_stopping or self.recipient.is_dismissed:
            raise _restarting()
        if self._is_charged and room.seq:
            joining.registry.discharge(self.live)  # the room had been made by another
        applicant = self._recognise(room, now)
        if (wished := settings_to_settle(room, applicant.join)) is not None:
            settled = applicant.join.model_copy(update={"settings": settle(wished)})
            applicant = applicant._replace(join=settled)
        decision = let_in(room, applicant, now)
        if not room.seq:
            joining.registry.charge(self.live, self.address)
            self._is_charged = True
        return decision

    def _recognise(self, room: Room, now: int) -> Applicant:
        """Return the applicant, unless the host has removed them."""
        joining, applicant = self.joining, self.applicant
        if room.seq:
            applicant = joining.admission.recognised(room, applicant)
        applicant = recognised(room, joining.admission.claimed(room, applicant, now))
        self.applicant = applicant
        is_known = applicant.is_known or room.has_place_of(applicant.session)
        is_newcomer = applicant.join.token is None and not is_known
        if self.live.has_removals:
            newcomer_from = self.address if is_newcomer else None
            self.live.removals.require_admitted(applicant.session, newcomer_from)
        return joining.reservations.claim(room, applicant)

    def _enter(self, events: EncodedEvents) -> None:
        """Enter, tell the others what happened and who is here, and welcome the member."""
        joining, live, join = self.joining, self.live, self.applicant.join
        if joining.is_closed or live not in joining.registry:
            raise _restarting()
        room = live.room
        identity = self.applicant.session
        session = identity if join.role is Role.PLAYER else None
        seat = room.seats.of(session)
        player = None if seat is None else room.seats[seat]
        # A returning player keeps the name.
        if player is not None:
            name = player.name
        elif self.applicant.person is not None:
            name = self.applicant.person.name
        else:
            name = told_from_players(room, join.name)
        watcher = identity if session is None else None
        member = Member(self.recipient, live, name, session, watcher, self.address)
        self._member = member
        live.members.enter(member)
        joining.reservations.settle(room.name, identity)
        joining.eviction.stay(live)
        announcer, admission = joining.changes.announcer, joining.admission
        told = announcer.update(live, events, besides=member) if events else None
        if session is None:
            announcer.welcome(member, admission.watch(room, identity), told)
        else:
            announcer.welcome(member, admission.token(room.name, session), told)
        if room.settings.hints:
            joining.runner.expect_to_evaluate(engine_rules(room.settings))
        if not events:
            joining.on_enter(live)

    def _done(self, error: BaseException | None) -> None:
        """Report the member, or why there is none; release the room."""
        joining, live, member = self.joining, self.live, self._member
        joining.waiting.discard(self)
        if isinstance(error, _Unprepared):
            joining.changes.tasks.start(self._prepare(), self._prepared)
            return
        if error is not None and member is not None:  # a bug: the member was not welcomed
            live.members.exit(member, live.room, joining.registry.now())
            self._member = member = None
        joining.eviction.end_join(live)
        self.joined(member, error)

    # Before the decision

    def _is_prepared(self, room: Room) -> bool:
        if self._checked_for is not False:
            return self._checked_for == room.password_hash
        return self.joining.admission.is_open(room, self.applicant.join)

    async def _prepare(self) -> None:
        """Ask the plug-ins for a new room; hash the password."""
        room, joining = self.live.room, self.joining
        join, session = self.applicant.join, self.applicant.session
        if not room.seq and join.settings is not None:
            settings = await joining.runner.plugins.probe_all(join.settings)
            join = join.model_copy(update={"settings": settings})
        applicant = await joining.admission.applicant(room, join, session, self.address)
        self.applicant = applicant._replace(person=self.applicant.person)
        self._checked_for = room.password_hash

    def _prepared(self, error: BaseException | None) -> None:
        if error is None:
            self.begin()
        else:
            self._done(error)


def _restarting() -> Refused:
    return Refused(RefusalCode.SERVER_FULL, "the server is restarting, try again")
