import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ttt_engine import TIC_TAC_TOE, Position, Rules
from ttt_engine.bitboard import bitboard, cells_of
from ttt_engine.search.state import WIDE, State, board_of

BOARDS = [TIC_TAC_TOE, Rules(4, 3, 3), Rules(3, 7, 5), Rules(7, 6, 4, gravity=True), Rules(7, 7, 5)]
BOARDS += [Rules(5, 5, 3, exact=True), Rules(7, 6, 4, gravity=True, exact=True)]
WORTH = {3: [0, 204, 1024, 0], 4: [0, 40, 204, 1024, 0], 5: [0, 8, 40, 204, 1024, 0]}


def plain_state(position: Position, near: int) -> State:
    """What the fields of a state promise, line after line."""
    own, other = position.sides
    lines, complete = position.rules.lines.masks, position.rules.lines.complete
    worth = WORTH[position.rules.in_a_row]

    def ends(side: int, against: int) -> int:
        free = cells_of(position.rules.full & ~side & ~against)
        return bitboard(cell for cell in free if complete(side | 1 << cell))

    return State(
        own,
        other,
        ends(own, other),
        ends(other, own),
        sum(worth[(mask & own).bit_count()] for mask in lines if not mask & other),
        sum(worth[(mask & other).bit_count()] for mask in lines if not mask & own),
        sum(not mask & other for mask in lines),
        sum(not mask & own for mask in lines),
        near,
    )


@settings(deadline=None)  # the clock of a busy machine is no failure
@given(st.sampled_from(BOARDS), st.data())
def test_a_state_is_what_its_fields_promise(rules: Rules, data: st.DataObject) -> None:
    position = Position.start(rules)
    state = board_of(rules).state(position)
    for _ in range(data.draw(st.integers(0, rules.cells - 1))):
        cell = data.draw(st.sampled_from(position.legal_moves))
        after = position.play(cell)
        if after.outcome() is not None:
            break
        state = board_of(rules).place(state, cell)
        position = after
    assert state == plain_state(position, state.near)
    assert state == board_of(rules).state(position)


def test_all_cells_of_a_small_board_are_looked_at() -> None:
    for rules in (TIC_TAC_TOE, Rules(6, 6, 4), Rules(19, 19, 5, gravity=True)):
        assert not board_of(rules).wide
        assert board_of(rules).state(Position.start(rules)).near == rules.full


def test_on_a_wide_board_those_near_a_mark() -> None:
    rules = Rules(9, 9, 5)
    assert rules.cells > WIDE
    board = board_of(rules)
    assert board.wide
    assert cells_of(board.state(Position.start(rules)).near) == (40,)
    corner = board.state(Position.after([0], rules)).near
    assert cells_of(corner) == (0, 1, 2, 9, 10, 11, 18, 19, 20, 40)
    assert board.state(Position.after([40], rules)).near.bit_count() == 25
    assert board.state(Position.after([44], rules)).near.bit_count() == 16


def test_the_side_to_move_has_the_tempo() -> None:
    rules = Rules(5, 5, 4)
    even = board_of(rules).state(Position.after([6, 8], rules))
    assert even.own_worth == even.other_worth
    assert board_of(rules).estimate(even) > 0


@pytest.mark.parametrize("rules", [Rules(19, 19, 19), Rules(3, 19, 19), Rules(19, 3, 3)])
def test_lines_long_and_short(rules: Rules) -> None:
    cell = rules.cells // 2
    state = board_of(rules).place(board_of(rules).state(Position.start(rules)), cell)
    assert state.other_worth >= 0
    assert state.other_open == len(rules.lines.masks)
