"""Three stones (X, O, X) after which neither side of five in a row is better.

They are the first sixteen of `python -m tests.bench.openings`: a search sees neither side ahead,
and playing on against itself it wins at least a third of the games with either side.
"""

from typing import Final, NamedTuple

from ttt_engine.rules import Rules

_LEAST: Final = 13
"""The fewest columns and rows of a board on which the edges are far enough."""


class BookOpening(NamedTuple):
    """The stones as columns to the right and rows down from the middle of the board."""

    first: tuple[int, int]
    second: tuple[int, int]
    third: tuple[int, int]

    def __call__(self, rules: Rules) -> tuple[int, ...]:
        """Return the cells on a board, in order."""
        return tuple(
            (rules.rows // 2 + down) * rules.columns + rules.columns // 2 + right
            for right, down in self
        )


BOOK: Final = (
    BookOpening((1, 1), (5, -3), (0, 3)),
    BookOpening((4, 1), (5, -3), (-3, 3)),
    BookOpening((-5, 5), (-4, -4), (-5, 2)),
    BookOpening((-1, 2), (0, 2), (2, -4)),
    BookOpening((-3, -5), (3, -5), (4, -2)),
    BookOpening((1, -2), (0, -4), (-2, 4)),
    BookOpening((5, 1), (4, -2), (2, -4)),
    BookOpening((-2, 0), (4, -3), (0, 1)),
    BookOpening((-1, 0), (0, 0), (-4, -1)),
    BookOpening((3, -1), (2, 0), (-4, -2)),
    BookOpening((5, 0), (-5, -5), (-5, -1)),
    BookOpening((2, -4), (5, 4), (5, 0)),
    BookOpening((3, 4), (4, 4), (-4, -2)),
    BookOpening((-3, -3), (-3, 0), (-1, -4)),
    BookOpening((1, -3), (4, -4), (-2, 2)),
    BookOpening((3, 4), (5, -1), (5, -2)),
)


def lies_on(rules: Rules) -> bool:
    """Whether the book's openings are for such a board."""
    return rules.in_a_row == 5 and not rules.gravity and min(rules.columns, rules.rows) >= _LEAST
