"""Rounds on boards whose cells are all tried, which may reach the end of the game."""

from contextlib import suppress
from typing import Final

from ttt_engine.bitboard import bitboard
from ttt_engine.position import Position
from ttt_engine.search.budget import Budget, Exhausted
from ttt_engine.search.deepening import GLANCE, Deepening
from ttt_engine.search.options import options_of
from ttt_engine.search.state import BoardState, board_of
from ttt_engine.search.tree import MakeTree, Tree
from ttt_engine.search.value import LIMIT, sign

_SOLVABLE: Final = {False: 18, True: 31}
"""The most empty cells, without and with gravity, from which a second or two reach the end."""

_FIRST: Final = 4
"""The plies of the rounds before that, which give an answer if the end is out of reach."""

_WIDTH: Final = 64
"""The most cells that are tried, if marks do not fall."""

_SOLVING: Final = 0.75
"""The part of the budget in which to solve the position."""


class Rounds(Deepening[BoardState]):
    """Finds the best cell where all cells can be tried."""

    def __init__(self, position: Position, budget: Budget, make_tree: MakeTree = Tree) -> None:
        rules = position.rules
        self._board = board_of(rules)
        self._state = self._board.state(position)
        self._make_tree = make_tree
        self._tree = make_tree(self._board, budget, by_history=True)
        _, cells, _ = options_of(rules, self._state)
        complete = rules.gravity or cells.bit_count() <= _WIDTH
        if not complete:
            cells = bitboard(self._board.best_cells(self._state, cells, _WIDTH))
        order = list(self._tree.children(self._state, cells))
        super().__init__(position, budget, order, complete=complete)

    def _deepen(self) -> None:
        for depth in range(1, self._left + 1):  # pragma: no branch - the last proves the value
            self.estimate = self._round(self._tree, depth, -LIMIT, LIMIT)
            if self.value == 0:
                self._find_draws(self._tree)
            if self.value is not None:
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
        # The deeper rounds choose among the cells that are not known to lose.
        self._order = [
            each for each in self._order if self.values.get(each[0]) != -1
        ] or self._order
        if self.value == 0:
            tree.spend_from(self._budget)
            self._find_draws(tree)

    def _find_draws(self, tree: Tree) -> None:
        """In a drawn position, find the other cells that draw, too.

        The proof of the draw left no cell out. So none is left out here, and this is proven, too.
        """
        for cell in self._legal:
            if cell not in self.values:
                tree.budget.spend(GLANCE)
                child = self._board.place(self._state, cell)
                self.values[cell] = sign(tree.weigh(child, self._left, -1, 0, scout=False).value)
