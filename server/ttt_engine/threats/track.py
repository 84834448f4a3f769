"""A track of the board, and what a mark on one of its cells changes there."""

from typing import Final, NamedTuple

from ttt_engine.bitboard import bitboard, cells_of
from ttt_engine.threats.patterns import Patterns

KINDS: Final = 5
"""The kinds of cells that are kept for each side: the first fields of a pattern."""

FIELD: Final = 24
"""The bits of each of the four totals: worth of X and of O, open lines of X and of O."""

POINT: Final = 8
"""The bits of the points of a cell, a byte. In four directions they are 232 at most."""

MOST_PARTS: Final = 1 << 12
"""The most stretches of a track that are remembered."""


Change = tuple[int, int, int]
"""The effect of a mark on the fields of `Held`.

A plain tuple, which the garbage collector soon leaves alone: there are a hundred thousand of them,
and its passes through so many objects would take a search beyond its time.
"""


class Held(NamedTuple):
    """The content of a track or a stretch: three ints in which both sides stand side by side."""

    kinds: int
    """For each kind the cells of X, then those of O, each a set of cells of the board."""

    totals: int
    """The value of the open lines of X and of O, and their numbers."""

    points: int
    """For each cell how promising it is for X to move there, then the same for O."""


class Track:
    """A row, a column or a diagonal."""

    def __init__(self, cells: tuple[int, ...], board_cells: int, patterns: Patterns) -> None:
        self.cells: Final = cells
        self._patterns = patterns
        self._board_cells = board_cells
        self._mask = bitboard(cells)
        self._bits = {cell: 1 << index for index, cell in enumerate(cells)}
        self._parts: dict[tuple[bool, int, int, int], Held] = {}

    def take(self, board: int) -> int:
        """Return the set of the track for a set of cells of the board."""
        found = 0
        for cell in cells_of(board & self._mask):
            found |= self._bits[cell]
        return found

    def holds(self, x: int, o: int) -> Held:
        """Return what is there with these marks, which are sets of the track."""
        kinds = totals = points = 0
        length, stretches, known = len(self.cells), self._patterns.stretches, self._parts
        for second, own, other in ((False, x, o), (True, o, x)):
            for start, size, marks in stretches(length, own, other):
                key = second, start, size, marks
                part = known.get(key) or self._work_out(*key)
                kinds |= part[0]
                totals += part[1]
                points += part[2]
        return Held(kinds, totals, points)

    def _work_out(self, second: bool, start: int, size: int, marks: int) -> Held:
        """Work out what a stretch of O, if `second`, or X comes to with these marks."""
        pattern, cells = self._patterns.of(size, marks), self._board_cells
        stretch = self.cells[start : start + size]
        kinds, points = 0, bytearray(2 * cells)
        for kind, found in enumerate(pattern[:KINDS]):
            spread = bitboard(stretch[index] for index in cells_of(found))
            kinds |= spread << (2 * kind + second) * cells
        for cell, worth in zip(stretch, pattern.points, strict=True):
            points[second * cells + cell] = worth
            # Denying the other side a cell is worth a little less than having it.
            points[(not second) * cells + cell] = worth * 7 // 8
        totals = (pattern.open << 2 * FIELD | pattern.worth) << second * FIELD
        if len(self._parts) >= MOST_PARTS:
            self._parts.clear()
        part = Held(kinds, totals, int.from_bytes(points, "little"))
        self._parts[second, start, size, marks] = part
        return part


class Place:
    """A cell of a track: what a mark of each side on it changes. Changes are remembered."""

    def __init__(self, track: Track, cell: int, board_cells: int, most: int) -> None:
        self._track, self._board_cells, self._most = track, board_cells, most
        self._mark = 1 << track.cells.index(cell)
        mask = bitboard(track.cells)
        self.mask: Final = mask << board_cells | mask
        """The track on two boards side by side, of which the left one is X's."""

        self.changes: Final[tuple[dict[int, Change], dict[int, Change]]] = ({}, {})
        """For each side the effects of its marks, by the marks on those boards before."""

    def work_out(self, marks: int, second: bool) -> Change:
        """Work out the change with these marks, by O if `second`, and remember it."""
        x, o = self._track.take(marks >> self._board_cells), self._track.take(marks)
        before = self._track.holds(x, o)
        if second:
            o |= self._mark
        else:
            x |= self._mark
        after = self._track.holds(x, o)
        changes = self.changes[second]
        if len(changes) >= self._most:
            changes.clear()
        changes[marks] = change = (
            before.kinds ^ after.kinds,
            after.totals - before.totals,
            after.points - before.points,
        )
        return change
