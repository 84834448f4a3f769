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
        for start in [at for at, each in enumerate(self.cells) if each == letter]:
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
    ways = tuple(way for way in product((-1, 0, 1), repeat=3) if way > (0, 0, 0))

    def step(self, cell: int, way: tuple[int, ...]) -> int | None:
        edge = self.columns
        layer, rest = divmod(cell, edge * edge)
        row, column = divmod(rest, edge)
        there = column + way[0], row + way[1], layer + way[2]
        if all(0 <= at < edge for at in there):
            return (there[2] * edge + there[1]) * edge + there[0]
        return None


class Notakto(Naive):
    @property
    def mark(self) -> str:
        return "X"

    def winner_of(self, letter: str) -> str:  # noqa: ARG002 - all marks are X
        return self.turn


class Connect6(Naive):
    @property
    def turn(self) -> str:
        stones = len(self.moves)
        return "X" if stones == 0 or (stones - 1) // 2 % 2 else "O"


class Vanishing(Naive):
    def __post_init__(self) -> None:
        super().__post_init__()
        self.order: dict[str, list[int]] = {"X": [], "O": []}
        self.history = [self.moment()]

    def moment(self) -> str:
        return f"{self.order} {self.turn}"

    def play(self, cell: int) -> None:
        mark = self.turn
        super().play(cell)
        self.order[mark].append(cell)
        if len(self.order[mark]) > self.in_a_row:
            self.cells[self.order[mark].pop(0)] = "."
        self.history.append(self.moment())

    def end(self) -> Found | None:
        if (found := super().end()) is not None:
            return found
        if self.history.count(self.history[-1]) == 3:
            return "repetition", None, None
        return ("long", None, None) if len(self.moves) == 200 else None

    @property
    def leaving(self) -> tuple[int | None, ...]:
        return tuple(
            marks[0] if len(marks) == self.in_a_row else None for marks in self.order.values()
        )


TRIPLES = ("012", "345", "678", "036", "147", "258", "048", "246")
"""The lines of a small board, and of the large one."""


class Ultimate(Naive):
    boards = "." * 9

    def play(self, cell: int) -> None:
        super().play(cell)
        self.boards = self.look()

    def small(self, number: int) -> list[int]:
        """Return the cells of a small board, place by place."""
        top, left = number // 3 * 3, number % 3 * 3
        return [(top + row) * 9 + left + column for row in range(3) for column in range(3)]

    def won_lines(self, number: int) -> list[tuple[str, list[int]]]:
        cells = self.small(number)
        found = []
        for triple in TRIPLES:
            line = [cells[int(place)] for place in triple]
            letters = {self.cells[cell] for cell in line}
            if letters in ({"X"}, {"O"}):
                found.append((letters.pop(), line))
        return found

    def look(self) -> str:
        letters = ""
        for number in range(9):
            won = self.won_lines(number)
            is_full = all(self.cells[cell] != "." for cell in self.small(number))
            letters += won[0][0] if won else "=" if is_full else "."
        return letters

    def is_free(self, cell: int) -> bool:
        number = cell // 27 * 3 + cell % 9 // 3
        open_boards = [each for each in range(9) if self.boards[each] == "."]
        if self.moves:
            last = self.moves[-1]
            sent = last // 9 % 3 * 3 + last % 3
            if sent in open_boards:
                open_boards = [sent]
        return number in open_boards and self.cells[cell] == "."

    def end(self) -> Found | None:
        boards, line = self.boards, set[int]()
        winner = None
        for triple in TRIPLES:
            letters = {boards[int(number)] for number in triple}
            if letters in ({"X"}, {"O"}):
                winner = letters.pop()
                for number in triple:
                    for _, cells in self.won_lines(int(number)):
                        line |= set(cells)
        if winner is not None:
            return "line", winner, tuple(sorted(line))
        return None if "." in boards else ("full", None, None)


GAMES: dict[str, type[Naive]] = {
    "misere": Misere,
    "torus": Torus,
    "cube": Cube,
    "ultimate": Ultimate,
    "vanishing": Vanishing,
    "notakto": Notakto,
    "connect6": Connect6,
}
