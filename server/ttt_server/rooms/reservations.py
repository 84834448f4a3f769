"""Seats held for a while, in rooms that begin when the first of their owners joins."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ttt_protocol.codes import RefusalCode
from ttt_protocol.state import GivenSettings, Mark, Role, RoomName, SessionId, Token
from ttt_server.concurrency.deadlines import Deadlines
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.core.errors import Refused
from ttt_server.core.join import Applicant
from ttt_server.core.room import Room
from ttt_server.rooms.admission import Admission
from ttt_server.rooms.registry import RoomRegistry
from ttt_server.rooms.tokens import new_sessions

HOLD_S = 10
"""How long seats are held."""

_NAME_LENGTH = 10
"""Letters and digits of a room's name, 50 bits: unique, and not to be guessed."""


class HeldSeat(NamedTuple):
    """A held seat, and the token that claims it."""

    seat: Mark
    token: Token


@dataclass(slots=True)
class _Reservation:
    """The held seats of a room by session, and the settings of the room."""

    settings: GivenSettings
    seats: dict[SessionId, Mark]
    makes_host: bool


class Reservations:
    """Holds seats in memory until they are claimed or time is up."""

    def __init__(self, admission: Admission, registry: RoomRegistry, tasks: TaskOwner) -> None:
        self._admission = admission
        self._registry = registry
        self._tasks = tasks
        self._sessions: Iterator[SessionId] = new_sessions()
        self._held: dict[RoomName, _Reservation] = {}
        self._due = Deadlines(HOLD_S, self._expire)

    def hold(
        self, settings: GivenSettings, marks: tuple[Mark, ...], *, makes_host: bool
    ) -> tuple[RoomName, tuple[HeldSeat, ...]]:
        """Hold these seats of a new room, and return its name and a token for each seat.

        Args:
            settings: of the room.
            marks: the seats.
            makes_host: whether the first to join becomes the host.
        """
        name = RoomName(f"quick-{next(self._sessions)[:_NAME_LENGTH]}")
        seats = dict(zip(self._sessions, marks, strict=False))
        self._held[name] = _Reservation(settings, seats, makes_host)
        self._due.add(name)
        tokens = (
            HeldSeat(mark, self._admission.token(name, session)) for session, mark in seats.items()
        )
        return name, tuple(tokens)

    def settle_here(self, name: RoomName, then: Callable[[BaseException | None], None]) -> None:
        """Make a room this server's before its name is told: only this server knows the held seats.

        `then` gets the error, if any; it is called at once if the room is this server's.
        """
        if self._registry.is_ours(name):
            then(None)
        else:
            self._tasks.start(self._registry.acquire(name), then)

    def claim(self, room: Room, applicant: Applicant) -> Applicant:
        """Return the applicant, asking for its seat and room if a seat is held for it.

        Raises:
            Refused: `room_full` for another player while seats are held.
        """
        held = self._held.get(room.name)
        if held is None:
            return applicant
        join = applicant.join
        seat = None if join.token is None else held.seats.get(applicant.session)
        if seat is None:
            if join.role is Role.PLAYER and join.token is None:
                words = "the seats of this room are held for its players"
                raise Refused(RefusalCode.ROOM_FULL, words)
            return applicant
        wish = {"role": Role.PLAYER, "seat": seat, "token": None, "settings": held.settings}
        claim = join.model_copy(update=wish)
        return applicant._replace(join=claim, makes_host=held.makes_host)

    def settle(self, name: RoomName, session: SessionId) -> None:
        """Release a held seat: its owner sits there."""
        held = self._held.get(name)
        if held is not None:
            held.seats.pop(session, None)
            if not held.seats:
                self._expire(name)
                self._due.discard(name)

    def _expire(self, name: RoomName) -> None:
        self._held.pop(name, None)
