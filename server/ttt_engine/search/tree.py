"""The search of a board whose cells can all be tried, or where marks fall, to the end if it may."""

from contextlib import suppress
from typing import Final, Protocol

from ttt_engine.bitboard import bitboard, cells_of
from ttt_engine.outcome import sign
from ttt_engine.position import Position
from ttt_engine.search.budget import Budget, Exhausted
from ttt_engine.search.negamax import GLANCE, LIMIT, Children, Deepening, Found, Negamax
from ttt_engine.search.state import Board, BoardState, board_of, options_of
from ttt_engine.symmetry import symmetries

_SMALL: Final = 25
"""The most cells of a board on which a position and its images are remembered as one."""

_EARLY: Final = 3
"""The most marks of such a position. With more marks few images meet, and it costs too much."""

_ALL: Final = 64
"""The most cells of a board whose cells are all tried, if marks do not fall."""

_WIDTH: Final = 12
"""The cells that are tried on larger ones, of variants: others have threats to guide the search."""

_MARGIN: Final = 600
"""The most that a quiet ply usually changes a value: less than a mark that leaves a line one
short."""


class MakeTree(Protocol):
    """Makes a tree: the class itself, or what makes one that tells its steps."""

    def __call__(self, board: Board, budget: Budget, *, by_history: bool) -> "Tree": ...


class Tree(Negamax[Board, BoardState]):
    """The search of a board whose cells are all tried, or that has gravity."""

    def __init__(self, board: Board, budget: Budget, *, by_history: bool = True) -> None:
        super().__init__(board, budget, by_history=by_history)
        cells = board.rules.cells
        self._width = _WIDTH if cells > _ALL and not board.rules.gravity else cells
        """How many cells are tried, where no threat is to be answered."""
        self._few = cells - _EARLY if cells <= _SMALL else cells + 1
        self._views = [
            ([1 << image + cells for image in view], [1 << image for image in view])
            for view in symmetries(board.rules)
        ]

    def look(self, state: BoardState, depth: int, low: int, high: int) -> Found:
        value, cells, forced = options_of(self._board.rules, state)
        if value is not None:
            return Found(value, proven=True)
        if (low >= 0 and not state.own_open) or (high <= 0 and not state.other_open):
            return Found(0, proven=True)
        if not forced:
            if depth <= 0:
                return Found(self._board.estimate(state), proven=False)
            depth -= 1
            if depth == 0 and not state.other_ends:
                # Far above the window, without a threat: one ply would not change that.
                least = self._board.estimate(state) - _MARGIN
                if least >= high:
                    return Found(least, proven=False)
        key, cell = self._key(state), -1
        known = self._known.get(key)
        if known is not None:
            found = self._recall(known, depth, low, high)
            if found is not None:
                return found
            cell = known.cell
        complete = cells.bit_count() <= self._width
        if not complete:
            cells = bitboard(self._board.best_cells(state, cells, self._width))
        self.budget.spend(cells.bit_count())
        children = self.children(state, cells, cell)
        found, cell = self._best(children, depth, low, high, complete=complete)
        return self._keep(key, depth, low, high, found, cell)

    def children(self, state: BoardState, cells: int, first: int = -1) -> Children[BoardState]:
        """Yield the cells to try and the states after them, the most promising first.

        The cell `first` comes before all others: usually it is enough, and the loop ends there.
        """
        place, history = self._board.place, self._history
        if first >= 0 and cells >> first & 1:
            yield first, place(state, first)
            cells ^= 1 << first
        order = []
        for cell in cells_of(cells):
            child = place(state, cell)
            order.append((child.own_worth - child.other_worth - history[cell], cell, child))
        order.sort()
        for _, cell, child in order:
            yield cell, child

    def _key(self, state: BoardState) -> int:
        own, other = state.own, state.other
        cells = self._board.rules.cells
        if cells - (own | other).bit_count() < self._few:
            return own << cells | other
        own_cells, other_cells = cells_of(own), cells_of(other)
        return min(
            sum(map(shifted.__getitem__, own_cells)) + sum(map(plain.__getitem__, other_cells))
            for shifted, plain in self._views
        )


_SOLVABLE: Final = {False: 18, True: 31}
"""The most empty cells, without and with gravity, from which a second or two reach the end."""

_FIRST: Final = 4
"""The plies of the rounds before that, which give an answer if the end is out of reach."""

_ROOT_WIDTH: Final = 64
"""The most cells that are tried in the position itself, if marks do not fall."""

_SOLVING: Final = 0.75
"""The part of the budget in which to solve the position."""


class Rounds(Deepening[BoardState]):
    """Finds the best cell where all cells can be tried."""

    def __init__(self, position: Position, budget: Budget, make_tree: MakeTree = Tree) -> None:
        rules = position.rules
        self._board = board_of(rules)
        self._state = self._board.state(position)
        self._make_tree = make_tree
        tree = make_tree(self._board, budget, by_history=True)
        _, cells, _ = options_of(rules, self._state)
        complete = rules.gravity or cells.bit_count() <= _ROOT_WIDTH
        if not complete:
            cells = bitboard(self._board.best_cells(self._state, cells, _ROOT_WIDTH))
        order = list(tree.children(self._state, cells))
        super().__init__(position, tree, order, complete=complete)

    def _deepen(self) -> None:
        can_be_solved = self._left <= _SOLVABLE[self._board.rules.gravity]
        depth = 0
        while self.value is None and depth < self._left:
            depth += 1
            self.estimate = self._round(self._tree, depth, -LIMIT, LIMIT)
            if self.value == 0:
                self._find_draws(self._tree)
            elif depth == _FIRST and can_be_solved and self.value is None:
                self._solve()

    def _solve(self) -> None:
        """Search to the end, for the winner but not the ply: that cuts most of the tree.

        It may take most of the budget, but leaves a part for deeper rounds.
        """
        tree = self._make_tree(self._board, self._tree.budget.share(_SOLVING), by_history=False)
        with suppress(Exhausted):
            self._round(tree, self._left, -1, 1)
        # The deeper rounds choose among the cells that are not known to lose.
        self._order = [
            each for each in self._order if self.values.get(each[0]) != -1
        ] or self._order
        if self.value == 0:
            tree.budget = self._tree.budget
            self._find_draws(tree)

    def _find_draws(self, tree: Negamax[Board, BoardState]) -> None:
        """In a drawn position, find the other cells that draw, too.

        The proof of the draw left no cell out. So none is left out here, and this is proven, too.
        """
        for cell in self._legal:
            if cell not in self.values:
                tree.budget.spend(GLANCE)
                child = self._board.place(self._state, cell)
                self.values[cell] = sign(tree.weigh(child, self._left, -1, 0, scout=False).value)
