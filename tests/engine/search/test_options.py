import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_engine import TIC_TAC_TOE, Position, Rules
from ttt_engine.bitboard import cells_of
from ttt_engine.search.negamax import WON
from ttt_engine.search.state import Options, board_of, options_of
from ttt_engine.strategies import Minimax

BOARDS = [TIC_TAC_TOE, Rules(gravity=True), Rules(4, 3, 3), Rules(4, 4, 3, gravity=True)]
BOARDS += [Rules(4, 4, 4), Rules(5, 4, 4, gravity=True)]


def options(position: Position) -> Options:
    return options_of(position.rules, board_of(position.rules).state(position))


@given(st.sampled_from(BOARDS), st.integers(1, 8), st.data())
def test_what_is_told_without_trying_is_true(rules: Rules, empty: int, data: st.DataObject) -> None:
    position = Position.start(rules)
    while position.ply < rules.cells - empty:
        after = position.play(data.draw(st.sampled_from(position.legal_moves)))
        if after.outcome() is not None:
            break
        position = after
    scores = Minimax().think(position).values
    if scores is None:  # too much is free
        return
    value, cells, forced = options(position)
    best = max(scores.values())
    if value is not None:
        assert value == (WON - 1 + best if best > 0 else 1 - WON + best if best else 0)
    else:
        assert max(scores[cell] for cell in cells_of(cells)) == best
    if forced:
        assert all(scores[cell] < 0 for cell in scores if not cells >> cell & 1)


@pytest.mark.parametrize(
    ("board", "value"),
    [
        ("XX.OO....", WON + 4),  # a win now leaves four cells free
        ("X.X.O.X.O", -WON - 2),  # two threats: the win after the next move leaves two
        ("XOXXOOOX.", 0),  # a cell is left, but no line is open
    ],
)
def test_settled(board: str, value: int) -> None:
    assert options(Position.parse(board)) == Options(value, 0, forced=False)


def test_one_threat_forces() -> None:
    forced = Options(None, 1 << 2, forced=True)
    assert options(Position.after([0, 4, 1])) == forced


@pytest.mark.parametrize(
    ("board", "value"),
    [
        (".... .... O.O. XXOX", -WON - 8),  # O threatens one, and would complete it on top of two
        (".... .... .OO. XXOX", -WON - 8),
        (".... .... O..X OXXO", None),
    ],
)
def test_with_gravity_no_mark_lifts_the_other_to_its_line(board: str, value: int | None) -> None:
    rules = Rules(4, 4, 3, gravity=True)
    assert options(Position.parse(board.replace(" ", ""), rules)).value == value


def test_cells_without_an_open_line_are_left_out() -> None:
    # The first row and the second column are closed to both, and 1 is on no diagonal.
    position = Position.parse("X.O..O...X......", Rules(4, 4, 4))
    assert cells_of(options(position).cells) == (3, 4, 6, 7, 8, *range(10, 16))
