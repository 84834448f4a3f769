"""Ultimate: nine small boards on a large one. A move says where the other side plays next."""

from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from typing import Final

from ttt_engine.bitboard import bitboard, cells_of
from ttt_engine.exceptions import InvalidPosition, OtherBoard
from ttt_engine.lines import ListedLines
from ttt_engine.outcome import DRAW, Mark, Outcome
from ttt_engine.position import Chance, Position, marks_on, require_turns
from ttt_engine.rules import TIC_TAC_TOE, Rules
from ttt_engine.variant import BoardSize, Variant

WHOLE: Final = 511
"""All cells of a small board, or all small boards of the large one."""

ANY: Final = -1
"""In place of the number of a small board: any that is open."""

_LETTERS: Final = str.maketrans("0123", ".XO=")

_LINES: Final = TIC_TAC_TOE.lines
IS_WON: Final = tuple(map(_LINES.complete, range(WHOLE + 1)))


def _cell(small: int, place: int) -> int:
    """Return the cell at a place of a small board."""
    row, column = divmod(small, 3)
    down, right = divmod(place, 3)
    return 9 * (3 * row + down) + 3 * column + right


CELLS: Final = tuple(_cell(*divmod(bit, 9)) for bit in range(81))
"""The cell of each bit of a position: its small boards lie one after another."""

_BITS: Final = tuple(map(CELLS.index, range(81)))
PLACES: Final = tuple(map(cells_of, range(WHOLE + 1)))
"""The places of each set of them."""


@cache
def _free(small: int, places: int) -> tuple[int, ...]:
    """Return the cells of a set of places of a small board, ascending."""
    return tuple(_cell(small, place) for place in PLACES[places])


class Ultimate(Variant):
    """Three small boards in a row win."""

    name = "ultimate"
    sizes = {"": BoardSize(9, 9, 3)}  # noqa: RUF012 - of the class, as declared
    is_symmetric = True

    def lines(self, size: BoardSize) -> ListedLines:
        """Return the lines of the small boards."""
        listed = (
            tuple(_cell(small, place) for place in line)
            for small in range(9)
            for line in _LINES.cells
        )
        return ListedLines(*size[:3], tuple(listed))

    def start(self, rules: Rules) -> "UltimatePosition":
        return UltimatePosition(rules)

    def parse(self, board: str, rules: Rules) -> "UltimatePosition":
        """Return the position: the side to move may play in any open small board."""
        require_turns(board, rules)
        sides = marks_on(board)
        x, o = (bitboard(map(_BITS.__getitem__, cells_of(side))) for side in sides)
        x_won, o_won, shut = 0, 0, 0
        for small in range(9):
            mine, theirs = x >> 9 * small & WHOLE, o >> 9 * small & WHOLE
            x_won |= IS_WON[mine] << small
            o_won |= IS_WON[theirs] << small
            shut |= (mine | theirs == WHOLE) << small
        shut |= x_won | o_won
        read = UltimatePosition(rules, x, o, ANY, x_won, o_won, shut, *sides)
        before = o_won if read.turn is Mark.O else x_won
        if x_won & o_won or IS_WON[before]:
            raise InvalidPosition(f"{board!r}: play went on after a line", "line")
        return read


@dataclass(slots=True, unsafe_hash=True)
class UltimatePosition(Position):
    """The marks on all small boards, and the one to be played. Nothing assigns to its fields."""

    _forbidden = OtherBoard, "{} is in a board not to be played now"

    rules: Rules = field(hash=False)
    xs: int = 0
    """The set of X's marks: bit 9 * small board + place."""
    os: int = 0
    forced: int = ANY
    """The small board to be played."""
    x_won: int = field(default=0, compare=False)
    """The set of small boards that X has won."""
    o_won: int = field(default=0, compare=False)
    shut: int = field(default=0, compare=False)
    """The set of small boards that are won or full."""
    x: int = field(default=0, compare=False)
    """The same marks as `xs`, as a set of cells."""
    o: int = field(default=0, compare=False)

    @property
    def ply(self) -> int:
        return (self.xs | self.os).bit_count()

    @property
    def turn(self) -> Mark:
        return Mark.O if self.ply & 1 else Mark.X

    @property
    def legal_moves(self) -> tuple[int, ...]:
        if self._is_over:
            return ()
        free = ~(self.xs | self.os)
        if self.forced != ANY:
            return _free(self.forced, free >> 9 * self.forced & WHOLE)
        cells = [_free(small, free >> 9 * small & WHOLE) for small in PLACES[WHOLE ^ self.shut]]
        return tuple(sorted(chain.from_iterable(cells)))

    @property
    def legal(self) -> tuple[int, ...]:
        return self.legal_moves

    @property
    def boards(self) -> str:
        # As a decimal number each board has a digit: 1 for X, 2 for O, 3 for one that is full.
        full = self.shut & ~(self.x_won | self.o_won)
        number = int(f"{self.x_won:b}") + 2 * int(f"{self.o_won:b}") + 3 * int(f"{full:b}")
        return f"{number:09d}"[::-1].translate(_LETTERS)

    @property
    def _is_over(self) -> bool:
        return IS_WON[self.x_won] or IS_WON[self.o_won] or self.shut == WHOLE

    def outcome(self) -> Outcome | None:
        if not self._is_over:
            return None
        for mark, won, marks in ((Mark.X, self.x_won, self.xs), (Mark.O, self.o_won, self.os)):
            if IS_WON[won]:
                line = [
                    _cell(small, place)
                    for small in cells_of(_LINES.completed(won))
                    for place in cells_of(_LINES.completed(marks >> 9 * small & WHOLE))
                ]
                return Outcome(mark, tuple(sorted(line)))
        return DRAW

    def play(self, cell: int) -> "UltimatePosition":
        if self._is_over or not 0 <= cell < len(_BITS):
            self._refuse(cell)
        at = _BITS[cell]
        small, place = divmod(at, 9)
        xs, os = self.xs, self.os
        if (xs | os) >> at & 1 or self.shut >> small & 1 or self.forced not in (small, ANY):
            self._refuse(cell)
        x_won, o_won, shut, x, o = self.x_won, self.o_won, self.shut, self.x, self.o
        if (xs | os).bit_count() & 1:
            os |= 1 << at
            o |= 1 << cell
            won = IS_WON[os >> 9 * small & WHOLE]
            o_won |= won << small
        else:
            xs |= 1 << at
            x |= 1 << cell
            won = IS_WON[xs >> 9 * small & WHOLE]
            x_won |= won << small
        if won or (xs | os) >> 9 * small & WHOLE == WHOLE:
            shut |= 1 << small
        forced = ANY if shut >> place & 1 else place
        return UltimatePosition(self.rules, xs, os, forced, x_won, o_won, shut, x, o)

    def playout(self, random: Chance) -> Mark | None:
        """Play on in sets of nine bits, seven times as fast as move by move.

        Where any small board is open, one of them is drawn, and then a place in it.
        """
        outcome = self.outcome()
        if outcome is not None:
            return outcome.winner
        draw = random.random
        boards = [
            [marks >> 9 * small & WHOLE for small in range(9)] for marks in (self.xs, self.os)
        ]
        won, shut, small, side = [self.x_won, self.o_won], self.shut, self.forced, self.ply & 1
        while True:
            if small == ANY:
                still_open = PLACES[WHOLE ^ shut]
                small = still_open[int(draw() * len(still_open))]
            mine, theirs = boards[side], boards[1 - side][small]
            free = PLACES[WHOLE ^ (mine[small] | theirs)]
            place = free[int(draw() * len(free))]
            marks = mine[small] | 1 << place
            mine[small] = marks
            if IS_WON[marks]:
                won[side] |= 1 << small
                if IS_WON[won[side]]:
                    return Mark.O if side else Mark.X
                shut |= 1 << small
            elif marks | theirs == WHOLE:
                shut |= 1 << small
            if shut == WHOLE:
                return None
            small = ANY if shut >> place & 1 else place
            side = 1 - side
