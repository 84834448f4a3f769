import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_engine import TIC_TAC_TOE, Position, Rules
from ttt_engine.outcome import sign
from ttt_engine.search import drops
from ttt_engine.search.budget import Budget, Exhausted
from ttt_engine.search.drops import Drops
from ttt_engine.search.negamax import LIMIT, WON, Found
from ttt_engine.search.state import board_of
from ttt_engine.strategies import Minimax
from ttt_engine.tracing.steps import (
    Abandon,
    Cut,
    DepthFinished,
    NodeEntered,
    NodeLeft,
    Step,
    TableHit,
)

PLENTY = 10**9
BOARDS = [Rules(gravity=True), Rules(4, 4, 3, gravity=True), Rules(4, 4, 4, gravity=True)]
BOARDS += [Rules(3, 5, 4, gravity=True), Rules(5, 4, 4, gravity=True)]
BOARDS += [Rules(7, 6, 4, gravity=True)]


def look(position: Position, low: int = -LIMIT, high: int = LIMIT) -> Found:
    board = board_of(position.rules)
    return Drops(board, Budget(PLENTY)).look(board.state(position), 0, low, high)


def near_the_end(rules: Rules, empty: int, data: st.DataObject) -> Position:
    position = Position.start(rules)
    while position.ply < rules.cells - empty:
        after = position.play(data.draw(st.sampled_from(position.legal_moves)))
        if after.outcome() is not None:
            break
        position = after
    return position


@given(st.sampled_from(BOARDS), st.integers(1, 9), st.data())
def test_who_wins_is_exact(rules: Rules, empty: int, data: st.DataObject) -> None:
    position = near_the_end(rules, empty, data)
    scores = Minimax().think(position).values
    if scores is None:  # too much is free
        return
    exact = WON * sign(int(max(scores.values())))
    assert look(position) == Found(exact, proven=True)
    for low, high in ((-1, 1), (-1, 0), (0, 1)):
        value, proven = look(position, low, high)
        assert proven
        assert value >= exact if value <= low else value <= exact
        assert (value >= high) == (exact >= high)


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("rules", "first_player"),
    [("4x4x4g", 0), ("4x5x4g", 0), ("5x4x4g", 0), ("4x3x3g", 1)],
)
def test_who_wins_on_small_boards(rules: str, first_player: int) -> None:
    assert look(Position.start(Rules.parse(rules))).value == WON * first_player


def test_it_knows_boards_on_which_marks_fall_and_longer_rows_win() -> None:
    assert Drops.knows(Rules(19, 19, 5, gravity=True))
    assert not Drops.knows(TIC_TAC_TOE)
    assert not Drops.knows(Rules(7, 6, 4, gravity=True, exact=True))


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drops, "MOST_KNOWN", 10)
    assert look(Position.start(Rules(4, 4, 4, gravity=True))) == Found(0, proven=True)


def told(position: Position, budget: int) -> tuple[Found | None, list[Step]]:
    board, steps = board_of(position.rules), list[Step]()
    own, _ = position.sides
    tree = Drops(board, Budget(budget), own=own, tell=steps.append)
    child = board.place(board.state(position), position.legal_moves[0])
    try:
        return tree.look(child, 0, -LIMIT, LIMIT), steps
    except Exhausted:
        return None, steps


def test_it_finds_the_same_when_it_tells() -> None:
    position = Position.start(Rules(4, 4, 4, gravity=True))
    found, steps = told(position, PLENTY)
    assert found == look(position.play(position.legal_moves[0]))
    assert steps[0] == NodeEntered(12, -1, 1)
    assert steps[-1] == NodeLeft(0, 0)
    assert {NodeEntered, NodeLeft, Cut, TableHit} == {type(step) for step in steps}


def test_every_node_is_left_when_the_budget_is_spent() -> None:
    found, steps = told(Position.start(Rules(4, 4, 4, gravity=True)), 200)
    assert found is None
    entered = sum(isinstance(step, NodeEntered) for step in steps)
    assert entered == sum(isinstance(step, NodeLeft | Abandon) for step in steps)
    assert steps[-1] == Abandon()


def test_a_round_that_is_over_is_told() -> None:
    steps: list[Step] = []
    board = board_of(Rules(gravity=True))
    Drops(board, Budget(PLENTY), tell=steps.append).finish(9, 4, 0)
    Drops(board, Budget(PLENTY)).finish(9, 4, 0)
    assert steps == [DepthFinished(9, 4, 0)]
