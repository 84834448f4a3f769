"""Compare strategies on one position: thought, time and number of nodes."""

from collections.abc import Callable
from typing import NamedTuple

from ttt_engine.position import Position
from ttt_engine.strategy import Strategy, Thought, consult
from ttt_engine.tracing.steps import NodeEntered, Step
from ttt_engine.tracing.trace import think_aloud


class Compared(NamedTuple):
    """A thought, and what it cost."""

    thought: Thought
    seconds: float
    """The time of only the thought, without a trace. A table may make it short."""
    nodes: int
    """The nodes that it enters from empty tables; 0 for a strategy that does not search."""


def compare(
    position: Position,
    strategy: Strategy,
    clock: Callable[[], float],
    moves: tuple[int, ...] | None = None,
) -> Compared:
    """Let a strategy think twice: once for the time, once to count its nodes.

    Args:
        position: where the game goes on.
        strategy: the strategy.
        clock: returns seconds.
        moves: the cells that led to `position`, in order; None if only the board is known.

    Raises:
        CannotPlay, GameOver: as `think`.
    """
    nodes = 0

    def count(step: Step) -> None:
        nonlocal nodes
        nodes += isinstance(step, NodeEntered)

    began = clock()
    thought = consult(strategy, position, moves)
    seconds = clock() - began
    think_aloud(strategy, position, moves, count)
    return Compared(thought, seconds, nodes)
