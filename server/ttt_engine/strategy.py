"""The protocol of a strategy, and its thoughts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Final, Protocol, runtime_checkable

from ttt_engine.exceptions import CannotPlay, GameOver, InvalidLevel, InvalidThought
from ttt_engine.position import Position
from ttt_engine.rules import Rules

HIGHEST_LEVEL: Final = 9
"""Levels go from 0 to this."""


class Cost(Enum):
    """How long a thought may take, and so where it may run."""

    INSTANT = auto()
    """Up to 0.1 ms, or 10 ms for the first thought: fit for an event loop."""

    SHORT = auto()
    """Up to some milliseconds."""

    LONG = auto()
    """Up to seconds, and much memory: needs a process of its own."""


@dataclass(frozen=True, slots=True)
class Thought:
    """The cells that a strategy would play in a position.

    Raises:
        InvalidThought: `cells` is empty, or not a tuple in ascending order.
    """

    cells: tuple[int, ...]
    """The legal cells that it considers equally good: ascending, never empty. The caller picks."""

    reason: str
    """A few words for players: "win", "block", "depth 6, +1"."""

    values: Mapping[int, float] | None = field(default=None, hash=False)
    """The scores of legal cells for the side to move, on the strategy's own scale; or None.

    Cells without a score are left out.
    """

    def __post_init__(self) -> None:
        if not self.cells or self.cells != tuple(sorted(set(self.cells))):
            raise InvalidThought(f"{self.cells}: must be a tuple of cells, in ascending order")


@runtime_checkable
class Strategy(Protocol):
    """Chooses moves. The same position always gets the same thought; randomness is the caller's."""

    name: str

    def plays(self, rules: Rules) -> bool:
        """Return whether it can think on this board."""
        ...

    def think(self, position: Position) -> Thought:
        """Return the cells that it considers best for the side to move.

        Raises:
            CannotPlay: it does not play on this board.
            GameOver: the game has its outcome.
        """
        ...


def consult(
    strategy: Strategy, position: Position, moves: tuple[int, ...] | None = None
) -> Thought:
    """Return what a strategy thinks of a position, with the moves that led there if it takes them.

    A strategy for which the order of the moves matters has, beside `think`, a method
    `think_after(position, moves)`.

    Args:
        moves: the cells that led to `position`, in order; None if only the board is known.

    Raises:
        CannotPlay, GameOver: as `think`.
    """
    think_after = getattr(strategy, "think_after", None)
    if moves is None or think_after is None:
        return strategy.think(position)
    thought: Thought = think_after(position, moves)
    return thought


def best_of(scores: Mapping[int, Any]) -> tuple[int, ...]:
    """Return the cells with the highest score, ascending."""
    best = max(scores.values())
    return tuple(sorted([cell for cell, score in scores.items() if score == best]))


EVERY: Final = frozenset({"*"})
"""The `variants` of a strategy that plays them all, a plug-in's too."""


def can_play(strategy: Strategy, rules: Rules) -> bool:
    """Return whether a strategy can think on this board, under these rules.

    It is asked about a variant only if its attribute `variants`, a set of names, has that one or
    "*": most strategies were written for the plain game, and their `plays` sees a board alone.
    """
    if rules.variant is not None:
        declared = getattr(strategy, "variants", ())
        if rules.variant not in declared and "*" not in declared:
            return False
    return strategy.plays(rules)


def require_playable(strategy: Strategy, position: Position) -> None:
    """Check that a strategy can think here; every built-in `think` does this first.

    Raises:
        CannotPlay: it does not play on this board.
        GameOver: the game has its outcome.
    """
    if not can_play(strategy, position.rules):
        raise CannotPlay(f"{strategy.name} does not play {position.rules}")
    if position.outcome() is not None:
        raise GameOver("the game is over")


def require_level(level: int) -> int:
    """Return the level.

    Raises:
        InvalidLevel: it is not 0 to 9.
    """
    if not 0 <= level <= HIGHEST_LEVEL:
        raise InvalidLevel(f"level {level}: must be 0 to {HIGHEST_LEVEL}")
    return level
