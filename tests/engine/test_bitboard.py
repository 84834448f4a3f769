import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_engine.bitboard import bitboard, cells_of


def test_bit_i_is_cell_i() -> None:
    assert bitboard([0, 4, 8]) == 0b100010001
    assert bitboard([]) == 0
    assert bitboard([360]) == 1 << 360


@pytest.mark.parametrize(("bits", "cells"), [(0, ()), (1, (0,)), (0b110, (1, 2))])
def test_cells_ascend(bits: int, cells: tuple[int, ...]) -> None:
    assert cells_of(bits) == cells


@given(st.sets(st.integers(0, 360)))
def test_there_and_back(cells: set[int]) -> None:
    assert cells_of(bitboard(cells)) == tuple(sorted(cells))
