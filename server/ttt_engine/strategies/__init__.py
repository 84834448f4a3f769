"""The strategies by name: the engine's own, and those of installed packages (plug-ins).

A package adds a strategy by an entry point in the group `ttt.strategies`. Its name is the
strategy's name, and its object is a class (or any callable) that makes one:

    [project.entry-points."ttt.strategies"]
    centre = "my_package:Centre"

If a plug-in has the name of a built-in strategy, the built-in one is used.

A class may describe itself with these attributes, all optional:

    levels  True: it is called with `level=`, 0 to 9, if a level is asked for. Default: False.
    parts   the names of the parts (a memory, a clock) to call it with, if the caller has them.
    about   one line: how it thinks.
    boards  one line: where it plays.

A class without any of them is called as `cls()` and returns a `Strategy`. See `strategy.consult`
for a strategy that needs the moves, not only the board.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import metadata
from typing import Any, Final

from ttt_engine.exceptions import BrokenStrategy, EngineError, UnknownStrategy
from ttt_engine.learning.learner import Learner
from ttt_engine.rules import Rules
from ttt_engine.strategies.mcts import Mcts
from ttt_engine.strategies.perfect import Perfect
from ttt_engine.strategies.rules import Guard, OpenLines, Random, RuleBased
from ttt_engine.strategies.search import Search
from ttt_engine.strategies.solvers import BruteForce, Exact, Minimax
from ttt_engine.strategy import (
    HIGHEST_LEVEL,
    Cost,
    Strategy,
    Thought,
    can_play,
    consult,
    require_level,
)
from ttt_engine.variant import entry_points_of

__all__ = [
    "HIGHEST_LEVEL",
    "BruteForce",
    "Cost",
    "Description",
    "Exact",
    "Guard",
    "Learner",
    "Mcts",
    "Minimax",
    "OpenLines",
    "Perfect",
    "Random",
    "RuleBased",
    "Search",
    "Strategy",
    "Thought",
    "add",
    "can_play",
    "consult",
    "cost_of",
    "describe",
    "is_ours",
    "make",
    "names",
]

GROUP: Final = "ttt.strategies"

_BY_RULES: Final = Guard, Learner, OpenLines, Random, RuleBased
_BY_SEARCH: Final = BruteForce, Exact, Mcts, Minimax, Perfect, Search

_OWN: Final[dict[str, Any]] = {maker.name: maker for maker in (*_BY_RULES, *_BY_SEARCH)}


@dataclass(frozen=True, slots=True)
class Description:
    """The facts about a strategy that a player reads before choosing it."""

    name: str
    levels: bool
    """Whether a level makes a difference."""

    about: str
    boards: str


OWN_NAMES: Final = frozenset(_OWN)

_added: dict[str, Any] = {}
"""The makers that this process was given, by name."""


def add(name: str, maker: Any) -> None:
    """Let `make` know a strategy that no package names, only in this process.

    Args:
        name: of the strategy. No strategy of the engine's own is replaced.
        maker: what makes it, with the attributes that a class may have.
    """
    if name not in _OWN:
        _added[name] = maker


def names() -> tuple[str, ...]:
    """Return the names that `make` knows, in order. Import no plug-in.

    A name may turn out to be that of a broken plug-in.
    """
    return tuple(sorted({*_OWN, *_added, *_plugins()}))


def is_ours(name: str) -> bool:
    """Whether the strategy is the engine's own. A plug-in's code may do anything.

    Raises:
        UnknownStrategy: no strategy has this name.
    """
    if name not in _OWN and name not in names():
        raise UnknownStrategy(name, names())
    return name in _OWN


@lru_cache(maxsize=256)
def cost_of(name: str, rules: Rules) -> Cost:
    """Return the cost of a thought on this board: of a strategy that is not ours, a long one."""
    own = _OWN.get(name)
    return Cost.LONG if own is None else own.cost(rules)


def describe(name: str) -> Description:
    """Return what the strategy of this name says of itself.

    Raises:
        UnknownStrategy: no strategy has this name.
        BrokenStrategy: it cannot be imported.
    """
    maker = _load(name)
    return Description(
        name=name,
        levels=bool(getattr(maker, "levels", False)),
        about=str(getattr(maker, "about", "")),
        boards=str(getattr(maker, "boards", "")),
    )


def make(name: str, level: int | None = None, **parts: Any) -> Strategy:
    """Make a strategy by its name.

    Args:
        name: one of `names()`.
        level: 0 to 9, or None for the strategy's own choice. Strategies without levels ignore it.
        parts: what the caller can give, such as a memory. A strategy gets the parts it names.

    Raises:
        UnknownStrategy: no strategy has this name.
        InvalidLevel: no strategy has such a level.
        BrokenStrategy: it cannot be imported or made, or is not a strategy.
    """
    maker = _load(name)
    given = {part: parts[part] for part in getattr(maker, "parts", ()) if part in parts}
    if level is not None:
        require_level(level)
        if getattr(maker, "levels", False):
            given["level"] = level
    try:
        strategy = maker(**given)
    except EngineError:
        raise
    except (Exception, SystemExit) as error:
        raise BrokenStrategy(f"strategy {name!r} cannot be made: {error}") from error
    if not isinstance(strategy, Strategy):
        raise BrokenStrategy(f"{name!r} is not a strategy: it lacks name, plays or think")
    return strategy


def _load(name: str) -> Any:
    """Import the class of this strategy.

    Raises:
        UnknownStrategy: no strategy has this name.
        BrokenStrategy: it cannot be imported.
    """
    if (own := _OWN.get(name) or _added.get(name)) is not None:
        return own
    entry_point = _plugins().get(name)
    if entry_point is None:
        raise UnknownStrategy(name, names())
    try:
        return entry_point.load()
    except (Exception, SystemExit) as error:  # the import of a plug-in can fail in any way
        raise BrokenStrategy(f"strategy {name!r} cannot be imported: {error}") from error


@cache
def _plugins() -> dict[str, metadata.EntryPoint]:
    return entry_points_of(GROUP, _OWN)
