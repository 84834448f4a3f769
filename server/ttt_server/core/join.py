"""Decide on a `join`: create a room, take a seat, or find it again. Pure.

Its settings become those of a new room, or are compared with the room's own.
"""

from typing import Any, NamedTuple

from ttt_engine import IllegalMove, Position
from ttt_protocol import state
from ttt_protocol.codes import Opening, RefusalCode
from ttt_protocol.commands import Join
from ttt_server.core.errors import Refused
from ttt_server.core.evolve import Decision
from ttt_server.core.moderation import NO_HOST
from ttt_server.core.rated import require_rateable
from ttt_server.core.room import Room, engine_rules, require_opens
from ttt_server.core.seating import KeptName, admit, create, place_of

PACE_OF_AIS_S = 1
"""The default for two AIs: slow enough to watch."""


class Applicant(NamedTuple):
    """A `join`, with what was found out before the decision.

    `session` comes from the token or the `claim_key`, or is new. `password_hash` is that of a new
    room's password; `verified_hash` is the hash that the given password matched. AIs in the
    settings can play on the board and have their levels. `is_known`: the applicant was let in
    before, as `watch` proves. `makes_host`: a room that the applicant makes has a host; one of a
    quick match has none. `person`: who keeps the name, if anyone does.
    """

    join: Join
    session: state.SessionId
    password_hash: str | None = None
    verified_hash: str | None = None
    is_known: bool = False
    makes_host: bool = True
    person: KeptName | None = None


def makes_room(join: Join) -> bool:
    """Return whether the `join` may create a room with default settings."""
    return join.role is state.Role.PLAYER and join.token is None and join.settings is None


def settings_to_settle(room: Room, join: Join) -> state.GivenSettings | None:
    """Return the settings of a new room, whose AIs must be settled before `let_in`.

    `None` if the room exists, or the join is refused anyway.
    """
    if room.seq or join.token is not None or join.settings is None:
        return None
    if join.role is state.Role.SPECTATOR and not join.settings.seats.all_ai:
        return None
    return join.settings


_NOTHING = state.GivenSettings()
"""The settings of a `join` without any."""


def let_in(room: Room, applicant: Applicant, now: int) -> Decision:
    """Decide on a `join`. A spectator, or a player who comes back, causes no events.

    Raises:
        Refused: with the first refusal that applies, in the protocol's order.
    """
    given = applicant.join.settings or _NOTHING
    if not room.seq:
        return _create(room, applicant, given, now)
    _require_access(room, applicant)
    differing = conflicts(given, room.settings, locked=room.password_hash is not None)
    if "password" not in differing and _two_passwords(applicant.join, given):
        differing = (*differing, "password")
    if differing:
        reason = "the room has other settings: " + ", ".join(differing)
        raise Refused(RefusalCode.SETTINGS_CONFLICT, reason)
    if applicant.join.role is state.Role.PLAYER:
        return admit(room, applicant.session, applicant.join, now, applicant.person)
    _require_open(room.settings)
    return Decision(room)


def recognised(room: Room, applicant: Applicant) -> Applicant:
    """Return the applicant as the player of a seat that is theirs, as a person.

    That needs neither the seat's token nor the room's password.
    """
    person, join = applicant.person, applicant.join
    if person is None or join.token is not None or join.role is not state.Role.PLAYER:
        return applicant
    session = place_of(room, person.person)
    return applicant if session is None else applicant._replace(session=session, is_known=True)


def _create(room: Room, applicant: Applicant, given: state.GivenSettings, now: int) -> Decision:
    join = applicant.join
    if join.token is not None:
        raise Refused(RefusalCode.BAD_TOKEN)
    is_spectator = join.role is state.Role.SPECTATOR
    if is_spectator and not given.seats.all_ai:
        raise Refused(RefusalCode.NO_SUCH_ROOM)
    settings = playable(given)
    founder = applicant.session if is_spectator else None  # or else the first human to sit
    host = founder if applicant.makes_host else NO_HOST
    created = create(room.name, settings, now, applicant.password_hash, host)
    if is_spectator:
        _require_open(settings)
        return created
    admitted = admit(created.after, applicant.session, join, now, applicant.person)
    return created.followed_by(admitted)


def _two_passwords(join: Join, given: state.GivenSettings) -> bool:
    """Return whether the `join` and its settings have different passwords."""
    return None not in (join.password, given.password) and join.password != given.password


def _require_access(room: Room, applicant: Applicant) -> None:
    """Check the token or the password. A token opens only the room of its seat."""
    if applicant.join.token is not None:
        if not room.has_place_of(applicant.session):
            raise Refused(RefusalCode.BAD_TOKEN)
    elif room.password_hash not in (None, applicant.verified_hash) and not applicant.is_known:
        given = applicant.join.password is not None
        words = "wrong password" if given else None
        raise Refused(RefusalCode.WRONG_PASSWORD, words)


def _require_open(settings: state.Settings) -> None:
    if not settings.spectators:
        raise Refused(RefusalCode.SPECTATORS_OFF)


def playable(given: state.GivenSettings) -> state.Settings:
    """Return the settings of a new room, after checking that a game can begin so.

    Raises:
        Refused: `bad_command`, which names the field.
    """
    settings = settle(given)
    if settings is not state.DEFAULT_SETTINGS:  # which can be played
        _require_playable(settings)
    return settings


def _require_playable(settings: state.Settings) -> None:
    """Check that a game can begin as the settings say."""
    rules = engine_rules(settings)
    require_opens(settings.opening, rules, "settings.opening")
    if settings.rated:
        require_rateable(settings)
    if not settings.start:
        return
    if settings.opening is not Opening.NONE:
        words = "a game that starts from given moves has no opening"
        raise Refused(RefusalCode.BAD_COMMAND, f"settings.opening: {words}")
    position = Position.start(rules)
    for number, cell in enumerate(settings.start, 1):
        try:
            position = position.play(cell)
        except IllegalMove as error:
            raise _bad_start(number, str(error)) from None
    if position.outcome() is not None:
        raise _bad_start(len(settings.start), "it ends the game")


def _bad_start(number: int, words: str) -> Refused:
    return Refused(RefusalCode.BAD_COMMAND, f"settings.start: move {number}: {words}")


def settle(given: state.GivenSettings) -> state.Settings:
    """Return the settings of a new room: those given, and defaults for the rest."""
    if not given.model_fields_set:
        return state.DEFAULT_SETTINGS
    fixed: dict[str, Any] = {name: getattr(given, name) for name in state.Settings.model_fields}
    if given.pace_s is None:
        fixed["pace_s"] = PACE_OF_AIS_S if given.seats.all_ai else 0
    return state.Settings(**fixed)


def conflicts(
    given: state.GivenSettings, settings: state.Settings, *, locked: bool
) -> tuple[str, ...]:
    """Return the names of the given fields that differ from `settings`.

    `locked`: the room has a password, which was already checked.
    """
    if not (named := given.model_fields_set):
        return ()  # as usual
    return tuple(
        name
        for name in state.GivenSettings.model_fields
        if name in named and not _agrees(name, given, settings, locked=locked)
    )


def _agrees(
    name: str, given: state.GivenSettings, settings: state.Settings, *, locked: bool
) -> bool:
    match name:
        case "password":
            return given.password is None or locked
        case "pace_s":
            return given.pace_s in (None, settings.pace_s)
        case "seats":
            named = [mark for mark in state.Mark if mark in given.seats.model_fields_set]
            return all(_is_seat(given.seats[mark], settings.seats[mark]) for mark in named)
        case "rules":
            fields = given.rules.model_fields_set
            return all(getattr(given.rules, f) == getattr(settings.rules, f) for f in fields)
        case _:
            return bool(getattr(given, name) == getattr(settings, name))


def _is_seat(wanted: state.SeatSetting, had: state.SeatSetting) -> bool:
    if wanted == "human" or had == "human":
        return wanted == had
    return wanted.strategy == had.strategy and wanted.level in (None, had.level)
