"""Ratings: one for each board and pace, game by game in the order in which games end. Pure.

Each game is a rating period of its own for its two players, as Glicko-2 has it. What is kept is
whole numbers, so that the same games give the same ratings wherever they are computed.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from ttt_protocol.codes import Word
from ttt_protocol.exports.notation import board_name
from ttt_protocol.state import Mark, Settings
from ttt_server.core.rated import person_in
from ttt_server.core.room import Room, Seats
from ttt_server.people.glicko import Skill, after_games

PROVISIONAL: Final = 110
"""The deviation below which a rating is no longer provisional."""

_FAST_S: Final = 480
_MOVES: Final = 40
"""The moves of a side whose increments count as its time, to compare clocks by."""


class Pace(Word):
    """How fast the rated games are."""

    FAST = "fast"
    """A side has less than 8 minutes for 40 moves."""
    SLOW = "slow"
    DAYS = "days"


def pace_of(settings: Settings) -> Pace:
    """Return the pace of the games of a rated room."""
    clock = settings.clock
    if clock is None:
        return Pace.DAYS
    return Pace.FAST if clock.initial_s + _MOVES * clock.increment_s < _FAST_S else Pace.SLOW


class GamePlace(NamedTuple):
    """A game's place in the order of all games. Places compare as tuples."""

    at: int
    """When it ended, in Unix ms."""
    room: str
    number: int
    """In its room."""


class RatedGame(NamedTuple):
    """A game that counts."""

    place: GamePlace
    board: str
    pace: str
    X: str
    """The person."""
    O: str  # noqa: E741 - its name on the board
    points: int
    """Half points of X: 2 won, 1 drawn, 0 lost."""


def rated_game(room: Room, seats: Seats) -> RatedGame | None:
    """Return the game of a room just after its end; `None` if it does not count.

    `seats`: who played it.
    """
    game, x, o = room.game, person_in(seats, Mark.X), person_in(seats, Mark.O)
    if not room.settings.rated or game is None or game.outcome is None or game.unrated:
        return None
    if x is None or o is None:
        return None
    points = {Mark.X: 2, None: 1, Mark.O: 0}[game.outcome.winner]
    board, pace = board_name(room.settings.rules), pace_of(room.settings)
    return RatedGame(GamePlace(room.changed_at, room.name, game.number), board, pace, x, o, points)


class KeptRating(NamedTuple):
    """A player's rating as it is kept."""

    points: int = 1_500_000
    """Thousandths."""
    deviation: int = 350_000
    """Thousandths."""
    volatility: int = 60_000_000
    """Thousand millionths."""
    games: int = 0

    @property
    def skill(self) -> Skill:
        return Skill(self.points / 1e3, self.deviation / 1e3, self.volatility / 1e9)

    def after(self, opponent: "KeptRating", score: float) -> "KeptRating":
        """Return the standing after a game. `score`: 1 won, 0.5 drawn, 0 lost."""
        new = after_games(self.skill, [(opponent.skill, score)])
        return KeptRating(
            round(new.points * 1e3),
            round(new.deviation * 1e3),
            round(new.volatility * 1e9),
            self.games + 1,
        )


def is_provisional(deviation: int) -> bool:
    """Return whether a rating with this deviation, in thousandths, is provisional."""
    return deviation >= PROVISIONAL * 1000


@dataclass(frozen=True, slots=True)
class Counted:
    """A game, and the standings of its players after it."""

    game: RatedGame
    X: KeptRating
    O: KeptRating  # noqa: E741 - its name on the board
    gained: tuple[int, int]
    """By X and by O, in thousandths of a point."""


def rate(games: Iterable[RatedGame], before: Mapping[str, KeptRating]) -> list[Counted]:
    """Rate the players of games on one board at one pace.

    Args:
        games: in their order.
        before: the standings of persons before the first of them; others are new.
    """
    now = dict(before)
    counted = []
    for game in games:
        x, o = now.get(game.X, NEW), now.get(game.O, NEW)
        score = game.points / 2
        x_after, o_after = x.after(o, score), o.after(x, 1 - score)
        gained = x_after.points - x.points, o_after.points - o.points
        counted.append(Counted(game, x_after, o_after, gained))
        now |= {game.X: x_after, game.O: o_after}
    return counted


NEW: Final = KeptRating()
"""The standing before the first game."""
