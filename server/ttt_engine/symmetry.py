"""The rotations and mirrors of a board, and the canonical form of positions and games."""

from functools import lru_cache
from itertools import product

from ttt_engine.bitboard import bitboard, cells_of
from ttt_engine.position import GridPosition, Position
from ttt_engine.rules import Rules
from ttt_engine.variant import variant_of

Views = tuple[tuple[int, ...], ...]
"""Symmetries of a board: each a permutation, in which `permutation[cell]` is the cell's image."""


@lru_cache(maxsize=256)  # bounded, as for the lines of a board
def symmetries(rules: Rules) -> Views:
    """Return the symmetries of the board.

    The identity comes first. A square has eight, another board four; with gravity, where down
    must stay down, there are the identity and the left-right mirror. A variant may have no other
    than the identity.
    """
    if rules.variant is not None and not variant_of(rules.variant).is_symmetric:
        return (tuple(range(rules.cells)),)
    columns, rows = rules.columns, rules.rows

    def image(cell: int, *, mirrored: bool, upended: bool, transposed: bool) -> int:
        row, column = divmod(cell, columns)
        if mirrored:
            column = columns - 1 - column
        if upended:
            row = rows - 1 - row
        if transposed:
            row, column = column, row
        return row * columns + column

    return tuple(
        tuple(
            image(cell, mirrored=mirrored, upended=upended, transposed=transposed)
            for cell in range(rules.cells)
        )
        for transposed, upended, mirrored in product((False, True), repeat=3)
        if not (upended or transposed) or not rules.gravity
        if not transposed or columns == rows
    )


def canonical(position: Position) -> Position:
    """Return the least image of the position, by X's bitboard, then O's.

    It is the same for all images. Positions are compared by their marks alone, as on the grid.
    """
    rules = position.rules
    return GridPosition(rules, *least_image(position.x, position.o, symmetries(rules)))


def least_image(first: int, second: int, views: Views) -> tuple[int, int]:
    """Return the least image of two sets of cells under these symmetries."""
    one, other = cells_of(first), cells_of(second)
    return min(
        (bitboard(map(view.__getitem__, one)), bitboard(map(view.__getitem__, other)))
        for view in views
    )


def canonical_cells(cells: tuple[int, ...], rules: Rules) -> tuple[int, ...]:
    """Return the least image of a sequence of cells, such as a game. It is the same for all images.

    The least sequence begins with the least of every shorter one: a prefix of a canonical game is
    canonical.
    """
    return canonical_views(cells, rules)[0]


def canonical_views(cells: tuple[int, ...], rules: Rules) -> tuple[tuple[int, ...], Views]:
    """Return the least image of a sequence of cells, and the symmetries that give it.

    The least image of a longer sequence goes on with the least image of the next cell under these.
    """
    least, views = _beginning(cells[:_AMBIGUOUS], rules)
    return _go_on(least, views, cells[_AMBIGUOUS:])


_AMBIGUOUS = 3
"""The cells after which most sequences have one symmetry left."""


@lru_cache(maxsize=1024)  # as many games of 3x3 begin
def _beginning(cells: tuple[int, ...], rules: Rules) -> tuple[tuple[int, ...], Views]:
    return _go_on((), symmetries(rules), cells)


def _go_on(
    least: tuple[int, ...], views: Views, cells: tuple[int, ...]
) -> tuple[tuple[int, ...], Views]:
    for ply, cell in enumerate(cells):
        if len(views) == 1:
            return (*least, *map(views[0].__getitem__, cells[ply:])), views
        image = min([view[cell] for view in views])
        views = tuple([view for view in views if view[cell] == image])
        least = (*least, image)
    return least, views
