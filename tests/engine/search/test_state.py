import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_engine import TIC_TAC_TOE, Position, Rules
from ttt_engine.bitboard import bitboard, cells_of
from ttt_engine.search.state import BoardState, board_of

BOARDS = [TIC_TAC_TOE, Rules(4, 3, 3), Rules(3, 7, 5), Rules(7, 6, 4, gravity=True), Rules(7, 7, 5)]
BOARDS += [Rules(5, 5, 3, exact=True), Rules(7, 6, 4, gravity=True, exact=True)]
WORTH = {3: [0, 204, 1024, 0], 4: [0, 40, 204, 1024, 0], 5: [0, 8, 40, 204, 1024, 0]}


def plain_state(position: Position) -> BoardState:
    """What the fields of a state promise, line after line."""
    own, other = position.sides
    lines, complete = position.rules.lines.masks, position.rules.lines.complete
    worth = WORTH[position.rules.in_a_row]

    def ends(side: int, against: int) -> int:
        free = cells_of(position.rules.full & ~side & ~against)
        return bitboard(cell for cell in free if complete(side | 1 << cell))

    return BoardState(
        own,
        other,
        ends(own, other),
        ends(other, own),
        sum(worth[(mask & own).bit_count()] for mask in lines if not mask & other),
        sum(worth[(mask & other).bit_count()] for mask in lines if not mask & own),
        sum(not mask & other for mask in lines),
        sum(not mask & own for mask in lines),
    )


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
    assert state == plain_state(position)
    assert state == board_of(rules).state(position)


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


def test_the_best_cells_lie_on_the_lines_with_marks() -> None:
    board = board_of(Rules.parse("torus:7x7x5"))
    free = board.rules.full
    assert board.best_cells(board.start, free, 1) == [24]
    state = board.state(Position.after([24, 0, 25, 6, 26], board.rules))
    free &= ~(state.own | state.other)
    assert set(board.best_cells(state, free, 2)) == {23, 27}
    assert set(board.best_cells(state, free, 44)) == set(cells_of(free))
