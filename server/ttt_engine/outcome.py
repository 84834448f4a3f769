"""The two marks, and the outcome of a game on the board."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal


class Mark(StrEnum):
    """The mark that a player puts on a cell. X moves first."""

    X = "X"
    O = "O"  # noqa: E741 - the mark is called O

    @property
    def other(self) -> "Mark":
        return Mark.O if self is Mark.X else Mark.X


Reason = Literal["line", "full", "repetition", "long"]
"""A line; a full board; a position for the third time; a game as long as it may be."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game on the board."""

    winner: Mark | None
    """The side that won; None for a draw."""

    line: tuple[int, ...] | None
    """Every cell of the line or lines that decided, ascending; None without any.

    A move may complete several lines, and a line may be longer than it had to be.
    """

    reason: Reason = ""  # type: ignore[assignment]  # see below
    """By default what the line says: that there is one, or that the board is full without."""

    def __post_init__(self) -> None:
        if not self.reason:
            object.__setattr__(self, "reason", "full" if self.line is None else "line")


DRAW: Final = Outcome(winner=None, line=None)

Value = Literal[-1, 0, 1]
"""The value of a position or a move for one side: a loss, a draw, a win."""


def sign(value: float) -> Value:
    """Return 1 for a value above 0, -1 for one below, and 0 for 0."""
    return 1 if value > 0 else -1 if value < 0 else 0
