"""Who wins four in a row on 7x6 after eight or ten marks: two books made with a solver.

A book holds no positions, only values: three places of a table, which follow from the position,
make its value together. So it must be asked about no other position. `tests/bench/make_book.py`
made them.
"""

from functools import lru_cache
from importlib.resources import files
from typing import Final

from ttt_engine.rules import Rules

BOOKED: Final = Rules(7, 6, 4, gravity=True)
"""The only board that they know."""

MARKS: Final = 8, 10
"""The marks of their positions. A search from the first moves cannot reach beyond eight."""

_CODES: Final = 0, 1, -1, 0
"""The value by two bits of the table."""

_ROWS: Final = range(0, BOOKED.cells, BOOKED.columns)
_REVERSED: Final = tuple(int(f"{row:07b}"[::-1], 2) for row in range(1 << BOOKED.columns))
_FACTOR: Final = 0x9E3779B97F4A7C15F39CC0605CEDC835
"""An odd number without a pattern, to scatter positions with."""


def key_of(own: int, other: int) -> int:
    """Return a number of a position, the same for its mirror image."""
    images = (sum(_REVERSED[side >> row & 127] << row for row in _ROWS) for side in (own, other))
    mirrored_own, mirrored_other = images
    return min(own << BOOKED.cells | other, mirrored_own << BOOKED.cells | mirrored_other)


def places_of(key: int, seed: int, third: int) -> tuple[int, int, int]:
    """Return the places of a table that make the value: one in each third of this length."""
    mixed = (key ^ seed) * _FACTOR >> 64 & (1 << 63) - 1
    return (
        mixed % third,
        third + (mixed >> 21 & 0x1FFFFF) % third,
        2 * third + (mixed >> 42) % third,
    )


class Book:
    """The values of positions. Get it from `book`."""

    def __init__(self, table: bytes, seed: int) -> None:
        """Make a book of a table of four values a byte, with the seed of its places."""
        self._table, self._seed = table, seed
        self._third = len(table) * 4 // 3

    @classmethod
    def from_bytes(cls, data: bytes) -> "Book":
        return cls(data[4:], int.from_bytes(data[:4], "little"))

    def to_bytes(self) -> bytes:
        """Return the seed as four bytes, little-endian, and the table."""
        return self._seed.to_bytes(4, "little") + self._table

    def value(self, own: int, other: int) -> int:
        """Return 1, 0 or -1 as the side to move wins, draws or loses.

        The position must have the marks of the book, and the side to move cannot win at once.
        """
        code = 0
        for place in places_of(key_of(own, other), self._seed, self._third):
            code ^= self._table[place >> 2] >> 2 * (place & 3)
        return _CODES[code & 3]


def file_of(marks: int) -> str:
    """Return the name of the book's file."""
    return f"book-{marks}.bin"


@lru_cache(maxsize=len(MARKS))
def book(marks: int) -> Book:
    """Return the book of the package with the positions of so many marks, read on first use."""
    return Book.from_bytes((files(__package__) / file_of(marks)).read_bytes())
