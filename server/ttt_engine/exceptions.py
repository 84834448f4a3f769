"""The exceptions of the engine.

"Invalid" things do not exist in any game: a board of two rows, a cell named "z99". An "illegal"
move exists, but may not be made now. The third branch is about strategies.

    EngineError
    ├── Invalid (also a ValueError)
    │   ├── InvalidRules        no such board
    │   │   └── UnknownVariant  no variant of that name
    │   ├── InvalidPosition     no game leads to it
    │   ├── InvalidCell         not a cell, or not the name of a cell, of this board
    │   ├── InvalidLevel        not a level of a strategy
    │   └── InvalidThought      a thought without cells, or out of order
    ├── IllegalMove             checked in this order:
    │   ├── GameOver            the game has its outcome
    │   ├── OutOfBoard          no such cell on this board
    │   ├── CellTaken           there is a mark on it
    │   ├── FloatingCell        with gravity: nothing lies below it
    │   └── OtherBoard          it is free, but another small board is to be played
    ├── BrokenVariant           a plug-in's variant failed, or broke its contract
    └── StrategyError
        ├── UnknownStrategy     no strategy has this name
        ├── BrokenStrategy      its package is at fault: it cannot be imported or made
        └── CannotPlay          it does not play on this board
"""

from collections.abc import Iterable
from typing import Literal


class EngineError(Exception):
    """The root of all exceptions that the engine raises on purpose."""


class Invalid(EngineError, ValueError):
    """It does not exist in any game."""


class InvalidRules(Invalid):
    """No board is like this."""


class UnknownVariant(InvalidRules):
    """No variant has this name; `proposal` is a sentence with a name that exists."""

    def __init__(self, name: str, proposal: str) -> None:
        self.name = name
        self.proposal = proposal
        # Both go to Exception, so that pickle can make this one again in another process.
        super().__init__(name, proposal)

    def __str__(self) -> str:
        return f"no variant {self.name!r}; {self.proposal}"


Flaw = Literal["size", "letters", "turns", "floating", "line", "order"]
"""The fault of a position: the number of cells, a letter, the numbers of X and O, a mark that
floats, a line after which play went on, a board that does not say in which order it was played."""


class InvalidPosition(Invalid):
    """No game leads to this position."""

    def __init__(self, words: str, flaw: Flaw) -> None:
        super().__init__(words)
        self.flaw: Flaw = flaw


class InvalidCell(Invalid):
    """Not a cell, or not the name of a cell, of this board."""


class InvalidLevel(Invalid):
    """Not a level of a strategy."""


class InvalidThought(Invalid):
    """A thought without cells, or with cells out of order."""


class IllegalMove(EngineError):
    """A move that may not be made now."""


class GameOver(IllegalMove):
    """The game has its outcome."""


class OutOfBoard(IllegalMove):
    """The board has no such cell."""


class CellTaken(IllegalMove):
    """There is a mark on the cell."""


class FloatingCell(IllegalMove):
    """With gravity: the cell below is empty."""


class OtherBoard(IllegalMove):
    """The cell is free, but lies in a small board that may not be played now."""


class BrokenVariant(EngineError):
    """A plug-in's variant cannot be made, failed, or broke its contract; the text says how."""


class StrategyError(EngineError):
    """A strategy cannot be made, or cannot be used here."""


class UnknownStrategy(StrategyError):
    """No strategy has this name; `names` are those that exist, in order."""

    def __init__(self, name: str, names: Iterable[str]) -> None:
        self.name = name
        self.names = tuple(names)
        # Both go to Exception, so that pickle can make this one again in another process.
        super().__init__(name, self.names)

    def __str__(self) -> str:
        return f"no strategy {self.name!r}; there are: {', '.join(self.names)}"


class BrokenStrategy(StrategyError):
    """A plug-in's strategy cannot be imported or made; the cause says why."""


class CannotPlay(StrategyError):
    """The strategy does not play on this board."""
