"""What the engine's own strategies share."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import ClassVar

from ttt_engine.outcome import sign
from ttt_engine.position import SMALLEST, Position
from ttt_engine.rules import Rules
from ttt_engine.search.negamax import WON
from ttt_engine.strategy import Cost, Thought
from ttt_engine.tracing.steps import CellScored, Rule, Tell


class Builtin(ABC):
    """A strategy that plays every board without levels, unless a subclass says otherwise."""

    name: str
    levels: ClassVar[bool] = False
    about: ClassVar[str]
    boards: ClassVar[str] = "every board"
    variants: ClassVar[frozenset[str]] = frozenset()
    """See `strategy.can_play`."""

    def plays(self, rules: Rules) -> bool:  # noqa: ARG002 - for subclasses
        """Return whether it can think on this board."""
        return True

    @staticmethod
    def cost(rules: Rules) -> Cost:
        """Return the cost of a thought on a board that it plays."""
        return Cost.INSTANT if rules.cells == SMALLEST else Cost.SHORT

    def think(self, position: Position) -> Thought:
        """As in `Strategy`."""
        return self.think_aloud(position, None)

    @abstractmethod
    def think_aloud(self, position: Position, tell: Tell | None) -> Thought:
        """Like `think`, but report each step."""


def long_cost(rules: Rules) -> Cost:  # noqa: ARG001 - the same on every board
    """Return the cost of a strategy that always thinks long."""
    return Cost.LONG


class Solver(Builtin):
    """A strategy that looks to the end of the game, so that its scores say who wins."""

    cost = staticmethod(long_cost)

    def worth(self, position: Position) -> int | None:
        """Return the value of the position for the side to move: see `openings.choose`."""
        scores = self.think(position).values
        return sign(max(scores.values())) * WON if scores else None


def told(thought: Thought, tell: Tell | None) -> Thought:
    """Return a thought after its scores and its rule were reported."""
    if tell is not None:
        for cell, value in (thought.values or {}).items():
            tell(CellScored(cell, value))
        tell(Rule(thought.reason, thought.cells))
    return thought


def first_rule(rules: Iterable[tuple[str, tuple[int, ...]]], tell: Tell | None) -> Thought | None:
    """Return the thought of the first rule that finds cells; those that were tried are reported."""
    for reason, cells in rules:
        if tell is not None:
            tell(Rule(reason, cells))
        if cells:
            return Thought(cells, reason)
    return None
