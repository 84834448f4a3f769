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

MOST_PACKED: Final = 1 << 12
"""The most patterns of a track that are remembered."""


Change = tuple[int, int, int]
"""The effect of a mark on the fields of `Held`.

A plain tuple, which the garbage collector soon leaves alone: there are a hundred thousand of them,
and its passes through so many objects would take a search beyond its time.
"""


class Held(NamedTuple):
    """The content of a track: three ints in which both sides stand side by side."""

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
        self._packed: dict[tuple[int, int], Held] = {}
        self._spreads: dict[int, int] = {}

    def take(self, board: int) -> int:
        """Return the set of the track for a set of cells of the board."""
        found = 0
        for cell in cells_of(board & self._mask):
            found |= self._bits[cell]
        return found

    def holds(self, x: int, o: int) -> Held:
        """Return what is there with these marks, which are sets of the track."""
        packed = self._packed.get((x, o))
        if packed is None:
            if len(self._packed) >= MOST_PACKED:
                self._packed.clear()
                self._spreads.clear()
            self._packed[x, o] = packed = self._pack(x, o)
        return packed

    def _pack(self, x: int, o: int) -> Held:
        cells, length = self._board_cells, len(self.cells)
        sides = self._patterns.of(length, x, o), self._patterns.of(length, o, x)
        kinds = 0
        for kind, (of_x, of_o) in enumerate(zip(sides[0][:KINDS], sides[1][:KINDS], strict=True)):
            both = self._spread(of_x) | self._spread(of_o) << cells
            kinds |= both << kind * 2 * cells
        points = bytearray(2 * cells)
        for cell, mine, theirs in zip(self.cells, sides[0].points, sides[1].points, strict=True):
            # Denying the other side a cell is worth a little less than having it.
            points[cell] = mine + theirs * 7 // 8
            points[cells + cell] = theirs + mine * 7 // 8
        totals = sides[0].worth | sides[1].worth << FIELD
        totals |= sides[0].open << 2 * FIELD | sides[1].open << 3 * FIELD
        return Held(kinds, totals, int.from_bytes(points, "little"))

    def _spread(self, found: int) -> int:
        """Return the cells of the board that a set of this track names."""
        spread = self._spreads.get(found)
        if spread is None:
            spread = bitboard(self.cells[index] for index in cells_of(found))
            self._spreads[found] = spread
        return spread


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
