"""Statistics of counted games: 95 % intervals, and scores in Elo."""

import math
from statistics import NormalDist
from typing import Final, NamedTuple

CONFIDENCE: Final = 0.95
Z: Final = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
"""The standard errors to either side that hold this share of a normal distribution."""

ELO_SCALE: Final = 400 / math.log(10)
"""Points of Elo for a factor of e in the odds: 400 for a factor of 10."""


class Interval(NamedTuple):
    """From `low` to `high`, both included."""

    low: float
    high: float

    @property
    def half(self) -> float:
        """Half of the width."""
        return (self.high - self.low) / 2


class Record(NamedTuple):
    """Games won, drawn and lost, from the view of one side."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Points per game, 0 to 1; a draw is half a point. Without games it is 0.5."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.5

    @property
    def from_the_other_side(self) -> "Record":
        return Record(self.losses, self.draws, self.wins)

    def with_(self, other: "Record") -> "Record":
        """Return the sum of both."""
        return Record(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)


def rate_interval(hits: int, games: int) -> Interval:
    """Return the 95 % interval of a rate, by Wilson (1927), good for few games and near 0 and 1."""
    if not games:
        return Interval(0.0, 1.0)
    weight = Z * Z
    centre = (hits + weight / 2) / (games + weight)
    half = Z * math.sqrt(hits * (games - hits) / games + weight / 4) / (games + weight)
    # After rounding, the interval must still hold the rate itself.
    return Interval(
        min(max(0.0, centre - half), hits / games), max(min(1.0, centre + half), hits / games)
    )


def score_interval(record: Record) -> Interval:
    """Return the 95 % interval of a score, in which a draw varies less than a win and a loss.

    It is the normal interval after adding Z²/3 games of each result. In this way Agresti and Coull
    (1998) come close to Wilson's interval for two results. Without the added games, a match of
    draws alone would be certain after its first game. The interval always holds the score.
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
    """Return the difference in Elo that a score is worth, which is infinite at 0 and 1."""
    if score <= 0:
        return -math.inf
    return math.inf if score >= 1 else ELO_SCALE * math.log(score / (1 - score))
