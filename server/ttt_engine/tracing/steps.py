"""The steps of a thought: one vocabulary for all strategies. Pure values.

Steps of a search nest: each `NodeEntered` has its `NodeLeft` or `Abandon`, and what lies between is
about that node. All values are for the side that moved into the node, or that would take the cell.
"""

from collections.abc import Callable
from typing import NamedTuple

from ttt_engine.outcome import Value
from ttt_engine.strategy import Thought


class Rule(NamedTuple):
    """A rule was tried. It fits if it names cells."""

    rule: str
    """A few words, such as "win", "block", "centre"; those of the thought if the rule decides."""

    cells: tuple[int, ...]
    """The cells that the rule would play, ascending; none if it does not fit."""


class CellScored(NamedTuple):
    """A cell was scored without a search."""

    cell: int
    value: float
    """On the scale of the strategy; see `Thought.values`."""


class Remember(NamedTuple):
    """The memory was asked how games with this move ended."""

    cell: int
    sequence: tuple[int, ...]
    """The moves that were looked up: the least image of the game so far and the cell."""
    won: int
    lost: int
    drawn: int


class NodeEntered(NamedTuple):
    """A search enters the node after a move."""

    cell: int
    low: int | None = None
    """Values up to this change nothing: alpha. None: the search has no bounds."""
    high: int | None = None
    """Values from this on are enough: beta."""


class TableHit(NamedTuple):
    """The node was seen before; its value comes from the table."""


class Cut(NamedTuple):
    """The node is good enough for the side to move: its other cells are skipped."""

    cells: tuple[int, ...]
    """The skipped cells, in the order in which they would have been tried."""
    low: int | None = None
    high: int | None = None


class NodeLeft(NamedTuple):
    """A search leaves the node that it entered last."""

    value: float
    """On the scale of the search. Beyond the bounds of the node, itself only a bound."""
    result: Value | None = None
    """1, 0 or -1: the value stands for a win, a draw or a loss with best play. None: it does not
    say."""


class Abandon(NamedTuple):
    """The search's budget is spent: it leaves the last node without a value."""


class DepthFinished(NamedTuple):
    """A round of iterative deepening ended."""

    depth: int
    """In plies. A forced answer does not count."""
    cell: int
    """The best cell so far."""
    value: int


class LeftOut(NamedTuple):
    """The trace exceeded its limit: later steps were not kept."""

    steps: int


class Decided(NamedTuple):
    """The last step: what the strategy thinks."""

    thought: Thought


_OfSearch = NodeEntered | TableHit | Cut | NodeLeft | Abandon | DepthFinished
Step = Rule | CellScored | Remember | _OfSearch | LeftOut | Decided

# The names of these steps in 0.1: deprecated, gone in 0.3.
Score, Enter, Return, Decision = CellScored, NodeEntered, NodeLeft, Decided

Tell = Callable[[Step], None]
"""Takes a step of a thought, in order."""
