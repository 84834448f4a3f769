"""The lines that run one way through a cell, and what a mark on the cell changes on them."""

from functools import reduce
from itertools import pairwise
from operator import or_
from typing import Final, NamedTuple

_ONE_SHORT: Final = 1024
"""What a line that lacks one mark is worth."""

_STEP: Final = 5
"""By how much a mark more makes it worth more."""


class Scale:
    """What a line is worth that only one side has marks on."""

    def __init__(self, in_a_row: int) -> None:
        self.short: Final = in_a_row - 2
        """With so many marks, one more leaves it one short."""

        lacks = range(self.short, -1, -1)
        self.worth: Final = 0, *(max(1, _ONE_SHORT // _STEP**lack) for lack in lacks)
        """Its worth, by how many marks are on it."""

        self.gain: Final = tuple(after - before for before, after in pairwise(self.worth))
        """How much a mark more adds, by the same; the last one wins, and is not weighed."""


class Change(NamedTuple):
    """What a mark changes; a line is open to a side as long as the other has no mark on it."""

    ends: int
    """The cells that now complete a line of the side that moved."""

    gain: int
    """How much more the lines open to that side are worth."""

    loss: int
    """How much less those open to the other side are worth."""

    closed: int
    """How many lines were open to the other side."""


class Strip:
    """Some of the lines through one cell: those of one direction, or of all.

    The same few marks are met there again and again, so that their change is looked up, which
    takes a fifth of the time. What it knows is bounded: `most` changes.
    """

    def __init__(
        self, cell: int, lines: tuple[int, ...], cells: int, scale: Scale, most: int
    ) -> None:
        self._bit, self._lines, self._scale, self._most = 1 << cell, lines, scale, most
        strip = reduce(or_, lines)
        self.mask: Final = strip << cells | strip
        """Its cells on two boards side by side, the left one for the marks of the side to move."""

        self.changes: Final[dict[int, Change]] = {}
        """What a mark on the cell changes, by the marks of both sides on those boards."""

    def work_out(self, own: int, other: int, marks: int) -> Change:
        """The change where these sides, in the order of turns, have these `marks` on it."""
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
        self.changes[marks] = change = Change(ends, gain, loss, closed)
        return change
