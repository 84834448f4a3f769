"""A sequential test of two players, and the count of a match that it ends.

The match ends as soon as the games decide it. This is the sequential probability ratio test of Wald
(1945), as engine testers use it: of two hypotheses about the difference in Elo, it accepts the one
for which the games speak clearly enough. The likelihood ratio of a series with draws is taken in
the normal approximation of Van den Bergh's generalised test, which `fishtest` describes: it needs
the mean and the variance of the score alone.
"""

import math
from collections.abc import MutableMapping
from enum import Enum, auto
from typing import Final, NamedTuple

from ttt_engine.arena.match import Match, PairGame
from ttt_engine.arena.ratings import ELO_SCALE, Record

ERROR: Final = 0.05
"""The probability of a wrong decision, for either hypothesis."""

BOUND: Final = math.log((1 - ERROR) / ERROR)
"""The log-likelihood ratio that decides, to either side: 2.94."""

_LEAST: Final = 0.5
"""The least count of each result. Without it a series of wins alone would have no variance."""


class Verdict(Enum):
    """The decision of a test."""

    ACCEPTED = auto()
    """The first is stronger by `high` Elo rather than by `low`."""

    REJECTED = auto()
    """It is the other way round."""


class Sprt(NamedTuple):
    """A test of whether the first is stronger by `high` Elo, or only by `low`."""

    low: float
    high: float

    def ratio(self, record: Record) -> float:
        """Return the logarithm of the likelihood ratio of these games."""
        if not record.games:
            return 0.0
        wins, draws, losses = (max(count, _LEAST) for count in record)
        games = wins + draws + losses
        mean = (wins + draws / 2) / games
        variance = (wins + draws / 4) / games - mean * mean
        low, high = expected_score(self.low), expected_score(self.high)
        return (high - low) * (2 * mean - low - high) * games / (2 * variance)

    def verdict(self, record: Record) -> Verdict | None:
        """Return the decision, or None while the match has to go on."""
        ratio = self.ratio(record)
        if ratio >= BOUND:
            return Verdict.ACCEPTED
        return Verdict.REJECTED if ratio <= -BOUND else None


def expected_score(elo: float) -> float:
    """Return the points per game of a player who is stronger by `elo`."""
    return 1 / (1 + math.exp(-elo / ELO_SCALE))


class MatchTally:
    """Counts the games of a pair in the order of their numbers, and ends where a test decides.

    So the result is the same whatever the order in which games come, and however many are played
    side by side. The test looks after every second game, when both have played either side.

    Args:
        games: the most that count.
        sprt: the test, if there is one.
    """

    def __init__(self, games: int, sprt: Sprt | None = None) -> None:
        self.match = Match()
        self.verdict: Verdict | None = None
        self._games = games
        self._sprt = sprt
        self._next = 0

    def count(self, games: MutableMapping[int, PairGame]) -> None:
        """Take the games out, by their numbers, that follow those that were counted."""
        while self._next < self._games and self.verdict is None:
            if (played := games.pop(self._next, None)) is None:
                return
            self.match = self.match.with_game(played)
            self._next += 1
            if self._sprt is not None and self._next % 2 == 0:
                self.verdict = self._sprt.verdict(self.match.record)
