"""Decide what follows from a `join`: a room is created, a seat is taken or found. Pure.

Its settings become those of a new room, or are compared with those of the room.
"""

from typing import Any, NamedTuple

from ttt_engine import IllegalMove, Position
from ttt_protocol.codes import Opening, RefusalCode
from ttt_protocol.commands import Join
from ttt_protocol.state import (
    DEFAULT_SETTINGS,
    GivenSettings,
    Mark,
    Role,
    SeatSetting,
    SessionId,
    Settings,
)
from ttt_server.core.decision import Decision
from ttt_server.core.errors import Refused
from ttt_server.core.host import NO_HOST, founder
from ttt_server.core.room import Room, engine_rules, require_opens
from ttt_server.core.seating import admit, create

PACE_OF_AIS_S = 1
"""The default between two AIs: slow enough to watch."""


class Applicant(NamedTuple):
    """A `join`, with what was found out about it before the decision.

    `session` is that of the token or the `claim_key`, or a new one. `password_hash` is made of the
    password for a new room. `verified_hash` is the hash that the given password was checked
    against, if it was right. AIs in the settings are settled: they can play on the board, and have
    their levels. `is_known`: the applicant was let in before, as `watch` proves. `makes_host`: the
    room that the applicant makes has it as the host; a quick match has none.
    """

    join: Join
    session: SessionId
    password_hash: str | None = None
    verified_hash: str | None = None
    is_known: bool = False
    makes_host: bool = True


def makes_room(join: Join) -> bool:
    """Whether the `join` creates a room with default settings, if there is none."""
    return join.role is Role.PLAYER and join.token is None and join.settings is None


def settings_to_settle(room: Room, join: Join) -> GivenSettings | None:
    """Return the settings of a new room whose AI seats have to be settled before `let_in`.

    `None` if nothing is to be settled: the room exists, or the join is refused before that.
    """
    if room.seq or join.token is not None or join.settings is None:
        return None
    if join.role is Role.SPECTATOR and not join.settings.seats.all_ai:
        return None
    return join.settings


_NOTHING = GivenSettings()
"""The settings of a `join` without any."""


def let_in(room: Room, applicant: Applicant, now: int) -> Decision:
    """Decide on a `join`: no events for a spectator, and for a player who finds the seat again.

    Raises:
        Refused: with the first refusal of the contract that applies.
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
    if applicant.join.role is Role.PLAYER:
        return admit(room, applicant.session, applicant.join, now)
    _require_open(room.settings)
    return Decision(room)


def _create(room: Room, applicant: Applicant, given: GivenSettings, now: int) -> Decision:
    join = applicant.join
    if join.token is not None:
        raise Refused(RefusalCode.BAD_TOKEN)
    is_spectator = join.role is Role.SPECTATOR
    if is_spectator and not given.seats.all_ai:
        raise Refused(RefusalCode.NO_SUCH_ROOM)
    settings = settle(given)
    if settings is not DEFAULT_SETTINGS:  # which can be played
        _require_playable(settings)
    created = create(room.name, settings, now, applicant.password_hash, _host(applicant))
    if is_spectator:
        _require_open(settings)
        return created
    return created.followed_by(admit(created.after, applicant.session, join, now))


def _host(applicant: Applicant) -> SessionId | None:
    """Return the `host` of `create`."""
    return founder(applicant.session, applicant.join.role) if applicant.makes_host else NO_HOST


def _two_passwords(join: Join, given: GivenSettings) -> bool:
    """Whether the settings have another password than the `join` itself."""
    return None not in (join.password, given.password) and join.password != given.password


def _require_access(room: Room, applicant: Applicant) -> None:
    """Check the token or the password. A token opens only the room of its seat."""
    if applicant.join.token is not None:
        if not room.has_place_of(applicant.session):
            raise Refused(RefusalCode.BAD_TOKEN)
    elif room.password_hash not in (None, applicant.verified_hash) and not applicant.is_known:
        given = applicant.join.password is not None
        words = "that is not the password of this room" if given else None
        raise Refused(RefusalCode.WRONG_PASSWORD, words)


def _require_open(settings: Settings) -> None:
    if not settings.spectators:
        raise Refused(RefusalCode.SPECTATORS_OFF)


def _require_playable(settings: Settings) -> None:
    """Check that a game can open and go on as the settings say."""
    rules = engine_rules(settings)
    require_opens(settings.opening, rules, "settings.opening")
    if not settings.start:
        return
    if settings.opening is not Opening.NONE:
        words = "a game with moves to start from has no opening"
        raise Refused(RefusalCode.BAD_COMMAND, f"settings.opening: {words}")
    position = Position.start(rules)
    for number, cell in enumerate(settings.start, 1):
        try:
            position = position.play(cell)
        except IllegalMove as error:
            raise _bad_start(number, str(error)) from None
    if position.outcome() is not None:
        raise _bad_start(len(settings.start), "the game is over with it")


def _bad_start(number: int, words: str) -> Refused:
    return Refused(RefusalCode.BAD_COMMAND, f"settings.start: move {number}: {words}")


def settle(given: GivenSettings) -> Settings:
    """Return the settings of a new room: what was given, and defaults for the rest.

    The AIs are settled: they can play on the board, and have their levels.
    """
    if not given.model_fields_set:
        return DEFAULT_SETTINGS
    fixed: dict[str, Any] = {name: getattr(given, name) for name in Settings.model_fields}
    if given.pace_s is None:
        fixed["pace_s"] = PACE_OF_AIS_S if given.seats.all_ai else 0
    return Settings(**fixed)


def conflicts(given: GivenSettings, settings: Settings, *, locked: bool) -> tuple[str, ...]:
    """Return the names of the given fields that are others in a room with `settings`.

    `locked`: the room has a password, which was checked before.
    """
    if not (named := given.model_fields_set):
        return ()  # nearly always
    return tuple(
        name
        for name in GivenSettings.model_fields
        if name in named and not _agrees(name, given, settings, locked=locked)
    )


def _agrees(name: str, given: GivenSettings, settings: Settings, *, locked: bool) -> bool:
    match name:
        case "password":
            return given.password is None or locked
        case "pace_s":
            return given.pace_s in (None, settings.pace_s)
        case "seats":
            named = [mark for mark in Mark if mark in given.seats.model_fields_set]
            return all(_is_seat(given.seats[mark], settings.seats[mark]) for mark in named)
        case "rules":
            fields = given.rules.model_fields_set
            return all(getattr(given.rules, f) == getattr(settings.rules, f) for f in fields)
        case _:
            return bool(getattr(given, name) == getattr(settings, name))


def _is_seat(wanted: SeatSetting, had: SeatSetting) -> bool:
    if wanted == "human" or had == "human":
        return wanted == had
    return wanted.strategy == had.strategy and wanted.level in (None, had.level)
