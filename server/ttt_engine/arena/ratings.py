"""Statistics of counted games: 95 % intervals, scores and ratings in Elo, and who plays next."""

import math
from collections.abc import Mapping, Sequence
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
    rate, weight = hits / games, Z * Z
    centre = (hits + weight / 2) / (games + weight)
    half = Z * math.sqrt(hits * (games - hits) / games + weight / 4) / (games + weight)
    # After rounding, the interval must still hold the rate itself.
    return Interval(min(max(0.0, centre - half), rate), max(min(1.0, centre + half), rate))


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


_STEPS: Final = 100
"""The most steps. More are needed only where a float cannot hold the sums of the games."""

_LONGEST_STEP: Final = 1.0
_STILL: Final = 1e-9

MET_BEFORE: Final = 10.0
"""A game that two have played counts as this many points of Elo between them."""

Matrix = list[list[float]]


class Rating(NamedTuple):
    """Points of Elo. The average of all players is 0."""

    elo: float

    error: float
    """Half of the width of the 95 % interval."""


def ratings(players: int, records: Mapping[tuple[int, int], Record]) -> tuple[Rating, ...]:
    """Return the ratings of players 0, 1, …, that make the scores of their games likeliest.

    This is the model of Bradley and Terry (1952). A draw is half a win, and 400 points more make
    the odds of a win ten times as high. A draw is added to the games of each pair, so that a
    player that lost all games has a finite rating. The intervals are those of the model, and hold
    as far as strength is a single number. Draws make them wider than necessary.

    Args:
        players: the number of players.
        records: by pair (one, other), the record of `one` against `other`; each pair once.
    """
    strengths = [0.0] * players
    for _ in range(_STEPS):
        slope, curve = _derivatives(strengths, records)
        steps = [sum(map(float.__mul__, row, slope)) for row in _inverse(curve)]
        longest = max(map(abs, steps))
        # Newton's step, shortened: far from the maximum the likelihood is nearly straight.
        share = 1 / max(1.0, longest / _LONGEST_STEP)
        strengths = [old + share * step for old, step in zip(strengths, steps, strict=True)]
        if longest < _STILL:
            break
    spread = _inverse(_derivatives(strengths, records)[1])
    # The curve fixes the average as if by one more game, which is not known from the games.
    known = 1 / players**2
    return tuple(
        Rating(ELO_SCALE * strength, ELO_SCALE * Z * math.sqrt(max(0.0, spread[i][i] - known)))
        for i, strength in enumerate(strengths)
    )


def next_pair(
    elo: Sequence[float], games: Sequence[int], met: Mapping[tuple[int, int], int]
) -> tuple[int, int]:
    """Return the indices of the next two, the lower first.

    The one with the fewest games plays, so that a new one is placed quickly. It meets the one that
    is nearest in Elo, where games that the two have played before count as distance.

    Args:
        elo: the rating of each.
        games: how many each has played.
        met: how many games each pair has played, by the lower index and the higher.
    """
    one = min(range(len(games)), key=lambda player: (games[player], player))

    def distance(other: int) -> float:
        pair = min(one, other), max(one, other)
        return abs(elo[one] - elo[other]) + MET_BEFORE * met.get(pair, 0)

    other = min((player for player in range(len(games)) if player != one), key=distance)
    return min(one, other), max(one, other)


def _derivatives(
    strengths: list[float], records: Mapping[tuple[int, int], Record]
) -> tuple[list[float], Matrix]:
    """Return the slope of the likelihood, and its second derivatives with the sign changed.

    They say nothing about the average of all strengths. So each gets 1 more, which fixes it.
    """
    slope = [0.0] * len(strengths)
    curve = [[1.0] * len(strengths) for _ in strengths]
    for (one, other), record in records.items():
        games = record.games + 1
        points = record.wins + (record.draws + 1) / 2
        expected = 1 / (1 + math.exp(strengths[other] - strengths[one]))
        for mine, sign in ((one, 1.0), (other, -1.0)):
            slope[mine] += sign * (points - games * expected)
            curve[mine][mine] += games * expected * (1 - expected)
        curve[one][other] -= games * expected * (1 - expected)
        curve[other][one] -= games * expected * (1 - expected)
    return slope, curve


def _inverse(matrix: Matrix) -> Matrix:
    """Invert a positive definite matrix by elimination. All pivots are above 0."""
    size = len(matrix)
    rows = [[*row, *(float(i == j) for j in range(size))] for i, row in enumerate(matrix)]
    for i, pivot_row in enumerate(rows):
        pivot = pivot_row[i]
        pivot_row[:] = [value / pivot for value in pivot_row]
        for row in rows:
            if row is not pivot_row:
                factor = row[i]
                row[:] = [a - factor * b for a, b in zip(row, pivot_row, strict=True)]
    return [row[size:] for row in rows]
