"""Iterative deepening: round after round over the cells of one position, each a ply deeper."""

from contextlib import suppress
from typing import Final

from ttt_engine.position import Position
from ttt_engine.search.budget import Budget, Exhausted
from ttt_engine.search.options import options_of
from ttt_engine.search.state import board_of
from ttt_engine.search.tree import Tree
from ttt_engine.search.value import LIMIT, WON, sign

_SOLVABLE: Final = {False: 18, True: 24}
"""By gravity: when no more cells are free than this, the end is in reach of a second or two."""

_FIRST: Final = 4
"""But first so many plies, so that there is an answer if the end is out of reach."""

_GLANCE: Final = 4
"""As long as so many positions it takes to try a cell even where a glance tells all of it."""


class Rounds:
    """Finds the best cell of a position in which there is a choice. At any time there is one."""

    def __init__(self, position: Position, budget: Budget) -> None:
        rules = position.rules
        self._board = board_of(rules)
        self._state = self._board.state(position)
        self._legal = position.legal_moves
        self._left = rules.cells - position.ply
        self._budget = budget
        self._tree = Tree(self._board, budget)
        _, cells, _, complete = options_of(rules, self._state)
        self._order = list(self._tree.children(self._state, cells))
        self._complete = complete and not self._tree.cuts(cells)

        self.best = self._order[0][0]
        """The best cell so far."""

        self.depth = 1
        """How deep the last full round went."""

        self.estimate = 0
        """What the last full round made of the position: above 0 it is good for who moves."""

        self.value: int | None = None
        """1, 0 or -1 when it is proven that this is what the position is worth."""

        self.values: dict[int, int] = {}
        """The same by cell, for those whose value is proven."""

    def run(self) -> None:
        """Go on until the budget is spent, or more would change nothing."""
        with suppress(Exhausted):
            self._deepen()

    def _deepen(self) -> None:
        # The last round proves the value, but where cells are left out: on boards too wide for it.
        for depth in range(1, self._left + 1):  # pragma: no branch
            self.estimate = self._round(self._tree, depth, -LIMIT, LIMIT)
            if self.value == 0:
                self._find_draws(self._tree)
            # On a wide board a win or loss may be clear without being proven.
            if self.value is not None or abs(self.estimate) >= WON:
                return
            if depth == _FIRST and self._left <= _SOLVABLE[self._board.rules.gravity]:
                self._solve()
                if self.value is not None:
                    return

    def _solve(self) -> None:
        """Look to the end, for who wins but not how soon: that cuts most of the tree.

        It may take most of the budget, but leaves something to look deeper with.
        """
        tree = Tree(self._board, self._budget.share(), by_history=False)
        with suppress(Exhausted):
            self._round(tree, self._left, -1, 1)
        if self.value == 0:
            tree.budget = self._budget
            self._find_draws(tree)

    def _round(self, tree: Tree, depth: int, low: int, high: int) -> int:
        """Weigh every cell. Returns the value of the best if between `low` and `high`."""
        best, all_proven = low, self._complete
        for index, (cell, child) in enumerate(self._order):
            tree.budget.spend(_GLANCE)
            value, proven = tree.weigh(child, depth - 1, best, high, scout=index > 0)
            if proven and (value < 0 or value > best):
                self.values[cell] = sign(value)
            all_proven = all_proven and proven
            if value > best:
                best, self.best = value, cell
                if proven and value >= WON:
                    all_proven = True  # one is enough to win
                    break
        self.depth = depth
        self._order.sort(key=lambda choice: choice[0] != self.best)
        if all_proven:
            self.value = sign(best)
        return best

    def _find_draws(self, tree: Tree) -> None:
        """In a drawn position, see which of the other cells draw too.

        To prove that it is drawn, no cell was left out; then none is here, and this is proven too.
        """
        for cell in self._legal:
            if cell not in self.values:
                tree.budget.spend(_GLANCE)
                child = self._board.place(self._state, cell)
                self.values[cell] = sign(tree.weigh(child, self._left, -1, 0, scout=False).value)
