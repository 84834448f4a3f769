"""The trees of a search, which tell their steps if asked. The search itself is untouched."""

from collections.abc import Iterator
from functools import partial

from ttt_engine.outcome import Value
from ttt_engine.position import Position
from ttt_engine.search.budget import Budget, Exhausted
from ttt_engine.search.drops import Drops
from ttt_engine.search.judged import Judged
from ttt_engine.search.negamax import BoardT, Known, Negamax, StateT
from ttt_engine.search.state import Board, BoardState
from ttt_engine.search.tree import MakeTree, Tree
from ttt_engine.search.value import Found
from ttt_engine.search.wide_tree import MakeWideTree, WideTree
from ttt_engine.threats.board import ThreatBoard, ThreatState
from ttt_engine.tracing.steps import (
    Abandon,
    Cut,
    DepthFinished,
    NodeEntered,
    NodeLeft,
    TableHit,
    Tell,
)


def tree_of(position: Position, tell: Tell | None) -> MakeTree:
    """Return what makes trees below this position, which tell their steps if `tell` is given."""
    own = position.sides[0]

    def make_tree(board: Board, budget: Budget, *, by_history: bool) -> Tree:
        if Drops.knows(board.rules) and not by_history:
            return Drops(board, budget, own=own, tell=tell)
        if Judged.knows(board.rules):
            return Judged(board, budget, own=own, tell=tell)
        if tell is None:
            return Tree(board, budget, by_history=by_history)
        return _TellingTree(own, tell, board, budget, by_history=by_history)

    return make_tree


def wide_tree_of(position: Position, tell: Tell | None) -> MakeWideTree:
    """Return the same for a position of a wide board."""
    return WideTree if tell is None else partial(_TellingWideTree, position.sides[0], tell)


class _Telling(Negamax[BoardT, StateT]):
    """A tree that tells its steps, on any board."""

    def __init__(
        self, own: int, tell: Tell, board: BoardT, budget: Budget, *, by_history: bool
    ) -> None:
        super().__init__(board, budget, by_history=by_history)
        self._movers = [own]
        """The cells of the side to move at each node above, before its move."""
        self._tell = tell

    def look(self, state: StateT, depth: int, low: int, high: int) -> Found:
        self._tell(NodeEntered((state.other ^ self._movers[-1]).bit_length() - 1, -high, -low))
        self._movers.append(state.own)
        try:
            found = super().look(state, depth, low, high)
        except Exhausted:
            self._tell(Abandon())
            raise
        finally:
            self._movers.pop()
        self._tell(NodeLeft(-found.value, _result(found)))
        return found

    def finish(self, depth: int, cell: int, value: int) -> None:
        self._tell(DepthFinished(depth, cell, value))

    def _recall(self, known: Known, depth: int, low: int, high: int) -> Found | None:
        found = super()._recall(known, depth, low, high)
        if found is not None:
            self._tell(TableHit())
        return found

    def _best(
        self,
        children: Iterator[tuple[int, StateT]],
        depth: int,
        low: int,
        high: int,
        *,
        complete: bool,
    ) -> tuple[int, bool, int]:
        best = super()._best(children, depth, low, high, complete=complete)
        left_out = tuple([cell for cell, _ in children])
        if left_out:
            self._tell(Cut(left_out, low, high))
        return best


class _TellingTree(_Telling[Board, BoardState], Tree):
    pass


class _TellingWideTree(_Telling[ThreatBoard, ThreatState], WideTree):
    pass


def _result(found: Found) -> Value | None:
    """Return the result for the side that moved into the node, if it is proven."""
    if not found.proven:
        return None
    return -1 if found.value > 0 else 1 if found.value < 0 else 0
