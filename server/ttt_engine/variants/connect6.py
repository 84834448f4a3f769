"""Connect6: X places one stone, then each side two in a turn; six in a row win."""

from dataclasses import dataclass, field

from ttt_engine.bitboard import cells_of
from ttt_engine.exceptions import InvalidPosition
from ttt_engine.outcome import DRAW, Mark, Outcome
from ttt_engine.position import Chance, Position, marks_on, require_letters
from ttt_engine.rules import Rules
from ttt_engine.variant import BoardSize, Variant


class Connect6(Variant):
    """A row of more than six wins, too."""

    name = "connect6"
    sizes = {"": BoardSize(19, 19, 6)}  # noqa: RUF012 - of the class, as declared
    is_symmetric = True
    has_pie = False

    def start(self, rules: Rules) -> "Connect6Position":
        return Connect6Position(rules, 0, 0)

    def parse(self, board: str, rules: Rules) -> "Connect6Position":
        """Return the position. Whose turn it is follows from the number of stones."""
        require_letters(board, rules)
        x, o = marks_on(board)
        read = Connect6Position(rules, x, o)
        due = sum(_mover(ply) is Mark.X for ply in range(read.ply))
        if x.bit_count() != due:
            words = f"{x.bit_count()} X and {o.bit_count()} O: one X, then two a turn"
            raise InvalidPosition(words, "turns")
        mine, theirs = (x, o) if _mover(read.ply - 1) is Mark.X else (o, x)
        if rules.lines.complete(theirs) or (
            rules.lines.complete(mine)
            and all(rules.lines.complete(mine & ~(1 << cell)) for cell in cells_of(mine))
        ):
            raise InvalidPosition(f"{board!r}: play went on after a line", "line")
        return read


def _mover(ply: int) -> Mark:
    """Return the side that places the next stone after `ply` stones: X, O, O, X, X, O, O."""
    return Mark.O if ply + 1 >> 1 & 1 else Mark.X


@dataclass(slots=True, unsafe_hash=True)
class Connect6Position(Position):
    """The stones of both sides. Nothing assigns to its fields."""

    rules: Rules = field(hash=False)
    x: int
    o: int
    _outcome: Outcome | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        mark = _mover(self.ply - 1)
        moved, lines = (self.x if mark is Mark.X else self.o), self.rules.lines
        if lines.complete(moved):
            self._outcome = Outcome(mark, cells_of(lines.completed(moved)))
        else:
            self._outcome = DRAW if self.x | self.o == self.rules.full else None

    @property
    def ply(self) -> int:
        return (self.x | self.o).bit_count()

    @property
    def turn(self) -> Mark:
        return _mover(self.ply)

    @property
    def marks(self) -> int:
        return 2 if self.ply & 1 else 1

    @property
    def legal_moves(self) -> tuple[int, ...]:
        if self._outcome is not None:
            return ()
        return cells_of(self.rules.full & ~(self.x | self.o))

    def outcome(self) -> Outcome | None:
        return self._outcome

    def play(self, cell: int) -> "Connect6Position":
        rules, x, o = self.rules, self.x, self.o
        if self._outcome is not None or not 0 <= cell < rules.cells or (x | o) >> cell & 1:
            self._refuse(cell)
        if self.turn is Mark.X:
            return Connect6Position(rules, x | 1 << cell, o)
        return Connect6Position(rules, x, o | 1 << cell)

    def playout(self, random: Chance) -> Mark | None:
        """Place stones on the free cells in a random order, in one go."""
        if self._outcome is not None:
            return self._outcome.winner
        complete, free = self.rules.lines.complete, list(self.legal_moves)
        random.shuffle(free)
        sides = {Mark.X: self.x, Mark.O: self.o}
        for ply, cell in enumerate(free, start=self.ply):
            mover = _mover(ply)
            sides[mover] |= 1 << cell
            if complete(sides[mover]):
                return mover
        return None
