"""Opening marks that a program has named ahead, each placed when due. Pure."""

from collections import OrderedDict
from typing import Any, Final

from ttt_engine import Position, Rules
from ttt_protocol.state import Ai

MOST: Final = 1000
"""The most marks kept; the oldest are dropped first."""

_Key = tuple[str, int | None, Rules, tuple[int, ...]]


class NamedMarks:
    """The next marks by program, board and moves so far, shared by all rooms."""

    def __init__(self) -> None:
        self._cells: OrderedDict[_Key, int] = OrderedDict()

    def add(self, ai: Ai, position: Position, moves: tuple[int, ...], marks: Any) -> None:
        """Keep what a worker named, up to the first mark that is illegal.

        Args:
            ai: the player.
            position: before these marks.
            moves: the cells that led to it, in order.
            marks: the next cells, in order, if the worker behaves.
        """
        for cell in marks if isinstance(marks, list) else ():
            # JSON's true is an int in Python, but not a cell.
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
        """Return the cell that the program named for after these moves."""
        return self._cells.get(_key(ai, rules, moves))


def _key(ai: Ai, rules: Rules, moves: tuple[int, ...]) -> _Key:
    return ai.strategy, ai.level, rules, moves
