"""What a strategy is, and what it thinks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final, Protocol, runtime_checkable

from ttt_engine.exceptions import CannotPlay, GameOver, InvalidLevel, InvalidThought
from ttt_engine.position import Position
from ttt_engine.rules import Rules

HIGHEST_LEVEL: Final = 9
"""Levels are 0 to this."""


class Cost(Enum):
    """How long a thought takes at most, and so where it may run."""

    INSTANT = auto()
    """Up to 0.1 ms, but for the first thought, which may take 10 ms: an event loop can wait."""

    SHORT = auto()
    """Up to some milliseconds."""

    LONG = auto()
    """Up to seconds, and much memory: for a process of its own."""


@dataclass(frozen=True, slots=True)
class Thought:
    """What a strategy makes of a position.

    Raises:
        InvalidThought: there is no cell, or they are no tuple in ascending order.
    """

    cells: tuple[int, ...]
    """The legal cells it holds equally good: ascending, never empty. The caller picks one."""

    reason: str
    """A few words that a player understands: "win", "block", "depth 6, +1"."""

    values: Mapping[int, float] | None = field(default=None, hash=False)
    """Legal cells' scores on the strategy's own scale, for the side to move; or None.

    A cell that it has not scored is left out.
    """

    def __post_init__(self) -> None:
        if not self.cells or self.cells != tuple(sorted(set(self.cells))):
            raise InvalidThought(f"{self.cells}: must be a tuple of cells, in ascending order")


@runtime_checkable
class Strategy(Protocol):
    """Chooses moves. The same position gets the same thought, always: chance is the caller's."""

    name: str

    def plays(self, rules: Rules) -> bool:
        """Whether it can think on this board."""
        ...

    def think(self, position: Position) -> Thought:
        """The best cells, in its view, for the side to move.

        Raises:
            CannotPlay: it does not play on this board.
            GameOver: there is nothing left to think about.
        """
        ...


def consult(
    strategy: Strategy, position: Position, moves: tuple[int, ...] | None = None
) -> Thought:
    """What a strategy thinks of a position, told how it came about if it wants to know.

    One to which the order of the moves makes a difference has, beside `think`, a method
    `think_after(position, moves)`.

    Args:
        moves: the cells that led to `position`, in order; None where only the board is known.

    Raises:
        CannotPlay, GameOver: as `think`.
    """
    think_after = getattr(strategy, "think_after", None)
    if moves is None or think_after is None:
        return strategy.think(position)
    thought: Thought = think_after(position, moves)
    return thought


def require_playable(strategy: Strategy, position: Position) -> None:
    """Let a strategy think only where it can: what every `think` of ours begins with.

    Raises:
        CannotPlay: it does not play on this board.
        GameOver: the game has its outcome.
    """
    if not strategy.plays(position.rules):
        raise CannotPlay(f"{strategy.name} does not play {position.rules}")
    if position.outcome() is not None:
        raise GameOver("the game is over")


def require_level(level: int) -> int:
    """The level, if it is one.

    Raises:
        InvalidLevel: it is not 0 to 9.
    """
    if not 0 <= level <= HIGHEST_LEVEL:
        raise InvalidLevel(f"level {level}: must be 0 to {HIGHEST_LEVEL}")
    return level
