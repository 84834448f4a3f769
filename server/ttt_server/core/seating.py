"""Seats: create a room; take, fill, take back and give up its seats. Pure."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from ttt_engine.variant import package_of
from ttt_protocol import state
from ttt_protocol.codes import Reason, RefusalCode
from ttt_protocol.commands import UNNAMED, Fill, Join
from ttt_protocol.events import Created, Left, Renamed, Seated
from ttt_protocol.text import told_apart
from ttt_server.core.errors import Refused
from ttt_server.core.evolve import Decision
from ttt_server.core.play import end, next_game
from ttt_server.core.rated import require_rateable_player, require_unrated
from ttt_server.core.room import Room

GoneSince = Callable[[state.Mark], int | None]
"""Returns since when the human of a seat has been gone, in Unix ms; `None` if present."""


class KeptName(NamedTuple):
    """A person, and the name that they keep on the server."""

    person: state.PersonId
    name: str


def create(
    name: state.RoomName,
    settings: state.Settings,
    now: int,
    password_hash: str | None = None,
    host: state.SessionId | None = None,
    humans: Mapping[state.Mark, state.Human] | None = None,
) -> Decision:
    """Create a room and fill its seats. With two players the first game starts at once.

    Args:
        name: of the room.
        settings: name the AIs.
        now: Unix ms.
        password_hash: of the room's password, if it has one.
        host: the spectator who makes the room, or `NO_HOST`; `None` if the first human is the host.
        humans: the players of seats without an AI, if they are known.
    """
    decision = Decision(Room(name)).then(created(now, settings, password_hash, host))
    for seat in state.Mark:
        setting = settings.seats[seat]
        player = (humans or {}).get(seat) if setting == "human" else _ai(setting)
        if player is not None:
            decision = decision.followed_by(_sit(decision.after, seat, player, now))
    return decision


def created(
    now: int, settings: state.Settings, lock: str | None = None, host: state.SessionId | None = None
) -> Created:
    """Return the first event of a room, which names the package that its game needs."""
    variant = settings.rules.variant
    package = None if variant is None else package_of(variant)
    return Created(1, now, settings, lock, host, package)


def admit(
    room: Room, session: state.SessionId, join: Join, now: int, person: KeptName | None = None
) -> Decision:
    """Seat a player in the wanted seat or the first free one.

    `session` comes from the token or the `claim_key`, or is new. A returning player finds the seat
    again, without an event, or takes it back from an AI. A guest who keeps the name meanwhile
    plays on as this person.

    Raises:
        Refused: `bad_token`, `not_allowed` (a bot), `seat_taken`, `room_full`.
    """
    if join.token is not None or room.has_place_of(session):
        return _return(room, session, now, person)
    is_bot, wanted = join.bot, join.seat
    if is_bot and not room.settings.bots:
        raise Refused(RefusalCode.NOT_ALLOWED, "no bots may play in this room")
    known = None if person is None else person.person
    if room.settings.rated:
        require_rateable_player(room, known, is_bot=is_bot)
    free = room.free_seats
    if not free:
        full = wanted is None or room.settings.seats.all_ai
        raise Refused(RefusalCode.ROOM_FULL if full else RefusalCode.SEAT_TAKEN)
    if wanted is not None and wanted not in free:
        raise Refused(RefusalCode.SEAT_TAKEN)
    seat = wanted or free[0]
    name = told_from(join.name, _names(room, seat.other)) if person is None else person.name
    return _sit(room, seat, state.Human(id=session, name=name, bot=is_bot, person=known), now)


def place_of(room: Room, person: state.PersonId) -> state.SessionId | None:
    """Return the session under which a person has a place in the room, if there is one."""
    places = (seats[seat] for seats in (room.seats, room.stood_in_for) for seat in state.Mark)
    humans = (player for player in places if isinstance(player, state.Human))
    return next((human.id for human in humans if human.person == person), None)


def fill(room: Room, seat: state.Mark, command: Fill, now: int, gone_since: GoneSince) -> Decision:
    """Seat an AI where nobody sits, or a human has been gone longer than `grace_s`.

    The AI can play on this board and has its level.

    Raises:
        Refused: `not_allowed`, `too_early`.
    """
    if command.seat is seat:
        raise Refused(RefusalCode.NOT_ALLOWED, "that is your own seat")
    require_unrated(room, "a rated game is between two people, not with an AI")
    if room.seats[command.seat] is not None:
        require_gone(room, command.seat, now, gone_since)
    ai = state.Ai(name=command.strategy, strategy=command.strategy, level=command.level)
    return _sit(room, command.seat, ai, now)


def leave(room: Room, seat: state.Mark, now: int) -> Decision:
    """Give the seat up for good. A running game is resigned."""
    decision = Decision(room)
    if room.status is state.Status.PLAYING:
        decision = end(room, Reason.RESIGNATION, seat.other, now)
    return decision.then(Left(decision.after.seq + 1, now, seat))


def rename(room: Room, seat: state.Mark, name: str, now: int) -> Decision:
    """Rename the player in `seat`.

    Raises:
        Refused: `not_allowed` for the name of a person.
    """
    player = room.seats[seat]
    if isinstance(player, state.Human) and player.person is not None:
        words = "a name that is kept on this server stays as it is"
        raise Refused(RefusalCode.NOT_ALLOWED, words)
    name = told_from(name, _names(room, seat.other))
    if player is None or player.name == name:
        return Decision(room)
    return Decision(room).then(Renamed(room.seq + 1, now, seat, name))


def told_from_players(room: Room, name: str) -> str:
    """Return a spectator's name, with a number if it looks like a player's."""
    return told_from(name, _names(room, state.Mark.X) + _names(room, state.Mark.O))


def told_from(name: str, others: Iterable[str]) -> str:
    """Return a name, with a number if it looks like another one."""
    return name if name == UNNAMED else told_apart(name, others)


def _names(room: Room, seat: state.Mark) -> list[str]:
    """Return the name in a seat, and that of the human whose seat an AI holds."""
    players = room.seats[seat], room.stood_in_for[seat]
    return [player.name for player in players if player is not None]


def require_gone(room: Room, seat: state.Mark, now: int, gone_since: GoneSince) -> None:
    """Check that the human in `seat` has been gone for longer than `grace_s`.

    Raises:
        Refused: `too_early`; `not_allowed` for an AI, and in a room with days for each move.
    """
    if room.settings.days is not None:
        words = "players have days for each move here: the flag falls by itself"
        raise Refused(RefusalCode.NOT_ALLOWED, words)
    if not isinstance(room.seats[seat], state.Human):
        raise Refused(RefusalCode.NOT_ALLOWED, "an AI is always here")
    since = gone_since(seat)
    if since is None:
        raise Refused(RefusalCode.TOO_EARLY, "the other player is here")
    left_s = room.settings.grace_s - (now - since) / 1000
    if left_s > 0:
        raise Refused(RefusalCode.TOO_EARLY, f"wait {left_s:.1f} seconds more")


def _return(room: Room, session: state.SessionId, now: int, person: KeptName | None) -> Decision:
    if (found := room.seats.of(session)) is not None:
        return _recognise(room, found, now, person)
    seat = room.stood_in_for.of(session)
    absent = None if seat is None else room.stood_in_for[seat]
    if seat is None or absent is None:
        raise Refused(RefusalCode.BAD_TOKEN)
    return Decision(room).then(Seated(room.seq + 1, now, seat, absent))


def _recognise(room: Room, seat: state.Mark, now: int, person: KeptName | None) -> Decision:
    """Let a guest in a seat play on as a person, who has no other place in the room."""
    guest = room.seats[seat]
    if person is None or not isinstance(guest, state.Human) or guest.person is not None:
        return Decision(room)
    if place_of(room, person.person) is not None:
        return Decision(room)
    known = replace(guest, name=person.name, person=person.person)
    return Decision(room).then(Seated(room.seq + 1, now, seat, known))


def _sit(room: Room, seat: state.Mark, player: state.Player, now: int) -> Decision:
    seated = Decision(room).then(Seated(room.seq + 1, now, seat, player))
    if room.seats[seat] is not None or room.seats[seat.other] is None:
        return seated
    return seated.followed_by(next_game(seated.after, now))


def _ai(setting: state.AiSetting) -> state.Ai:
    return state.Ai(name=setting.strategy, strategy=setting.strategy, level=setting.level)
