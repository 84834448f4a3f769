"""Glicko-2, as in Mark Glickman's "Example of the Glicko-2 system" (2013). Pure.

The steps are those of the paper, and so are the names of its Greek letters.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import exp, log, pi, sqrt
from typing import Final

TAU: Final = 0.5
"""How much volatility may change, as in the paper's example."""

_SCALE: Final = 173.7178
"""Rating points per unit of the scale that the steps use."""
_MIDDLE: Final = 1500
_NEAR_ENOUGH: Final = 0.000001


@dataclass(frozen=True, slots=True)
class Skill:
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
