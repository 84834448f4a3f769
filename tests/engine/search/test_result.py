import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_engine import Position, Rules
from ttt_engine.outcome import sign
from ttt_engine.search.budget import Budget
from ttt_engine.search.result import SearchResult, search, see_at_once
from ttt_engine.strategies import Minimax

PLENTY = 10**9
BOARDS = [Rules(gravity=True), Rules(4, 3, 3), Rules(4, 4, 3), Rules(4, 4, 4)]
BOARDS += [Rules(4, 3, 3, gravity=True), Rules(4, 4, 4, gravity=True)]
BOARDS += [Rules.parse(text) for text in ("torus:3x3x3", "torus:4x4x4", "torus:5x4x3", "cube:3")]


def exact(position: Position) -> dict[int, int]:
    """By cell its value."""
    scores = Minimax().think(position).values
    assert scores is not None
    return {cell: sign(int(score)) for cell, score in scores.items()}


def check(position: Position) -> None:
    values = exact(position)
    best = max(values.values())
    result = search(position, Budget(PLENTY))
    assert result.value == best
    assert result.values.items() <= values.items()
    assert all(result.values[cell] == best for cell in result.cells)
    assert result.cells == tuple(sorted(result.cells))
    if best < 1:
        assert result.values == values  # which cells draw, is known of all
    if best == 0 and result.reason != "block":
        assert result.cells == tuple(cell for cell in values if values[cell] == 0)
    plain = see_at_once(position)
    if plain is not None:
        assert plain.value in {best, None}
        assert plain.values.items() <= values.items()
        assert plain.cells == result.cells


@pytest.mark.no_cover
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


@pytest.mark.no_cover
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
        ("torus:3x3x3", 1),
        ("cube:3", 1),
    ],
)
def test_the_value_of_empty_boards(rules: str, value: int) -> None:
    result = search(Position.start(Rules.parse(rules)), Budget(200_000))
    assert result.value == value
    assert all(result.values[cell] == value for cell in result.cells)


@pytest.mark.parametrize(
    ("board", "result"),
    [
        ("XX.OO....", SearchResult(1, (2,), {2: 1}, "win")),
        ("XX.XOO.O.", SearchResult(1, (2, 6), {2: 1, 6: 1}, "win")),
        ("XOXXOOOX.", SearchResult(0, (8,), {8: 0}, "draw")),
        ("X.X.O.X.O", SearchResult(-1, (1, 3), {1: -1, 3: -1, 5: -1, 7: -1}, "block")),
        ("X..XO....", SearchResult(None, (6,), {1: -1, 2: -1, 5: -1, 7: -1, 8: -1}, "block")),
    ],
)
def test_at_once(board: str, result: SearchResult) -> None:
    assert see_at_once(Position.parse(board)) == result


def test_at_once_nothing() -> None:
    assert see_at_once(Position.start()) is None


def test_whether_a_block_holds_takes_a_search() -> None:
    holds = search(Position.parse("XO..X...."), Budget(PLENTY))
    assert (holds.value, holds.cells, holds.reason) == (-1, (8,), "block")
    assert set(holds.values.values()) == {-1}


def test_with_gravity_every_cell_may_lift_the_other_to_its_line() -> None:
    position = Position.parse("OXX.XOO.OOX.XXOX", Rules(4, 4, 3, gravity=True))
    assert see_at_once(position) == SearchResult(-1, (11,), {11: -1}, "depth 2, -1")


def test_reasons() -> None:
    assert search(Position.start(), Budget(PLENTY)).reason == "depth 9, 0"
    assert search(Position.after([0, 1]), Budget(PLENTY)).reason == "depth 2, +1"
    assert search(Position.start(Rules(7, 7, 5)), Budget(3000)).reason == "depth 6"


def test_the_search_has_an_opinion_where_nothing_is_proven() -> None:
    rules = Rules(7, 7, 5)
    ahead = search(Position.after((24, 0, 25, 6), rules), Budget(2000))
    behind = search(Position.after((24, 0, 25, 6, 48), rules), Budget(2000))
    assert ahead.value is None
    assert ahead.estimate > 0 > behind.estimate
