"""Knowledge of a board with gravity: ends by pattern, and the follow-up defence."""

from functools import lru_cache
from typing import Final

from ttt_engine.bitboard import bitboard, cells_of
from ttt_engine.rules import Rules

_MOST_PATTERNS: Final = 1 << 18
"""The most patterns of marks whose ends are remembered, for all cells, in some 40 MB."""


class Ground:
    """Facts of a board without `exact`, worked out once. Get one from `ground_of`."""

    def __init__(self, rules: Rules) -> None:
        columns, rows = rules.columns, rules.rows
        through = [0] * rules.cells
        for line in rules.lines.masks:
            for cell in cells_of(line):
                through[cell] |= line
        self.at: Final[dict[int, tuple[int, int, dict[int, int]]]] = {
            1 << cell: (lines & ~(1 << cell), -abs(2 * (cell % columns) + 1 - columns), {})
            for cell, lines in enumerate(through)
        }
        """For each cell, as a set: the other cells of its lines, how near it is to the middle, and
        what `work_out` returned by the marks on its lines."""

        self._followers: Final = bitboard(
            row * columns + column for row in range(0, rows, 2) for column in range(columns)
        )
        """The top row, and every second below it."""

        self._complete, self._ends = rules.lines.complete, rules.lines.ends
        self._most = _MOST_PATTERNS // rules.cells

    def work_out(self, cell: int, marks: int) -> int:
        """Return ends of a side after its mark on `cell`, a set: all those that this mark makes.

        Args:
            cell: the set of one cell.
            marks: those of the same side on the other cells of its lines.
        """
        known = self.at[cell][2]
        if len(known) >= self._most:
            known.clear()
        known[marks] = ends = self._ends(marks | cell)
        return ends

    def holds_by_following(self, own: int, free: int, playable: int) -> bool:
        """Return whether the side that is not to move can keep the other from any line like this.

        It answers each mark with one on top of it, and so has every second cell of a column, the
        top one among them, where an even number is free. Where two columns have an odd number, each
        side has the lowest free cell of one; then they are even, too.

        Args:
            own: the cells of the side to move.
            free: the cells without a mark, an even number.
            playable: those of them that can take a mark.
        """
        odd = playable & self._followers
        other_odd = odd & odd - 1
        if other_odd & other_odd - 1:
            return False  # four such columns or more: too many ways to pair them
        reach = own | free & ~self._followers
        return not self._complete(reach | other_odd) and not (
            odd and self._complete(reach | odd ^ other_odd)
        )


@lru_cache(maxsize=4)  # they grow as they are searched
def ground_of(rules: Rules) -> Ground:
    """Return the ground of these rules, made once."""
    return Ground(rules)
