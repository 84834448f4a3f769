"""How far counted games can be trusted: 95 % intervals, and what a score is in Elo."""

import math
from statistics import NormalDist
from typing import Final, NamedTuple

CONFIDENCE: Final = 0.95
Z: Final = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
"""So many standard errors to either side hold as much of a normal distribution."""

ELO_SCALE: Final = 400 / math.log(10)
"""Points of Elo for a factor of e in the odds: 400 for a factor of 10."""


class Interval(NamedTuple):
    """From `low` to `high`, both within."""

    low: float
    high: float

    @property
    def half(self) -> float:
        """Half its width."""
        return (self.high - self.low) / 2


class Record(NamedTuple):
    """Games won, drawn and lost, from one side's view."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Points per game, 0 to 1: a draw is half a point. 0.5 where nothing was played."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.5

    @property
    def from_the_other_side(self) -> "Record":
        return Record(self.losses, self.draws, self.wins)

    def with_(self, other: "Record") -> "Record":
        """Both together."""
        return Record(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)


def rate_interval(hits: int, games: int) -> Interval:
    """The 95 % interval of a rate, by Wilson (1927): good for few games and near 0 and 1."""
    if not games:
        return Interval(0.0, 1.0)
    weight = Z * Z
    centre = (hits + weight / 2) / (games + weight)
    half = Z * math.sqrt(hits * (games - hits) / games + weight / 4) / (games + weight)
    # Rounding must not put the ends beyond what was counted.
    return Interval(
        min(max(0.0, centre - half), hits / games), max(min(1.0, centre + half), hits / games)
    )


def score_interval(record: Record) -> Interval:
    """The 95 % interval of a score, in which a draw varies less than a win and a loss.

    The normal one, after Z² games more that were won, drawn and lost alike; so Agresti and Coull
    (1998) come close to Wilson's for two results. Without them, a match of draws alone would be
    sure of its score after the first game. It holds the score: after a game or two, just so.
    """
    extra = Z * Z / 3
    wins, draws, losses = (count + extra for count in record)
    games = wins + draws + losses
    centre = (wins + draws / 2) / games
    variance = (wins + draws / 4) / games - centre * centre
    half = Z * math.sqrt(variance / games)
    low, high = min(centre - half, record.score), max(centre + half, record.score)
    return Interval(max(0.0, low), min(1.0, high))


def elo(score: float) -> float:
    """How many points of Elo a score is worth; an endless number at 0 and 1."""
    if score <= 0:
        return -math.inf
    return math.inf if score >= 1 else ELO_SCALE * math.log(score / (1 - score))
