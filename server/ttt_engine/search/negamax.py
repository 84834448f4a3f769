"""What the searches of all boards share: negamax with a table of results, in rounds ever deeper."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar

from ttt_engine.outcome import sign
from ttt_engine.position import Position
from ttt_engine.rules import Rules
from ttt_engine.search.budget import Budget, Exhausted
from ttt_engine.tracing.steps import DepthFinished, Tell

WON: Final = 1 << 24
"""A win is worth this plus the number of empty cells at its end, a loss the negative of that.

So an early win is worth more than a late one. A draw is worth 0, and estimates lie between.
"""

LIMIT: Final = 2 * WON
"""No value reaches this."""


class Found(NamedTuple):
    """The result of a look: a value or, outside the window of the search, a bound of it."""

    value: int
    proven: bool
    """Whether it is certain: no estimate and no left-out cell has a part in it."""


def depth_reason(depth: int, value: int | None) -> str:
    """Return the reason of a thought that looked so many plies ahead, and proved this value."""
    return f"depth {depth}" + ("" if value is None else f", {value:+}" if value else ", 0")


MOST_KNOWN: Final = 1 << 20
"""The most positions that are remembered, in a few hundred MB. Then memory begins anew."""

ENDLESS: Final = 1 << 10
"""The depth of a proven value, which no deeper look would change."""


class SearchState(Protocol):
    """A position in which the game goes on, as the board of a search sees it."""

    @property
    def own(self) -> int:
        """The cells of the side to move."""

    @property
    def other(self) -> int:
        """The cells of the other side."""


class SearchBoard(Protocol):
    """The board that makes such states."""

    @property
    def rules(self) -> Rules:
        """Its rules."""


StateT = TypeVar("StateT", bound=SearchState)
BoardT = TypeVar("BoardT", bound=SearchBoard)

Children = Iterator[tuple[int, StateT]]
"""Cells and the states after them, in the order of trying."""

Order = list[tuple[int, StateT]]
"""The same, of the position itself."""


class Known(NamedTuple):
    """The result of an earlier look: the value is at least `low` and at most `high`."""

    depth: int
    low: int
    high: int
    cell: int
    """The best cell, or one that was good enough. It may be that of an image, so it is a hint."""


class Negamax(ABC, Generic[BoardT, StateT]):
    """A search of game trees on one board.

    With `by_history`, cells that were good enough elsewhere are tried earlier. That helps where
    values are estimates. A search to the very end takes twice as long with it.
    """

    def __init__(self, board: BoardT, budget: Budget, *, by_history: bool = False) -> None:
        self._board = board
        self.budget = budget
        self._known: dict[int, Known] = {}
        self._by_history = by_history
        self._history = [0] * board.rules.cells
        self._tell: Tell | None = None
        """Takes the steps of a tree that tells them."""

    @abstractmethod
    def look(self, state: StateT, depth: int, low: int, high: int) -> Found:
        """Return the value of a state if it lies between `low` and `high`, else a bound of it.

        A forced answer does not count as depth: at depth 0 threats are still played out.

        Raises:
            Exhausted: the budget is spent.
        """
        raise NotImplementedError  # pragma: no cover - each tree has its own
        raise NotImplementedError  # pragma: no cover - each tree has its own

    def _key(self, state: StateT) -> int:
        """Return what a result is remembered by."""
        return state.own << self._board.rules.cells | state.other

    def _keep(self, key: int, depth: int, low: int, high: int, found: Found, cell: int) -> Found:
        """Keep the result of a look for the next, with the cell that was best, and return it."""
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        value, proven = found
        self._known[key] = Known(
            ENDLESS if proven else depth,
            value if value > low else -LIMIT,
            value if value < high else LIMIT,
            cell,
        )
        return found

    def _recall(self, known: Known, depth: int, low: int, high: int) -> Found | None:
        """Return the result of an earlier look if it is enough."""
        if known.depth >= depth:
            if known.low >= high or known.low == known.high:
                return Found(known.low, known.depth == ENDLESS)
            if known.high <= low:
                return Found(known.high, known.depth == ENDLESS)
        return None

    def _best(
        self, children: Children[StateT], depth: int, low: int, high: int, *, complete: bool
    ) -> tuple[Found, int]:
        """Return the value of the best child, and its cell."""
        best, best_cell, best_proven = -LIMIT, -1, False
        all_proven = complete
        for index, (cell, child) in enumerate(children):
            value, proven = self._try(index, child, depth, low, high)
            all_proven = all_proven and proven
            if value > best:
                best, best_cell, best_proven = value, cell, proven
                low = max(low, best)
                if best >= high:
                    self._history[cell] += depth * depth * self._by_history
                    break
        # A single proven cell is enough for a bound or a win. Otherwise every cell must be proven.
        return Found(best, best_proven if best >= min(high, WON) else all_proven), best_cell

    def try_at_root(self, index: int, child: StateT, depth: int, low: int, high: int) -> Found:
        """Weigh a cell of the position itself: the one of this number in the order of trying."""
        return self.weigh(child, depth, low, high, scout=index > 0)

    def _try(self, index: int, child: StateT, depth: int, low: int, high: int) -> Found:
        """Weigh the child of this number in the order of trying."""
        return self.weigh(child, depth, low, high, scout=index > 0)

    def weigh(self, child: StateT, depth: int, low: int, high: int, *, scout: bool) -> Found:
        """Return the value of a child, as `look` does, but for the side that moved into it.

        A scout first asks whether it is above `low` at all. That costs less, and is usually enough.
        """
        value, proven = self.look(child, depth, -low - 1 if scout else -high, -low)
        if scout and low < -value < high:
            value, proven = self.look(child, depth, -high, -low)
        return Found(-value, proven)

    def finish(self, depth: int, cell: int, value: int) -> None:
        """Tell, if somebody asked, that a round of this depth is over, with this best cell."""
        if self._tell is not None:
            self._tell(DepthFinished(depth, cell, value))


GLANCE: Final = 4
"""The least cost of trying a cell, in positions, even if a look is enough."""


class Deepening(Generic[StateT]):
    """Finds the best cell of a position with a choice. There is a best cell at any time."""

    def __init__(
        self, position: Position, tree: Negamax[Any, StateT], order: Order[StateT], complete: bool
    ) -> None:
        """Begin with these cells, and the states after them, in this order.

        `complete`: it is certain that no other cell is better.
        """
        self._legal: Final = position.legal_moves
        self._left: Final = position.rules.cells - position.ply
        self._tree: Final = tree
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

    def _deepen(self) -> None:
        """Search round after round, until more would change nothing.

        Raises:
            Exhausted: the budget is spent.
        """
        depth = 0
        while self.value is None and abs(self.estimate) < WON:
            depth += 1
            self.estimate = self._round(self._tree, depth, -LIMIT, LIMIT)

    def _round(self, tree: Negamax[Any, StateT], depth: int, low: int, high: int) -> int:
        """Weigh every cell; return the value of the best if it lies between `low` and `high`."""
        best, all_proven = low, self._complete
        rejected: list[tuple[int, int]] = []
        for index, (cell, child) in enumerate(self._order):
            tree.budget.spend(GLANCE)
            value, proven = tree.try_at_root(index, child, depth - 1, best, high)
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

    def _holds(self, cell: int) -> bool:  # noqa: ARG002 - on a wide board it matters
        """Return whether a cell that looks best is not known to lose."""
        return True
