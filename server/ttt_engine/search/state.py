"""A position as a search sees it, how a move changes it, and the cells to try."""

from collections.abc import Callable
from functools import lru_cache, reduce
from itertools import pairwise
from operator import or_
from typing import Final, NamedTuple

from ttt_engine.bitboard import cells_of
from ttt_engine.gravity.ground import Columns
from ttt_engine.order import in_turns
from ttt_engine.position import Position
from ttt_engine.rules import Rules
from ttt_engine.search.negamax import WON

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


_ZUGZWANG: Final = 4000
"""The value of the other side running out of harmless moves first."""

_CHANGES: Final = 1 << 17
"""The most changes by a mark that are remembered of a board, in at most 40 MB."""


class BoardState(NamedTuple):
    """A position in which the game goes on, seen by the side to move.

    A line is open to a side as long as the other side has no mark on it.
    """

    own: int
    """The cells of the side to move."""

    other: int
    """The cells of the other side."""

    own_ends: int
    """The free cells that complete a line of the side to move; with gravity, floating ones too."""

    other_ends: int
    """The same for the other side."""

    own_worth: int
    """The total value of the lines that are open to the side to move."""

    other_worth: int
    """The same for the other side."""

    own_open: int
    """The number of lines that are open to the side to move. Without any, it cannot win."""

    other_open: int
    """The same for the other side."""


class Board:
    """Knowledge of a board for a search that tries all cells. Get one from `board_of`."""

    def __init__(self, rules: Rules) -> None:
        self.rules: Final = rules
        self._cells = rules.cells
        self._strips = _strips(rules)
        """The lines through each cell, in each direction."""
        self._reach = tuple(
            reduce(or_, (strip.mask & rules.full for strip in strips), 0) for strips in self._strips
        )
        """The cells on a line with each cell."""
        self._columns = Columns(rules) if rules.gravity else None
        # Where a longer row does not win, one more mark may spoil an end: they are found anew.
        self._exact_ends = rules.lines.ends if rules.exact else None
        lines = len(rules.lines.masks)
        self.start: Final = BoardState(0, 0, 0, 0, 0, 0, lines, lines)

    def state(self, position: Position) -> BoardState:
        """Return the state of a position in which the game goes on."""
        state = self.start
        # Any order of the marks in which the sides take turns leads to the same state.
        for cell in in_turns(position):
            state = self.place(state, cell)
        return state

    def place(self, state: BoardState, cell: int) -> BoardState:
        """Return the state for the other side, after a mark on `cell` that completes no line."""
        own, other, own_ends, other_ends, own_worth, other_worth, own_open, other_open = state
        both = own << self._cells | other
        for strip in self._strips[cell]:
            marks = both & strip.mask
            change = strip.changes.get(marks) or strip.work_out(own, other, marks)
            ends, gain, loss, closed = change
            own_ends |= ends
            own_worth += gain
            other_worth -= loss
            other_open -= closed
        bit = 1 << cell
        if self._exact_ends is not None:
            own_ends = self._exact_ends(own | bit) & ~other
        seen = (
            *(other, own | bit, other_ends & ~bit, own_ends & ~bit),
            *(other_worth, own_worth, other_open, own_open),
        )
        return _filled(BoardState, seen)

    def best_cells(self, state: BoardState, cells: int, most: int) -> list[int]:
        """Return so many of these cells, the most promising first by the value of their lines.

        Cells on no line with a mark come last, and are not compared.
        """
        own, other = state[:2]
        both = own << self._cells | other
        near = 0
        for cell in cells_of(own | other):
            near |= self._reach[cell]
        order = []
        for cell in cells_of(cells & near):
            hope = 0
            for strip in self._strips[cell]:
                marks = both & strip.mask
                _, gain, loss, _ = strip.changes.get(marks) or strip.work_out(own, other, marks)
                hope += gain + loss
            order.append((-hope, cell))
        order.sort()
        best = [cell for _, cell in order[:most]]
        if len(best) < most:
            middle = self.rules.rows // 2 * self.rules.columns + self.rules.columns // 2
            far = cells_of(cells & ~near)
            best += sorted(far, key=lambda cell: abs(cell - middle))[: most - len(best)]
        return best

    def estimate(self, state: BoardState) -> int:
        """Estimate the worth for the side to move. Its open lines count more, as it moves first."""
        own_ends, other_ends, own_worth, other_worth = state[2:6]
        estimate = own_worth + (own_worth >> 1) - other_worth
        if self._columns is not None and (own_ends or other_ends):
            free = self.rules.full ^ state.own ^ state.other
            estimate += _ZUGZWANG * self._columns.run_out(free, own_ends, other_ends)
        return estimate


_filled: Final[Callable[..., BoardState]] = tuple.__new__
"""Make a state of its fields, in a third of the time that the class itself takes."""


def _strips(rules: Rules) -> tuple[tuple[Strip, ...], ...]:
    """Return, by cell, the lines through it in each direction."""
    through: list[dict[int, list[int]]] = [{} for _ in range(rules.cells)]
    for line, mask in zip(rules.lines.cells, rules.lines.masks, strict=True):
        for cell in line:
            through[cell].setdefault(line[1] - line[0], []).append(mask)
    scale, most = Scale(rules.in_a_row), _CHANGES // rules.cells // 4
    return tuple(
        tuple(Strip(cell, tuple(lines), rules.cells, scale, most) for lines in ways.values())
        for cell, ways in enumerate(through)
    )


@lru_cache(maxsize=4)  # they grow as they are searched
def board_of(rules: Rules) -> Board:
    """Return the board of these rules, made once."""
    return Board(rules)


class Options(NamedTuple):
    """Either the value of a position, or the cells to try."""

    value: int | None
    """The value, if a look at the position is enough."""

    cells: int = 0
    """The cells to try. No other is better."""

    forced: bool = False
    """Whether the side to move must answer a threat, and this is the only cell to do so."""


def options_of(rules: Rules, state: BoardState) -> Options:
    """Return the options in a state, or its value if a line is certain or impossible."""
    own, other = state.own, state.other
    taken = own | other
    playable = rules.playable(taken)
    if state.own_ends & playable:
        return Options(WON + rules.cells - taken.bit_count() - 1)
    if not (state.own_open or state.other_open):  # as on a full board
        return Options(0)
    threats = state.other_ends & playable
    cells = threats or playable
    if rules.gravity:
        # Not these: on top of them the other side would complete a line.
        cells &= ~(state.other_ends << rules.columns)
    if not cells or threats & threats - 1:
        return Options(2 - WON - rules.cells + taken.bit_count())
    if threats:
        return Options(None, cells, forced=True)
    if not (rules.gravity or rules.exact):
        # A mark where no line can be completed has no effect. Elsewhere a mark never does harm,
        # unless it makes a row too long: then a mark without effect may be the best.
        completed = rules.lines.completed
        cells &= completed(rules.full ^ other) | completed(rules.full ^ own)
    return Options(None, cells)
