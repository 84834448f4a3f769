"""An order of moves that leads to a position."""

from typing import Final

from ttt_engine.bitboard import cells_of
from ttt_engine.position import Position

_MOST_TRIED: Final = 20_000
"""Positions that are tried where marks fall, before the order counts as not found."""


def order_of(position: Position) -> tuple[int, ...] | None:
    """Return moves that lead to a position which is not over; `None` if none are found.

    Where marks fall there may be none: a column with X under O under X under O needs other moves
    of the right side between them.
    """
    if position.outcome() is not None:
        return None
    if position.rules.gravity:
        return _taken_apart(position)
    x, o = cells_of(position.x), cells_of(position.o)
    moves = [cell for pair in zip(x, o, strict=False) for cell in pair]
    return tuple(moves if len(x) == len(o) else [*moves, x[-1]])


def _taken_apart(position: Position) -> tuple[int, ...] | None:
    """Take the marks off again, one from the top of a column, each side in turn."""
    columns = position.rules.columns
    dead: set[tuple[int, int]] = set()
    """Positions that cannot be taken apart."""
    x, o = position.x, position.o
    backwards: list[tuple[int, list[int]]] = []
    """The cell that was taken off, and the others that may be tried in its place."""
    while True:
        count = (x | o).bit_count()
        if not count:
            return tuple(cell for cell, _ in reversed(backwards))
        own = o if count % 2 == 0 else x
        tops = own & ~((x | o) << columns)
        choice = [] if (x, o) in dead else list(cells_of(tops))
        while not choice:
            dead.add((x, o))
            if not backwards or len(dead) > _MOST_TRIED:
                return None
            cell, choice = backwards.pop()
            x, o = _with(x, o, cell)
        cell = choice.pop()
        backwards.append((cell, choice))
        x, o = x & ~(1 << cell), o & ~(1 << cell)


def _with(x: int, o: int, cell: int) -> tuple[int, int]:
    """Put the mark back that was taken off last."""
    if (x | o).bit_count() % 2:
        return x, o | 1 << cell
    return x | 1 << cell, o
