"""Four in a row, exactly. Most of it needs the extra `solver`, which the tests bring."""

from importlib.util import find_spec
from random import Random

import pytest

from ttt_engine import TIC_TAC_TOE, CannotPlay, GameOver, Position
from ttt_engine.evaluation import evaluate
from ttt_engine.openings.choose import DECIDED, worth_by
from ttt_engine.rules import FOUR_IN_A_ROW
from ttt_engine.strategies import Cost, Exact, Minimax, Search, make, solvers
from ttt_engine.tracing.steps import CellScored, Rule
from ttt_engine.tracing.trace import trace

needs_solver = pytest.mark.skipif(find_spec("bitbully") is None, reason="no extra `solver`")


def at_random(random: Random, plies: int) -> Position:
    """A position after so many plies in which the game goes on."""
    while True:
        position = Position.start(FOUR_IN_A_ROW)
        while position.ply < plies and position.legal_moves:
            position = position.play(random.choice(position.legal_moves))
        if position.outcome() is None:
            return position


@pytest.mark.no_cover
@needs_solver
def test_it_scores_as_minimax_to_the_end() -> None:
    random = Random(6)
    for plies in (33, 34, 35, 36, 37, 38, 39, 40, 41) * 4:
        position = at_random(random, plies)
        thought, full = Exact().think(position), Minimax().think(position)
        assert (thought.cells, thought.values) == (full.cells, full.values)
        assert thought.reason.partition(", ")[2] == full.reason.partition(", ")[2]
        assert (thought.reason == "win") is (full.reason == "win")


@needs_solver
def test_it_agrees_with_what_the_search_proves() -> None:
    random = Random(8)
    for plies in (16, 20, 24, 28) * 3:
        position = at_random(random, plies)
        proven = Search(0, seconds=0.1).search(position).values
        values = Exact().think(position).values or {}
        for cell, value in proven.items():
            assert (values[cell] > 0) - (values[cell] < 0) == value


@needs_solver
def test_the_first_player_wins_in_the_middle_column_alone() -> None:
    thought = Exact().think(Position.start(FOUR_IN_A_ROW))
    assert thought.values == {35: -3, 36: -1, 37: 0, 38: 2, 39: 0, 40: -1, 41: -3}
    assert thought.cells == (38,)
    assert thought.reason == "depth 41, +1"


@needs_solver
def test_a_lost_position_and_a_drawn_one() -> None:
    lost = Position.after((38,), FOUR_IN_A_ROW)
    assert Exact().think(lost).reason == "depth 40, -1"
    drawn = Position.after((37,), FOUR_IN_A_ROW)
    assert Exact().think(drawn).reason == "depth 41, 0"


@needs_solver
def test_an_evaluation_knows_every_cell() -> None:
    position = Position.after((38, 31), FOUR_IN_A_ROW)
    evaluation = evaluate(position, 0.0, lambda: 0.0)
    assert None not in evaluation.values.values()
    assert evaluation.value == 1


@needs_solver
def test_the_solver_is_loaded_once() -> None:
    solvers._solver.cache_clear()  # whatever test came before
    assert solvers._solver() is solvers._solver()


@needs_solver
def test_the_steps_that_it_tells() -> None:
    told = list(trace(Position.start(FOUR_IN_A_ROW), Exact()))
    assert told[3] == CellScored(38, 2)
    assert told[7] == Rule("depth 41, +1", (38,))


@needs_solver
def test_where_it_plays() -> None:
    exact = make("exact")
    assert exact.plays(FOUR_IN_A_ROW)
    assert not exact.plays(TIC_TAC_TOE)
    assert Exact.cost(FOUR_IN_A_ROW) is Cost.LONG
    assert Exact().lacks is None
    with pytest.raises(CannotPlay, match="exact does not play 3x3x3"):
        exact.think(Position.start())
    with pytest.raises(GameOver):
        exact.think(Position.after((35, 36, 28, 29, 21, 22, 14), FOUR_IN_A_ROW))


def test_without_the_solver_it_says_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solvers, "_is_installed", lambda: False)
    assert not Exact().plays(FOUR_IN_A_ROW)
    assert "pip install 'ttt-rooms[solver]'; without it search:9" in str(Exact().lacks)
    with pytest.raises(CannotPlay, match="needs the solver"):
        Exact().think(Position.start(FOUR_IN_A_ROW))
    values = evaluate(Position.start(FOUR_IN_A_ROW), 0.0, lambda: 0.0).values
    assert None in values.values()


@needs_solver
@pytest.mark.parametrize(("first", "worth"), [(38, -DECIDED), (37, 0), (35, DECIDED)])
def test_it_knows_what_a_first_mark_is_worth(first: int, worth: int) -> None:
    position = Position.start(FOUR_IN_A_ROW).play(first)
    assert worth_by(Exact())(position) == worth
