"""Order and chaos, with a mark a side: X wants a line of one mark, whichever; O wants none."""

from dataclasses import dataclass

from ttt_engine import CellTaken, GameOver, Mark, Outcome, OutOfBoard, Position, Rules
from ttt_engine.bitboard import cells_of
from ttt_engine.variant import BoardSize, Variant


class Chaos(Variant):
    name = "chaos"
    sizes = {"": BoardSize(5, 5, 4), "small": BoardSize(4, 4, 4)}

    def start(self, rules: Rules) -> "ChaosPosition":
        return ChaosPosition(rules)

    def parse(self, board: str, rules: Rules) -> "ChaosPosition":
        x, o = (sum(1 << cell for cell, mark in enumerate(board) if mark == side) for side in "XO")
        return ChaosPosition(rules, x, o)


@dataclass(frozen=True)
class ChaosPosition(Position):
    rules: Rules
    x: int = 0
    o: int = 0

    @property
    def ply(self) -> int:
        return (self.x | self.o).bit_count()

    @property
    def turn(self) -> Mark:
        return Mark.O if self.ply % 2 else Mark.X

    @property
    def legal_moves(self) -> tuple[int, ...]:
        return () if self.outcome() else cells_of(self.rules.full & ~(self.x | self.o))

    def outcome(self) -> Outcome | None:
        lines = self.rules.lines
        if line := lines.completed(self.x) | lines.completed(self.o):
            return Outcome(Mark.X, cells_of(line))
        return Outcome(Mark.O, None, "full") if self.ply == self.rules.cells else None

    def play(self, cell: int) -> "ChaosPosition":
        if self.outcome():
            raise GameOver("the game is over")
        if not 0 <= cell < self.rules.cells:
            raise OutOfBoard("there is no such cell")
        if (self.x | self.o) >> cell & 1:
            raise CellTaken("that cell is taken")
        if self.turn is Mark.X:
            return ChaosPosition(self.rules, self.x | 1 << cell, self.o)
        return ChaosPosition(self.rules, self.x, self.o | 1 << cell)
