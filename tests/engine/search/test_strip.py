from ttt_engine.bitboard import bitboard
from ttt_engine.search.state import LineChange, Scale, Strip

SCALE = Scale(3)
CELLS = 5
LINES = (bitboard([0, 1, 2]), bitboard([1, 2, 3]), bitboard([2, 3, 4]))


def change(own: list[int], other: list[int], most: int = 100) -> LineChange:
    """What a mark in the middle of a row of five changes."""
    strip = Strip(2, LINES, CELLS, SCALE, most)
    return strip.work_out(bitboard(own), bitboard(other), 0)


def test_scale() -> None:
    assert (SCALE.worth, SCALE.gain) == ((0, 204, 1024, 0), (204, 820, -1024))
    assert SCALE.short == 1
    assert Scale(5).worth == (0, 8, 40, 204, 1024, 0)
    assert Scale(19).worth[1] == 1  # never nothing


def test_the_first_mark() -> None:
    assert change([], []) == LineChange(ends=0, gain=3 * 204, loss=0, closed=3)


def test_one_short() -> None:
    assert change([1], []) == LineChange(
        ends=bitboard([0, 3]), gain=2 * 820 + 204, loss=0, closed=1
    )


def test_a_full_line_that_did_not_win_is_worth_nothing() -> None:
    assert change([0, 1, 3, 4], []) == LineChange(ends=0, gain=-3 * 1024, loss=0, closed=0)


def test_in_the_way_of_the_other() -> None:
    assert change([], [1]) == LineChange(ends=0, gain=204, loss=2 * 204, closed=3)
    assert change([0], [1]) == LineChange(ends=0, gain=204, loss=204, closed=2)


def test_a_change_is_kept_but_not_too_many() -> None:
    strip = Strip(2, LINES, CELLS, SCALE, most=2)
    assert strip.mask == bitboard(range(10))
    for marks in range(3):
        found = strip.work_out(0, marks, marks)
        assert strip.changes[marks] is found
    assert list(strip.changes) == [2]
