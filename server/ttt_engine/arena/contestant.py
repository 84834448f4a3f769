"""The contestants of the arena: strategies with levels."""

from dataclasses import dataclass
from typing import Final, Self

from ttt_engine.exceptions import BrokenStrategy, CannotPlay, EngineError, InvalidLevel
from ttt_engine.rules import Rules
from ttt_engine.strategies import HIGHEST_LEVEL, Strategy, can_play, make, names

SLOW: Final = {"mcts": 2, "search": 0}
"""Strategies that are slow at their default level, with a level at which they are quick."""


@dataclass(frozen=True, slots=True)
class Contestant:
    """A strategy, and its level if one is given."""

    name: str
    level: int | None = None

    def __str__(self) -> str:
        return self.name if self.level is None else f"{self.name}:{self.level}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the contestant that `str` wrote: `rules`, `minimax:5`.

        Raises:
            InvalidLevel: the text after the colon is not a level.
        """
        name, colon, level = text.partition(":")
        if not colon:
            return cls(name)
        if level not in map(str, range(HIGHEST_LEVEL + 1)):
            raise InvalidLevel(f"{text}: a level is 0 to {HIGHEST_LEVEL}")
        return cls(name, int(level))

    def make(self, rules: Rules) -> Strategy:
        """Make the strategy, for this board.

        Raises:
            UnknownStrategy, BrokenStrategy: it cannot be made.
            CannotPlay: it does not play on this board.
        """
        strategy = make(self.name, self.level)
        try:
            plays = can_play(strategy, rules)
        except (Exception, SystemExit) as error:  # a plug-in can fail in any way
            raise BrokenStrategy(f"strategy {self.name!r} cannot say where it plays") from error
        if not plays:
            raise CannotPlay(f"{self} does not play {rules}")
        return strategy


def everyone(rules: Rules) -> tuple[tuple[Contestant, ...], tuple[EngineError, ...]]:
    """Return all strategies that play on this board, by name, and the errors of broken ones."""
    found, broken = [], []
    for name in names():
        contestant = Contestant(name, SLOW.get(name))
        try:
            contestant.make(rules)
        except CannotPlay:
            continue
        except EngineError as error:
            broken.append(error)
        else:
            found.append(contestant)
    return tuple(found), tuple(broken)
