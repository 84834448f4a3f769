"""The score of a series of games, with its confidence interval."""

import math
from typing import NamedTuple

_Z = 1.96
"""Standard errors on each side that cover 95 % of a normal distribution."""


class SeriesScore(NamedTuple):
    """Games won, drawn and lost."""

    won: int = 0
    drawn: int = 0
    lost: int = 0

    @property
    def games(self) -> int:
        return self.won + self.drawn + self.lost

    @property
    def share(self) -> float:
        """The share of the points, from 0 to 1; a draw is half of one."""
        return (self.won + self.drawn / 2) / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share, by Wilson (1927), with a draw as half a win."""
        share, weight = self.share, _Z * _Z / self.games
        centre = (share + weight / 2) / (1 + weight)
        half = math.sqrt(weight * (share * (1 - share) + weight / 4)) / (1 + weight)
        return max(0.0, centre - half), min(1.0, centre + half)

    def __str__(self) -> str:
        """Return `2 won, 1 drawn, 0 lost: 83 % (44 to 97)`."""
        counts = f"{self.won} won, {self.drawn} drawn, {self.lost} lost"
        if not self.games:
            return counts
        low, high = self.interval
        return f"{counts}: {100 * self.share:.0f} % ({100 * low:.0f} to {100 * high:.0f})"

    def with_(self, *, won: bool, lost: bool) -> "SeriesScore":
        """Return the score after another game."""
        return SeriesScore(self.won + won, self.drawn + (not won and not lost), self.lost + lost)
