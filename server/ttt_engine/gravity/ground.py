"""Knowledge of a board with gravity: ends by pattern, the follow-up defence, and zugzwang.

In zugzwang is the side that runs out of harmless moves first, and loses.
"""

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


class Columns:
    """Plays a position to its end in the plainest way, as players count columns.

    A cell that completes a line is out of reach until the cell below it is taken. To take that cell
    gives the other side its turn on the cell above. So both sides fill harmless cells first. Then
    the side to move must play below such cells: first below its own, which the other side blocks,
    and at last below one of the other side, and loses.
    """

    def __init__(self, rules: Rules) -> None:
        self._width: Final = rules.columns
        self._columns: Final = tuple(
            bitboard(range(column, rules.cells, rules.columns)) for column in range(rules.columns)
        )

    def run_out(self, free: int, own_ends: int, other_ends: int) -> int:
        """Return 1 if the side to move wins that way, -1 if it loses, 0 if neither side wins.

        Args:
            free: the cells without a mark.
            own_ends: those that complete a line of the side to move; none is playable now.
            other_ends: the same for the other side.
        """
        harmless = free.bit_count()
        waiting: dict[int, int] = {}  # by column the lowest cell that completes a line
        for column in self._columns:
            ends = (own_ends | other_ends) & column
            if ends:
                waiting[column] = lowest = ends.bit_length() - 1
                harmless -= self._and_above(lowest)
        side = 1
        while waiting:
            if harmless & 1:
                side = -side
                own_ends, other_ends = other_ends, own_ends
            column = next((one for one, end in waiting.items() if not other_ends >> end & 1), 0)
            if not column:
                return -side
            blocked = waiting.pop(column)
            above = column & (1 << blocked) - 1
            harmless = above.bit_count()
            ends = (own_ends | other_ends) & above
            if ends:
                lowest = ends.bit_length() - 1
                if lowest == blocked - self._width:
                    # In reach at once: a win, or a cell to block, which is as good as harmless.
                    # Cells further up are ignored.
                    if own_ends >> lowest & 1:
                        return side
                else:
                    waiting[column] = lowest
                    harmless -= self._and_above(lowest)
        return 0

    def _and_above(self, end: int) -> int:
        """Return the number of cells that are not harmless: the end, the cell below, all above."""
        return end // self._width + 2
