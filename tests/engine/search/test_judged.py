from random import Random

import pytest

from ttt_engine import Position, Rules
from ttt_engine.gravity.learnt import MARKS, judgement
from ttt_engine.outcome import sign
from ttt_engine.rules import FOUR_IN_A_ROW
from ttt_engine.search import drops
from ttt_engine.search.budget import Budget, Exhausted
from ttt_engine.search.drops import Drops, Judged
from ttt_engine.search.negamax import LIMIT, WON, Found
from ttt_engine.search.result import tree_of
from ttt_engine.search.state import BoardState, board_of, options_of
from ttt_engine.tracing.steps import Abandon, Cut, NodeEntered, NodeLeft, Step, TableHit

PLENTY = 10**9
BOARD = board_of(FOUR_IN_A_ROW)


def random_state(random: Random, plies: int) -> BoardState:
    """A state in which the game goes on, and no side wins at once."""
    while True:
        position = Position.start(FOUR_IN_A_ROW)
        while position.legal_moves and position.ply < plies:
            position = position.play(random.choice(position.legal_moves))
        if position.legal_moves and options_of(FOUR_IN_A_ROW, BOARD.state(position)).value is None:
            return BOARD.state(position)


def look(state: BoardState, depth: int, low: int = -LIMIT, high: int = LIMIT) -> Found:
    return Judged(BOARD, Budget(PLENTY)).look(state, depth, low, high)


def plain(state: BoardState, depth: int) -> int:
    """The same without bounds, an order or a memory."""
    value, cells, forced = options_of(FOUR_IN_A_ROW, state)
    if value is not None:
        return value
    if depth <= 0 and not forced:
        return judgement().judge(*state[:4])
    children = (
        BOARD.place(state, cell) for cell in range(FOUR_IN_A_ROW.cells) if cells >> cell & 1
    )
    return max(-plain(child, depth if forced else depth - 1) for child in children)


@pytest.mark.parametrize("plies", [11, 12, 14, 17, 20, 23, 26])
def test_a_search_with_bounds_finds_what_a_plain_one_does(plies: int) -> None:
    state = random_state(Random(plies), plies)
    for depth in range(4):
        exact = plain(state, depth)
        found = look(state, depth)
        assert found == Found(exact, proven=abs(exact) >= WON)
        for low, high in ((exact - 1, exact), (exact, exact + 1), (-5, 5)):
            value = look(state, depth, low, high).value
            assert value >= exact if value <= low else True
            assert value <= exact if value >= high else True
            assert value == exact if low < exact < high else True


@pytest.mark.parametrize("seed", range(6))
def test_what_it_proves_is_true(seed: int) -> None:
    state = random_state(Random(seed), 28)
    left = FOUR_IN_A_ROW.cells - (state.own | state.other).bit_count()
    exact = Drops(BOARD, Budget(PLENTY)).look(state, 0, -1, 1).value
    tree = Judged(BOARD, Budget(PLENTY))
    for depth in range(1, left + 1):
        found = tree.look(state, depth, -LIMIT, LIMIT)
        if found.proven:
            assert sign(found.value) == sign(exact)
    assert found.proven


def test_a_position_that_is_plain_is_not_searched() -> None:
    state = BOARD.state(Position.after([35, 41, 36, 40, 37, 39], FOUR_IN_A_ROW))
    assert look(state, 3) == Found(WON + 35, proven=True)


@pytest.mark.parametrize("moves", [(), (38,), (35, 28), (37, 30, 39), (36, 40, 29, 33, 22)])
def test_the_first_marks_are_searched_to_a_book(moves: tuple[int, ...]) -> None:
    state = BOARD.state(Position.after(moves, FOUR_IN_A_ROW))
    depth = MARKS[0] - len(moves)
    found = look(state, depth)
    assert found.proven
    assert not found.value or WON // 4 < abs(found.value) < WON
    assert sign(found.value) == {0: 1, 1: -1}.get(len(moves), sign(found.value))
    assert not look(state, depth - 1).proven


def test_the_values_of_the_first_cells() -> None:
    tree = Judged(BOARD, Budget(PLENTY))
    children = [BOARD.state(Position.after([cell], FOUR_IN_A_ROW)) for cell in range(35, 42)]
    values = [-sign(tree.look(child, MARKS[0] - 1, -LIMIT, LIMIT).value) for child in children]
    assert values == [-1, -1, 0, 1, 0, -1, -1]


def test_in_a_lost_position_of_the_book_the_judgement_chooses() -> None:
    position = Position.after([38, 31, 24, 17, 10, 3, 39], FOUR_IN_A_ROW)
    children = [BOARD.state(position.play(cell)) for cell in position.legal_moves]
    values = [look(child, 0).value for child in children if child.other_ends == 0]
    assert len(set(values)) > 1
    assert {sign(value) for value in values} == {1}


def test_it_knows_one_board() -> None:
    assert Judged.knows(FOUR_IN_A_ROW)
    assert not Judged.knows(Rules(7, 6, 4, gravity=True, exact=True))
    assert not Judged.knows(Rules(8, 7, 4, gravity=True))
    make_tree = tree_of(Position.start(FOUR_IN_A_ROW), None)
    assert isinstance(make_tree(BOARD, Budget(1), by_history=True), Judged)


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    state = random_state(Random(1), 12)
    found = look(state, 4)
    monkeypatch.setattr(drops, "MOST_KNOWN", 10)
    assert look(state, 4) == found


def told(position: Position, budget: int) -> tuple[Found | None, list[Step]]:
    steps = list[Step]()
    tree = Judged(BOARD, Budget(budget), own=position.sides[0], tell=steps.append)
    child = BOARD.place(BOARD.state(position), position.legal_moves[0])
    found = None
    try:
        for depth in range(1, 5):
            found = tree.look(child, depth, -LIMIT, LIMIT)
    except Exhausted:
        return None, steps
    return found, steps


def test_it_finds_the_same_when_it_tells() -> None:
    position = Position.after([38, 31, 24, 17, 37, 36, 35, 28, 21, 14], FOUR_IN_A_ROW)
    found, steps = told(position, PLENTY)
    assert found == look(BOARD.state(position.play(position.legal_moves[0])), 4)
    assert found is not None
    assert steps[0] == NodeEntered(position.legal_moves[0], -LIMIT, LIMIT)
    assert steps[-1] == NodeLeft(-found.value, None)
    assert {NodeEntered, NodeLeft, Cut, TableHit} == {type(step) for step in steps}


def test_it_tells_what_is_proven() -> None:
    # X has two marks on the floor with room on both sides, and O plays elsewhere.
    position = Position.after([38, 31, 37], FOUR_IN_A_ROW)
    steps = list[Step]()
    tree = Judged(BOARD, Budget(PLENTY), own=position.sides[0], tell=steps.append)
    tree.look(BOARD.place(BOARD.state(position), 24), 4, -LIMIT, LIMIT)
    results = {step.result for step in steps if isinstance(step, NodeLeft)}
    assert {1, -1} <= results


def test_every_node_is_left_when_the_budget_is_spent() -> None:
    found, steps = told(
        Position.after([38, 31, 24, 17, 37, 36, 35, 28, 21, 14], FOUR_IN_A_ROW), 200
    )
    assert found is None
    entered = sum(isinstance(step, NodeEntered) for step in steps)
    assert entered == sum(isinstance(step, NodeLeft | Abandon) for step in steps)
    assert steps[-1] == Abandon()
