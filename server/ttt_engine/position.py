"""A board with marks on it, and whose turn it is: the protocol, and its first class, the grid."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import import_module
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any, ClassVar, Final, NoReturn, Protocol, Self, final

from ttt_engine.bitboard import bitboard, cells_of
from ttt_engine.exceptions import CellTaken, FloatingCell, GameOver, InvalidPosition, OutOfBoard
from ttt_engine.outcome import DRAW, Mark, Outcome
from ttt_engine.rules import LEAST, TIC_TAC_TOE, Rules
from ttt_engine.variant import Variant, is_ours, variant_of

_set = object.__setattr__  # fills a frozen object while it is made
_X, _O = Mark
"""An attribute of an enumeration takes 0.1 us in Python 3.11, a global 0.01 us."""


class Chance(Protocol):
    """What a playout asks of `random.Random`. The rules themselves know no chance."""

    def random(self) -> float: ...

    def shuffle(self, x: list[int]) -> None: ...


class Position(ABC):
    """A game at one moment, under any rules: what every class of positions has.

    A position is a value: `play` returns another. Equal positions have the same moves before them
    in all that the rules ask for, and the same hash. Each can be pickled. Get one from `start`,
    `after`, `parse` or `play`.

    >>> position = Position.start().play(0).play(4)
    >>> print(position)
      a b c
    1 X . .
    2 . O .
    3 . . .
    >>> position.legal_moves
    (1, 2, 3, 5, 6, 7, 8)
    >>> position.outcome() is None
    True
    """

    __slots__ = ()

    is_plain: ClassVar[bool] = False
    """Whether the sides take turns, and the board says all that there is to see."""

    _forbidden: ClassVar[tuple[type[Exception], str]]
    """What is raised for a free cell that may not be played, where there are such cells."""

    @staticmethod
    def start(rules: Rules = TIC_TAC_TOE) -> "Position":
        """Return the first position of a game."""
        if rules is TIC_TAC_TOE:
            return _FIRST
        if rules.variant is None:
            return GridPosition.begin(rules)
        variant = variant_of(rules.variant)
        first: Position = (
            variant.start(rules) if is_ours(rules.variant) else _foreign().start(variant, rules)
        )
        return first

    @staticmethod
    def after(moves: Iterable[int], rules: Rules = TIC_TAC_TOE) -> "Position":
        """Return the position after these cells were played in turn, from the first position.

        Raises:
            IllegalMove: the first of the moves that may not be played.
        """
        position = Position.start(rules)
        for cell in moves:
            position = position.play(cell)
        return position

    @staticmethod
    def parse(board: str, rules: Rules = TIC_TAC_TOE) -> "Position":
        """Return a position whose `board` is this text.

        Raises:
            InvalidPosition: no game leads to such a board, or the board alone does not say enough.
        """
        if rules.variant is None:
            return GridPosition.read(board, rules)
        variant = variant_of(rules.variant)
        is_own = is_ours(rules.variant)
        read: Position = (
            variant.parse(board, rules) if is_own else _foreign().parse(variant, board, rules)
        )
        return read

    if TYPE_CHECKING:  # at run time a property would be the default of a data class's field

        @property
        def rules(self) -> Rules:
            """The rules of the game."""

        @property
        def x(self) -> int:
            """The set of cells with an X: bit i is cell i."""

        @property
        def o(self) -> int:
            """The set of cells with an O."""

        @property
        def ply(self) -> int:
            """The number of moves made."""

        @property
        def turn(self) -> Mark:
            """The side to move, or that would move if the game were not over."""

    @property
    @abstractmethod
    def legal_moves(self) -> tuple[int, ...]:
        """The cells that may be played, ascending; none when the game is over."""

    @abstractmethod
    def play(self, cell: int) -> "Position":
        """Return the position after the side to move has played `cell`.

        Raises:
            IllegalMove: the first of its kinds, in their order, that forbids the move.
        """

    @abstractmethod
    def outcome(self) -> Outcome | None:
        """Return how the game ended, or None if it has not."""

    @property
    def board(self) -> str:
        """A letter a cell, row by row from the top left: "." for empty, "X" or "O"."""
        return _board_of(self)

    @property
    def sides(self) -> tuple[int, int]:
        """The cells of the side to move, and those of the other side."""
        return (self.x, self.o) if self.turn is Mark.X else (self.o, self.x)

    # The rest is optional: a variant has what its players must see beside the board.

    @property
    def legal(self) -> tuple[int, ...] | None:
        """The legal moves, where they are not every empty cell, or with gravity the lowest."""
        return None

    @property
    def boards(self) -> str | None:
        """A letter for each small board of a large one: "." open, "X" or "O" won, "=" full."""
        return None

    @property
    def leaving(self) -> tuple[int | None, int | None] | None:
        """The cells whose marks go with the next mark of X, and of O."""
        return None

    @property
    def marks(self) -> int | None:
        """How many marks the side to move still places in its turn."""
        return None

    def playout(self, random: Chance) -> Mark | None:
        """Play at random to the end, and return the winner. A variant may know a faster way."""
        position: Position = self
        while (outcome := position.outcome()) is None:
            moves = position.legal_moves
            position = position.play(moves[int(random.random() * len(moves))])
        return outcome.winner

    def _refuse(self, cell: int) -> NoReturn:
        """Raise the first reason why this cell may not be played."""
        if self.outcome() is not None:
            raise GameOver("the game is over")
        if not 0 <= cell < self.rules.cells:
            raise OutOfBoard(f"{cell}: the cells of this board are 0 to {self.rules.cells - 1}")
        name = self.rules.cell_name(cell)
        if (self.x | self.o) >> cell & 1:
            raise CellTaken(f"{name} is taken")
        kind, words = self._forbidden
        raise kind(words.format(name))

    def __str__(self) -> str:
        """Draw the board, with the letters and numbers of its columns and rows."""
        columns, board = self.rules.columns, self.board
        margin = len(str(self.rules.rows))
        lines = [" ".join([" " * margin, *ascii_lowercase[:columns]])]
        for row in range(self.rules.rows):
            letters = board[row * columns : (row + 1) * columns]
            lines.append(" ".join([f"{row + 1:>{margin}}", *letters]))
        return "\n".join(lines)


@final
@dataclass(frozen=True, slots=True)
class GridPosition(Position):
    """The cells that X and O hold. Whose turn it is follows from them, for X moves first.

    The games that differ only in their lines, or in what a line means, share it. The constructor
    does not check its arguments.
    """

    is_plain = True
    _forbidden = FloatingCell, "nothing lies below {}"

    rules: Rules = field(hash=False)  # nearly always the same within one dictionary
    x: int
    o: int

    turn: Mark = field(init=False, repr=False, compare=False)
    _outcome: Outcome | None = field(init=False, repr=False, compare=False)

    _lookup: "_Lookup | None" = field(init=False, repr=False, compare=False)
    """None unless the board is the smallest."""

    def __post_init__(self) -> None:
        rules, x, o = self.rules, self.x, self.o
        taken, lines = x | o, rules.lines
        # Only the side that moved last can have a line.
        turn, moved = (_O, x) if taken.bit_count() & 1 else (_X, o)
        outcome = None
        if lines.complete(moved):
            outcome = _decided(turn if rules.loses else turn.other, lines.completed(moved))
        elif taken == rules.full:
            outcome = DRAW
        _set(self, "turn", turn)
        _set(self, "_outcome", outcome)
        _set(self, "_lookup", _Lookup(self) if rules.cells == SMALLEST else None)

    def __reduce__(self) -> tuple[type[Self], tuple[Rules, int, int]]:
        """Pickle the three fields; the others follow from them."""
        return type(self), (self.rules, self.x, self.o)

    @classmethod
    def begin(cls, rules: Rules) -> "GridPosition":
        """Return the empty board."""
        return _shared(rules, 0, 0) if rules.cells == SMALLEST else cls(rules, 0, 0)

    @classmethod
    def read(cls, board: str, rules: Rules) -> Self:
        """Return the position whose `board` is this text.

        Raises:
            InvalidPosition: a wrong length or letter; not as many X as O, nor one more; a mark
                that floats; a line of the side to move, after which the game cannot have gone on.
        """
        x_leads = require_turns(board, rules)
        x, o = marks_on(board)
        if rules.gravity and (x | o) & ~(rules.floor | (x | o) >> rules.columns):
            raise InvalidPosition(f"{board!r}: a mark floats", "floating")
        if rules.lines.complete(o if x_leads else x):
            raise InvalidPosition(f"{board!r}: play went on after a line", "line")
        return cls(rules, x, o)

    @property
    def board(self) -> str:
        """A letter a cell, row by row from the top left: "." for empty, "X" or "O"."""
        if self._lookup is not None:
            return self._lookup.board
        return _board_of(self)

    @property
    def ply(self) -> int:
        """The number of moves made."""
        return (self.x | self.o).bit_count()

    @property
    def sides(self) -> tuple[int, int]:
        """The cells of the side to move, and those of the other side."""
        return (self.o, self.x) if self.turn is _O else (self.x, self.o)

    @property
    def legal_moves(self) -> tuple[int, ...]:
        """The cells that may be played, ascending; none when the game is over.

        With gravity: the lowest empty cell of each column that has one.
        """
        if self._lookup is not None:
            return self._lookup.legal_moves
        return _legal_moves_of(self)

    def outcome(self) -> Outcome | None:
        """Return how the game ended, or None if it has not."""
        return self._outcome

    def play(self, cell: int) -> "GridPosition":
        """Return the position after the side to move has put its mark on `cell`.

        Raises:
            GameOver: the game has its outcome.
            OutOfBoard: the board has no such cell.
            CellTaken: the cell has a mark.
            FloatingCell: with gravity, the cell below is empty.
        """
        lookup = self._lookup
        if lookup is not None and 0 <= cell < SMALLEST:
            after = lookup.after[cell]
            if after is not None:
                return after
        rules, x, o = self.rules, self.x, self.o
        taken = x | o
        if (
            self._outcome is not None
            or not 0 <= cell < rules.cells
            or taken >> cell & 1
            or (rules.gravity and not rules.playable(taken) >> cell & 1)
        ):
            self._refuse(cell)
        if self.turn is _O:
            o |= 1 << cell
        else:
            x |= 1 << cell
        if lookup is None:
            return GridPosition(rules, x, o)
        lookup.after[cell] = after = _shared(rules, x, o)
        return after

    def playout(self, random: Chance) -> Mark | None:
        """As of any position; without gravity the free cells in a random order, in one go."""
        if self._outcome is not None or self.rules.gravity:
            return Position.playout(self, random)
        rules, complete = self.rules, self.rules.lines.complete
        free = list(cells_of(rules.full ^ self.x ^ self.o))
        random.shuffle(free)
        own, other = self.sides
        mover = self.turn
        for cell in free:
            own |= 1 << cell
            if complete(own):
                return mover.other if rules.loses else mover
            own, other, mover = other, own, mover.other
        return None


class GridVariant(Variant):
    """A variant that differs from the plain game in its lines, or in what they mean."""

    is_symmetric = True
    _longest = 19

    def start(self, rules: Rules) -> GridPosition:
        return GridPosition.begin(rules)

    def parse(self, board: str, rules: Rules) -> GridPosition:
        return GridPosition.read(board, rules)


def _foreign() -> Any:
    """Return the module that holds plug-ins to the contract, which needs this one."""
    return import_module("ttt_engine.foreign")


def marks_on(board: str) -> tuple[int, int]:
    """Return the sets of cells with the letter X, and with the letter O."""
    x, o = (bitboard(cell for cell, letter in enumerate(board) if letter == mark) for mark in Mark)
    return x, o


def require_letters(board: str, rules: Rules) -> None:
    """Check that a text has a letter for each cell, and no others.

    Raises:
        InvalidPosition: if it has not.
    """
    if len(board) != rules.cells:
        raise InvalidPosition(f"{len(board)} cells on a board of {rules.cells}", "size")
    if not set(board) <= set(".XO"):
        raise InvalidPosition(f"{board!r}: a cell is one of . X O", "letters")


def require_turns(board: str, rules: Rules) -> int:
    """Check also that X and O have moved in turn. Return how many moves more X has made.

    Raises:
        InvalidPosition: if they have not.
    """
    require_letters(board, rules)
    x, o = board.count("X"), board.count("O")
    if x - o not in {0, 1}:
        raise InvalidPosition(f"{x} X and {o} O: they move in turn", "turns")
    return x - o


SMALLEST: Final = LEAST * LEAST
"""The cells of the smallest board, whose positions are all looked up."""


class _Lookup:
    """The answers of one position of the smallest board, where most games are played.

    That board has 5 478 positions, fewer with gravity, and each is made once. With the answers at
    hand a move takes 0.1 us in place of 1.1, and the bench's game at random 2 us in place of 18.
    """

    __slots__ = ("after", "board", "legal_moves")

    def __init__(self, position: GridPosition) -> None:
        self.board = _board_of(position)
        self.legal_moves = _legal_moves_of(position)
        self.after: list[GridPosition | None] = [None] * SMALLEST
        """The position after each cell, once it has been played."""


@cache  # bounded by the number of positions
def _shared(rules: Rules, x: int, o: int) -> GridPosition:
    """Return the one position with these marks on the smallest board."""
    return GridPosition(rules, x, o)


_LETTERS: Final = str.maketrans("012", ".XO")


def _board_of(position: Position) -> str:
    # As a decimal number each cell has a digit: 1 for X and 2 for O.
    number = int(f"{position.x:b}") + 2 * int(f"{position.o:b}")
    return f"{number:0{position.rules.cells}d}"[::-1].translate(_LETTERS)


def _legal_moves_of(position: GridPosition) -> tuple[int, ...]:
    if position.outcome() is not None:
        return ()
    return cells_of(position.rules.playable(position.x | position.o))


@lru_cache(maxsize=1024)  # 3x3 has 38 of them
def _decided(winner: Mark, line: int) -> Outcome:
    return Outcome(winner, cells_of(line))


_FIRST: Final = _shared(TIC_TAC_TOE, 0, 0)
"""The empty board of the game that is played most: at hand, as it costs a hash of the rules."""
