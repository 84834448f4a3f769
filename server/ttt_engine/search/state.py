"""What a search knows of a position, and how a move changes it."""

from functools import lru_cache
from itertools import chain, islice, pairwise, zip_longest
from typing import Final, NamedTuple

from ttt_engine.bitboard import bitboard, cells_of
from ttt_engine.position import Position
from ttt_engine.rules import Rules

WIDE: Final = 36
"""On boards of more cells, and without gravity, only those near a mark are looked at."""

_NEAR: Final = 2
"""How far, in columns and rows, is near."""

_ONE_SHORT: Final = 1024
"""What a line that lacks one mark is worth."""

_STEP: Final = 5
"""By how much a mark more makes it worth more."""


class State(NamedTuple):
    """A position in which the game goes on, seen by the side to move.

    A line is open to a side as long as the other has no mark on it.
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
    """What the lines open to the side to move are worth together."""

    other_worth: int
    """The same for the other side."""

    own_open: int
    """How many lines are open to the side to move: without any, it cannot win."""

    other_open: int
    """The same for the other side."""

    near: int
    """The cells to look at: all of them, or on a wide board those near a mark."""

    @property
    def estimate(self) -> int:
        """What it seems worth to the side to move, whose open lines count more for the tempo."""
        return self.own_worth + (self.own_worth >> 1) - self.other_worth


class Board:
    """What a search has to know of a board, worked out once; get one from `board_of`."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        lines = rules.lines.masks
        through: list[list[int]] = [[] for _ in range(rules.cells)]
        for line, mask in zip(rules.lines.cells, lines, strict=True):
            for cell in line:
                through[cell].append(mask)
        self._through = tuple(map(tuple, through))
        """By cell, the lines through it."""
        self._short = rules.in_a_row - 2
        lacks = range(self._short, -1, -1)
        self._worth = 0, *(max(1, _ONE_SHORT // _STEP**lack) for lack in lacks)
        """By how many marks one side has on it, the worth of a line that only that side has."""
        self._gain = tuple(after - before for before, after in pairwise(self._worth))
        """The same for how much a mark more adds; the last one wins, and is not weighed."""
        self.wide = wide = rules.cells > WIDE and not rules.gravity
        """Whether there are too many cells to try them all."""
        self._near = tuple(
            self._around(cell) if wide else rules.full for cell in range(rules.cells)
        )
        middle = rules.rows // 2 * rules.columns + rules.columns // 2
        self._start = State(
            *(0, 0, 0, 0, 0, 0, len(lines), len(lines)), 1 << middle if wide else rules.full
        )

    def _around(self, cell: int) -> int:
        columns, rows = self.rules.columns, self.rules.rows
        row, column = divmod(cell, columns)
        return bitboard(
            near_row * columns + near_column
            for near_row in range(max(0, row - _NEAR), min(rows, row + _NEAR + 1))
            for near_column in range(max(0, column - _NEAR), min(columns, column + _NEAR + 1))
        )

    def state(self, position: Position) -> State:
        """The state of a position in which the game goes on."""
        state = self._start
        # Any order that takes turns leads to the same.
        marks = chain.from_iterable(zip_longest(cells_of(position.x), cells_of(position.o)))
        for cell in islice(marks, position.ply):
            state = self.place(state, cell)
        return state

    def place(self, state: State, cell: int) -> State:
        """What the other side sees after a mark on `cell` that completes no line."""
        own, other, own_ends, other_ends, own_worth, other_worth, own_open, other_open, near = state
        bit = 1 << cell
        gain, short = self._gain, self._short
        for line in self._through[cell]:
            if line & other:
                if not line & own:
                    other_worth -= self._worth[(line & other).bit_count()]
                    other_open -= 1
            else:
                held = line & own
                count = held.bit_count()
                own_worth += gain[count]
                if count == short:
                    own_ends |= line ^ held ^ bit
                elif not count:
                    other_open -= 1
        return State(
            other,
            own | bit,
            other_ends & ~bit,
            own_ends & ~bit,
            other_worth,
            own_worth,
            other_open,
            own_open,
            near | self._near[cell],
        )


@lru_cache(maxsize=16)  # bounded, as the lines of a board are
def board_of(rules: Rules) -> Board:
    """The board of these rules, made once."""
    return Board(rules)
