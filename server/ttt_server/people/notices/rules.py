"""Who is owed a notice about a room or an event and since when; quiet times; texts. Pure.

A person is owed one while it is the person's turn, or a game of the person has ended, and the
person is not there. It is told after `ABSENCE_MS`. What a notice is of makes its id: there is none
twice for the same ply.
"""

from base64 import urlsafe_b64encode
from collections.abc import Callable, Container, Mapping
from datetime import UTC, datetime, time, timedelta
from hashlib import sha256
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ttt_protocol.notices import Notice, NoticeKind, QuietTime, Result
from ttt_protocol.state import Mark, Outcome, PersonId, SessionId, Status
from ttt_server.core.rated import person_in
from ttt_server.core.room import Room, RoomGame
from ttt_server.tournaments.rules.values import Entrant, Tournament

ABSENCE_MS: Final = 20_000
"""How long a person is away before a notice is told."""


class Owed(NamedTuple):
    """A notice for a person who is away."""

    person: PersonId
    since: int
    """Since when, in Unix ms: the person is away, and there is something to tell."""
    notice: Notice
    """Without its text, which depends on the language."""


AwaySince = Callable[[Mark], int | None]
"""Returns when the human in a seat went, in Unix ms; `None` if the player is here."""


def owed_turn(room: Room, away_since: AwaySince) -> Owed | None:
    """Return the notice for the person whose turn it is; `None` if there is none, or is here."""
    game = room.game
    if game is None or room.status is not Status.PLAYING:
        return None
    seat = game.turn
    person, gone = person_in(room.seats, seat), away_since(seat)
    if person is None or gone is None:
        return None
    return Owed(person, max(gone, room.changed_at), _notice("turn", room, game, seat, person))


def owed_end(room: Room, away_since: AwaySince) -> tuple[Owed, ...]:
    """Return the notices of the end of a game, for the persons who are away.

    Those who went after the end have seen it. A room does not say when that was: ask as it ends.
    """
    game = room.game
    if game is None or game.outcome is None:
        return ()
    return tuple(
        Owed(person, room.changed_at, _notice("end", room, game, seat, person))
        for seat in Mark
        if (person := person_in(room.seats, seat)) is not None and away_since(seat) is not None
    )


def owed_round(it: Tournament, here: Container[SessionId], now: int) -> tuple[Owed, ...]:
    """Return the notices of the round that has begun, for the persons who are away.

    Args:
        it: the event.
        here: the players who are connected to it, or to the room of a game.
        now: Unix ms.
    """
    if it.status != "running" or not it.round:
        return ()
    playing = {player for game in it.games_of_round(it.round) for player in (game.X, game.O)}
    return tuple(
        Owed(entrant.person, now, _notice_of_round(it, entrant, now))
        for entrant in map(it.__getitem__, playing)
        if entrant.person is not None and entrant.is_active and entrant.id not in here
    )


def notice_id(kind: NoticeKind, *of: object) -> str:
    """Return the id of a notice: the first letter of its kind, and a digest of what it is of."""
    digest = sha256("\n".join(map(str, of)).encode()).digest()
    return kind[0] + urlsafe_b64encode(digest[:15]).decode()


def _notice(kind: NoticeKind, room: Room, game: RoomGame, seat: Mark, person: PersonId) -> Notice:
    """Return a notice of a game.

    The session is part of what it is of: another room may have the name later.
    """
    player, opponent = room.seats[seat], room.seats[seat.other]
    session = None if player is None else player.id
    at = game.ply if kind == "turn" else None
    outcome = game.outcome
    return Notice(
        id=notice_id(kind, person, room.name, session, game.number, at),
        kind=kind,
        at=room.changed_at,
        text="",
        path=f"rooms/{room.name}",
        room=room.name,
        game=game.number,
        ply=game.ply,
        opponent=None if opponent is None else opponent.name,
        result=None if outcome is None else _result(outcome, seat),
        reason=None if outcome is None else outcome.reason,
    )


def _result(outcome: Outcome, seat: Mark) -> Result:
    return "drawn" if outcome.winner is None else "won" if outcome.winner is seat else "lost"


def _notice_of_round(it: Tournament, entrant: Entrant, now: int) -> Notice:
    return Notice(
        id=notice_id("round", entrant.person, it.name, entrant.id, it.round),
        kind="round",
        at=now,
        text="",
        path=f"events/{it.name}",
        event=it.name,
        title=it.title or None,
        round=it.round,
    )


# Quiet times: hours of the day in which notices wait


class UnknownZone(ValueError):
    """There is no time zone with this name."""


def require_zone(name: str) -> ZoneInfo:
    """Return a time zone by its name.

    Raises:
        UnknownZone: if this machine knows none.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # of a folder: `Europe`
        words = f"there is no time zone {name!r} here: give one like Europe/Berlin"
        raise UnknownZone(words) from None


def quiet_until(quiet: QuietTime, now: int) -> int | None:
    """Return when the quiet time ends in which `now` falls; `None` if it falls in none.

    Both are Unix ms. Times of day are by the clock on the person's wall, in summer and winter.

    Raises:
        UnknownZone: if this machine does not know the person's.
    """
    zone = require_zone(quiet.zone)
    local = datetime.fromtimestamp(now / 1000, UTC).astimezone(zone)
    begins, ends = time.fromisoformat(quiet.from_), time.fromisoformat(quiet.until)
    at = local.time().replace(second=0, microsecond=0)
    is_quiet = begins <= at < ends if begins <= ends else at >= begins or at < ends
    if not is_quiet:
        return None
    day = local.date() if at < ends else local.date() + timedelta(days=1)
    return round(datetime.combine(day, ends, zone).timestamp() * 1000)


# Texts, in the languages of the page

DEFAULT: Final = "en"

_TEXTS: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "turn": "It is your turn against {opponent}.",
        "challenge": "{opponent} would like to play with you.",
        "round": "Round {round} of {title} has begun.",
        "end.won": "You won against {opponent}.",
        "end.lost": "You lost against {opponent}.",
        "end.drawn": "Your game against {opponent} is a draw.",
        "end": "Your game against {opponent} is over.",
    },
    "de": {
        "turn": "Du bist am Zug gegen {opponent}.",
        "challenge": "{opponent} möchte mit dir spielen.",
        "round": "Runde {round} von {title} hat begonnen.",
        "end.won": "Du hast gegen {opponent} gewonnen.",
        "end.lost": "Du hast gegen {opponent} verloren.",
        "end.drawn": "Dein Spiel gegen {opponent} ist remis.",
        "end": "Dein Spiel gegen {opponent} ist zu Ende.",
    },
    "fr": {
        "turn": "À vous de jouer contre {opponent}.",
        "challenge": "{opponent} aimerait jouer avec vous.",
        "round": "La ronde {round} de {title} a commencé.",
        "end.won": "Vous avez gagné contre {opponent}.",
        "end.lost": "Vous avez perdu contre {opponent}.",
        "end.drawn": "Votre partie contre {opponent} est nulle.",
        "end": "Votre partie contre {opponent} est terminée.",
    },
    "es": {
        "turn": "Es tu turno contra {opponent}.",
        "challenge": "{opponent} quiere jugar contigo.",
        "round": "Ha empezado la ronda {round} de {title}.",
        "end.won": "Has ganado contra {opponent}.",
        "end.lost": "Has perdido contra {opponent}.",
        "end.drawn": "Tu partida contra {opponent} ha acabado en tablas.",
        "end": "Tu partida contra {opponent} ha terminado.",
    },
}


def text_of(notice: Notice, language: str = DEFAULT) -> str:
    """Return what a notice says, in a language of the page or in English."""
    texts = _TEXTS.get(language, _TEXTS[DEFAULT])
    key = notice.kind if notice.result is None else f"{notice.kind}.{notice.result}"
    return texts[key].format(
        opponent=notice.opponent or "?",
        round=notice.round or "?",
        title=notice.title or notice.event or "?",
    )
