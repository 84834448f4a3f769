import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_engine import Position, Rules
from ttt_engine.bitboard import bitboard
from ttt_engine.gravity import ground
from ttt_engine.gravity.ground import Ground, ground_of
from ttt_engine.strategies import Minimax

RULES = Rules(7, 6, 4, gravity=True)
BOARDS = [Rules(gravity=True), Rules(4, 4, 3, gravity=True), Rules(4, 4, 4, gravity=True)]
BOARDS += [Rules(5, 4, 4, gravity=True), Rules(4, 5, 4, gravity=True)]


def follows(board: str) -> bool:
    position = Position.parse(board, Rules(4, 4, 4, gravity=True))
    own, other = position.sides
    free = position.rules.full ^ own ^ other
    playable = position.rules.playable(own | other)
    return ground_of(position.rules).holds_by_following(own, free, playable)


def test_the_ends_that_a_mark_makes() -> None:
    board = ground_of(RULES)
    lines, _, known = board.at[1 << 38]
    assert lines & bitboard([36, 37, 39, 41]) == bitboard([36, 37, 39, 41])
    marks = bitboard([37, 39])
    assert board.work_out(1 << 38, marks) == known[marks] == bitboard([36, 40])
    assert board.work_out(1 << 38, 0) == 0


def test_cells_in_the_middle_are_central() -> None:
    board = ground_of(RULES)
    assert [board.at[1 << cell][1] for cell in range(35, 42)] == [-6, -4, -2, 0, -2, -4, -6]


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ground, "_MOST_PATTERNS", 3 * RULES.cells)
    board = Ground(RULES)
    for marks in (1, 2, 4, 8, 16):
        board.work_out(1 << 40, marks << 35)
    assert len(board.at[1 << 40][2]) == 2


@pytest.mark.parametrize(
    ("board", "holds"),
    [
        ("................", False),  # X has every cell of the third row
        ("...X...O..OX..OX", True),  # O has the rows of the top and the second, and d2
        ("........XOX.OXO.", False),  # X can have every cell of the third row
        (".....O...XX.OXO.", True),  # in a and d three cells are free: each side has a4 or d4
        ("...X.X.XXO.OOOOX", False),
        (".....X...O..OXOX", False),  # four columns with an odd number
    ],
)
def test_to_follow_stops_every_line_or_not(board: str, holds: bool) -> None:
    assert follows(board) is holds


@given(st.sampled_from(BOARDS), st.integers(1, 4), st.data())
def test_to_follow_is_never_to_lose(rules: Rules, pairs: int, data: st.DataObject) -> None:
    position = Position.start(rules)
    while position.ply < rules.cells - 2 * pairs:
        after = position.play(data.draw(st.sampled_from(position.legal_moves)))
        if after.outcome() is not None:
            return
        position = after
    own, other = position.sides
    free = rules.full ^ own ^ other
    if free.bit_count() % 2 or rules.lines.ends(own) & rules.playable(own | other):
        return
    if ground_of(rules).holds_by_following(own, free, rules.playable(own | other)):
        scores = Minimax().think(position).values
        assert scores is not None
        assert max(scores.values()) <= 0
