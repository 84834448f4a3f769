"""Trace a thought: the steps that lead a strategy to its move, and what they cost."""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, Protocol, runtime_checkable

from ttt_engine.position import Position
from ttt_engine.strategy import Strategy, Thought, consult
from ttt_engine.tracing.steps import Decided, LeftOut, NodeEntered, Step, Tell

MOST_STEPS: Final = 10_000
"""The steps that a trace keeps without another limit: about 2 MB."""


@runtime_checkable
class ThinksAloud(Protocol):
    """A strategy that reports its steps, as all built-in ones do."""

    def think_aloud(self, position: Position, tell: Tell | None) -> Thought:
        """Like `Strategy.think`, but report each step."""
        ...


def trace(
    position: Position,
    strategy: Strategy,
    limit: int = MOST_STEPS,
    moves: tuple[int, ...] | None = None,
) -> Iterator[Step]:
    """Yield the steps of a thought, and last its `Decided`: what `consult` returns.

    The strategy thinks to its end before the first step comes, so the decision does not depend on
    the limit. A strategy without `think_aloud`, such as a plug-in, has only its decision.

    Args:
        position: where the game goes on.
        strategy: the strategy. With a clock, it thinks as long as ever, but tells of less.
        limit: the most steps before the decision. `LeftOut` takes the place of those after it.
        moves: the cells that led to `position`, in order; None if only the board is known.

    Raises:
        CannotPlay, GameOver: as `think`, when the first step is asked for.
    """
    kept: list[Step] = []
    left_out = 0

    def tell(step: Step) -> None:
        nonlocal left_out
        if len(kept) < limit:
            kept.append(step)
        else:
            left_out += 1

    thought = think_aloud(strategy, position, moves, tell)
    yield from kept
    if left_out:
        yield LeftOut(left_out)
    yield Decided(thought)


def think_aloud(
    strategy: Strategy, position: Position, moves: tuple[int, ...] | None, tell: Tell
) -> Thought:
    """Like `consult`, but report each step if the strategy can.

    Raises:
        CannotPlay, GameOver: as `think`.
    """
    aloud_after = getattr(strategy, "think_aloud_after", None)
    if moves is not None and aloud_after is not None:
        thought: Thought = aloud_after(position, moves, tell)
        return thought
    if isinstance(strategy, ThinksAloud):
        return strategy.think_aloud(position, tell)
    return consult(strategy, position, moves)


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
