"""Negamax with alpha-beta bounds and a table of earlier results: what the trees of boards share."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from ttt_engine.rules import Rules
from ttt_engine.search.budget import Budget
from ttt_engine.search.value import LIMIT, WON, Found

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

    def __init__(self, board: BoardT, budget: Budget, *, by_history: bool) -> None:
        self._board = board
        self.budget = budget
        self._known: dict[int, Known] = {}
        self._by_history = by_history
        self._history = [0] * board.rules.cells

    @abstractmethod
    def look(self, state: StateT, depth: int, low: int, high: int) -> Found:
        """Return the value of a state if it lies between `low` and `high`, else a bound of it.

        A forced answer does not count as depth: at depth 0 threats are still played out.

        Raises:
            Exhausted: the budget is spent.
        """
        raise NotImplementedError  # pragma: no cover - each tree has its own
        raise NotImplementedError  # pragma: no cover - each tree has its own

    def _remember(self, key: int, depth: int, low: int, high: int, found: Found, cell: int) -> None:
        """Keep the result of a look for the next, with the cell that was best."""
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        value, proven = found
        self._known[key] = Known(
            ENDLESS if proven else depth,
            value if value > low else -LIMIT,
            value if value < high else LIMIT,
            cell,
        )

    def _recall(self, known: Known, depth: int, low: int, high: int) -> Found | None:
        """Return the result of an earlier look if it is enough."""
        if known.depth >= depth:
            if known.low >= high or known.low == known.high:
                return Found(known.low, known.depth == ENDLESS)
            if known.high <= low:
                return Found(known.high, known.depth == ENDLESS)
        return None

    def _best(
        self,
        children: Iterator[tuple[int, StateT]],
        depth: int,
        low: int,
        high: int,
        *,
        complete: bool,
    ) -> tuple[int, bool, int]:
        """Return the value of the best child, whether it is proven, and its cell."""
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
        return best, best_proven if best >= min(high, WON) else all_proven, best_cell

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

    def spend_from(self, budget: Budget) -> None:
        """Go on with another budget."""
        self.budget = budget

    def finish(self, depth: int, cell: int, value: int) -> None:
        """Do nothing: a round of this depth is over, with this best cell."""
