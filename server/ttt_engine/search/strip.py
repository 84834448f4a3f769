"""The lines through a cell in one direction, and what a mark on the cell changes on them."""

from functools import reduce
from itertools import pairwise
from operator import or_
from typing import Final, NamedTuple

_ONE_SHORT: Final = 1024
"""The value of a line that lacks one mark."""

_STEP: Final = 5
"""The factor by which one more mark raises the value of a line."""


class Scale:
    """The value of a line on which only one side has marks."""

    def __init__(self, in_a_row: int) -> None:
        self.short: Final = in_a_row - 2
        """The marks of a line that is two marks short."""

        lacks = range(self.short, -1, -1)
        self.worth: Final = 0, *(max(1, _ONE_SHORT // _STEP**lack) for lack in lacks), 0
        """The worth by the number of marks. A full line that did not win is part of a longer row,
        on boards where that does not count. It is worth nothing."""

        self.gain: Final = tuple(after - before for before, after in pairwise(self.worth))
        """The worth that one more mark adds, by the number of marks."""


class LineChange(NamedTuple):
    """The effect of a mark. A line is open to a side as long as the other has no mark on it."""

    ends: int
    """The cells that now complete a line of the side that moved."""

    gain: int
    """The gain in value of the lines that are open to that side."""

    loss: int
    """The loss in value of the lines that are open to the other side."""

    closed: int
    """The number of lines that were open to the other side, and no longer are."""


class Strip:
    """Lines through one cell: those of one direction, or of all.

    The same few patterns of marks return again and again, so their changes are looked up, which
    takes a fifth of the time. At most `most` changes are remembered.
    """

    def __init__(
        self, cell: int, lines: tuple[int, ...], cells: int, scale: Scale, most: int
    ) -> None:
        self._bit, self._lines, self._scale, self._most = 1 << cell, lines, scale, most
        strip = reduce(or_, lines)
        self.mask: Final = strip << cells | strip
        """The cells on two boards side by side, of which the left one is for the side to move."""

        self.changes: Final[dict[int, LineChange]] = {}
        """The effect of a mark on the cell, by the marks of both sides on those boards."""

    def work_out(self, own: int, other: int, marks: int) -> LineChange:
        """Work out the change with these `marks`, which both sides have on the lines."""
        scale = self._scale
        ends = gain = loss = closed = 0
        for line in self._lines:
            held, against = line & own, line & other
            if not against:
                count = held.bit_count()
                gain += scale.gain[count]
                if count == scale.short:
                    ends |= line ^ held ^ self._bit
            if not held:
                loss += scale.worth[against.bit_count()]
                closed += 1
        if len(self.changes) >= self._most:
            self.changes.clear()
        self.changes[marks] = change = LineChange(ends, gain, loss, closed)
        return change
