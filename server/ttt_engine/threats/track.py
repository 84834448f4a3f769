"""A track of the board, and what a mark on one of its cells changes there."""

from typing import Final

from ttt_engine.bitboard import bitboard, cells_of
from ttt_engine.threats.patterns import Pattern, Patterns

KINDS: Final = len(Pattern._fields)
"""The kinds of cells that are kept for each side."""

MOST_PACKED: Final = 1 << 12
"""The most patterns of a track that are remembered."""


class Track:
    """A row, a column or a diagonal.

    The kinds of cells of both sides stand side by side in one int: those of X, then those of O,
    each kind a set of cells of the board.
    """

    def __init__(self, cells: tuple[int, ...], board_cells: int, patterns: Patterns) -> None:
        self.cells: Final = cells
        self._patterns = patterns
        self._board_cells = board_cells
        self._packed: dict[tuple[int, int], int] = {}
        self._spreads: dict[int, int] = {}

    def take(self, board: int) -> int:
        """Return the set of the track for a set of cells of the board."""
        return bitboard(index for index, cell in enumerate(self.cells) if board >> cell & 1)

    def kinds(self, x: int, o: int) -> int:
        """Return the kinds of cells with these marks, which are sets of the track."""
        return self._of_one(x, o) | self._of_one(o, x) << KINDS * self._board_cells

    def _of_one(self, own: int, other: int) -> int:
        packed = self._packed.get((own, other))
        if packed is None:
            packed = 0
            for kind, found in enumerate(self._patterns.of(len(self.cells), own, other)):
                packed |= self._spread(found) << kind * self._board_cells
            if len(self._packed) >= MOST_PACKED:
                self._packed.clear()
                self._spreads.clear()
            self._packed[own, other] = packed
        return packed

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

        self.changes: Final[tuple[dict[int, int], dict[int, int]]] = ({}, {})
        """By side the cells that come and go, by kind, by the marks on those boards before."""

    def work_out(self, marks: int, second: bool) -> int:
        """Work out the change with these marks, by O if `second`, and remember it."""
        x, o = self._track.take(marks >> self._board_cells), self._track.take(marks)
        before = self._track.kinds(x, o)
        if second:
            o |= self._mark
        else:
            x |= self._mark
        changes = self.changes[second]
        if len(changes) >= self._most:
            changes.clear()
        changes[marks] = change = before ^ self._track.kinds(x, o)
        return change
