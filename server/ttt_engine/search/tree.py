"""The search of a game tree, to a depth or to the end."""

from collections.abc import Iterator
from typing import Final, NamedTuple, Protocol

from ttt_engine.bitboard import cells_of
from ttt_engine.search.budget import Budget
from ttt_engine.search.options import options_of
from ttt_engine.search.state import Board, State
from ttt_engine.search.value import LIMIT, WON, Found
from ttt_engine.symmetry import symmetries

MOST_KNOWN: Final = 1 << 20
"""The most positions that are remembered, in a few hundred MB. Then memory begins anew."""

_ENDLESS: Final = 1 << 10
"""The depth of a proven value, which no deeper look would change."""

_SMALL: Final = 25
"""The most cells of a board on which a position and its images are remembered as one."""

_EARLY: Final = 3
"""The most marks of such a position. With more marks few images meet, and it costs too much."""

_WIDTH: Final = 16
"""The cells that are tried on a wide board: those that look best."""

_MARGIN: Final = 600
"""The most that a quiet ply usually changes a value: less than a mark that leaves a line one
short."""


class Known(NamedTuple):
    """The result of an earlier look: the value is at least `low` and at most `high`."""

    depth: int
    low: int
    high: int
    cell: int
    """The best cell, or one that was good enough. It may be that of an image, so it is a hint."""


class MakeTree(Protocol):
    """Makes a tree: the class itself, or what makes one that tells its steps."""

    def __call__(self, board: Board, budget: Budget, *, by_history: bool) -> "Tree": ...


class Tree:
    """Negamax with alpha-beta bounds, and a table of earlier results.

    With `by_history`, cells that were good enough elsewhere are tried earlier. That helps where
    values are estimates. A search to the very end takes twice as long with it.
    """

    def __init__(self, board: Board, budget: Budget, *, by_history: bool = True) -> None:
        self._board = board
        self.budget = budget
        self._known: dict[int, Known] = {}
        self._by_history = by_history
        self._history = [0] * board.rules.cells
        cells = board.rules.cells
        self._few = cells - _EARLY if cells <= _SMALL else cells + 1
        self._views = [
            ([1 << image + cells for image in view], [1 << image for image in view])
            for view in symmetries(board.rules)
        ]

    def look(self, state: State, depth: int, low: int, high: int) -> Found:
        """Return the value of a state if it lies between `low` and `high`, else a bound of it.

        A forced answer does not count as depth: at depth 0 threats are still played out.

        Raises:
            Exhausted: the budget is spent.
        """
        value, cells, forced, complete = options_of(self._board.rules, state)
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
        self.budget.spend(cells.bit_count())
        children = self.children(state, cells, cell)
        complete = complete and not self.cuts(cells)
        value, proven, cell = self._best(children, depth, low, high, complete=complete)
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        self._known[key] = Known(
            _ENDLESS if proven else depth,
            value if value > low else -LIMIT,
            value if value < high else LIMIT,
            cell,
        )
        return Found(value, proven)

    def _recall(self, known: Known, depth: int, low: int, high: int) -> Found | None:
        """Return the result of an earlier look if it is enough."""
        if known.depth >= depth:
            if known.low >= high or known.low == known.high:
                return Found(known.low, known.depth == _ENDLESS)
            if known.high <= low:
                return Found(known.high, known.depth == _ENDLESS)
        return None

    def _best(
        self,
        children: Iterator[tuple[int, State]],
        depth: int,
        low: int,
        high: int,
        *,
        complete: bool,
    ) -> tuple[int, bool, int]:
        """Return the value of the best child, whether it is proven, and its cell."""
        best, best_cell, best_proven = -LIMIT, -1, False
        all_proven = complete
        for cell, child in children:
            value, proven = self.weigh(child, depth, low, high, scout=best_cell >= 0)
            all_proven = all_proven and proven
            if value > best:
                best, best_cell, best_proven = value, cell, proven
                low = max(low, best)
                if best >= high:
                    self._history[cell] += depth * depth * self._by_history
                    break
        # One proven cell is enough for a bound or a win. Otherwise every cell must be proven.
        return best, best_proven if best >= min(high, WON) else all_proven, best_cell

    def weigh(self, child: State, depth: int, low: int, high: int, *, scout: bool) -> Found:
        """Return the value of a child, as `look` does, but for the side that moved into it.

        A scout first asks whether it is above `low` at all. That costs less, and is usually enough.
        """
        value, proven = self.look(child, depth, -low - 1 if scout else -high, -low)
        if scout and low < -value < high:
            value, proven = self.look(child, depth, -high, -low)
        return Found(-value, proven)

    def spend_from(self, budget: Budget) -> None:
        """Go on with another budget."""
        self.budget = budget

    def finish(self, depth: int, cell: int, value: int) -> None:
        """Do nothing: a round of this depth is over, with this best cell."""

    def cuts(self, cells: int) -> bool:
        """Return whether these cells are too many to try them all."""
        return self._board.wide and cells.bit_count() > _WIDTH

    def children(self, state: State, cells: int, first: int = -1) -> Iterator[tuple[int, State]]:
        """Yield the cells to try and the states after them, the most promising first.

        The cell `first` comes before all others: usually it is enough, and the loop ends there.
        """
        place, history = self._board.place, self._history
        most = _WIDTH if self.cuts(cells) else cells.bit_count()
        if first >= 0 and cells >> first & 1:
            yield first, place(state, first)
            cells ^= 1 << first
            most -= 1
        order = []
        for cell in cells_of(cells):
            child = place(state, cell)
            order.append((child.own_worth - child.other_worth - history[cell], cell, child))
        order.sort()
        for _, cell, child in order[:most]:
            yield cell, child

    def _key(self, state: State) -> int:
        own, other = state.own, state.other
        cells = self._board.rules.cells
        if cells - (own | other).bit_count() < self._few:
            return own << cells | other
        own_cells, other_cells = cells_of(own), cells_of(other)
        return min(
            sum(map(shifted.__getitem__, own_cells)) + sum(map(plain.__getitem__, other_cells))
            for shifted, plain in self._views
        )
