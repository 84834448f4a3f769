from collections.abc import Iterable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_engine import Position, Rules
from ttt_engine.outcome import sign
from ttt_engine.search import wide_tree
from ttt_engine.search.budget import Budget, Exhausted
from ttt_engine.search.negamax import LIMIT, WON, Children, Found
from ttt_engine.search.wide_tree import WideTree
from ttt_engine.strategies import Minimax
from ttt_engine.threats.board import ThreatBoard, ThreatState, threat_board_of

PLENTY = 10**9
RULES = Rules(15, 15, 5)
# Small boards, where a full look is at hand. The tree does not know how small they are.
BOARDS = [Rules(), Rules(4, 3, 3), Rules(4, 4, 4), Rules(5, 4, 4), Rules(5, 5, 4), Rules(3, 6, 5)]
BOARDS += [Rules(4, 4, 3, exact=True), Rules(5, 4, 4, exact=True), Rules(5, 5, 4, exact=True)]
SMALL = {rules: ThreatBoard(rules) for rules in BOARDS}


def position(moves: str, rules: Rules = RULES) -> Position:
    return Position.after([rules.parse_cell(name) for name in moves.split()], rules)


def look(moves: str, depth: int, rules: Rules = RULES) -> Found:
    board = threat_board_of(rules)
    state = board.state(position(moves, rules))
    return WideTree(board, Budget(PLENTY)).look(state, depth, -LIMIT, LIMIT)


@given(st.sampled_from(BOARDS), st.integers(1, 8), st.data())
def test_what_is_proven_is_true_and_the_end_is_in_reach(
    rules: Rules, empty: int, data: st.DataObject
) -> None:
    start = Position.start(rules)
    while start.ply < rules.cells - empty:
        after = start.play(data.draw(st.sampled_from(start.legal_moves)))
        if after.outcome() is not None:
            break
        start = after
    scores = Minimax().think(start).values
    if scores is None:  # too much is free
        return
    value = sign(int(max(scores.values())))
    board = SMALL[rules]
    tree = WideTree(board, Budget(PLENTY))
    # Some cells are looked at less deep than others.
    for depth in range(3 * (rules.cells - start.ply) + 1):
        found = tree.look(board.state(start), depth, -LIMIT, LIMIT)
        assert not found.proven or sign(found.value) == value
    assert found.proven


@pytest.mark.parametrize(
    ("moves", "value"),
    [
        ("h8 a1 i8 c1 j8 e1 k8 g1", WON + 216),  # a win at once
        ("h8 a1 i8 c1 j8 e1 k8", -WON - 216),  # two ends to block
        ("h8 a1 i8 c1 j8 e1", WON + 216),  # an open four in reach
        ("h8 a1 i8 o1 j8 a15 h9 o15 h10", -WON - 212),  # no cell stops both threes
        ("b2 a1 c2 o1 b5 o15 c6 a15 d7 h1", WON + 200),  # two fours, and then two at once
        ("g8 f8 h8 a1 i8 c1 k9 e1 k10 g1 k11 k12", WON + 208),  # a four, then a four and a three
    ],
)
def test_wins_and_losses_by_threats_are_seen_without_depth(moves: str, value: int) -> None:
    found = look(moves, 0)
    assert found.proven
    assert sign(found.value) == sign(value)
    assert abs(found.value) >= WON


def test_a_three_is_answered_beyond_the_depth() -> None:
    assert not look("h8 a1 i8 c1 j8", 0).proven
    assert look("h8 a1 i8 c1 j8", 0).value < 0


def test_near_the_end_a_three_is_answered_by_useful_fours_only() -> None:
    board = threat_board_of(RULES)

    def tried(depth: int) -> set[str]:
        class First(WideTree):
            def children(
                self, state: ThreatState, cells: Iterable[int], first: int = -1
            ) -> Children[ThreatState]:
                if state.own == start.own:
                    cells = list(cells)
                    names.update(map(RULES.cell_name, cells))
                return super().children(state, cells, first)

        names: set[str] = set()
        First(board, Budget(PLENTY)).look(start, depth, -LIMIT, LIMIT)
        return names

    # X has fours in row 15 and in row 1, and a line through d1 besides; O has a three.
    start = board.state(position("a15 h8 b15 i8 c15 j8 a1 o15 b1 o1 c1 m13 d2 o11 d3 o5"))
    stops = {"g8", "k8"}
    assert tried(-3) == tried(-2) == stops
    assert tried(-1) == tried(0) == tried(2) == stops | {"d1"}
    assert tried(3) == stops | {"d1", "e1", "d15", "e15"}


def test_a_loss_is_not_proven_where_a_four_is_left_out() -> None:
    found = look("h8 g9 g8 e8 f7 i10 f9 f8 e7 d11 g7 d7 i9 d8 d5 e6 c8", 0)
    assert found.value <= -WON
    assert not found.proven


def test_nothing_is_proven_that_a_cell_left_out_may_refute() -> None:
    found = look("h8 a1 i8 o1 i9", 3)
    assert found.value < 0
    assert not found.proven


def test_no_line_is_open() -> None:
    rules = Rules(4, 4, 4)
    board = ThreatBoard(rules)
    full = Position.parse("XXOOOOXXXXOOO..X", rules)
    assert WideTree(board, Budget(PLENTY)).look(board.state(full), 3, -LIMIT, LIMIT) == Found(
        0, proven=True
    )


def test_the_most_promising_cells_come_first() -> None:
    board = threat_board_of(RULES)
    tree = WideTree(board, Budget(PLENTY))
    start = board.state(Position.start(RULES))
    assert next(tree.ranked(start, 3)) == RULES.parse_cell("h8")
    assert len(list(tree.ranked(start, 225))) == 225
    three = board.state(position("h8 a1 i8 c1 j8"))
    assert set(tree.ranked(three, 2)) == {RULES.parse_cell("g8"), RULES.parse_cell("k8")}


def test_the_later_cells_are_looked_at_less_deep() -> None:
    depths: list[int] = []

    class Shallow(WideTree):
        def look(self, state: ThreatState, depth: int, low: int, high: int) -> Found:  # noqa: ARG002
            depths.append(depth)
            return Found(0, proven=False)

    board = threat_board_of(RULES)
    tree, state = Shallow(board, Budget(PLENTY)), board.state(position("h8 h9"))
    for index in range(7):
        tree._try(index, state, 4, 0, 1)
    assert depths == [4, 4, 3, 3, 3, 2, 2]
    depths.clear()
    tree._try(6, state, 2, 0, 1)  # near the end a ply less is much
    tree._try(6, state, 1, 0, 1)
    tree._try(6, state, 4, -1, 1)  # it is good: it is looked at again
    assert depths == [1, 1, 2, 4, 4]


def test_fewer_cells_are_tried_in_the_last_ply() -> None:
    widths: list[int] = []

    class Narrow(WideTree):
        def ranked(self, state: ThreatState, most: int) -> Iterator[int]:
            widths.append(most)
            return super().ranked(state, most)

    board = threat_board_of(RULES)
    Narrow(board, Budget(PLENTY)).look(board.state(position("h8 h9 i8")), 2, -LIMIT, LIMIT)
    assert widths[:2] == [12, 8]
    assert set(widths) == {12, 8}


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wide_tree, "MOST_KNOWN", 1)
    board = threat_board_of(RULES)
    tree = WideTree(board, Budget(PLENTY))
    tree.look(board.state(position("h8 g8 i8 i10 j9 k11 j10 h9")), 2, -LIMIT, LIMIT)
    assert len(tree._fours_known) <= 1


def test_an_end_to_the_budget() -> None:
    board = threat_board_of(RULES)
    with pytest.raises(Exhausted):
        WideTree(board, Budget(100)).look(board.state(position("h8 h9")), 9, -1, 1)
