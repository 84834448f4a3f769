"""Rated games: who may play them, and which of them count. Pure."""

from typing import Final

from ttt_protocol.codes import Reason, RefusalCode, Unrated
from ttt_protocol.state import Human, Mark, PersonId, Settings
from ttt_server.core.errors import Refused
from ttt_server.core.room import Room, Seats, game_of

GAMES_A_DAY: Final = 3
"""How many games of the same two persons may count within `DAY_MS`."""

DAY_MS: Final = 86_400_000

_LEAST_MOVES: Final = 3
"""A resignation before so many moves does not count."""


def require_rateable(settings: Settings) -> None:
    """Check that a room with these settings can be rated.

    Raises:
        Refused: `bad_command`, in words.
    """
    if not settings.seats.all_human:
        words = "a rated game is between two people: leave out the AI"
    elif settings.hints:
        words = "a rated game has no hints"
    elif settings.clock is None and settings.days is None:
        words = "a rated game needs a clock, or days for each move"
    elif settings.start:
        words = "a rated game begins on the empty board"
    else:
        return
    raise Refused(RefusalCode.BAD_COMMAND, f"settings.rated: {words}")


def require_rateable_player(room: Room, person: PersonId | None, *, is_bot: bool) -> None:
    """Check that a newcomer may play in a rated room.

    Raises:
        Refused: `not_allowed`, in words.
    """
    if is_bot:
        words = "this game is rated, and programs play no rated games"
    elif person is None:
        words = "this game is rated: keep your name on this server first, then join"
    elif person in (person_in(room.seats, Mark.X), person_in(room.seats, Mark.O)):
        words = "this game is rated, and you have the other seat yourself"
    else:
        return
    raise Refused(RefusalCode.NOT_ALLOWED, words)


def require_unrated(room: Room, words: str) -> None:
    """Check that a room is not rated.

    Raises:
        Refused: `not_allowed`, in these words.
    """
    if room.settings.rated:
        raise Refused(RefusalCode.NOT_ALLOWED, words)


def person_in(seats: Seats, seat: Mark) -> PersonId | None:
    """Return the public id of the person in a seat, if there is one."""
    player = seats[seat]
    return player.person if isinstance(player, Human) else None


def why_unrated(room: Room, reason: Reason, winner: Mark | None) -> Unrated | None:
    """Return why the running game does not count if it ends so, as far as its room tells."""
    if not room.settings.rated:
        return None
    if reason is Reason.RESIGNATION and game_of(room).ply < _LEAST_MOVES:
        return Unrated.EARLY_RESIGNATION
    if winner is None and reason in (Reason.ABANDONMENT, Reason.VOID):
        return Unrated.UNDECIDED
    return None
