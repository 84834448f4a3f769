import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ttt_engine import Position, Rules, order
from ttt_engine.order import order_of

BOARDS = [Rules(), Rules(5, 4, 4), Rules(4, 4, 4, gravity=True), Rules(7, 6, 4, gravity=True)]


@settings(max_examples=200)
@given(st.sampled_from(BOARDS), st.lists(st.integers(0, 1000), max_size=42))
def test_the_moves_lead_to_the_position(rules: Rules, choices: list[int]) -> None:
    position = Position.start(rules)
    for choice in choices:
        moves = position.legal_moves
        if not moves:
            break
        position = position.play(moves[choice % len(moves)])
    if position.outcome() is not None:
        assert order_of(position) is None
        return
    order = order_of(position)
    assert order is not None
    assert Position.after(order, rules) == position


def test_a_position_to_which_no_moves_lead() -> None:
    rules = Rules(4, 4, 4, gravity=True)
    position = Position.parse("........O...X...", rules)
    assert order_of(position) == (12, 8)
    assert order_of(Position.parse("........X...O...", rules)) is None, "O moved first"


def test_a_dead_end_that_is_met_twice() -> None:
    position = Position.parse(".....X...X..OOX.", Rules(4, 4, 4, gravity=True))
    assert order_of(position) == (14, 13, 9, 12, 5)


def test_it_gives_up_when_it_has_tried_much(monkeypatch: pytest.MonkeyPatch) -> None:
    position = Position.parse("..........X..XO.", Rules(4, 4, 4, gravity=True))
    assert order_of(position) == (13, 14, 10)
    monkeypatch.setattr(order, "_MOST_TRIED", 0)
    assert order_of(position) is None
