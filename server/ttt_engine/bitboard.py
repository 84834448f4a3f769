"""A set of cells as an int: bit i is cell i."""

from collections.abc import Iterable
from typing import Final

_FEW: Final = 20
"""With fewer cells, taking the lowest bit repeatedly is faster."""


def bitboard(cells: Iterable[int]) -> int:
    """Return the set of these cells.

    >>> bin(bitboard([0, 4]))
    '0b10001'
    """
    bits = 0
    for cell in cells:
        bits |= 1 << cell
    return bits


def cells_of(bits: int) -> tuple[int, ...]:
    """Return the cells of the set, ascending.

    >>> cells_of(0b10001)
    (0, 4)
    """
    if bits.bit_count() < _FEW:
        cells = []
        while bits:
            lowest = bits & -bits
            cells.append(lowest.bit_length() - 1)
            bits ^= lowest
        return tuple(cells)
    # For most of 361 cells, five times faster than taking the lowest bit repeatedly.
    return tuple([cell for cell, digit in enumerate(f"{bits:b}"[::-1]) if digit == "1"])
