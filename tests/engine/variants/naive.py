"""The family's rules once more, as slow and as plain as can be: what the engine is compared with.

A board is a list of letters, a line is walked cell by cell, and everything is found anew.
"""

from dataclasses import dataclass, field
from itertools import product
from typing import ClassVar

Found = tuple[str, str | None, tuple[int, ...] | None]
"""Reason, winner, and the cells to highlight."""


@dataclass
class Naive:
    """A game of one variant."""

    variant: str
    columns: int
    rows: int
    in_a_row: int
    gravity: bool = False
    moves: list[int] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.cells = ["."] * (self.columns * self.rows)

    @property
    def board(self) -> str:
        return "".join(self.cells)

    @property
    def turn(self) -> str:
        return "XO"[len(self.moves) % 2]

    @property
    def mark(self) -> str:
        """The letter that the side to move puts down."""
        return self.turn

    def step(self, cell: int, way: tuple[int, ...]) -> int | None:
        """Return the next cell this way; None at an edge."""
        column, row = cell % self.columns + way[0], cell // self.columns + way[1]
        if 0 <= column < self.columns and 0 <= row < self.rows:
            return row * self.columns + column
        return None

    ways: ClassVar[tuple[tuple[int, ...], ...]] = ((1, 0), (0, 1), (1, 1), (-1, 1))

    def lines_of(self, letter: str) -> set[int]:
        found: set[int] = set()
        for start in range(len(self.cells)):
            for way in self.ways:
                run: list[int] = []
                at: int | None = start
                while at is not None and len(run) < self.in_a_row and self.cells[at] == letter:
                    run.append(at)
                    at = self.step(at, way)
                if len(run) == self.in_a_row:
                    found |= set(run)
        return found

    def legal(self) -> list[int]:
        if self.end() is not None:
            return []
        return [cell for cell in range(len(self.cells)) if self.is_free(cell)]

    def is_free(self, cell: int) -> bool:
        below = cell + self.columns
        rests = not self.gravity or below >= len(self.cells) or self.cells[below] != "."
        return self.cells[cell] == "." and rests

    def play(self, cell: int) -> None:
        self.cells[cell] = self.mark
        self.moves.append(cell)

    def end(self) -> Found | None:
        for letter in "XO":
            if line := self.lines_of(letter):
                return "line", self.winner_of(letter), tuple(sorted(line))
        return None if "." in self.cells else ("full", None, None)

    def winner_of(self, letter: str) -> str:
        return letter


class Misere(Naive):
    def winner_of(self, letter: str) -> str:
        return "O" if letter == "X" else "X"


class Torus(Naive):
    def step(self, cell: int, way: tuple[int, ...]) -> int | None:
        column, row = cell % self.columns + way[0], cell // self.columns + way[1]
        return row % self.rows * self.columns + column % self.columns


class Cube(Naive):
    ways = tuple(way for way in product((-1, 0, 1), repeat=3) if any(way))

    def step(self, cell: int, way: tuple[int, ...]) -> int | None:
        edge = self.columns
        layer, rest = divmod(cell, edge * edge)
        row, column = divmod(rest, edge)
        there = column + way[0], row + way[1], layer + way[2]
        if all(0 <= at < edge for at in there):
            return (there[2] * edge + there[1]) * edge + there[0]
        return None


GAMES: dict[str, type[Naive]] = {"misere": Misere, "torus": Torus, "cube": Cube}
