"""What a solver taught of four in a row on 7x6: two books, and a static evaluation.

The books say who wins after eight or ten marks. A book holds no positions, only values: three
places of a table, which follow from the position, make its value together. So it must be asked
about no other position. `tests/bench/make_book.py` made them.

The evaluation sums up the weights of what stands in each of 39 parts of the board: blocks of four
columns and two rows, diagonals, and columns with the cells in them that complete a line. A part and
its mirror image have the same weights. `tests/bench/fit_judgement.py` wrote them to `weights.bin`.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib.resources import files
from itertools import groupby
from operator import getitem
from struct import Struct
from typing import Final, NamedTuple
from zlib import compress, decompress

from ttt_engine.bitboard import bitboard
from ttt_engine.rules import FOUR_IN_A_ROW
from ttt_engine.symmetry import symmetries

MARKS: Final = 8, 10
"""The marks of their positions. A search from the first moves cannot reach beyond eight."""

_CODES: Final = 0, 1, -1, 0
"""The value by two bits of the table."""

_CELLS: Final = FOUR_IN_A_ROW.cells
_ROWS: Final = range(0, _CELLS, FOUR_IN_A_ROW.columns)
_REVERSED: Final = tuple(int(f"{row:07b}"[::-1], 2) for row in range(1 << FOUR_IN_A_ROW.columns))
_FACTOR: Final = 0x9E3779B97F4A7C15F39CC0605CEDC835
"""An odd number without a pattern, to scatter positions with."""


def key_of(own: int, other: int) -> int:
    """Return a number of a position, the same for its mirror image."""
    images = (sum(_REVERSED[side >> row & 127] << row for row in _ROWS) for side in (own, other))
    mirrored_own, mirrored_other = images
    return min(own << _CELLS | other, mirrored_own << _CELLS | mirrored_other)


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


FILE: Final = "weights.bin"

UNIT: Final = 16
"""The worth at which the odds to win are as the number e to 1."""

_MOST_CONTENTS: Final = 1 << 15
"""The most contents of a region that are remembered, in some 5 MB."""


class Part(NamedTuple):
    """Cells whose contents are weighed together."""

    cells: tuple[int, ...]

    base: int
    """The contents that a cell may have: 3 without ends, 4 with them."""

    @property
    def contents(self) -> int:
        """The number of contents of the part."""
        return int(self.base ** len(self.cells))

    def mirrored(self) -> "Part":
        """Return the mirror image, whose contents have the same weights."""
        _, mirror = symmetries(FOUR_IN_A_ROW)
        return Part(tuple(map(mirror.__getitem__, self.cells)), self.base)

    def number_of(self, key: int) -> int:
        """Return the number of the contents, of a set of the first player left of the second's."""
        number = 0
        for cell in self.cells:
            first, second = key >> cell + _CELLS & 1, key >> cell & 1
            number = number * self.base + first + 2 * second
        return number


def _parts() -> tuple[Part, ...]:
    """Return the parts of the left half, whose mirror images are those of the right."""
    columns, rows = FOUR_IN_A_ROW.columns, FOUR_IN_A_ROW.rows
    blocks = [
        tuple(row * columns + column for column in range(left, left + 4) for row in (top, top + 1))
        for top in range(rows - 1)
        for left in range(2)
    ]
    diagonals = [
        tuple(row * columns + start + row for row in range(rows) if 0 <= start + row < columns)
        for start in range(-2, 4)
    ]
    upright = [tuple(range(column, _CELLS, columns)) for column in range(4)]
    return *(Part(cells, 3) for cells in blocks + diagonals), *(Part(cells, 4) for cells in upright)


PARTS: Final = _parts()
"""The parts in the order of their weights in the file; their mirror images have the same."""


def _regions() -> Iterator[tuple[Part, ...]]:
    """Yield the parts that are looked up as one: fewer look-ups take half of the time."""
    parts = sorted({part for each in PARTS for part in (each, each.mirrored())})
    blocks = [part for part in parts if len(part.cells) == 8]
    for _, band in groupby(blocks, lambda part: part.cells[0] // FOUR_IN_A_ROW.columns):
        yield tuple(band)
    others = [part for part in parts if len(part.cells) < 8]
    others.sort(key=lambda part: (part.base, part.cells[1] - part.cells[0], part.cells))
    for _, alike in groupby(others, lambda part: (part.base, part.cells[1] - part.cells[0])):
        members = tuple(alike)
        for index in range(0, len(members), 2):
            yield members[index : index + 2]


_REGIONS: Final = tuple(_regions())


class Region(dict[int, int]):
    """Some parts that are looked up as one: what they are worth together, by their contents."""

    def __init__(self, parts: Iterable[tuple[Part, memoryview]]) -> None:
        """Make the region of these parts, each with the weights of its contents."""
        super().__init__()
        self._parts = tuple(parts)
        mask = bitboard({cell for part, _ in self._parts for cell in part.cells})
        self.mask: Final = mask << _CELLS | mask

    def __missing__(self, key: int) -> int:
        if len(self) >= _MOST_CONTENTS:
            self.clear()
        self[key] = worth = sum(weights[part.number_of(key)] for part, weights in self._parts)
        return worth


_TO_MOVE: Final = Struct("<2h")


def packed(weights: bytes, first_to_move: int, second_to_move: int) -> bytes:
    """Return the bytes of the file, which `Judgement.from_bytes` reads."""
    return compress(_TO_MOVE.pack(first_to_move, second_to_move) + weights, 9)


class Judgement:
    """Judges positions of the board. Get it from `judgement`."""

    def __init__(self, weights: bytes, first_to_move: int, second_to_move: int) -> None:
        """Make one of the weights of `PARTS`, a byte each, and of what the move is worth."""
        self._to_move = first_to_move, second_to_move
        left, weighed = memoryview(weights).cast("b"), dict[Part, memoryview]()
        for part in PARTS:
            weighed[part] = weighed[part.mirrored()] = left[: part.contents]
            left = left[part.contents :]
        marks, upright = list[Region](), list[Region]()
        for parts in _REGIONS:
            region = Region((part, weighed[part]) for part in parts)
            (marks if parts[0].base == 3 else upright).append(region)
        self._marks, self._upright = tuple(marks), tuple(upright)
        self._mark_masks = tuple(region.mask for region in marks)
        self._upright_masks = tuple(region.mask for region in upright)

    @classmethod
    def from_bytes(cls, data: bytes) -> "Judgement":
        raw = decompress(data)
        return cls(raw[_TO_MOVE.size :], *_TO_MOVE.unpack_from(raw))

    def judge(self, own: int, other: int, own_ends: int, other_ends: int) -> int:
        """Return the value of a position for the side to move, above 0 if it is ahead.

        Args:
            own: the cells of the side to move.
            other: those of the other side.
            own_ends: the free cells that complete a line of the side to move; none is playable.
            other_ends: the same for the other side.
        """
        if own.bit_count() == other.bit_count():
            marks, ends = own << _CELLS | other, own_ends << _CELLS | other_ends
            return self._sum(marks, marks | ends) + self._to_move[0]
        marks, ends = other << _CELLS | own, other_ends << _CELLS | own_ends
        return self._to_move[1] - self._sum(marks, marks | ends)

    def _sum(self, marks: int, upright: int) -> int:
        """Return the sum of the weights, for the first player.

        Ends never lie on the lowest free cell of a column. So they cannot be taken for marks.
        """
        return sum(map(getitem, self._marks, map(marks.__and__, self._mark_masks))) + sum(
            map(getitem, self._upright, map(upright.__and__, self._upright_masks))
        )


@lru_cache(maxsize=1)
def judgement() -> Judgement:
    """Return the judgement of the package, read on first use."""
    return Judgement.from_bytes((files(__package__) / FILE).read_bytes())
