"""Train a learner by playing games, most of all against its best opponent."""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from random import Random

from ttt_engine.learning.learner import Learner
from ttt_engine.learning.memory import Lesson, Memory
from ttt_engine.outcome import Mark
from ttt_engine.position import Position
from ttt_engine.strategy import best_of
from ttt_engine.symmetry import canonical_cells


class Punisher:
    """Beats the learner with this memory as often as possible, which teaches it most.

    It reads the memory as it is at each call. It is not a strategy for a seat: it trains a learner,
    and measures one.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._learner = Learner(memory)
        self._known: dict[tuple[Mark, tuple[int, ...] | Position], tuple[int, Fraction]] = {}
        """The chance to beat the learner with this mark after these moves. With it, the number of
        games that the memory had seen to begin with them: the chance may change with each.

        If it has seen none, only the position matters.
        """

    def chance(self, learner: Mark) -> Fraction:
        """Return the chance to beat the learner with this mark, which picks its cells at random."""
        return self._chance(Position.start(), (), learner)

    def weak_sides(self) -> Iterator[Mark]:
        """Yield the mark under which the learner is beaten more often, until it is never beaten."""
        while self.chance(weakest := max(Mark, key=self.chance)):
            yield weakest

    def cells(self, position: Position, moves: tuple[int, ...]) -> tuple[int, ...]:
        """Return the best cells against the learner, in a position to which `moves` led."""
        learner = position.turn.other
        chances = {
            cell: self._chance(position.play(cell), (*moves, cell), learner)
            for cell in position.legal_moves
        }
        return best_of(chances)

    def _chance(self, position: Position, moves: tuple[int, ...], learner: Mark) -> Fraction:
        outcome = position.outcome()
        if outcome is not None:
            return Fraction(outcome.winner is learner.other)
        prefix = canonical_cells(moves, position.rules)
        seen = self._memory.tally(prefix).games
        key = learner, prefix if seen else position
        known = self._known.get(key)
        if known is None or known[0] != seen:
            known = self._known[key] = seen, self._chance_below(position, moves, learner)
        return known[1]

    def _chance_below(self, position: Position, moves: tuple[int, ...], learner: Mark) -> Fraction:
        def after(cells: tuple[int, ...]) -> list[Fraction]:
            return [self._chance(position.play(cell), (*moves, cell), learner) for cell in cells]

        if position.turn is not learner:
            return max(after(position.legal_moves))
        chances = after(self._learner.think_after(position, moves).cells)
        return sum(chances, Fraction()) / len(chances)


Opponent = Callable[[Position, tuple[int, ...]], tuple[int, ...]]
"""Return the equally good cells in a position, after the moves that led to it."""


def train(
    memory: Memory, sides: Iterable[Mark], opponent: Opponent, random: Random
) -> Iterator[Lesson]:
    """Play a game for each of `sides`, the learner's mark in it, and learn from it.

    Yield each lesson when it is learned. The next game begins with the next request. Among equally
    good cells, `random` picks.
    """
    learner = Learner(memory)
    for mark in sides:
        position = Position.start()
        moves: tuple[int, ...] = ()
        while (outcome := position.outcome()) is None:
            if position.turn is mark:
                cells = learner.think_after(position, moves).cells
            else:
                cells = opponent(position, moves)
            cell = random.choice(cells)
            position, moves = position.play(cell), (*moves, cell)
        lesson = Lesson.of(moves, outcome.winner)
        memory.learn(lesson)
        yield lesson
