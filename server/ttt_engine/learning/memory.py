"""What is remembered of finished games: how each went, and who won."""

from dataclasses import dataclass
from typing import Final, NamedTuple, Self

from ttt_engine.mark import Mark
from ttt_engine.position import Position
from ttt_engine.rules import TIC_TAC_TOE
from ttt_engine.symmetry import canonical_cells

WHOLE_GAMES: Final = 31_896
"""How many games of 3x3 there are, from the empty board to a line or a full board, each counted
once for all its views."""

_SHORTEST: Final = 5
"""No game is over before X has three marks."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A finished game of 3x3, as it is remembered."""

    cells: tuple[int, ...]
    """The cells in the order they were played: of the eight views of the game the least."""

    winner: Mark | None
    """None for a draw."""

    @classmethod
    def of(cls, cells: tuple[int, ...], winner: Mark | None) -> Self:
        """The lesson of a game, whichever way its board was turned."""
        return cls(canonical_cells(cells, TIC_TAC_TOE), winner)


class Tally(NamedTuple):
    """How many games X won, O won, and nobody won."""

    x: int = 0
    o: int = 0
    draws: int = 0

    @property
    def games(self) -> int:
        return self.x + self.o + self.draws

    def won_by(self, mark: Mark) -> int:
        return self.x if mark is Mark.X else self.o


class Memory:
    """The lessons that were learned, as a tally for every beginning of every game.

    It grows in the hands of its owner; those who think with it only look.
    """

    def __init__(self) -> None:
        # By winner, how many games began so: a tally is made for those who ask, not for each game.
        self._won: dict[Mark | None, dict[tuple[int, ...], int]] = {
            Mark.X: {},
            Mark.O: {},
            None: {},
        }

    def copy(self) -> "Memory":
        """One that remembers the same, and grows by itself."""
        copy = Memory()
        copy._won = {winner: seen.copy() for winner, seen in self._won.items()}
        return copy

    def learn(self, lesson: Lesson, times: int = 1) -> None:
        """Remembers one more game that went like this, or several."""
        seen, cells = self._won[lesson.winner], lesson.cells
        # A prefix of a canonical game is canonical.
        for ply in range(len(cells) + 1):
            prefix = cells[:ply]
            seen[prefix] = seen.get(prefix, 0) + times

    def tally(self, prefix: tuple[int, ...]) -> Tally:
        """How the games ended that began with these cells, which are in canonical form."""
        won = self._won
        return Tally(
            won[Mark.X].get(prefix, 0), won[Mark.O].get(prefix, 0), won[None].get(prefix, 0)
        )

    @property
    def games(self) -> int:
        """How many games were seen."""
        return self.tally(()).games

    @property
    def whole_games(self) -> int:
        """How many of the `WHOLE_GAMES` were seen: not those that were resigned, or seen again."""
        return sum(
            len(cells) >= _SHORTEST and Position.after(cells).outcome() is not None
            for cells in set().union(*self._won.values())
        )
