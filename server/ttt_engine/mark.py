"""The two marks."""

from enum import StrEnum


class Mark(StrEnum):
    """The mark that a player puts on a cell. X moves first."""

    X = "X"
    O = "O"  # noqa: E741 - the mark is called O

    @property
    def other(self) -> "Mark":
        return Mark.O if self is Mark.X else Mark.X
