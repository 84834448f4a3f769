"""The memory of the learner: how finished games went, and how they ended."""

from dataclasses import dataclass
from typing import Final, NamedTuple, Self

from ttt_engine.outcome import Mark
from ttt_engine.position import Position
from ttt_engine.rules import TIC_TAC_TOE
from ttt_engine.symmetry import canonical_cells

WHOLE_GAMES: Final = 31_896
"""The number of games of 3x3, from the empty board to a line or a full board. A game and its
images count as one."""

_SHORTEST: Final = 5
"""The fewest moves of a whole game: X has three marks then."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A finished game of 3x3, as the learner remembers it."""

    cells: tuple[int, ...]
    """The cells in the order of play: the least of the eight images of the game."""

    winner: Mark | None
    """None for a draw."""

    @classmethod
    def of(cls, cells: tuple[int, ...], winner: Mark | None) -> Self:
        """Return the lesson of a game. All images of a game give the same lesson."""
        return cls(canonical_cells(cells, TIC_TAC_TOE), winner)


class Tally(NamedTuple):
    """The numbers of games that X won, O won, and were drawn."""

    x: int = 0
    o: int = 0
    draws: int = 0

    @property
    def games(self) -> int:
        return self.x + self.o + self.draws

    def won_by(self, mark: Mark) -> int:
        return self.x if mark is Mark.X else self.o


class Memory:
    """The lessons learned, as a tally for each beginning of each game.

    Only its owner adds to it. A learner only reads it.
    """

    def __init__(self) -> None:
        # The number of games that began with these cells, by winner. A tally is made on request.
        self._won: dict[Mark | None, dict[tuple[int, ...], int]]
        self._won = {winner: {} for winner in (*Mark, None)}

    def copy(self) -> "Memory":
        """Return an independent memory with the same lessons."""
        copy = Memory()
        copy._won = {winner: seen.copy() for winner, seen in self._won.items()}
        return copy

    def learn(self, lesson: Lesson, times: int = 1) -> None:
        """Remember `times` more games that went like this."""
        seen, cells = self._won[lesson.winner], lesson.cells
        # A prefix of a canonical game is canonical.
        for ply in range(len(cells) + 1):
            prefix = cells[:ply]
            seen[prefix] = seen.get(prefix, 0) + times

    def tally(self, prefix: tuple[int, ...]) -> Tally:
        """Return how the games ended that began with these cells, which are in canonical form."""
        won = self._won
        return Tally(
            won[Mark.X].get(prefix, 0), won[Mark.O].get(prefix, 0), won[None].get(prefix, 0)
        )

    @property
    def games(self) -> int:
        """The number of games seen."""
        return self.tally(()).games

    @property
    def whole_games(self) -> int:
        """The number of the `WHOLE_GAMES` seen. Resigned games and repetitions do not count."""
        return sum(
            len(cells) >= _SHORTEST and Position.after(cells).outcome() is not None
            for cells in set().union(*self._won.values())
        )
