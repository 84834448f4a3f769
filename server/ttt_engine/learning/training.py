"""Train a learner by playing games."""

from collections.abc import Callable, Iterable, Iterator
from random import Random

from ttt_engine.learning.learner import Learner
from ttt_engine.learning.memory import Lesson, Memory
from ttt_engine.mark import Mark
from ttt_engine.position import Position

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
