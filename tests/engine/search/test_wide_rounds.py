import pytest

from ttt_engine import Position, Rules
from ttt_engine.search.budget import Budget, Exhausted
from ttt_engine.search.negamax import WON, Found
from ttt_engine.search.result import SearchResult, search
from ttt_engine.search.wide_tree import WideRounds, WideTree
from ttt_engine.threats.board import ThreatState

RULES = Rules(15, 15, 5)


def position(moves: str, rules: Rules = RULES) -> Position:
    return Position.after([rules.parse_cell(name) for name in moves.split()], rules)


def names(cells: tuple[int, ...]) -> set[str]:
    return {RULES.cell_name(cell) for cell in cells}


def found(moves: str, budget: int = 20_000) -> SearchResult:
    return search(position(moves), Budget(budget))


def test_a_win_by_threats_is_proven() -> None:
    result = found("h8 a1 i8 o1 j9 a15 j10 o15")  # a cell makes two threes
    assert (names(result.cells), result.value, result.reason) == ({"j8"}, 1, "depth 5, +1")
    assert result.values == {RULES.parse_cell("j8"): 1}
    assert result.estimate > 0


def test_a_cell_that_turns_out_to_lose_is_left_when_the_budget_ends() -> None:
    class Doubtful(WideRounds):
        def _holds(self, cell: int) -> bool:
            self.values[cell] = -1
            self._tree.budget.spend(1_000_000)  # all that is left, at the next cell
            return False

    class Generous(Budget):
        def spend(self, positions: int) -> None:
            if self._left < 0:
                raise Exhausted
            self._left -= positions

    rounds = Doubtful(position("h8 h9 i8"), Generous(20_000))
    first = rounds.best
    rounds.run()
    assert rounds.values == {first: -1}
    assert rounds.best != first


@pytest.mark.no_cover
def test_the_other_side_is_kept_from_it() -> None:
    moves = "h8 g8 i8 i10 j9 k11 j10"  # a win by threats is near, and the other side moves
    result = found(moves)
    assert result.value is None
    assert result.cells[0] not in result.values
    assert search(position(moves).play(result.cells[0]), Budget(2000)).value is None


def test_where_every_cell_loses_one_is_played_all_the_same() -> None:
    moves = "h8 a1 i8 o1 j8 a15 h9 o15 h10"  # two threes at once
    result = found(moves)
    assert result.cells[0] in position(moves).legal_moves
    assert result.estimate < 0


def test_the_other_cells_are_tried_where_the_first_lose() -> None:
    rounds = WideRounds(position("h8 a1 i8 o1 j9 a15 h9"), Budget(3000))
    assert rounds._rest
    rounds.run()
    assert set(rounds.values) == set(rounds._legal)


def test_no_time_for_threats_leaves_the_search_as_it_was() -> None:
    assert found("h8 h9 i8", 3).cells


def test_the_later_cells_are_looked_at_less_deep() -> None:
    depths: list[int] = []

    class Shallow(WideTree):
        def look(self, state: ThreatState, depth: int, low: int, high: int) -> Found:  # noqa: ARG002
            depths.append(depth)
            return Found(0, proven=False)

    rounds = WideRounds(position("h8 h9"), Budget(1000), Shallow)
    child = rounds._order[0][1]
    for index in range(6):
        rounds._tree.try_at_root(index, child, 3, 0, 1)
    assert depths == [3, 3, 3, 3, 2, 2]
    depths.clear()
    rounds._tree.try_at_root(5, child, 3, -1, 1)  # it is good: it is looked at again
    rounds._tree.try_at_root(5, child, 1, 0, 1)
    assert depths == [2, 3, 3, 1]


def test_a_cell_that_looks_best_is_doubted() -> None:
    rounds = WideRounds(position("h8 a1 i8 o1 j9 a15 j10"), Budget(50_000))
    far = RULES.parse_cell("c13")
    assert not rounds._holds(far)
    assert rounds.values == {far: -1}
    held = WideRounds(position("h8 g8 i8 i10 j9 k11 j10"), Budget(100_000))
    near = RULES.parse_cell("h9")
    assert held._holds(near)
    assert held._holds(near)


@pytest.mark.parametrize("rules", ["7x7x4", "9x9x5!", "19x19x6", "7x7x7"])
def test_on_every_board_it_comes_to_a_cell(rules: str) -> None:
    start = Position.start(Rules.parse(rules))
    assert search(start, Budget(2000)).cells[0] in start.legal_moves


def test_where_a_line_has_to_be_blocked_no_other_cell_is_tried() -> None:
    rounds = WideRounds(position("g8 h8 a1 i8 c1 j8 e1 k8"), Budget(1000))
    assert [cell for cell, _ in rounds._order] == [RULES.parse_cell("l8")]


@pytest.mark.no_cover
def test_only_cells_that_stop_a_threatened_win_are_tried() -> None:
    rounds = WideRounds(position("h8 a1 i8 o1 j9 a15 j10"), Budget(100_000))
    rounds._defend()
    assert -1 in rounds.values.values()
    assert not any(rounds.values.get(cell) for cell, _ in rounds._order)
    assert rounds.best == rounds._order[0][0]


@pytest.mark.no_cover
def test_the_search_for_a_defence_leaves_time_to_see_an_own_win() -> None:
    result = found("l4 l8 j7 k8 k5 j9 j6 i7 i8 k9 k6 h9 i9", 80_000)
    assert names(result.cells) == {"m7"}


@pytest.mark.no_cover
@pytest.mark.parametrize(
    "moves",
    [
        # In two plies i8 seems to win, if a four that averts it is left out there.
        "h8 i7 h7 i6 i5 h10 h5 h6 k5 j5 f6 k9 j6 i9 j8 k8 l8 l9 i10 m10 j7 m9 j9 j10 m7 h4",
        "h8 i9 j8 i8 i11 h9 k9 g10 i7 h6 j7 f9",  # a win in a ply, which is none in four
    ],
)
def test_a_win_that_a_shallow_round_finds_is_looked_at_again(moves: str) -> None:
    result = found(moves, 6000)
    assert result.value is None
    assert abs(result.estimate) < WON
