"""The patterns of one side on a track, and what a mark on one of its cells changes there.

A pattern is which free cell makes a line, a four, a three.

A track is a whole row, column or diagonal, and a stretch what lies there between two marks of the
other side. A set of its cells is an int here: bit i is its i-th cell, whatever the cell's number on
the board. The names are those of five in a row: with another number in a row, a four is a line that
lacks one mark, and a three what can become an open four.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from ttt_engine.bitboard import bitboard, cells_of

MOST_KNOWN: Final = 1 << 16
"""The patterns that are remembered, of each kind."""

_WORTH: Final = (0, 1024, 120, 40, 8, 1)
"""The value of an open line by the marks that it lacks, or the last for more.

Fitted to the results of games at 50 ms a move. A full line did not win, as part of a longer row."""

MOST_POINTS: Final = 31
"""The points of a cell that completes a line."""

_DOUBLE, _FOUR, _THREE, _MOST_MINOR = 30, 14, 12, 10
"""The points of a cell that leaves two ends, makes a four, a three, or at most something less."""


class Pattern(NamedTuple):
    """The chances of a side on a stretch, seen from its marks."""

    ends: int
    """The free cells that complete a line."""

    doubles: int
    """The free cells that leave two ends or more: after it the other side cannot block."""

    fours: int
    """The other free cells that make a four: after it there is an end more."""

    threes: int
    """The free cells that make no four, but after which there are new doubles."""

    near: int
    """The free cells of the open lines that lack three marks or fewer."""

    open: int
    """The number of lines."""

    worth: int
    """The total value of these lines."""

    points: tuple[int, ...]
    """For each cell of the stretch how promising a mark of this side is, 0 to `MOST_POINTS`."""


class Patterns:
    """Works out the patterns of stretches. The same few return: get them by `of`."""

    def __init__(self, in_a_row: int, *, exact: bool) -> None:
        self._in_a_row = in_a_row
        self._exact = exact
        self._worth = [_WORTH[min(lack, len(_WORTH) - 1)] for lack in range(in_a_row, -1, -1)]
        """The value of an open line by its marks."""
        self._worth[0] = 0
        self.of = lru_cache(MOST_KNOWN)(self._of)
        self._ends = lru_cache(MOST_KNOWN)(self._find_ends)
        self._doubles = lru_cache(MOST_KNOWN)(self._find_doubles)

    def stretches(self, length: int, own: int, other: int) -> Iterator[tuple[int, int, int]]:
        """Yield the start, the length and the marks of each stretch on which a line fits."""
        start = 0
        while start < length:
            beyond = other >> start
            stop = start + (beyond & -beyond).bit_length() - 1 if beyond else length
            if stop - start >= self._in_a_row:
                yield start, stop - start, own >> start & (1 << stop - start) - 1
            start = stop + 1

    def _of(self, length: int, own: int) -> Pattern:
        """Return the pattern of a stretch of this many cells."""
        ends, doubles = self._ends(length, own), self._doubles(length, own)
        lines = self._lines(length, own)
        fours = _lacking(lines, own, 2)
        # Three in a row needs no mark for it: nearly every cell would make a "three".
        nearly = _lacking(lines, own, 3) if self._in_a_row > 3 else 0
        threes = 0
        for cell in cells_of(nearly & ~fours):
            if self._doubles(length, own | 1 << cell) & ~doubles:
                threes |= 1 << cell
        near = 0
        for line in lines:
            if (line & ~own).bit_count() <= 3:
                near |= line & ~own
        kinds = ends, doubles, fours & ~ends, threes, near
        worth = sum([self._worth[(line & own).bit_count()] for line in lines])
        return Pattern(*kinds, len(lines), worth, self._points(length, own, lines, kinds))

    def _points(
        self, length: int, own: int, lines: list[int], kinds: tuple[int, ...]
    ) -> tuple[int, ...]:
        """Return by cell how promising it is, from what it makes and from the lines through it."""
        minor = [0] * length
        for line in lines:
            count = (line & own).bit_count()
            if count:
                start = (line & -line).bit_length() - 1
                for cell in range(start, start + self._in_a_row):
                    minor[cell] += 2 * count - 1
        ends, doubles, fours, threes, _ = kinds
        points = []
        for index, few in enumerate(minor):
            cell = 1 << index
            if cell & own:
                points.append(0)
            elif cell & ends:
                points.append(MOST_POINTS)
            elif cell & doubles:
                points.append(_DOUBLE)
            elif cell & fours:
                points.append(_FOUR + min(few // 4, 3))
            elif cell & threes:
                points.append(_THREE + min(few // 4, 3))
            else:
                points.append(min(few, _MOST_MINOR))
        return tuple(points)

    def _find_ends(self, length: int, own: int) -> int:
        return _lacking(self._lines(length, own), own, 1)

    def _find_doubles(self, length: int, own: int) -> int:
        doubles = 0
        for cell in cells_of(_lacking(self._lines(length, own), own, 2)):
            ends = self._ends(length, own | 1 << cell)
            if ends & ends - 1:
                doubles |= 1 << cell
        return doubles

    def _lines(self, length: int, own: int) -> list[int]:
        """Return the lines of a stretch.

        This is the one place that knows what counts as a line. Where a longer row does not win, a
        line with another own mark right before or after it is none.
        """
        line = (1 << self._in_a_row) - 1
        lines = [line << start for start in range(length - self._in_a_row + 1)]
        if not self._exact:
            return lines
        return [here for here in lines if not own & ~here & (here << 1 | here >> 1)]


def _lacking(lines: list[int], own: int, few: int) -> int:
    """Return the free cells of the lines that lack so many marks."""
    found = 0
    for line in lines:
        lacking = line & ~own
        if lacking.bit_count() == few:
            found |= lacking
    return found


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
