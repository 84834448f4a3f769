from ttt_engine import Position
from ttt_engine.bitboard import bitboard
from ttt_engine.search.nested import POWERS, SURE, TERNARY, chances


def chance_of(board: str) -> tuple[int, int]:
    own, other = (bitboard(at for at, mark in enumerate(board) if mark == side) for side in "XO")
    contents = TERNARY[own] + 2 * TERNARY[other]
    mine, theirs = chances()
    return mine[contents], theirs[contents]


def test_who_has_won_a_board_is_sure_and_a_full_one_is_worth_nothing() -> None:
    assert chance_of("XXXOO....") == (SURE, 0)
    assert chance_of("OOOXX....") == (0, SURE)
    assert chance_of("XOXXOXOXO") == (0, 0)


def test_an_empty_board_is_as_good_for_either_side() -> None:
    assert chance_of(".........") == (47, 47)


def test_sides_changed_the_chances_change_sides() -> None:
    for board in ("X........", "X...O....", "XX.OO....", "X.O.X..O."):
        swapped = board.translate(str.maketrans("XO", "OX"))
        assert chance_of(swapped) == chance_of(board)[::-1]


def test_each_mark_on_each_free_cell_is_as_likely() -> None:
    assert chance_of("XX.OOXXOO") == (50, 0)
    # Half of the marks complete a line of X. The others leave a last cell: X or O wins there.
    assert chance_of("XX.XOX.XO") == (75, 25)


def test_a_mark_adds_its_power_to_the_contents() -> None:
    start = Position.start()
    assert TERNARY[start.play(4).x] == POWERS[4] == 81
