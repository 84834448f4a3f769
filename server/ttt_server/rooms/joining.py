"""The path of a join: a transaction that ends with a welcome."""

from collections.abc import Callable
from typing import Literal

from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import Join
from ttt_protocol.state import Role, RoomName
from ttt_server.ai.runner import StrategyRunner
from ttt_server.core.errors import Refused
from ttt_server.core.join import Applicant, let_in, makes_room, settings_to_settle
from ttt_server.core.room import Room, engine_rules
from ttt_server.core.seating import told_from_players
from ttt_server.core.transition import Transition, transition
from ttt_server.rooms.admission import Admission
from ttt_server.rooms.eviction import Eviction
from ttt_server.rooms.live_room import LiveRoom
from ttt_server.rooms.members import Listener, Member
from ttt_server.rooms.registry import RoomRegistry
from ttt_server.rooms.reservations import Reservations
from ttt_server.rooms.transactions import Steps, Transaction, Transactions

Joined = Callable[[Member | None, BaseException | None], None]
"""Called once with the outcome of a join: the member, or why there is none."""


class Joining:
    """Lets applicants into rooms, and makes the rooms."""

    def __init__(
        self,
        registry: RoomRegistry,
        admission: Admission,
        eviction: Eviction,
        transactions: Transactions,
        runner: StrategyRunner,
        reservations: Reservations,
        *,
        on_enter: Callable[[LiveRoom], None],
    ) -> None:
        """`on_enter` is called when a member has entered a room and nothing else has changed."""
        self.registry = registry
        self.admission = admission
        self.eviction = eviction
        self.runner = runner
        self.transactions = transactions
        self.reservations = reservations
        self.on_enter = on_enter
        self._is_stopping = False
        self._is_closed = False

    def join(
        self, name: RoomName, join: Join, listener: Listener, address: str, done: Joined
    ) -> None:
        """Let an applicant into a room, make the room if need be, and welcome the new member."""
        try:
            session = self.admission.session(name, join, self.registry.now)
            live = self.eviction.open(name)
        except Refused as refused:
            done(None, refused)
            return
        self.eviction.begin_join(live, address)
        applicant = Applicant(join, session)
        joining = JoinTransaction(self, live, applicant, listener, address, done)
        live.lock.then(joining.begin)

    def stop(self) -> None:
        """Admit no one any more: no seat is kept for a connection that is about to be closed."""
        self._is_stopping = True

    def close(self) -> None:
        """Welcome no one any more, even if a seat is kept only now."""
        self.stop()
        self._is_closed = True

    def require_open(self, listener: Listener) -> None:
        """Check that an applicant may still be admitted.

        Raises:
            Refused: `server_full`.
        """
        if self._is_stopping or listener.is_dismissed:
            raise Refused(RefusalCode.SERVER_FULL, "the server is restarting, come back")

    def require_welcome(self, live: LiveRoom) -> None:
        """Check that a new member may still be welcomed.

        Raises:
            Refused: `server_full`.
        """
        if self._is_closed or live not in self.registry:
            raise Refused(RefusalCode.SERVER_FULL, "the server is restarting, come back")


class JoinTransaction(Transaction):
    """A join. Passwords are hashed and plug-ins asked before it, without the lock."""

    __slots__ = (
        "_address",
        "_applicant",
        "_joined",
        "_joining",
        "_listener",
        "_member",
        "_tried",
    )

    def __init__(
        self,
        joining: Joining,
        live: LiveRoom,
        applicant: Applicant,
        listener: Listener,
        address: str,
        joined: Joined,
    ) -> None:
        super().__init__(joining.transactions, live)
        self._joining = joining
        self._applicant = applicant
        self._listener = listener
        self._address = address
        self._joined = joined
        self._member: Member | None = None
        self._tried: str | Literal[False] | None = False
        """The password hash of the room that the applicant was prepared for, if it was."""

    def begin(self) -> None:
        """Prepare the applicant first, if that takes time."""
        live = self.live
        if self.attempts and not live.room.seq:
            self._joining.registry.discharge(live)  # the log may have it, made by another
        if live.is_stale or self._is_prepared():
            super().begin()
        else:
            live.lock.release()
            self.shared.tasks.start(self._prepare(), self._prepared)

    def needs_log(self) -> bool:
        """Return `False` for a room that is probably new: the store finds out if it is not."""
        return not self._is_guess()

    def decide(self, room: Room, now: int) -> Steps:
        """Return what follows from the join; nothing for spectators and returning players."""
        joining = self._joining
        joining.require_open(self._listener)
        applicant = self._recognise(room, now)
        if (wished := settings_to_settle(room, applicant.join)) is not None:
            settled = applicant.join.model_copy(update={"settings": joining.runner.settle(wished)})
            applicant = applicant._replace(join=settled)
        events = let_in(room, applicant, now)
        if not room.seq:
            joining.registry.charge(self.live, self._address)
        return (transition(room, events),) if events else ()

    def tell(self, step: Transition) -> None:
        """Tell the others what happened, and then who is here."""
        self._enter(step)

    def tell_unchanged(self) -> None:
        """Tell the others who is here."""
        self._enter(None)
        self._joining.on_enter(self.live)

    def finish(self, error: BaseException | None) -> None:
        """Hand on the lock; or read the log after all, if it may be why the join was refused."""
        if isinstance(error, Refused) and self.live.is_stale and self._is_guess():
            self.attempts += 1
            self.begin()
        else:
            super().finish(error)

    def _is_guess(self) -> bool:
        """Return whether this attempt is made without a look into the log."""
        return not self.attempts and not self.live.room.seq and makes_room(self._applicant.join)

    def _recognise(self, room: Room, now: int) -> Applicant:
        """Return the applicant, unless the host has removed it."""
        joining, applicant = self._joining, self._applicant
        if room.seq and applicant.join.watch is not None:
            applicant = joining.admission.recognised(room, applicant)
        if applicant.join.claim_key is not None:
            applicant = joining.admission.claimed(room, applicant, now)
        self._applicant = applicant
        is_known = applicant.is_known or room.has_place_of(applicant.session)
        is_newcomer = applicant.join.token is None and not is_known
        self.live.require_admitted(applicant.session, self._address if is_newcomer else None)
        return joining.reservations.claim(room, applicant)

    def _enter(self, step: Transition | None) -> None:
        joining, live, join = self._joining, self.live, self._applicant.join
        joining.require_welcome(live)
        room = live.room
        identity = self._applicant.session
        session = identity if join.role is Role.PLAYER else None
        seat = room.seats.of(session)
        player = None if seat is None else room.seats[seat]
        # A returning player keeps the name.
        name = told_from_players(room, join.name) if player is None else player.name
        watcher = identity if session is None else None
        member = Member(self._listener, live, name, session, watcher, self._address)
        self._member = member
        live.members.enter(member)
        joining.reservations.settle(room.name, identity)
        joining.eviction.stay(live)
        announcer, admission = self.shared.announcer, joining.admission
        told = None if step is None else announcer.update(live, step.events, besides=member)
        if session is None:
            announcer.welcome(member, admission.watch(room, identity), told)
        else:
            announcer.welcome(member, admission.token(room.name, session), told)
        if room.settings.hints:
            joining.runner.expect_to_evaluate(engine_rules(room.settings))

    def _is_prepared(self) -> bool:
        room = self.live.room
        if self._tried is not False:
            return self._tried == room.password_hash
        return self._joining.admission.is_open(room, self._applicant.join)

    async def _prepare(self) -> None:
        """Ask the plug-ins that are to sit in a new room; hash the password."""
        room, joining = self.live.room, self._joining
        join, session = self._applicant.join, self._applicant.session
        if not room.seq and join.settings is not None:
            settings = await joining.runner.plugins.probe_all(join.settings)
            join = join.model_copy(update={"settings": settings})
        self._applicant = await joining.admission.applicant(room, join, session, self._address)
        self._tried = room.password_hash

    def _prepared(self, error: BaseException | None) -> None:
        if error is None:
            self.live.lock.then(self.begin)
        else:
            self.conclude(error)

    def conclude(self, error: BaseException | None) -> None:
        """Let the room go, if no member is here, and tell who has come or why not."""
        live, member = self.live, self._member
        if error is not None and member is not None:  # a bug: the member was not welcomed
            live.members.exit(member, live.room, self.shared.now())
            self._member = member = None
        self._joining.eviction.end_join(live)
        self._joined(member, error)
