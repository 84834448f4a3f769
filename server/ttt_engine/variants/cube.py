"""Cube: layers that lie one upon another, and lines also through them."""

from itertools import product

from ttt_engine.lines import ListedLines
from ttt_engine.position import GridVariant
from ttt_engine.variant import BoardSize


class Cube(GridVariant):
    """Three in a row in a cube of 27 cells, or four in one of 64.

    The board shows the layers one below the other, from the top one.
    """

    name = "cube"
    sizes = {"3": BoardSize(3, 9, 3), "4": BoardSize(4, 16, 4)}  # noqa: RUF012 - of the class, as declared

    def lines(self, size: BoardSize) -> ListedLines:
        edge = size.in_a_row
        found: dict[tuple[int, ...], None] = {}
        for way in product((-1, 0, 1), repeat=3):
            for start in product(range(edge), repeat=3) if any(way) else ():
                places = [
                    [at + index * step for at, step in zip(start, way, strict=True)]
                    for index in range(edge)
                ]
                if all(0 <= at < edge for place in places for at in place):
                    cells = ((layer * edge + row) * edge + column for layer, row, column in places)
                    found[tuple(sorted(cells))] = None
        return ListedLines(size.columns, size.rows, edge, tuple(sorted(found)))

    def cell_name(self, cell: int, size: BoardSize) -> str:
        """Return `1b3`: the layer from the top, the column's letter, the row within the layer."""
        row, column = divmod(cell, size.columns)
        layer, row = divmod(row, size.columns)
        return f"{layer + 1}{chr(ord('a') + column)}{row + 1}"
