"""The strategies that are installed, ours and those of other packages.

A package adds a strategy by an entry point of the group `ttt.strategies`, whose name is the
strategy's, and whose object is a class (or any callable) that makes one:

    [project.entry-points."ttt.strategies"]
    centre = "my_package:Centre"

The class may say of itself, all optional:

    levels  True: it is called with `level=`, 0 to 9, if a level was asked for. False if left out.
    parts   names of the parts (a memory, a clock) that it is called with, if the caller has them.
    about   one line: how it thinks.
    boards  one line: where it plays.

So one that says nothing is called as `cls()`. What it makes is a `Strategy`; see `base.consult` for
one that wants to know the moves, not only the board.
"""

from dataclasses import dataclass
from functools import cache
from importlib import metadata
from typing import Any, Final

from ttt_engine.exceptions import BrokenStrategy, EngineError, UnknownStrategy
from ttt_engine.strategies.base import Strategy, require_level

GROUP: Final = "ttt.strategies"
_OURS: Final = "ttt_engine."


@dataclass(frozen=True, slots=True)
class Description:
    """What a player is told of a strategy before choosing it."""

    name: str
    levels: bool
    """Whether a level makes a difference."""

    about: str
    boards: str


def names() -> tuple[str, ...]:
    """The names that `make` knows, in order. One of them may be broken: nothing is imported."""
    return tuple(sorted(_entry_points()))


def is_ours(name: str) -> bool:
    """Whether it comes with the engine; else its code is somebody's, and may do anything.

    Raises:
        UnknownStrategy: there is none of this name.
    """
    return str(_entry_point(name).value).startswith(_OURS)


def describe(name: str) -> Description:
    """What the strategy of this name says of itself.

    Raises:
        UnknownStrategy: there is none of this name.
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
    """A strategy by its name.

    Args:
        name: one of `names()`.
        level: 0 to 9, or None for the strategy's own choice; ignored by those without levels.
        parts: what the caller has to give, such as a memory; a strategy gets those it names.

    Raises:
        UnknownStrategy: there is none of this name.
        InvalidLevel: no strategy has such a level.
        BrokenStrategy: it cannot be imported or made, or is no strategy.
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
        raise BrokenStrategy(f"strategy {name!r} is none: it lacks name, plays or think")
    return strategy


def _load(name: str) -> Any:
    """What makes the strategy of this name.

    Raises:
        UnknownStrategy: there is none of this name.
        BrokenStrategy: it cannot be imported.
    """
    entry_point = _entry_point(name)
    try:
        return entry_point.load()
    except (Exception, SystemExit) as error:  # importing a stranger's package can fail in any way
        raise BrokenStrategy(f"strategy {name!r} cannot be imported: {error}") from error


def _entry_point(name: str) -> metadata.EntryPoint:
    found = _entry_points().get(name)
    if found is None:
        raise UnknownStrategy(name, names())
    return found


@cache  # the scan reads the metadata of every installed package
def _entry_points() -> dict[str, metadata.EntryPoint]:
    """By name; of two with one name ours wins, else the first found."""
    found = metadata.entry_points(group=GROUP)
    # The sort is stable and puts ours (False) before those of others (True).
    ordered = sorted(found, key=lambda entry_point: not entry_point.value.startswith(_OURS))
    return {entry_point.name: entry_point for entry_point in reversed(ordered)}
