"""An order of moves that leads to a position."""

from itertools import chain
from typing import Final

from ttt_engine.bitboard import cells_of
from ttt_engine.position import GridPosition, Position

_MOST_TRIED: Final = 20_000
"""With gravity: how many positions to try before giving up."""


def order_of(position: Position) -> tuple[int, ...] | None:
    """Return moves that lead to an unfinished position, or `None` if none are found.

    Where marks fall there may be none: a column with X under O under X under O needs other moves
    of the right side between them.
    """
    if position.ply == 0:
        return ()
    if position.outcome() is not None or not isinstance(position, GridPosition):
        return None
    if position.rules.gravity:
        return _taken_apart(position)
    return in_turns(position)


def in_turns(position: Position) -> tuple[int, ...]:
    """Return the cells of X and O by turns, X first, each side's in ascending order."""
    x, o = cells_of(position.x), cells_of(position.o)
    return (*chain.from_iterable(zip(x, o, strict=False)), *x[len(o) :])


def _taken_apart(position: Position) -> tuple[int, ...] | None:
    """Undo marks one by one from the tops of columns, each side in turn."""
    columns = position.rules.columns
    dead: set[tuple[int, int]] = set()
    """Positions that cannot be taken apart."""
    x, o = position.x, position.o
    backwards: list[tuple[int, list[int]]] = []
    """The cell that was undone, and the untried alternatives."""
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
    """Redo the last undone mark."""
    if (x | o).bit_count() % 2:
        return x, o | 1 << cell
    return x | 1 << cell, o
