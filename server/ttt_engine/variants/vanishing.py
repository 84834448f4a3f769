"""Vanishing: a side has few marks, and its oldest goes when it places one more."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from ttt_engine.bitboard import bitboard, cells_of
from ttt_engine.exceptions import InvalidPosition
from ttt_engine.outcome import Mark, Outcome
from ttt_engine.position import Chance, Position
from ttt_engine.rules import Rules
from ttt_engine.variant import BoardSize, Variant

MOST_PLIES: Final = 200
"""After so many moves the game is drawn."""

MOST_TIMES: Final = 3
"""When the same position comes up so often, the first included, the game is drawn."""

Marks = tuple[int, ...]
"""The cells of a side, the oldest mark first."""

Moment = tuple[Marks, Marks, Mark]
"""What makes a position the same as another: the marks of X and of O, and the side to move."""


class Vanishing(Variant):
    """At most `in_a_row` marks a side."""

    name = "vanishing"
    is_symmetric = True
    _longest = 5

    def most_plies(self, size: BoardSize) -> int:  # noqa: ARG002 - the same on every board
        return MOST_PLIES

    def start(self, rules: Rules) -> "VanishingPosition":
        return VanishingPosition(rules, seen={((), (), Mark.X): 1})

    def parse(self, board: str, rules: Rules) -> "VanishingPosition":
        """Return the first position, the only one that a board alone tells."""
        if board != "." * rules.cells:
            words = "a board does not say which marks are the oldest: give the moves"
            raise InvalidPosition(words, "order")
        return self.start(rules)


@dataclass(slots=True, unsafe_hash=True)
class VanishingPosition(Position):
    """The marks of both sides in their order, and the side to move. Nothing assigns to its fields.

    How often each position came up, and the number of moves, are carried and not compared.
    """

    rules: Rules = field(hash=False)
    xs: Marks = ()
    os: Marks = ()
    turn: Mark = Mark.X
    ply: int = field(default=0, compare=False)
    seen: Mapping[Moment, int] = field(default_factory=dict, compare=False, repr=False)
    """How often each position since the first came up, this one included."""

    @property
    def x(self) -> int:
        return bitboard(self.xs)

    @property
    def o(self) -> int:
        return bitboard(self.os)

    @property
    def legal_moves(self) -> tuple[int, ...]:
        if self.outcome() is not None:
            return ()
        return cells_of(self.rules.full & ~(self.x | self.o))

    @property
    def leaving(self) -> tuple[int | None, int | None]:
        x, o = (
            marks[0] if len(marks) == self.rules.in_a_row else None for marks in (self.xs, self.os)
        )
        return x, o

    def outcome(self) -> Outcome | None:
        # Only the side that moved last can have a line.
        moved, mark = (self.os, Mark.O) if self.turn is Mark.X else (self.xs, Mark.X)
        if len(moved) == self.rules.in_a_row:
            line = self.rules.lines.completed(bitboard(moved))
            if line:
                return Outcome(mark, cells_of(line))
        if self.seen[self.xs, self.os, self.turn] >= MOST_TIMES:
            return Outcome(None, None, "repetition")
        return Outcome(None, None, "long") if self.ply >= MOST_PLIES else None

    def play(self, cell: int) -> "VanishingPosition":
        xs, os = self.xs, self.os
        is_taken = cell in xs or cell in os
        if is_taken or not 0 <= cell < self.rules.cells or self.outcome() is not None:
            self._refuse(cell)
        if self.turn is Mark.X:
            xs = (*xs, cell)[-self.rules.in_a_row :]
        else:
            os = (*os, cell)[-self.rules.in_a_row :]
        moment = xs, os, self.turn.other
        seen = {**self.seen, moment: self.seen.get(moment, 0) + 1}
        return VanishingPosition(self.rules, *moment, self.ply + 1, seen)

    def playout(self, random: Chance) -> Mark | None:
        """Play on without the history: at random, positions hardly come up three times."""
        outcome = self.outcome()
        if outcome is not None:
            return outcome.winner
        draw, cells, complete = random.random, self.rules.cells, self.rules.lines.complete
        own, other = list(self.xs), list(self.os)
        mover = self.turn
        if mover is Mark.O:
            own, other = other, own
        for _ in range(MOST_PLIES - self.ply):
            cell = int(draw() * cells)
            while cell in own or cell in other:
                cell = int(draw() * cells)
            own.append(cell)
            del own[: -self.rules.in_a_row]
            if complete(bitboard(own)):
                return mover
            own, other, mover = other, own, mover.other
        return None
