"""The winning lines of a board, and a fast search for them in a set of cells."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

from ttt_engine.bitboard import bitboard


@dataclass(frozen=True, slots=True)
class Direction:
    """The lines that run in one direction."""

    step: int
    """The distance from a cell to the next of its line."""

    starts: int
    """The cells from which a line fits on the board, so that none wraps around an edge."""

    shifts: tuple[int, ...]
    """The shifts, in order, that join single cells to a whole line; see `Lines`."""


class Lines:
    """All lines of `in_a_row` cells on a board.

    Let bit i of a set mean "n cells are there, from cell i on". The set and the same set shifted by
    m <= n steps, joined by "and", mean the same for n + m cells. So a line of k cells takes about
    log2(k) joins in each of the four directions, for all cells of the board at once.
    `Direction.shifts` holds the steps m.

    Get them from `lines_of`: equal rules share one object.
    """

    def __init__(self, columns: int, rows: int, in_a_row: int) -> None:
        self.columns, self.rows, self.in_a_row = columns, rows, in_a_row
        joins = joins_of(in_a_row)
        self.directions = tuple(
            Direction(step, starts, tuple(join * step for join in joins))
            for step, starts in (
                (1, self._starts(right=1, down=0)),
                (columns, self._starts(right=0, down=1)),
                (columns + 1, self._starts(right=1, down=1)),
                (columns - 1, self._starts(right=-1, down=1)),
            )
            if starts
        )
        """Rows, columns, falling diagonals, rising diagonals, as far as they fit on the board."""
        # Most games are played on the smallest board. A table of the answers for its 512 sets
        # takes a tenth of the time.
        self._table: tuple[int, ...] = ()
        self._ends_table: tuple[int, ...] = ()
        if columns * rows == 9:
            sets = range(1 << 9)
            self._table = tuple(map(self.completed, sets))
            self._ends_table = tuple(map(self.ends, sets))

    def _starts(self, right: int, down: int) -> int:
        """Return the cells from which a line fits that goes on by these columns and rows."""
        reach = self.in_a_row - 1
        return bitboard(
            row * self.columns + column
            for row in range(self.rows)
            for column in range(self.columns)
            if row + reach * down < self.rows and 0 <= column + reach * right < self.columns
        )

    @cached_property
    def cells(self) -> tuple[tuple[int, ...], ...]:
        """Each line as its cells, ascending.

        In order: rows from the top, columns from the left, then diagonals that fall to the right,
        and those that rise.
        """
        return tuple(
            tuple(start + index * way.step for index in range(self.in_a_row))
            for way in self.directions
            for start in range(self.columns * self.rows)
            if way.starts >> start & 1
        )

    @cached_property
    def masks(self) -> tuple[int, ...]:
        """Each line as a set of cells, in the order of `cells`."""
        return tuple(bitboard(line) for line in self.cells)

    def _counted(self, bits: int, way: Direction) -> int:  # noqa: ARG002 - see `ExactLines`
        """Return the starts of the lines of a direction that count when a side has these cells."""
        return way.starts

    def complete(self, bits: int) -> bool:
        """Return whether these cells hold a line."""
        if self._table:
            return self._table[bits] != 0
        for way in self.directions:
            run = bits
            for shift in way.shifts:
                run &= run >> shift
            if run & way.starts and run & self._counted(bits, way):
                return True
        return False

    def completed(self, bits: int) -> int:
        """Return every cell of every line that these cells hold; 0 if there is none."""
        if self._table:
            return self._table[bits]
        found = 0
        for way in self.directions:
            run = bits
            for shift in way.shifts:
                run &= run >> shift
            run &= self._counted(bits, way)
            for shift in way.shifts:
                run |= run << shift
            found |= run
        return found

    def ends(self, bits: int) -> int:
        """Return every other cell that completes a line of these cells."""
        if self._ends_table:
            return self._ends_table[bits]
        found = 0
        for way in self.directions:
            steps = range(0, self.in_a_row * way.step, way.step)
            # The starts of lines that are all there so far, and of those that lack one cell.
            whole, short = self._counted(bits, way), 0
            for step in steps:
                there = bits >> step
                short = short & there | whole & ~there
                whole &= there
            for step in steps:
                found |= short << step
        return found & ~bits


class ExactLines(Lines):
    """The lines of a board on which a row that is longer than `in_a_row` does not win.

    A line then counts only while the cells before and after it have other marks, or none.
    """

    def __init__(self, columns: int, rows: int, in_a_row: int) -> None:
        longer = Lines(columns, rows, in_a_row + 1)
        self._longer = {way.step: way.starts for way in longer.directions}
        """The cells from which a line of one cell more fits on the board, by step."""
        super().__init__(columns, rows, in_a_row)

    def _counted(self, bits: int, way: Direction) -> int:
        longer = self._longer.get(way.step, 0)
        prolonged = (bits & longer) << way.step | bits >> self.in_a_row * way.step & longer
        return way.starts & ~prolonged


class ListedLines(Lines):
    """Lines that no direction on the board gives: as they are listed."""

    def __init__(
        self, columns: int, rows: int, in_a_row: int, listed: tuple[tuple[int, ...], ...]
    ) -> None:
        self._listed = listed
        super().__init__(columns, rows, in_a_row)
        self.directions = ()

    @cached_property
    def cells(self) -> tuple[tuple[int, ...], ...]:
        return self._listed

    def complete(self, bits: int) -> bool:
        for mask in self.masks:  # noqa: SIM110 - `any` would take twice as long
            if mask & bits == mask:
                return True
        return False

    def completed(self, bits: int) -> int:
        found = 0
        for mask in self.masks:
            if mask & bits == mask:
                found |= mask
        return found

    def ends(self, bits: int) -> int:
        found = 0
        for mask in self.masks:
            lacks = mask & ~bits
            if lacks & lacks - 1 == 0:
                found |= lacks
        return found


@lru_cache(maxsize=256)  # bounded, as clients choose boards, and there are thousands
def lines_of(columns: int, rows: int, in_a_row: int, *, exact: bool = False) -> Lines:
    """Return the lines of this board, made once. `exact`: a longer row is no line."""
    return (ExactLines if exact else Lines)(columns, rows, in_a_row)


def joins_of(length: int) -> tuple[int, ...]:
    """Return the steps of the joins that grow one cell to `length`: 5 is 1 + 1, + 2, + 1."""
    joins = []
    grown = 1
    while grown < length:
        joins.append(min(grown, length - grown))
        grown += joins[-1]
    return tuple(joins)
