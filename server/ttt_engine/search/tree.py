"""The search itself: what follows a position, a few plies deep or to the end."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from ttt_engine.bitboard import cells_of
from ttt_engine.search.budget import Budget
from ttt_engine.search.options import options_of
from ttt_engine.search.state import Board, State
from ttt_engine.search.value import LIMIT, WON, Found
from ttt_engine.symmetry import symmetries

MOST_KNOWN: Final = 1 << 20
"""So many positions are remembered, in a few hundred megabytes; then memory begins anew."""

_ENDLESS: Final = 1 << 10
"""The depth of what is proven: no deeper look would change it."""

_SMALL: Final = 25
"""On boards of up to so many cells, a position and its images are one, """

_EARLY: Final = 3
"""up to so many marks; later few meet, and it costs more than it saves."""

_WIDTH: Final = 16
"""On a wide board, so many cells are tried: those that look best at once."""

_MARGIN: Final = 600
"""By so much, less than a mark that makes a line one short, a quiet ply mostly changes a value."""


class Known(NamedTuple):
    """What an earlier look found: the value is at least `low` and at most `high`."""

    depth: int
    low: int
    high: int
    cell: int
    """The best cell, or the one that was good enough; perhaps that of an image. A hint."""


class Tree:
    """Negamax with alpha-beta bounds. What it finds, it remembers for the next look.

    With `by_history`, cells that were good enough elsewhere are tried earlier. That helps where
    values are estimates; a look to the very end takes twice as long with it.
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
        """The value of a state if it lies between `low` and `high`, else a bound of it.

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
                # Far above what is asked for, and nothing threatens: one ply would not change it.
                least = self._board.estimate(state) - _MARGIN
                if least >= high:
                    return Found(least, proven=False)
        key, cell = self._key(state), -1
        known = self._known.get(key)
        if known is not None:
            if known.depth >= depth:
                if known.low >= high or known.low == known.high:
                    return Found(known.low, known.depth == _ENDLESS)
                if known.high <= low:
                    return Found(known.high, known.depth == _ENDLESS)
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

    def _best(
        self,
        children: Iterator[tuple[int, State]],
        depth: int,
        low: int,
        high: int,
        *,
        complete: bool,
    ) -> tuple[int, bool, int]:
        """The value of the best child, whether it is proven, and its cell."""
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
        # One good cell is enough to reach a bound or a win; else every cell has a say.
        return best, best_proven if best >= min(high, WON) else all_proven, best_cell

    def weigh(self, child: State, depth: int, low: int, high: int, *, scout: bool) -> Found:
        """The value of a child, as `look` tells it, but for the side that moved into it.

        A scout asks first whether it is above `low` at all, which costs less, and is mostly all.
        """
        value, proven = self.look(child, depth, -low - 1 if scout else -high, -low)
        if scout and low < -value < high:
            value, proven = self.look(child, depth, -high, -low)
        return Found(-value, proven)

    def cuts(self, cells: int) -> bool:
        """Whether these are too many to try them all."""
        return self._board.wide and cells.bit_count() > _WIDTH

    def children(self, state: State, cells: int, first: int = -1) -> Iterator[tuple[int, State]]:
        """The cells to try, and what the other side then sees; what looks best comes early.

        The cell `first` comes before all: mostly it is enough, and nobody asks for the others.
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
