"""The stones of openings that programs have named together, each placed when it is due. Pure."""

from collections import OrderedDict
from typing import Any, Final

from ttt_engine import Position, Rules
from ttt_protocol.state import Ai

MOST: Final = 1000
"""The most stones that are remembered; the oldest are forgotten first."""

_Key = tuple[str, int | None, Rules, tuple[int, ...]]


class NamedStones:
    """The next stones by program, board and moves so far: the same ones for all rooms."""

    def __init__(self) -> None:
        self._cells: OrderedDict[_Key, int] = OrderedDict()

    def add(self, ai: Ai, position: Position, moves: tuple[int, ...], stones: Any) -> None:
        """Remember what a worker tells, up to the first stone that may not be placed.

        Args:
            ai: the player.
            position: the stones that lie there.
            moves: their cells, in order.
            stones: the cells of the next ones, in order, if the worker behaves.
        """
        for cell in stones if isinstance(stones, list) else ():
            # JSON's true is an int in Python, and not a cell.
            if type(cell) is not int or cell not in position.legal_moves:
                return
            key = _key(ai, position.rules, moves)
            self._cells[key] = cell
            self._cells.move_to_end(key)
            if len(self._cells) > MOST:
                self._cells.popitem(last=False)
            position, moves = position.play(cell), (*moves, cell)
            if position.outcome() is not None:
                return

    def after(self, ai: Ai, rules: Rules, moves: tuple[int, ...]) -> int | None:
        """Return the cell that the program has named for the position after these moves."""
        return self._cells.get(_key(ai, rules, moves))


def _key(ai: Ai, rules: Rules, moves: tuple[int, ...]) -> _Key:
    return ai.strategy, ai.level, rules, moves
