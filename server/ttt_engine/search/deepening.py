"""Iterative deepening: rounds over the cells of one position, each a ply deeper."""

from abc import ABC, abstractmethod
from contextlib import suppress
from typing import Any, Final, Generic

from ttt_engine.position import Position
from ttt_engine.search.budget import Budget, Exhausted
from ttt_engine.search.negamax import Negamax, StateT
from ttt_engine.search.value import WON, Found, sign

GLANCE: Final = 4
"""The least cost of trying a cell, in positions, even if a look is enough."""


class Deepening(ABC, Generic[StateT]):
    """Finds the best cell of a position with a choice. There is a best cell at any time."""

    def __init__(
        self,
        position: Position,
        budget: Budget,
        order: list[tuple[int, StateT]],
        *,
        complete: bool,
    ) -> None:
        """Begin with these cells, and the states after them, in this order.

        `complete`: it is certain that no other cell is better.
        """
        self._legal: Final = position.legal_moves
        self._left: Final = position.rules.cells - position.ply
        self._budget: Final = budget
        self._order = order
        self._complete = complete

        self.best = self._order[0][0]
        """The best cell so far."""

        self.depth = 1
        """The depth of the last full round."""

        self.estimate = 0
        """The opinion of the last full round: above 0 favours the side to move."""

        self.value: int | None = None
        """The value of the position, 1, 0 or -1, once it is proven."""

        self.values: dict[int, int] = {}
        """The proven values of cells."""

    def run(self) -> None:
        """Search until the budget is spent, or more would change nothing."""
        with suppress(Exhausted):
            self._deepen()

    @abstractmethod
    def _deepen(self) -> None:
        """Search round after round, until more would change nothing.

        Raises:
            Exhausted: the budget is spent.
        """

    def _round(self, tree: Negamax[Any, StateT], depth: int, low: int, high: int) -> int:
        """Weigh every cell; return the value of the best if it lies between `low` and `high`."""
        best, all_proven = low, self._complete
        rejected: list[tuple[int, int]] = []
        for index, (cell, child) in enumerate(self._order):
            tree.budget.spend(GLANCE)
            value, proven = self._weigh(tree, index, child, depth - 1, best, high)
            if proven and (value < 0 or value > best):
                self.values[cell] = sign(value)
            all_proven = all_proven and proven
            if value <= best:
                continue
            if not self._holds(cell):
                rejected.append((value, cell))
                if cell == self.best:  # not to be left with it when the budget ends
                    open_cells = [each for each, _ in self._order if self.values.get(each) != -1]
                    self.best = next(iter(open_cells), cell)
                continue
            best, self.best = value, cell
            if proven and value >= WON:
                all_proven = True  # one winning cell is enough
                break
        if best == low and rejected:
            # All lose, but the other side may not see how where this search does not.
            self.best = max(rejected, key=lambda choice: choice[0])[1]
        self.depth = depth
        tree.finish(depth, self.best, best)
        self._order.sort(key=lambda choice: choice[0] != self.best)
        if all_proven:
            self.value = sign(best)
        return best

    def _weigh(
        self, tree: Negamax[Any, StateT], index: int, child: StateT, depth: int, low: int, high: int
    ) -> Found:
        """Weigh the cell of this number in the order of trying, as a tree does."""
        return tree.weigh(child, depth, low, high, scout=index > 0)

    def _holds(self, cell: int) -> bool:  # noqa: ARG002 - on a wide board it matters
        """Return whether a cell that looks best is not known to lose."""
        return True
