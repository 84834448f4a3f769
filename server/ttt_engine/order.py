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

    def order(x: int, o: int) -> tuple[int, ...] | None:
        taken = x | o
        if not taken:
            return ()
        if (x, o) in dead:
            return None
        own = x if taken.bit_count() % 2 else o
        for cell in reversed(cells_of(own & ~(taken << columns))):
            before = order(x & ~(1 << cell), o & ~(1 << cell))
            if before is not None:
                return (*before, cell)
            if len(dead) > _MOST_TRIED:
                return None
        dead.add((x, o))
        return None

    return order(position.x, position.o)
