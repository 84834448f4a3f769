"""Ratings: one for each board and pace, game by game in the order in which games end. Pure.

Each game is a rating period of its own for its two players, as Glicko-2 has it: the steps, and the
names of its Greek letters, are those of Mark Glickman's "Example of the Glicko-2 system" (2013).
What is kept is whole numbers, so that the same games give the same ratings wherever they are
computed.
"""

from collections.abc import Iterable, Mapping
from math import exp, log, pi, sqrt
from typing import Final, NamedTuple

from ttt_protocol.codes import Word
from ttt_protocol.notation import board_name
from ttt_protocol.state import Mark, Settings
from ttt_server.core.rated import person_in
from ttt_server.core.room import Room, Seats

TAU: Final = 0.5
"""How much volatility may change, as in the paper's example."""

_SCALE: Final = 173.7178
"""Rating points per unit of the scale that the steps use."""
_MIDDLE: Final = 1500
_NEAR_ENOUGH: Final = 0.000001


class Skill(NamedTuple):
    """How strong a player is: the points, their deviation, and the volatility."""

    points: float = 1500
    deviation: float = 350
    volatility: float = 0.06

    @property
    def mu(self) -> float:
        return (self.points - _MIDDLE) / _SCALE

    @property
    def phi(self) -> float:
        return self.deviation / _SCALE


def after_games(player: Skill, games: Iterable[tuple[Skill, float]]) -> Skill:
    """Return the rating after a rating period.

    Args:
        player: as before the period.
        games: the opponents, as before it, each with the score: 1 won, 0.5 drawn, 0 lost. Without
            any, only the deviation grows.
    """
    mu, phi, sigma = player.mu, player.phi, player.volatility
    precision = gain = 0.0  # step 3: 1/v; step 4: delta/v
    for opponent, score in games:
        weight = 1 / sqrt(1 + 3 * opponent.phi**2 / pi**2)
        expected = 1 / (1 + exp(-weight * (mu - opponent.mu)))
        precision += weight**2 * expected * (1 - expected)
        gain += weight * (score - expected)
    if not precision:
        return Skill(player.points, _SCALE * sqrt(phi**2 + sigma**2), sigma)
    sigma = _volatility(phi, sigma, 1 / precision, gain / precision)
    phi = 1 / sqrt(1 / (phi**2 + sigma**2) + precision)  # steps 6 and 7
    return Skill(_SCALE * (mu + phi**2 * gain) + _MIDDLE, _SCALE * phi, sigma)


def _volatility(phi: float, sigma: float, v: float, delta: float) -> float:
    """Return the new volatility: step 5, by the Illinois algorithm."""
    a = log(sigma**2)

    def f(x: float) -> float:
        variance = phi**2 + v + exp(x)
        return exp(x) * (delta**2 - variance) / (2 * variance**2) - (x - a) / TAU**2

    low = a
    # The paper looks for a k, which is 1: f(a - TAU) is at least 1 / TAU - 1 / 2 = 1.5.
    high = log(delta**2 - phi**2 - v) if delta**2 > phi**2 + v else a - TAU
    f_low, f_high = f(low), f(high)
    while abs(high - low) > _NEAR_ENOUGH:
        between = low + (low - high) * f_low / (f_high - f_low)
        f_between = f(between)
        if f_between * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = between, f_between
    return exp(low / 2)


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
        points, deviation = round(new.points * 1e3), round(new.deviation * 1e3)
        return KeptRating(points, deviation, round(new.volatility * 1e9), self.games + 1)


class Counted(NamedTuple):
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
