import pytest

from ttt_engine import GameOver, InvalidLevel, Position, Rules
from ttt_engine.search.negamax import WON
from ttt_engine.strategies import Mcts, Thought
from ttt_engine.strategies.mcts import FEWEST
from ttt_engine.tracing.steps import CellScored, Rule, Step

FOUR = Position.start(Rules(4, 4, 4))


@pytest.mark.parametrize(
    ("board", "cells", "reason"),
    [
        ("XX.OO....", (2,), "win"),
        ("XX..O....", (2,), "depth 6, 0"),
        ("XO..X....", (8,), "depth 4, -1"),
        ("X..O.....", (1, 2, 4), "depth 5, +1"),
    ],
)
def test_it_says_what_it_has_proven(board: str, cells: tuple[int, ...], reason: str) -> None:
    thought = Mcts().think(Position.parse(board))
    assert set(thought.cells) <= set(cells)
    assert thought.reason == reason


def test_a_single_move_takes_no_game() -> None:
    thought = Mcts().think(Position.parse("XOXXOOO.X"))
    assert thought == Thought((7,), "depth 1, 0", {7: 0.0})


def test_the_same_position_gets_the_same_thought() -> None:
    assert Mcts(3).think(FOUR) == Mcts(3).think(FOUR)
    assert Mcts(3, seed=1).think(FOUR) != Mcts(3, seed=2).think(FOUR)


def test_a_level_is_a_number_of_games() -> None:
    assert len(Mcts(playouts=5).think(FOUR).values or {}) == 5
    assert Mcts(0).think(FOUR) == Mcts(playouts=FEWEST).think(FOUR)
    assert Mcts(1).think(FOUR) == Mcts(playouts=2 * FEWEST).think(FOUR)
    with pytest.raises(InvalidLevel):
        Mcts(10)


def test_without_a_clock_a_time_is_a_number_of_games() -> None:
    assert Mcts(seconds=0.01).think(FOUR) == Mcts(playouts=250).think(FOUR)
    assert len(Mcts(seconds=0).think(FOUR).values or {}) == 1


def test_it_stops_when_its_time_is_over() -> None:
    looks = 0

    def clock() -> float:
        nonlocal looks
        looks += 1
        return looks

    Mcts(clock=clock, seconds=20).think(FOUR)
    assert looks == 21


def test_it_tells_what_it_expects_of_each_cell() -> None:
    told: list[Step] = []
    thought = Mcts(2).think_aloud(FOUR, told.append)
    assert told == [
        *(CellScored(cell, value) for cell, value in (thought.values or {}).items()),
        Rule(thought.reason, thought.cells),
    ]


def test_what_a_position_is_worth() -> None:
    assert Mcts().worth(Position.parse("XX.OO....")) == WON
    assert abs(Mcts(3).worth(FOUR)) < WON // 2


def test_a_game_that_is_over() -> None:
    with pytest.raises(GameOver):
        Mcts(0).think(Position.parse("XXXOO...."))


def test_with_too_few_games_a_result_names_few_cells_and_no_depth() -> None:
    position = Position.start(Rules.parse("misere:15x15x5"))
    found = Mcts(playouts=40).search(position)
    assert found.value is None
    assert len(found.cells) == 3
    assert found.cells == tuple(sorted(found.cells))
    assert found.reason == ""
    deep = Mcts(playouts=2000).search(Position.start(Rules.parse("misere:3x3x3")))
    assert deep.reason.startswith("depth ")
