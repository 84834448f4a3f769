"""Elo ratings of all who played each other, from all their games at once."""

import math
from collections.abc import Mapping
from typing import Final, NamedTuple

from ttt_engine.arena.confidence import ELO_SCALE, Record, Z

_STEPS: Final = 100
"""More than it takes, but where so many games were played that a float cannot tell their sums."""

_LONGEST_STEP: Final = 1.0
_STILL: Final = 1e-9

Matrix = list[list[float]]


class Rating(NamedTuple):
    """Points of Elo: 0 is the average of all."""

    elo: float

    error: float
    """The 95 % interval goes so far to either side."""


def ratings(players: int, records: Mapping[tuple[int, int], Record]) -> tuple[Rating, ...]:
    """The ratings of players 0, 1, …, that make the scores of their games likeliest.

    That is the model of Bradley and Terry (1952), in which a draw is half a win and the odds of a
    win grow tenfold with 400 points. One draw is added to each pair's games: who lost all of them
    is weak, and not endlessly so. The intervals are the model's own, and hold as far as strength
    is a single number; draws make them wider than they had to be.

    Args:
        players: how many there are.
        records: of (one, other) the one's record against the other; each pair once.
    """
    strengths = [0.0] * players
    for _ in range(_STEPS):
        slope, curve = _derivatives(strengths, records)
        steps = [sum(map(float.__mul__, row, slope)) for row in _inverse(curve)]
        longest = max(map(abs, steps))
        # Newton's step, but not so long: far from the top the likelihood is nearly straight.
        share = 1 / max(1.0, longest / _LONGEST_STEP)
        strengths = [old + share * step for old, step in zip(strengths, steps, strict=True)]
        if longest < _STILL:
            break
    spread = _inverse(_derivatives(strengths, records)[1])
    # The curve was told that the average is fixed as if by one game more; that was no knowledge.
    known = 1 / players**2
    return tuple(
        Rating(ELO_SCALE * strength, ELO_SCALE * Z * math.sqrt(max(0.0, spread[i][i] - known)))
        for i, strength in enumerate(strengths)
    )


def _derivatives(
    strengths: list[float], records: Mapping[tuple[int, int], Record]
) -> tuple[list[float], Matrix]:
    """The likelihood's slope, and how it bends: its second derivatives below 0.

    They say nothing of the average of all strengths, so each gets 1 more: it stays as it is.
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
    """By elimination; of a positive definite matrix, so the pivots are above 0."""
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
