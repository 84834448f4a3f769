"""The rules of a game: its board, and the number of marks in a row that win."""

import re
from dataclasses import dataclass, field
from string import ascii_lowercase
from typing import Final, Self

from ttt_engine.exceptions import BrokenVariant, EngineError, InvalidCell, InvalidRules
from ttt_engine.lines import Lines, lines_of
from ttt_engine.variant import BoardSize, lines_in, size_of, text_of, variant_of

LEAST: Final = 3
"""The fewest columns, rows, and marks in a row."""

MOST: Final = 20
"""The most columns and rows: those of Gomocup. A room of the server has at most 19."""

_RULES = re.compile(r"([1-9][0-9]?)x([1-9][0-9]?)x([1-9][0-9]?)(g?)(!?)")
_VARIANT = re.compile(r"([a-z][a-z0-9-]*)(?::(.*))?", re.IGNORECASE)
_CELL = re.compile(r"([a-t])([1-9][0-9]?)")


@dataclass(frozen=True, slots=True)
class Rules:
    """A board, and the number of marks in a row that win on it.

    The six fields are the value. The others follow from them, and are computed once.

    Raises:
        InvalidRules: unless 3 <= columns, rows <= 20 and 3 <= in_a_row <= max(columns, rows), and
            the variant, if there is one, has such a board.

    >>> print(Rules(columns=7, rows=6, in_a_row=4, gravity=True))
    7x6x4g
    >>> print(Rules(columns=15, rows=15, in_a_row=5, exact=True))
    15x15x5!
    >>> print(Rules(columns=4, rows=16, in_a_row=4, variant="cube"))
    cube:4
    """

    columns: int = 3
    rows: int = 3
    in_a_row: int = 3
    gravity: bool = False
    """A mark falls: it lies on the bottom row, or on another mark."""

    exact: bool = False
    """A row of more than `in_a_row` marks does not win."""

    variant: str | None = None
    """The name of another game of the family; None for the plain one."""

    cells: int = field(init=False, repr=False, compare=False)
    """The number of cells. They are numbered from 0, row by row from the top left."""

    full: int = field(init=False, repr=False, compare=False)
    """The set of all cells."""

    floor: int = field(init=False, repr=False, compare=False)
    """The set of the cells of the bottom row."""

    lines: Lines = field(init=False, repr=False, compare=False)
    """The lines that decide the game."""

    loses: bool = field(init=False, repr=False, compare=False)
    """Whether the side that completes a line loses."""

    def __post_init__(self) -> None:
        least, most = sorted((self.columns, self.rows))
        if not LEAST <= least <= most <= MOST:
            words = f"{self.columns} columns, {self.rows} rows: each must be {LEAST} to {MOST}"
            raise InvalidRules(words)
        if not LEAST <= self.in_a_row <= most:
            raise InvalidRules(f"{self.in_a_row} in a row: must be {LEAST} to {most}")
        cells = self.columns * self.rows
        full = (1 << cells) - 1
        object.__setattr__(self, "cells", cells)
        object.__setattr__(self, "full", full)
        object.__setattr__(self, "floor", full >> cells - self.columns << cells - self.columns)
        if self.variant is None:
            lines = lines_of(self.columns, self.rows, self.in_a_row, exact=self.exact)
        else:
            lines = self._lines_of_variant(self.variant)
        object.__setattr__(self, "lines", lines)
        loses = self.variant is not None and variant_of(self.variant).loses
        object.__setattr__(self, "loses", loses)

    def _lines_of_variant(self, name: str) -> Lines:
        """Return the lines of a variant that has this board.

        Raises:
            InvalidRules: it has not, or there is no such variant.
        """
        try:
            words = variant_of(name).why_not(self.size)
            lines = lines_in(name, self.size) if words is None else None
        except EngineError:
            raise
        except Exception as error:  # a plug-in can fail in any way
            raise BrokenVariant(f"{name}: {type(error).__name__}") from error
        if self.exact:
            words = f"a longer row is not excluded in {name}"
        if words is not None or lines is None:
            raise InvalidRules(words or "")
        return lines

    @property
    def size(self) -> BoardSize:
        """The board, as a variant is told it."""
        return BoardSize(self.columns, self.rows, self.in_a_row, self.gravity)

    def __reduce__(self) -> tuple[type[Self], tuple[int, int, int, bool, bool, str | None]]:
        """Pickle the six fields; the others follow from them."""
        board = self.columns, self.rows, self.in_a_row, self.gravity, self.exact
        return type(self), (*board, self.variant)

    def __str__(self) -> str:
        if self.variant is not None:
            return text_of(self.variant, self.size)
        marks = f"{'g' if self.gravity else ''}{'!' if self.exact else ''}"
        return f"{self.columns}x{self.rows}x{self.in_a_row}{marks}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the rules that `str` wrote: columns x rows x in_a_row, a "g" for gravity.

        A "!" at the end says that a longer row does not win. A variant is its name, a colon, and
        what it needs: "misere:3x3x3", "cube:4", "ultimate".

        Raises:
            InvalidRules: the text has another form, or there is no such board.
        """
        if (named := _VARIANT.fullmatch(text)) is not None:
            name, rest = named.groups()
            found = None if rest is None else _RULES.fullmatch(rest)
            given = None if found is None or found[5] else _size(found)
            return cls(*size_of(name, text, given), variant=name)
        found = _RULES.fullmatch(text)
        if found is None:
            forms = '"3x3x3", "7x6x4g" with gravity, or "15x15x5!" where six in a row do not win'
            raise InvalidRules(f"{text!r}: must be like {forms}")
        return cls(*_size(found), exact=found[5] == "!")

    def playable(self, taken: int) -> int:
        """Return the set of cells that can take a mark, when these are taken."""
        free = self.full & ~taken
        # Shifted by a row, a taken cell comes to lie on the one above it.
        return free & (self.floor | taken >> self.columns) if self.gravity else free

    def cell_name(self, cell: int) -> str:
        """Return the name of a cell: column letter from the left, row number from the top.

        Raises:
            InvalidCell: the board has no such cell.

        >>> Rules().cell_name(4)
        'b2'
        """
        if not 0 <= cell < self.cells:
            raise InvalidCell(f"{cell}: the cells of this board are 0 to {self.cells - 1}")
        if self.variant is not None:
            named = variant_of(self.variant).cell_name(cell, self.size)
            if named is not None:
                return named
        row, column = divmod(cell, self.columns)
        return f"{ascii_lowercase[column]}{row + 1}"

    def parse_cell(self, name: str) -> int:
        """Return the cell of this name.

        Raises:
            InvalidCell: no cell of this board has this name.

        >>> Rules().parse_cell("b2")
        4
        """
        found = _CELL.fullmatch(name)
        if self.variant is not None:
            for cell in range(self.cells):
                if self.cell_name(cell) == name:
                    return cell
        elif found is not None:
            column, row = ascii_lowercase.index(found[1]), int(found[2]) - 1
            if column < self.columns and row < self.rows:
                return row * self.columns + column
        last = self.cell_name(self.cells - 1)
        raise InvalidCell(f"{name!r}: the cells of this board are {self.cell_name(0)} to {last}")


def _size(found: re.Match[str]) -> BoardSize:
    columns, rows, in_a_row, gravity, _ = found.groups()
    return BoardSize(int(columns), int(rows), int(in_a_row), gravity == "g")


TIC_TAC_TOE: Final = Rules()
"""Three by three, three in a row."""

FOUR_IN_A_ROW: Final = Rules(7, 6, 4, gravity=True)
"""Seven by six, four in a row, where marks fall."""
