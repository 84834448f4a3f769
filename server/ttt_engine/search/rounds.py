"""Iterative deepening: rounds over the cells of one position, each a ply deeper."""

from contextlib import suppress
from typing import Final

from ttt_engine.position import Position
from ttt_engine.search.budget import Budget, Exhausted
from ttt_engine.search.options import options_of
from ttt_engine.search.state import board_of
from ttt_engine.search.tree import MakeTree, Tree
from ttt_engine.search.value import LIMIT, WON, sign

_SOLVABLE: Final = {False: 18, True: 24}
"""By gravity, the most empty cells with which one or two seconds reach the end of the game."""

_FIRST: Final = 4
"""The plies of the rounds before that, which give an answer if the end is out of reach."""

_SOLVING: Final = 0.75
"""The part of the budget in which to solve the position."""

_GLANCE: Final = 4
"""The least cost of trying a cell, in positions, even if a look is enough."""


class Rounds:
    """Finds the best cell of a position with a choice. There is a best cell at any time."""

    def __init__(self, position: Position, budget: Budget, make_tree: MakeTree = Tree) -> None:
        rules = position.rules
        self._board = board_of(rules)
        self._state = self._board.state(position)
        self._legal = position.legal_moves
        self._left = rules.cells - position.ply
        self._budget = budget
        self._make_tree = make_tree
        self._tree = make_tree(self._board, budget, by_history=True)
        _, cells, _, complete = options_of(rules, self._state)
        self._order = list(self._tree.children(self._state, cells))
        self._complete = complete and not self._tree.cuts(cells)

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

    def _deepen(self) -> None:
        # The last round proves the value, except on wide boards, where cells are left out.
        for depth in range(1, self._left + 1):  # pragma: no branch
            self.estimate = self._round(self._tree, depth, -LIMIT, LIMIT)
            if self.value == 0:
                self._find_draws(self._tree)
            if self.value is not None or self._is_clear():
                return
            if depth == _FIRST and self._left <= _SOLVABLE[self._board.rules.gravity]:
                self._solve()
                if self.value is not None:
                    return

    def _solve(self) -> None:
        """Search to the end, for the winner but not the ply: that cuts most of the tree.

        It may take most of the budget, but leaves a part for deeper rounds.
        """
        tree = self._make_tree(self._board, self._budget.share(_SOLVING), by_history=False)
        with suppress(Exhausted):
            self._round(tree, self._left, -1, 1)
        if self.value == 0:
            tree.spend_from(self._budget)
            self._find_draws(tree)

    def _round(self, tree: Tree, depth: int, low: int, high: int) -> int:
        """Weigh every cell; return the value of the best if it lies between `low` and `high`."""
        best, all_proven = low, self._complete
        for index, (cell, child) in enumerate(self._order):
            tree.budget.spend(_GLANCE)
            value, proven = tree.weigh(child, depth - 1, best, high, scout=index > 0)
            if proven and (value < 0 or value > best):
                self.values[cell] = sign(value)
            all_proven = all_proven and proven
            if value > best and self._holds(cell):
                best, self.best = value, cell
                if proven and value >= WON:
                    all_proven = True  # one winning cell is enough
                    break
        self.depth = depth
        tree.finish(depth, self.best, best)
        self._order.sort(key=lambda choice: choice[0] != self.best)
        if all_proven:
            self.value = sign(best)
        return best

    def _holds(self, cell: int) -> bool:  # noqa: ARG002 - on a wide board it matters
        """Return whether a cell that looks best is not known to lose."""
        return True

    def _is_clear(self) -> bool:
        """Return whether a deeper round would change nothing, though nothing is proven."""
        return False

    def _find_draws(self, tree: Tree) -> None:
        """In a drawn position, find the other cells that draw, too.

        The proof of the draw left no cell out. So none is left out here, and this is proven, too.
        """
        for cell in self._legal:
            if cell not in self.values:
                tree.budget.spend(_GLANCE)
                child = self._board.place(self._state, cell)
                self.values[cell] = sign(tree.weigh(child, self._left, -1, 0, scout=False).value)
