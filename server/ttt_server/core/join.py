"""What follows from a `join`: a room is made, a seat is taken or found again. Pure."""

from dataclasses import dataclass

from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import Join
from ttt_protocol.state import GivenSettings, Role, SessionId, Settings
from ttt_server.core.errors import Refused
from ttt_server.core.play import Decision
from ttt_server.core.room import Room, evolve_all
from ttt_server.core.seating import admit, create
from ttt_server.core.settings import conflicts, settle


@dataclass(frozen=True, slots=True)
class Applicant:
    """Someone at the door: what they said, and what was found out about it.

    `session` is the one that their token names, or a new one. `lock` is made of the password for a
    new room. `opens`: the lock that their password was found to open.
    """

    join: Join
    session: SessionId
    lock: str | None = None
    opens: str | None = None


def makes_room(join: Join) -> bool:
    """Whether it makes a room, should there be none, and has no wishes for it."""
    return join.role is Role.PLAYER and join.token is None and join.settings is None


def settings_to_settle(room: Room, join: Join) -> GivenSettings | None:
    """Return the wishes for a new room whose AI seats have to be settled before `let_in`.

    `None` if nothing is to be settled: the room exists, or the join is refused before that.
    """
    if room.seq or join.token is not None or join.settings is None:
        return None
    if join.role is Role.SPECTATOR and not join.settings.seats.all_ai:
        return None
    return join.settings


_NOTHING = GivenSettings()
"""What a join without settings asks for."""


def let_in(room: Room, guest: Applicant, now: int) -> Decision:
    """The events, none for spectators and for whoever finds their seat as they left it.

    The AI seats in `settings_to_settle` are settled already.

    Raises:
        Refused: with the first refusal of the contract that applies.
    """
    given = guest.join.settings or _NOTHING
    if not room.seq:
        return _make(room, guest, given, now)
    _require_key(room, guest)
    differing = conflicts(given, room.settings, locked=room.lock is not None)
    if "password" not in differing and _two_passwords(guest.join, given):
        differing = (*differing, "password")
    if differing:
        reason = "the room has other settings: " + ", ".join(differing)
        raise Refused(RefusalCode.SETTINGS_CONFLICT, reason)
    if guest.join.role is Role.PLAYER:
        return admit(room, guest.session, guest.join, now)
    _require_open(room.settings)
    return ()


def _make(room: Room, guest: Applicant, given: GivenSettings, now: int) -> Decision:
    join = guest.join
    if join.token is not None:
        raise Refused(RefusalCode.BAD_TOKEN)
    if join.role is Role.SPECTATOR and not given.seats.all_ai:
        raise Refused(RefusalCode.NO_SUCH_ROOM)
    settings = settle(given)
    created = create(room.name, settings, now, guest.lock)
    if join.role is Role.SPECTATOR:
        _require_open(settings)
        return created
    return created + admit(evolve_all(room, created), guest.session, join, now)


def _two_passwords(join: Join, given: GivenSettings) -> bool:
    """Whether the settings wish for another password than the one that opens the room."""
    return None not in (join.password, given.password) and join.password != given.password


def _require_key(room: Room, guest: Applicant) -> None:
    """A token opens the room that its seat is in; one that owns no seat opens nothing."""
    if guest.join.token is not None:
        if not room.has_place_of(guest.session):
            raise Refused(RefusalCode.BAD_TOKEN)
    elif room.lock is not None and room.lock != guest.opens:
        given = guest.join.password is not None
        words = "that is not the password of this room" if given else None
        raise Refused(RefusalCode.WRONG_PASSWORD, words)


def _require_open(settings: Settings) -> None:
    if not settings.spectators:
        raise Refused(RefusalCode.SPECTATORS_OFF)
