"""Torus: lines run over the edges of the board and come back on the other side."""

from functools import cached_property

from ttt_engine.bitboard import bitboard
from ttt_engine.lines import Lines, joins_of
from ttt_engine.position import GridVariant
from ttt_engine.variant import BoardSize

_WAYS = ((1, 0), (0, 1), (1, 1), (-1, 1))
"""How far each kind of line goes from a cell to the next: to the right, and down."""


class Torus(GridVariant):
    """The plain game on a board without edges."""

    name = "torus"

    def why_not(self, size: BoardSize) -> str | None:
        most = min(size.columns, size.rows)
        if size.in_a_row > most:
            return f"{size.in_a_row} in a row: must be at most {most}, or a line would meet itself"
        return super().why_not(size)

    def lines(self, size: BoardSize) -> Lines:
        return TorusLines(size.columns, size.rows, size.in_a_row)


class TorusLines(Lines):
    """All lines of a torus. Where the shifts of a plain board would drop a cell, it comes back."""

    def __init__(self, columns: int, rows: int, in_a_row: int) -> None:
        cells = columns * rows
        self._size, self._full = cells, (1 << cells) - 1
        column = bitboard(range(0, cells, columns))
        self._left = [column * ((1 << count) - 1) for count in range(columns)]
        """The cells of the first columns, by their number."""
        self._joins = joins_of(in_a_row)
        super().__init__(columns, rows, in_a_row)
        self.directions = ()  # none of them stops at an edge

    @cached_property
    def cells(self) -> tuple[tuple[int, ...], ...]:
        """Each line once, as its cells, ascending."""
        found: dict[tuple[int, ...], None] = {}
        for right, down in _WAYS:
            for start in range(self._size):
                row, column = divmod(start, self.columns)
                line = (
                    (row + index * down) % self.rows * self.columns
                    + (column + index * right) % self.columns
                    for index in range(self.in_a_row)
                )
                found[tuple(sorted(line))] = None
        return tuple(found)

    def complete(self, bits: int) -> bool:
        if self._table:
            return self._table[bits] != 0
        return any(self._runs(bits, right, down) for right, down in _WAYS)

    def completed(self, bits: int) -> int:
        if self._table:
            return self._table[bits]
        found = 0
        for right, down in _WAYS:
            run = self._runs(bits, right, down)
            for join in self._joins:
                run |= self._moved(run, -join * right, -join * down)
            found |= run
        return found

    def ends(self, bits: int) -> int:
        if self._ends_table:
            return self._ends_table[bits]
        found = 0
        for right, down in _WAYS:
            # The starts of lines that are all there so far, and of those that lack one cell.
            whole, short = self._full, 0
            for index in range(self.in_a_row):
                there = self._moved(bits, index * right, index * down)
                short = short & there | whole & ~there
                whole &= there
            for index in range(self.in_a_row):
                found |= self._moved(short, -index * right, -index * down)
        return found & ~bits

    def _runs(self, bits: int, right: int, down: int) -> int:
        """Return the cells from which a line runs this way within `bits`."""
        run = bits
        for join in self._joins:
            run &= self._moved(run, join * right, join * down)
            if not run:
                break
        return run

    def _moved(self, bits: int, right: int, down: int) -> int:
        """Return the cells from which these are so many columns to the right, and rows down."""
        if right := right % self.columns:
            stay = self._left[right]
            bits = (bits & ~stay) >> right | (bits & stay) << self.columns - right
        if shift := down % self.rows * self.columns:
            bits = bits >> shift | bits << self._size - shift & self._full
        return bits
