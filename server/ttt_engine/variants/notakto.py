"""Notakto: both sides place X, and whoever completes a line loses."""

from dataclasses import dataclass, field

from ttt_engine.bitboard import cells_of
from ttt_engine.exceptions import InvalidPosition
from ttt_engine.outcome import Mark, Outcome
from ttt_engine.position import Position, marks_on
from ttt_engine.rules import Rules
from ttt_engine.variant import Variant


class Notakto(Variant):
    """A full board has a line, so that no game is drawn."""

    name = "notakto"
    loses = True
    is_symmetric = True
    _longest = 5

    def start(self, rules: Rules) -> "NotaktoPosition":
        return NotaktoPosition(rules, 0)

    def parse(self, board: str, rules: Rules) -> "NotaktoPosition":
        """Return the position. Whose turn it is follows from the number of marks."""
        if len(board) != rules.cells:
            raise InvalidPosition(f"{len(board)} cells on a board of {rules.cells}", "size")
        if not set(board) <= set(".X"):
            raise InvalidPosition(f"{board!r}: a cell is one of . X", "letters")
        marks, _ = marks_on(board)
        complete = rules.lines.complete
        if complete(marks) and all(complete(marks & ~(1 << cell)) for cell in cells_of(marks)):
            raise InvalidPosition(f"{board!r}: play went on after a line", "line")
        return NotaktoPosition(rules, marks)


@dataclass(slots=True, unsafe_hash=True)
class NotaktoPosition(Position):
    """The marks on the board. Nothing assigns to its fields."""

    rules: Rules = field(hash=False)
    x: int

    @property
    def o(self) -> int:
        return 0

    @property
    def ply(self) -> int:
        return self.x.bit_count()

    @property
    def turn(self) -> Mark:
        return Mark.O if self.ply & 1 else Mark.X

    @property
    def legal_moves(self) -> tuple[int, ...]:
        if self.rules.lines.complete(self.x):
            return ()
        return cells_of(self.rules.full & ~self.x)

    def outcome(self) -> Outcome | None:
        line = self.rules.lines.completed(self.x)
        return Outcome(self.turn, cells_of(line)) if line else None

    def play(self, cell: int) -> "NotaktoPosition":
        rules, x = self.rules, self.x
        if rules.lines.complete(x) or not 0 <= cell < rules.cells or x >> cell & 1:
            self._refuse(cell)
        return NotaktoPosition(rules, x | 1 << cell)
