"""The patterns of one side on one track: which free cell makes a line, a four, a three.

A track is a whole row, column or diagonal. A set of its cells is an int here: bit i is its i-th
cell, whatever the cell's number on the board. The names are those of five in a row: with another
number in a row, a four is a line that lacks one mark, and a three what can become an open four.
"""

from functools import lru_cache
from typing import Final, NamedTuple

MOST_KNOWN: Final = 1 << 16
"""The patterns that are remembered, of each kind."""


class Pattern(NamedTuple):
    """What a side can make on a track, seen from its marks and those of the other side."""

    ends: int
    """The free cells that complete a line."""

    fours: int
    """The other free cells that make a four: after it there is an end more."""

    doubles: int
    """The free cells that leave two ends or more: after it the other side cannot block."""

    threes: int
    """The free cells that make no four, but after which there are new doubles."""


class Patterns:
    """Works out the patterns of tracks. The same few return again and again: get them by `of`."""

    def __init__(self, in_a_row: int, *, exact: bool) -> None:
        self._in_a_row = in_a_row
        self._exact = exact
        self.of = lru_cache(MOST_KNOWN)(self._of)
        self._ends = lru_cache(MOST_KNOWN)(self._find_ends)
        self._doubles = lru_cache(MOST_KNOWN)(self._find_doubles)

    def _of(self, length: int, own: int, other: int) -> Pattern:
        """Return the pattern of a track of this many cells."""
        ends, doubles = self._ends(length, own, other), self._doubles(length, own, other)
        fours = self._lacking(length, own, other, 2)
        # Three in a row needs no mark for it: nearly every cell would make a "three".
        nearly = self._lacking(length, own, other, 3) if self._in_a_row > 3 else 0
        threes = 0
        for cell in _bits(nearly & ~fours):
            if self._doubles(length, own | cell, other) & ~doubles:
                threes |= cell
        return Pattern(ends, fours & ~ends, doubles, threes)

    def _find_ends(self, length: int, own: int, other: int) -> int:
        return self._lacking(length, own, other, 1)

    def _find_doubles(self, length: int, own: int, other: int) -> int:
        doubles = 0
        for cell in _bits(self._lacking(length, own, other, 2)):
            ends = self._ends(length, own | cell, other)
            if ends & ends - 1:
                doubles |= cell
        return doubles

    def _lacking(self, length: int, own: int, other: int, few: int) -> int:
        """Return the free cells of the lines that lack so many marks, and hold none of the other.

        This is the one place that knows what counts as a line. Where a longer row does not win, a
        line with another own mark right before or after it is none.
        """
        line = (1 << self._in_a_row) - 1
        found = 0
        for start in range(length - self._in_a_row + 1):
            here = line << start
            lacking = here & ~own
            if (
                lacking.bit_count() == few
                and not here & other
                and not (self._exact and own & ~here & (here << 1 | here >> 1))
            ):
                found |= lacking
        return found


def _bits(bits: int) -> list[int]:
    """Return each cell of a set as a set of its own."""
    found = []
    while bits:
        lowest = bits & -bits
        found.append(lowest)
        bits ^= lowest
    return found
