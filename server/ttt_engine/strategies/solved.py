"""The exact scores of cells in the small variants, from the first move on.

Each score is for the side to move: above 0 wins, more the earlier, below 0 loses, 0 draws.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

from ttt_engine.position import SMALLEST, Position
from ttt_engine.rules import Rules
from ttt_engine.strategies.minimax import PlayedScores

Solver = Callable[[Position], Mapping[int, int]]
"""Returns the score of each legal cell of a position, ascending by cell."""

_MOST_CELLS: Final = 16
"""Of a board on which notakto is solved: 65 536 positions."""


def solver_of(rules: Rules) -> Solver | None:
    """Return what solves the positions of a variant; None for one that is too large."""
    is_smallest = rules.cells == SMALLEST and not rules.gravity
    match rules.variant:
        case "misere" | "torus" if is_smallest:
            return _by_play
        case "notakto" if rules.cells <= _MOST_CELLS:
            return _of_one_mark
        case _:
            return None


def _by_play(position: Position) -> dict[int, int]:
    return _scores(position.rules).of_cells(position)


@cache  # bounded: two boards
def _scores(rules: Rules) -> PlayedScores:
    return PlayedScores(rules)


def _of_one_mark(position: Position) -> dict[int, int]:
    """Score notakto: all marks are alike, so the set of them is the position."""
    taken, table = position.x | position.o, _one_mark(position.rules)
    return {cell: -table.score(taken | 1 << cell) for cell in position.legal_moves}


@cache  # bounded: boards of at most 16 cells
def _one_mark(rules: Rules) -> "_OneMark":
    return _OneMark(rules)


class _OneMark:
    """The scores of sets of equal marks, of which a line loses."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._known: dict[int, int] = {}

    def score(self, taken: int) -> int:
        """Return the score for the side to move; one without a mark to place has won."""
        known = self._known.get(taken)
        if known is None:
            known = self._known[taken] = self._work_out(taken)
        return known

    def _work_out(self, taken: int) -> int:
        free = self._rules.full & ~taken
        closeness = 1 + free.bit_count()
        if self._rules.lines.complete(taken):
            return closeness
        best = -closeness
        cells = free
        while cells:
            bit = cells & -cells
            cells ^= bit
            best = max(best, -self.score(taken | bit))
        return best
