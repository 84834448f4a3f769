"""A board with marks on it, and who moves."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from string import ascii_lowercase
from typing import Any, Final, NoReturn, Self, final

from ttt_engine.bitboard import bitboard, cells_of
from ttt_engine.exceptions import CellTaken, FloatingCell, GameOver, InvalidPosition, OutOfBoard
from ttt_engine.mark import Mark
from ttt_engine.outcome import DRAW, Outcome
from ttt_engine.rules import LEAST, MOST, TIC_TAC_TOE, Rules


@final
@dataclass(frozen=True, slots=True)
class Position:
    """Which cells X and O hold. Whose turn it is follows, for X moves first.

    A value: `play` returns another. Get one from `start`, `after`, `parse` or `play`; the
    constructor believes what it is told.

    The smallest board is also the most played, and has but 5 478 positions: `play` makes each of
    them once, and the next time finds it where it left it.

    >>> position = Position.start().play(0).play(4)
    >>> print(position)
      a b c
    1 X . .
    2 . O .
    3 . . .
    >>> position.legal_moves
    (1, 2, 3, 5, 6, 7, 8)
    """

    rules: Rules = field(hash=False)  # all positions of a search share it
    x: int
    """The set of X's cells: bit i is cell i."""

    o: int
    """The set of O's cells."""

    _outcome: Outcome | None = field(init=False, repr=False, compare=False)

    _after: Sequence["Position | None"] = field(init=False, repr=False, compare=False)
    """By cell the position after it: on the smallest board, if it was ever played."""

    _legal_moves: tuple[int, ...] | None = field(init=False, repr=False, compare=False)
    """None but on the smallest board: on a large one it takes long to find what few ask for."""

    _board: str | None = field(init=False, repr=False, compare=False)
    """None but on the smallest board."""

    def __post_init__(self) -> None:
        rules, taken = self.rules, self.x | self.o
        moved, mark = (self.x, Mark.X) if taken.bit_count() & 1 else (self.o, Mark.O)
        outcome = _outcome_of(rules, taken, moved, mark)
        _set_outcome(self, outcome)
        if rules.cells == SMALLEST:
            _set_after(self, [None] * SMALLEST)
            _set_legal_moves(self, () if outcome else cells_of(rules.playable(taken)))
            _set_board(self, _drawn(SMALLEST, self.x, self.o))
        else:
            _set_after(self, _NONE_KNOWN)
            _set_legal_moves(self, None)
            _set_board(self, None)

    def __reduce__(self) -> tuple[type[Self], tuple[Rules, int, int]]:
        """Pickle what says all; the outcome is looked for again where it arrives."""
        return type(self), (self.rules, self.x, self.o)

    @classmethod
    def start(cls, rules: Rules = TIC_TAC_TOE) -> "Position":
        """The empty board."""
        return _shared(rules, 0, 0) if rules.cells == SMALLEST else cls(rules, 0, 0)

    @classmethod
    def after(cls, moves: Iterable[int], rules: Rules = TIC_TAC_TOE) -> "Position":
        """The position after these cells were played in turn, from the empty board.

        Raises:
            IllegalMove: the first of them that may not be played.
        """
        position = cls.start(rules)
        for cell in moves:
            position = position.play(cell)
        return position

    @classmethod
    def parse(cls, board: str, rules: Rules = TIC_TAC_TOE) -> Self:
        """The position on this board, written as `board` writes it.

        Raises:
            InvalidPosition: a wrong length or letter; not as many X as O, nor one more; a mark
                that floats; a line of the side to move, which the game would not have outlived.
        """
        if len(board) != rules.cells:
            raise InvalidPosition(f"{len(board)} cells on a board of {rules.cells}")
        if not set(board) <= set(".XO"):
            raise InvalidPosition(f"{board!r}: a cell is one of . X O")
        x, o = (
            bitboard(cell for cell, letter in enumerate(board) if letter == mark) for mark in Mark
        )
        x_leads = x.bit_count() - o.bit_count()
        if x_leads not in {0, 1}:
            raise InvalidPosition(f"{x.bit_count()} X and {o.bit_count()} O: they move in turn")
        if rules.gravity and (x | o) & ~(rules.floor | (x | o) >> rules.columns):
            raise InvalidPosition(f"{board!r}: a mark floats")
        if rules.lines.complete(o if x_leads else x):
            raise InvalidPosition(f"{board!r}: play went on after a line")
        return cls(rules, x, o)

    @property
    def board(self) -> str:
        """A letter a cell, row by row from the top left: "." for empty, "X" or "O"."""
        return self._board or _drawn(self.rules.cells, self.x, self.o)

    @property
    def ply(self) -> int:
        """How many moves were made."""
        return (self.x | self.o).bit_count()

    @property
    def turn(self) -> Mark:
        """Who moves next, or would if the game were not over."""
        return Mark.O if self.ply & 1 else Mark.X

    @property
    def sides(self) -> tuple[int, int]:
        """The cells of the side to move, and of the other: what a search looks at."""
        return (self.o, self.x) if self.ply & 1 else (self.x, self.o)

    @property
    def legal_moves(self) -> tuple[int, ...]:
        """The cells that may be played, ascending; none when the game is over.

        With gravity: of each column that has one, the lowest empty cell on the page.
        """
        if self._legal_moves is not None:
            return self._legal_moves
        if self._outcome is not None:
            return ()
        return cells_of(self.rules.playable(self.x | self.o))

    def outcome(self) -> Outcome | None:
        """How the game ended; None while it goes on. A look at what `play` has found."""
        return self._outcome

    def play(self, cell: int) -> "Position":
        """The position after the side to move has put its mark on `cell`.

        Raises:
            GameOver: the game has its outcome.
            OutOfBoard: the board has no such cell.
            CellTaken: there is a mark on it.
            FloatingCell: with gravity, the cell below is empty.
        """
        try:
            after = self._after[cell]
        except IndexError:
            after = None
        if after is None or cell < 0:  # a list would count -1 from its end
            after = self._played(cell)
        return after

    def _played(self, cell: int) -> "Position":
        """What `play` returns, where it is not known."""
        rules, x, o = self.rules, self.x, self.o
        taken = x | o
        if (
            self._outcome is not None
            or not 0 <= cell < rules.cells
            or taken >> cell & 1
            or (rules.gravity and not rules.playable(taken) >> cell & 1)
        ):
            self._refuse(cell)
        bit = 1 << cell
        if taken.bit_count() & 1:
            o |= bit
            moved, mark = o, Mark.O
        else:
            x |= bit
            moved, mark = x, Mark.X
        if isinstance(self._after, list):
            self._after[cell] = shared = _shared(rules, x, o)
            return shared
        # Past __init__, which takes twice as long: the server comes through here.
        after: Position = _new(Position)
        _set_rules(after, rules)
        _set_x(after, x)
        _set_o(after, o)
        _set_outcome(after, _outcome_of(rules, taken | bit, moved, mark))
        _set_after(after, _NONE_KNOWN)
        _set_legal_moves(after, None)
        _set_board(after, None)
        return after

    def _refuse(self, cell: int) -> NoReturn:
        """Say why this cell may not be played."""
        if self._outcome is not None:
            raise GameOver("the game is over")
        if not 0 <= cell < self.rules.cells:
            raise OutOfBoard(f"{cell}: the cells of this board are 0 to {self.rules.cells - 1}")
        if (self.x | self.o) >> cell & 1:
            raise CellTaken(f"{self.rules.cell_name(cell)} is taken")
        raise FloatingCell(f"nothing lies below {self.rules.cell_name(cell)}")

    def __str__(self) -> str:
        """The board as on the page, with the letters and numbers of the cell names."""
        columns, board = self.rules.columns, self.board
        margin = len(str(self.rules.rows))
        lines = [" ".join([" " * margin, *ascii_lowercase[:columns]])]
        for row in range(self.rules.rows):
            letters = board[row * columns : (row + 1) * columns]
            lines.append(" ".join([f"{row + 1:>{margin}}", *letters]))
        return "\n".join(lines)


SMALLEST: Final = LEAST * LEAST
"""So many cells has the smallest board: the only one whose positions are all kept."""

_NONE_KNOWN: Final = (None,) * (MOST * MOST)

_LETTERS: Final = str.maketrans("012", ".XO")

_new: Final[Callable[..., Any]] = object.__new__
# The slots themselves: the way to fill a frozen object that costs least.
_set_rules = Position.__dict__["rules"].__set__
_set_x = Position.__dict__["x"].__set__
_set_o = Position.__dict__["o"].__set__
_set_outcome = Position.__dict__["_outcome"].__set__
_set_after = Position.__dict__["_after"].__set__
_set_legal_moves = Position.__dict__["_legal_moves"].__set__
_set_board = Position.__dict__["_board"].__set__


def _drawn(cells: int, x: int, o: int) -> str:
    # As a decimal number each cell has a digit: 1 for X and 2 for O.
    return f"{int(f'{x:b}') + 2 * int(f'{o:b}'):0{cells}d}"[::-1].translate(_LETTERS)


@cache  # bounded: of one board, with and without gravity
def _shared(rules: Rules, x: int, o: int) -> Position:
    """The one position of the smallest board that all games share."""
    return Position(rules, x, o)


def _outcome_of(rules: Rules, taken: int, moved: int, mark: Mark) -> Outcome | None:
    """The outcome when `mark`, which holds `moved`, has just moved: no other can have won."""
    lines = rules.lines
    if lines.complete(moved):
        return _won(mark, lines.completed(moved))
    return DRAW if taken == rules.full else None


@lru_cache(maxsize=1024)  # a small board's games end in few ways, and each end is a value
def _won(mark: Mark, line: int) -> Outcome:
    return Outcome(mark, cells_of(line))
