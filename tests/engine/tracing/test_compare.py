from collections.abc import Iterator

import pytest

from ttt_engine import GameOver, Position
from ttt_engine.strategies import Learner, Minimax, OpenLines
from ttt_engine.tracing.steps import NodeEntered
from ttt_engine.tracing.trace import Compared, compare, trace


def ticks() -> Iterator[float]:
    seconds = 0.0
    while True:
        yield seconds
        seconds += 0.5


def test_the_thought_its_time_and_its_nodes() -> None:
    position, clock = Position.after((0, 4)), ticks()
    nodes = sum(isinstance(step, NodeEntered) for step in trace(position, Minimax()))
    assert compare(position, Minimax(), clock.__next__) == Compared(
        Minimax().think(position), 0.5, nodes
    )
    assert compare(position, OpenLines(), clock.__next__).nodes == 0


def test_the_moves_are_for_a_strategy_that_takes_them() -> None:
    position = Position.after((0, 4, 8))
    thought = Learner().think_after(position, (0, 4, 8))
    assert compare(position, Learner(), ticks().__next__, (0, 4, 8)).thought == thought


def test_a_game_that_is_over() -> None:
    with pytest.raises(GameOver):
        compare(Position.after((0, 3, 1, 4, 2)), Minimax(), ticks().__next__)
