"""The outcome of a game on the board."""

from dataclasses import dataclass
from typing import Final, Literal

from ttt_engine.mark import Mark


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game: a line, or a full board without one."""

    winner: Mark | None
    """The mark that completed a line; None for a draw."""

    line: tuple[int, ...] | None
    """Every cell of the winning line or lines, ascending; None for a draw.

    A move may complete several lines, and a line may be longer than it had to be.
    """


DRAW: Final = Outcome(winner=None, line=None)

Value = Literal[-1, 0, 1]
"""The value of a position or a move for one side: a loss, a draw, a win."""
