"""A board's rotations and mirrors: positions and games that are the same but for the view."""

from functools import lru_cache
from itertools import product

from ttt_engine.bitboard import bitboard, cells_of
from ttt_engine.position import Position
from ttt_engine.rules import Rules

Views = tuple[tuple[int, ...], ...]
"""Ways to lay a board on itself: each a permutation, `permutation[cell]` the cell's image."""


@lru_cache(maxsize=256)  # bounded, as the lines of a board are
def symmetries(rules: Rules) -> Views:
    """The ways to lay the board on itself.

    The identity comes first. A square has eight, another board four; with gravity, where down
    must stay down, there are the identity and the left-right mirror.
    """
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
    """The least of the position's images, by X's bitboard, then O's: the same for all of them."""
    x, o = cells_of(position.x), cells_of(position.o)
    images = (
        (bitboard(map(view.__getitem__, x)), bitboard(map(view.__getitem__, o)))
        for view in symmetries(position.rules)
    )
    return Position(position.rules, *min(images))


def canonical_cells(cells: tuple[int, ...], rules: Rules) -> tuple[int, ...]:
    """The least of the images of a sequence of cells, such as a game: the same for all of them.

    The least sequence begins with the least of every shorter one: a prefix of a canonical game is
    canonical.
    """
    return canonical_views(cells, rules)[0]


def canonical_views(cells: tuple[int, ...], rules: Rules) -> tuple[tuple[int, ...], Views]:
    """The least of the images of a sequence of cells, and the symmetries that give it.

    With one more cell the least image is longer by the least that these make of that cell.
    """
    least, views = _beginning(cells[:_TELLING], rules)
    return _go_on(least, views, cells[_TELLING:])


_TELLING = 3
"""After so many cells of most sequences one symmetry is left."""


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
