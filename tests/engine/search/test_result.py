import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ttt_engine import Position, Rules
from ttt_engine.search.budget import Budget
from ttt_engine.search.result import Judgement, judge, judge_at_once
from ttt_engine.search.value import sign
from ttt_engine.strategies import Minimax

PLENTY = 10**9
BOARDS = [Rules(gravity=True), Rules(4, 3, 3), Rules(4, 4, 3), Rules(4, 4, 4)]
BOARDS += [Rules(4, 3, 3, gravity=True), Rules(4, 4, 4, gravity=True)]


def exact(position: Position) -> dict[int, int]:
    """By cell its value."""
    scores = Minimax().think(position).values
    assert scores is not None
    return {cell: sign(int(score)) for cell, score in scores.items()}


def check(position: Position) -> None:
    values = exact(position)
    best = max(values.values())
    judgement = judge(position, Budget(PLENTY))
    assert judgement.value == best
    assert judgement.values.items() <= values.items()
    assert all(judgement.values[cell] == best for cell in judgement.cells)
    assert judgement.cells == tuple(sorted(judgement.cells))
    if best < 1:
        assert judgement.values == values  # which cells draw, is known of all
    if best == 0 and judgement.reason != "block":
        assert judgement.cells == tuple(cell for cell in values if values[cell] == 0)
    plain = judge_at_once(position)
    if plain is not None:
        assert plain.value in {best, None}
        assert plain.values.items() <= values.items()
        assert plain.cells == judgement.cells


def test_every_position_of_3x3() -> None:
    found = [Position.start()]
    seen = set(found)
    for position in found:
        check(position)
        for cell in position.legal_moves:
            after = position.play(cell)
            if after not in seen and after.outcome() is None:
                seen.add(after)
                found.append(after)
    assert len(found) == 5478 - 958


@settings(deadline=None)  # the clock of a busy machine is no failure
@given(st.sampled_from(BOARDS), st.integers(1, 9), st.data())
def test_late_positions_of_other_boards(rules: Rules, empty: int, data: st.DataObject) -> None:
    position = Position.start(rules)
    while position.ply < rules.cells - empty:
        after = position.play(data.draw(st.sampled_from(position.legal_moves)))
        if after.outcome() is not None:
            break
        position = after
    if rules.cells - position.ply <= 9:
        check(position)


@pytest.mark.parametrize(
    ("rules", "value"),
    [
        ("3x3x3", 0),
        ("4x3x3", 1),
        ("4x4x3", 1),
        ("4x4x4", 0),
        ("3x3x3g", 0),
        ("4x4x4g", 0),
        ("7x3x3", 1),
    ],
)
def test_the_value_of_empty_boards(rules: str, value: int) -> None:
    judgement = judge(Position.start(Rules.parse(rules)), Budget(200_000))
    assert judgement.value == value
    assert all(judgement.values[cell] == value for cell in judgement.cells)


@pytest.mark.parametrize(
    ("board", "judgement"),
    [
        ("XX.OO....", Judgement(1, (2,), {2: 1}, "win")),
        ("XX.XOO.O.", Judgement(1, (2, 6), {2: 1, 6: 1}, "win")),
        ("XOXXOOOX.", Judgement(0, (8,), {8: 0}, "draw")),
        ("X.X.O.X.O", Judgement(-1, (1, 3), {1: -1, 3: -1, 5: -1, 7: -1}, "block")),
        ("X..XO....", Judgement(None, (6,), {1: -1, 2: -1, 5: -1, 7: -1, 8: -1}, "block")),
    ],
)
def test_at_once(board: str, judgement: Judgement) -> None:
    assert judge_at_once(Position.parse(board)) == judgement


def test_at_once_nothing() -> None:
    assert judge_at_once(Position.start()) is None


def test_whether_a_block_holds_takes_a_search() -> None:
    holds = judge(Position.parse("XO..X...."), Budget(PLENTY))
    assert (holds.value, holds.cells, holds.reason) == (-1, (8,), "block")
    assert set(holds.values.values()) == {-1}


def test_with_gravity_every_cell_may_lift_the_other_to_its_line() -> None:
    position = Position.parse("OXX.XOO.OOX.XXOX", Rules(4, 4, 3, gravity=True))
    assert judge_at_once(position) == Judgement(-1, (11,), {11: -1}, "depth 2, -1")


def test_reasons() -> None:
    assert judge(Position.start(), Budget(PLENTY)).reason == "depth 9, 0"
    assert judge(Position.after([0, 1]), Budget(PLENTY)).reason == "depth 2, +1"
    assert judge(Position.start(Rules(7, 7, 5)), Budget(3000)).reason == "depth 4"


def test_the_search_has_an_opinion_where_nothing_is_proven() -> None:
    rules = Rules(7, 7, 5)
    ahead = judge(Position.after((24, 0, 25, 6), rules), Budget(2000))
    behind = judge(Position.after((24, 0, 25, 6, 48), rules), Budget(2000))
    assert ahead.value is None
    assert ahead.estimate > 0 > behind.estimate
