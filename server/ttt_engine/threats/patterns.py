"""The patterns of one side on a track, and what a mark on one of its cells changes there.

A pattern is which free cell makes a line, a four, a three.

A track is a whole row, column or diagonal, and a stretch what lies there between two marks of the
other side. A set of its cells is an int here: bit i is its i-th cell, whatever the cell's number on
the board. The names are those of five in a row: with another number in a row, a four is a line that
lacks one mark, and a three what can become an open four.
"""

from functools import lru_cache
from typing import Final, NamedTuple

from ttt_engine.bitboard import bitboard, cells_of
from ttt_engine.rules import Rules

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

MOST_HELD: Final = 1 << 14
"""The most stretches that are remembered of each direction, each in 2 KB at most."""


Change = tuple[int, int, int]
"""The effect of a mark on the fields of `Held`.

A plain tuple, which the garbage collector soon leaves alone: there are a hundred thousand of them,
and its passes through so many objects would take a search beyond its time.
"""


class Held(NamedTuple):
    """The content of a stretch: three ints in which both sides stand side by side."""

    kinds: int
    """For each kind the cells of X, then those of O, each a set of cells of the board."""

    totals: int
    """The value of the open lines of X and of O, and their numbers."""

    points: int
    """For each cell how promising it is for X to move there, then the same for O."""


_NOTHING: Final = Held(0, 0, 0)
"""The content of a stretch on which no line fits."""


class Stretches:
    """The content of stretches in one direction. The same few return all over the board."""

    def __init__(self, step: int, rules: Rules, patterns: Patterns) -> None:
        """`step`: from the number of a cell to that of the next."""
        self.step: Final = step
        self._cells, self._in_a_row, self._patterns = rules.cells, rules.in_a_row, patterns
        self._known: dict[tuple[bool, int, int], Held] = {}

    def holds(self, second: bool, size: int, marks: int) -> Held:
        """Return the content of a stretch of O, if `second`, or X, as if it began at cell 0."""
        if size < self._in_a_row:
            return _NOTHING
        return self._known.get((second, size, marks)) or self._work_out(second, size, marks)

    def _work_out(self, second: bool, size: int, marks: int) -> Held:
        pattern, cells, step = self._patterns.of(size, marks), self._cells, self.step
        kinds, points = 0, bytearray(2 * cells)
        for kind, found in enumerate(pattern[:KINDS]):
            spread = bitboard(index * step for index in cells_of(found))
            kinds |= spread << (2 * kind + second) * cells
        for index, worth in enumerate(pattern.points):
            points[second * cells + index * step] = worth
            # Denying the other side a cell is worth a little less than having it.
            points[(not second) * cells + index * step] = worth * 7 // 8
        totals = (pattern.open << 2 * FIELD | pattern.worth) << second * FIELD
        if len(self._known) >= MOST_HELD:
            self._known.clear()
        held = Held(kinds, totals, int.from_bytes(points, "little"))
        self._known[second, size, marks] = held
        return held


class Track:
    """A row, a column or a diagonal."""

    def __init__(self, cells: tuple[int, ...], stretches: Stretches, board_cells: int) -> None:
        self.cells: Final = cells
        mask = bitboard(cells)
        self.mask: Final = mask << board_cells | mask
        """The track on two boards side by side, of which the left one is X's."""

        self._stretches = stretches
        both = *cells, *(cell + board_cells for cell in cells)
        self._bits = {cell: 1 << index for index, cell in enumerate(both)}

    def empty(self) -> Held:
        """Return the content without a mark."""
        holds, size, first = self._stretches.holds, len(self.cells), self.cells[0]
        x, o = holds(False, size, 0), holds(True, size, 0)
        points = (x.points + o.points) << POINT * first
        return Held((x.kinds | o.kinds) << first, x.totals + o.totals, points)

    def change(self, index: int, marks: int, second: bool) -> Change:
        """Return the effect of a mark of O, if `second`, or X on the cell of this index.

        `marks`: those on it before, on two boards side by side.
        """
        taken, length, mark = 0, len(self.cells), 1 << index
        for cell in cells_of(marks):
            taken |= self._bits[cell]
        x, o = taken >> length, taken & (1 << length) - 1
        own, other = (o, x) if second else (x, o)
        holds = self._stretches.holds
        # The stretch of this side has a mark more.
        start, size = _stretch(length, other, index)
        held, stretch, first = own >> start, (1 << size) - 1, self.cells[start]
        before = holds(second, size, held & stretch)
        after = holds(second, size, (held | mark >> start) & stretch)
        flips = (before.kinds ^ after.kinds) << first
        totals = after.totals - before.totals
        points = (after.points - before.points) << POINT * first
        # That of the other side falls in two.
        start, size = _stretch(length, own, index)
        held, below, first = other >> start & (1 << size) - 1, index - start, self.cells[start]
        whole = holds(not second, size, held)
        low = holds(not second, below, held & (1 << below) - 1)
        high = holds(not second, size - below - 1, held >> below + 1)
        beyond = self.cells[index] + self._stretches.step
        flips ^= (whole.kinds ^ low.kinds) << first
        flips ^= high.kinds << beyond
        totals += low.totals + high.totals - whole.totals
        points += (low.points - whole.points) << POINT * first
        points += high.points << POINT * beyond
        return flips, totals, points


def _stretch(length: int, against: int, index: int) -> tuple[int, int]:
    """Return start and size of the stretch around this cell, which the marks `against` it bound."""
    start, beyond = (against & (1 << index) - 1).bit_length(), against >> index
    stop = index + (beyond & -beyond).bit_length() - 1 if beyond else length
    return start, stop - start


class Place:
    """A cell of a track: what a mark of each side on it changes. Changes are remembered."""

    def __init__(self, track: Track, index: int, most: int) -> None:
        self._track, self._index, self._most = track, index, most
        self.changes: Final[tuple[dict[int, Change], dict[int, Change]]] = ({}, {})
        """For each side the effects of its marks, by the marks on the track before."""

    def work_out(self, marks: int, second: bool) -> Change:
        """Work out the change with these marks, by O if `second`, and remember it."""
        changes = self.changes[second]
        if len(changes) >= self._most:
            changes.clear()
        changes[marks] = change = self._track.change(self._index, marks, second)
        return change
