"""X and O as large as their cells, in half blocks: these are about square in a terminal."""

from functools import lru_cache
from math import hypot

from ttt_protocol.state import Mark

_BLOCKS = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}

_TWO_ROWS = {
    (Mark.X, False): ("▀▄ ▄▀", "▄▀ ▀▄"),
    (Mark.O, False): ("▄▀▀▀▄", "▀▄▄▄▀"),
    (Mark.X, True): (r" \ / ", r" / \ "),
    (Mark.O, True): (r" .-. ", r" '-' "),
}
"""The shapes of two rows, for which the formula is too coarse."""


@lru_cache(maxsize=256)
def glyph(mark: Mark, columns: int, rows: int, *, ascii_only: bool = False) -> tuple[str, ...]:
    """Return the rows of the mark in that size; a single row has the letter in its middle."""
    if rows == 1:
        return (mark.value.center(columns),)
    if rows == 2:
        return tuple(row.center(columns) for row in _TWO_ROWS[mark, ascii_only])
    height = rows if ascii_only else 2 * rows
    inked = [[_inked(mark, x, y, columns, height) for x in range(columns)] for y in range(height)]
    if ascii_only:
        return tuple("".join(mark.value if ink else " " for ink in row) for row in inked)
    halves = zip(inked[::2], inked[1::2], strict=True)
    return tuple(
        "".join(_BLOCKS[pair] for pair in zip(upper, lower, strict=True)) for upper, lower in halves
    )


def _inked(mark: Mark, column: int, row: int, columns: int, rows: int) -> bool:
    """Return whether the shape covers the dot. The middle of the cell is 0, its edges are 1."""
    x = (2 * column + 1 - columns) / (columns - 1)
    y = (2 * row + 1 - rows) / (rows - 1)
    small = min(columns, rows) < 8
    reach, half_stroke = (1.0, 0.2) if small else (0.8, 0.16)
    if mark is Mark.X:
        return max(abs(x), abs(y)) <= reach and abs(abs(x) - abs(y)) <= half_stroke * 1.3
    return abs(hypot(x, y) - (reach - half_stroke / 2)) <= half_stroke
