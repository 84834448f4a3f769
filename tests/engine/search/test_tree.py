import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_engine import TIC_TAC_TOE, Position, Rules
from ttt_engine.outcome import sign
from ttt_engine.search import negamax
from ttt_engine.search.budget import Budget, Exhausted
from ttt_engine.search.negamax import LIMIT, WON, Found
from ttt_engine.search.state import board_of
from ttt_engine.search.tree import Tree
from ttt_engine.strategies import Minimax

PLENTY = 10**9
BOARDS = [TIC_TAC_TOE, Rules(gravity=True), Rules(4, 3, 3), Rules(4, 4, 3), Rules(4, 4, 4)]
BOARDS += [Rules(4, 4, 4, gravity=True), Rules(7, 6, 4, gravity=True)]
BOARDS += [Rules.parse(text) for text in ("torus:3x3x3", "torus:4x4x4", "torus:5x4x3", "cube:3")]


def look(position: Position, depth: int, low: int = -LIMIT, high: int = LIMIT) -> Found:
    board = board_of(position.rules)
    return Tree(board, Budget(PLENTY)).look(board.state(position), depth, low, high)


@given(st.sampled_from(BOARDS), st.integers(1, 8), st.data())
def test_a_look_to_the_end_is_exact(rules: Rules, empty: int, data: st.DataObject) -> None:
    position = Position.start(rules)
    while position.ply < rules.cells - empty:
        after = position.play(data.draw(st.sampled_from(position.legal_moves)))
        if after.outcome() is not None:
            break
        position = after
    scores = Minimax().think(position).values
    if scores is None:  # too much is free
        return
    best = int(max(scores.values()))
    exact = best + sign(best) * (WON - 1)
    left = rules.cells - position.ply
    assert look(position, left) == Found(exact, proven=True)
    for low, high in ((-1, 1), (-1, 0), (0, 1)):
        value, proven = look(position, left, low, high)
        assert proven
        # In the window it is the value, and else a bound on the right side of it.
        assert (value == exact) if low < value < high else (value >= high) == (exact >= high)
        assert value >= exact if value <= low else value <= exact


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("rules", "first_player"),
    [
        *(("3x3x3", 0), ("4x3x3", 1), ("4x4x3", 1), ("4x4x4", 0), ("6x6x4", 1)),
        *(("4x4x4g", 0), ("4x5x4g", 0)),
    ],
)
def test_who_wins_on_small_boards(rules: str, first_player: int) -> None:
    start = Position.start(Rules.parse(rules))
    board = board_of(start.rules)
    tree = Tree(board, Budget(PLENTY), by_history=False)
    value, proven = tree.look(board.state(start), start.rules.cells, -1, 1)
    assert (sign(value), proven) == (first_player, True)


def test_by_depth() -> None:
    estimates = [look(Position.start(), depth) for depth in range(10)]
    assert [found.proven for found in estimates].index(True) == 6  # by then no line is open
    assert all(found == Found(0, proven=True) for found in estimates[6:])
    assert estimates[0] == Found(0, proven=False)
    assert estimates[1].value > 0


def test_threats_are_played_out_beyond_the_depth() -> None:
    # O must block at 8, which is no depth; then X threatens twice, which is one.
    position = Position.after([0, 1, 4])
    assert not look(position, 0).proven
    assert look(position, 1) == look(position, 6) == Found(-WON - 2, proven=True)


def test_images_are_one_early_on_small_boards() -> None:
    square, larger = board_of(Rules(4, 4, 4)), board_of(Rules(6, 6, 4))
    for board, images in ((square, 1), (larger, 4)):
        tree = Tree(board, Budget(PLENTY))
        rules = board.rules
        corners = (0, rules.columns - 1, rules.cells - rules.columns, rules.cells - 1)
        for corner in corners:
            tree.look(board.state(Position.after([corner], rules)), 1, -LIMIT, LIMIT)
        assert len(tree._known) == images


def test_what_is_known_is_not_looked_at_again() -> None:
    board = board_of(Rules(4, 4, 4))
    budget = Budget(PLENTY)
    looks = Tree(board, budget)
    state = board.state(Position.start(board.rules))
    found = looks.look(state, 3, -LIMIT, LIMIT)
    left = budget._left
    assert looks.look(state, 3, -LIMIT, LIMIT) == found
    assert looks.look(state, 2, found.value, found.value + 1) == found
    assert looks.look(state, 2, found.value - 1, found.value) == found
    assert budget._left == left
    looks.look(state, 4, -LIMIT, LIMIT)
    assert budget._left < left


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(negamax, "MOST_KNOWN", 10)
    board = board_of(TIC_TAC_TOE)
    looks = Tree(board, Budget(PLENTY))
    assert looks.look(board.state(Position.start()), 9, -1, 1) == Found(0, proven=True)
    assert len(looks._known) <= 10


def test_an_end_to_the_budget() -> None:
    board = board_of(TIC_TAC_TOE)
    with pytest.raises(Exhausted):
        Tree(board, Budget(100)).look(board.state(Position.start()), 9, -1, 1)
