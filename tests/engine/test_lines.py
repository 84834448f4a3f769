import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_engine.bitboard import bitboard, cells_of
from ttt_engine.lines import Lines, lines_of

TIC_TAC_TOE_LINES = (
    *((0, 1, 2), (3, 4, 5), (6, 7, 8)),
    *((0, 3, 6), (1, 4, 7), (2, 5, 8)),
    *((0, 4, 8), (2, 4, 6)),
)


def test_the_lines_of_3x3_are_rows_columns_diagonals_in_order() -> None:
    assert lines_of(3, 3, 3).cells == TIC_TAC_TOE_LINES


def test_masks_are_the_same_lines() -> None:
    lines = lines_of(7, 6, 4)
    assert tuple(cells_of(mask) for mask in lines.masks) == lines.cells


@pytest.mark.parametrize(
    ("columns", "rows", "in_a_row", "count"),
    [
        (3, 3, 3, 8),
        (4, 4, 4, 10),
        (7, 6, 4, 69),
        (19, 19, 5, 1020),
        (5, 3, 5, 3),  # too low for a column or a diagonal
        (3, 5, 5, 3),  # too narrow for a row or a diagonal
    ],
)
def test_count(columns: int, rows: int, in_a_row: int, count: int) -> None:
    assert len(set(lines_of(columns, rows, in_a_row).cells)) == count


def test_equal_boards_share_their_lines() -> None:
    assert lines_of(5, 4, 3) is lines_of(5, 4, 3)


@pytest.mark.parametrize("shape", [(3, 3, 3), (4, 3, 3), (7, 6, 4), (6, 7, 5), (19, 19, 5)])
def test_every_line_is_found_and_none_that_lacks_a_cell(shape: tuple[int, int, int]) -> None:
    lines = Lines(*shape)
    for mask in lines.masks:
        assert lines.complete(mask)
        assert lines.completed(mask) == mask
        for cell in cells_of(mask):
            assert not lines.complete(mask ^ 1 << cell)
            assert lines.completed(mask ^ 1 << cell) == 0


@given(
    st.tuples(st.integers(3, 9), st.integers(3, 9), st.integers(3, 9)).filter(
        lambda shape: shape[2] <= max(shape[:2])
    ),
    st.data(),
)
def test_any_set_agrees_with_a_look_at_line_after_line(
    shape: tuple[int, int, int], data: st.DataObject
) -> None:
    lines = lines_of(*shape)
    bits = data.draw(st.integers(0, (1 << shape[0] * shape[1]) - 1))
    bits |= data.draw(st.sampled_from(lines.masks)) * data.draw(st.integers(0, 1))
    held = [line for line in lines.cells if all(bits >> cell & 1 for cell in line)]
    assert lines.complete(bits) == bool(held)
    assert lines.completed(bits) == bitboard(cell for line in held for cell in line)
    lacks = [[cell for cell in line if not bits >> cell & 1] for line in lines.cells]
    assert lines.ends(bits) == bitboard(cells[0] for cells in lacks if len(cells) == 1)


@pytest.mark.parametrize("length", range(3, 20))
def test_every_length(length: int) -> None:
    lines = lines_of(19, 19, length)
    run = bitboard(range(19, 19 + length))
    assert lines.complete(run)
    assert lines.completed(run) == run
    assert not lines.complete(run ^ 1 << 19)
    wrapped = bitboard(range(20, 19 + length)) | 1 << 18  # goes on at the end of the row above
    assert not lines.complete(wrapped)


@pytest.mark.parametrize(
    ("length", "joins"), [(3, (1, 1)), (4, (1, 2)), (5, (1, 2, 1)), (19, (1, 2, 4, 8, 3))]
)
def test_a_line_is_found_in_few_joins(length: int, joins: tuple[int, ...]) -> None:
    assert lines_of(19, 19, length).directions[0].shifts == joins
