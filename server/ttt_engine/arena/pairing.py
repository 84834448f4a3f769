"""Choose the next two of a ladder: near in strength, and new ones soon."""

from collections.abc import Mapping, Sequence
from typing import Final

MET_BEFORE: Final = 10.0
"""A game that two have played counts as this many points of Elo between them."""


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
