"""The strength of AIs on a board, from games that they played against each other.

Source: `ttt-server arena`, seed 0, sides changing after each game. On 3x3x3 with 60 games a pair:
`random rules minimax:1 minimax:3 minimax:5 minimax:7 minimax:9 lines learner perfect search:0
brute`. On 7x6x4g with 10 games a pair: `random minimax:9 search:0 search:3`. On 9x9x5 with 10:
`random minimax:9 lines search:0`. Perfect means that a strategy cannot lose there, by its search
to the end of the game.
"""

from dataclasses import dataclass
from enum import StrEnum

from ttt_protocol.state import Rules


class Strength(StrEnum):
    """How well an AI plays on one board."""

    BEGINNER = "beginner"
    FAIR = "fair"
    STRONG = "strong"
    PERFECT = "perfect"


@dataclass(frozen=True, slots=True)
class RatedAi:
    """An AI as it is typed, with its strength on one board; None where it was not measured."""

    ai: str
    strength: Strength | None


_ON_3X3 = {
    Strength.BEGINNER: ("random", "minimax:3"),
    Strength.FAIR: ("minimax:5", "learner", "brute"),
    Strength.STRONG: ("minimax:7", "rules", "lines"),
    Strength.PERFECT: ("minimax:9", "perfect", "search"),
}
"""By the share of points against all others: up to 25 %, up to 55 %, more, and never a loss."""

_WITH_GRAVITY = {
    Strength.BEGINNER: ("random",),
    Strength.FAIR: ("search:0",),
    Strength.STRONG: ("search:3", "search:9"),
}
_LARGE = {
    Strength.BEGINNER: ("random",),
    Strength.FAIR: ("lines",),
    Strength.STRONG: ("search:0", "search:9"),
}
_SMALL_CELLS = 9


def rated(rules: Rules, names: tuple[str, ...]) -> list[RatedAi]:
    """Return the AIs for a board, the weakest first, of those strategies that the server has.

    Strategies that were not measured there come last. `minimax` has no place on a board with more
    than nine cells: it plays at random while more are empty.
    """
    cells = rules.columns * rules.rows
    is_classic = (rules.columns, rules.rows, rules.in_a_row, rules.gravity) == (3, 3, 3, False)
    table = _ON_3X3 if is_classic else _WITH_GRAVITY if rules.gravity else _LARGE
    found = [
        RatedAi(ai, strength)
        for strength in Strength
        for ai in table.get(strength, ())
        if ai.partition(":")[0] in names
    ]
    known = {name.ai.partition(":")[0] for name in found} | _elsewhere(cells)
    return found + [RatedAi(name, None) for name in names if name not in known]


def _elsewhere(cells: int) -> set[str]:
    """Return the strategies that do not play on such a board, or only at random."""
    if cells > _SMALL_CELLS:
        return {"minimax", "rules", "learner", "perfect", "brute"}
    return set()
