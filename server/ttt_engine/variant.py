"""What a variant of the game is, and the variants by name: ours, and those of plug-ins.

A package adds a variant by an entry point in the group `ttt_rooms.variants`. Its name is the
variant's name, and its object a subclass of `Variant`:

    [project.entry-points."ttt_rooms.variants"]
    hex = "my_package:Hex"
"""

from abc import ABC, abstractmethod
from collections.abc import Container, Mapping
from difflib import get_close_matches
from functools import cache, lru_cache
from importlib import metadata
from typing import Any, ClassVar, Final, NamedTuple

from ttt_engine.exceptions import BrokenVariant, InvalidRules, UnknownVariant
from ttt_engine.lines import Lines, lines_of

GROUP: Final = "ttt_rooms.variants"

_OWN: Final = {
    name: metadata.EntryPoint(name, f"ttt_engine.variants.{name}:{name.capitalize()}", GROUP)
    for name in ("connect6", "cube", "misere", "notakto", "torus", "ultimate", "vanishing")
}


class BoardSize(NamedTuple):
    """The board of a variant."""

    columns: int
    rows: int
    in_a_row: int
    gravity: bool = False

    def __str__(self) -> str:
        return f"{self.columns}x{self.rows}x{self.in_a_row}{'g' if self.gravity else ''}"


class Variant(ABC):
    """A game of the family: its boards, its lines, and the first of its positions.

    The rules of a plug-in run in the process of the server. They read no clock and no chance.
    """

    name: ClassVar[str]

    sizes: ClassVar[Mapping[str, BoardSize]] = {}
    """Its boards by the text after the colon, "" for none. Without any it has all boards but those
    that `why_not` excludes, written as columns x rows x in_a_row."""

    smallest: ClassVar[BoardSize] = BoardSize(3, 3, 3)
    """A board that it has, to propose."""

    _longest: ClassVar[int | None] = None
    """The most columns and rows, if there are fewer than in the plain game."""

    is_symmetric: ClassVar[bool] = False
    """Whether the rotations and mirrors of the board change nothing."""

    loses: ClassVar[bool] = False
    """Whether a line loses."""

    has_pie: ClassVar[bool] = True
    """Whether a game may open with the pie rule."""

    def why_not(self, size: BoardSize) -> str | None:
        """Return why there is no such board; None if there is."""
        if self._longest is not None and max(size.columns, size.rows) > self._longest:
            return f"{self.name} has at most {self._longest} columns and rows"
        if self.sizes:
            return None if size in self.sizes.values() else f"{self.name} has no board {size}"
        return f"{self.name} has no gravity" if size.gravity else None

    def lines(self, size: BoardSize) -> Lines:
        """Return the lines of the board, those of the plain game unless a variant has others."""
        return lines_of(size.columns, size.rows, size.in_a_row)

    def cell_name(self, cell: int, size: BoardSize) -> str | None:  # noqa: ARG002 - for subclasses
        """Return the name of a cell; None for its column's letter and its row's number."""
        return None

    def most_plies(self, size: BoardSize) -> int:
        """Return how many moves a game has at most."""
        return size.columns * size.rows

    @abstractmethod
    def start(self, rules: Any) -> Any:
        """Return the first `Position` of a game with these `Rules`."""

    @abstractmethod
    def parse(self, board: str, rules: Any) -> Any:
        """Return the `Position` with this board.

        Raises:
            InvalidPosition: no game leads to it, or the board alone does not say enough.
        """


def names() -> tuple[str, ...]:
    """Return the names of all variants, in order. A plug-in's may turn out to be broken."""
    return tuple(sorted({*_OWN, *_plugins()}))


def is_ours(name: str) -> bool:
    """Return whether the variant of this name is the engine's own."""
    return name in _OWN


def package_of(name: str) -> str | None:
    """Return the name of the package that has a plug-in's variant; None for our own."""
    entry_point = None if name in _OWN else _plugins().get(name)
    return None if entry_point is None or entry_point.dist is None else entry_point.dist.name


@cache  # bounded: failures are not kept
def variant_of(name: str) -> Variant:
    """Return the variant of this name, made once.

    Raises:
        UnknownVariant: no variant has this name.
        BrokenVariant: its plug-in cannot be imported or made.
    """
    entry_point = _OWN.get(name) or _plugins().get(name)
    if entry_point is None:
        raise UnknownVariant(name, _proposal(name))
    if name in _OWN:
        made: Variant = entry_point.load()()
        return made
    try:
        variant = entry_point.load()()
    except (Exception, SystemExit) as error:  # a plug-in can fail in any way
        raise BrokenVariant(f"variant {name!r} cannot be made: {error}") from error
    if not isinstance(variant, Variant) or variant.name != name:
        raise BrokenVariant(f"variant {name!r} is no `Variant` of that name")
    return variant


@lru_cache(maxsize=64)
def lines_in(name: str, size: BoardSize) -> Lines:
    """Return the lines of a board of this variant, made once."""
    return variant_of(name).lines(size)


def text_of(name: str, size: BoardSize) -> str:
    """Return the text of a variant's board: "ultimate", "cube:4", "misere:3x3x3"."""
    known = variant_of(name).sizes
    text = next((text for text, each in known.items() if each == size), str(size))
    return f"{name}:{text}" if text else name


def size_of(name: str, text: str, size: BoardSize | None) -> BoardSize:
    """Return the board in the text of a variant.

    Args:
        name: of the variant.
        text: the whole text, to quote.
        size: what stands after the colon, if it has the form of a size.

    Raises:
        InvalidRules: the variant has no such board.
    """
    known = variant_of(name).sizes
    _, colon, rest = text.partition(":")
    if rest in known and bool(colon) == bool(rest):
        return known[rest]
    if size is None or (known and size not in known.values()):
        raise InvalidRules(f"{text!r}: {_proposal(text)}")
    return size


def completed(name: str, given: Mapping[str, int]) -> BoardSize:
    """Return a board of a variant that has these columns, rows or marks in a row.

    What is not given is as on the first of its boards with the rest, or on its `smallest`.
    """
    variant = variant_of(name)
    boards = [*variant.sizes.values()] or [variant.smallest]
    fitting = (size for size in boards if given.items() <= size._asdict().items())
    fields: dict[str, Any] = {**next(fitting, boards[0])._asdict(), **given}
    return BoardSize(**fields)


def _proposal(text: str) -> str:
    """Return a question that proposes the text nearest to this one."""
    known = []
    for name in names():
        if name not in _OWN:
            known.append(name)
            continue
        variant = variant_of(name)
        known += [text_of(name, size) for size in variant.sizes.values() or (variant.smallest,)]
    nearest = get_close_matches(text.lower(), known, n=1, cutoff=0.5)
    if nearest:
        return f"did you mean {nearest[0]}?"
    return f"the variants are {', '.join(names())}"


@cache
def _plugins() -> dict[str, metadata.EntryPoint]:
    return entry_points_of(GROUP, _OWN)


def entry_points_of(group: str, own: Container[str]) -> dict[str, metadata.EntryPoint]:
    """Return the entry points of a group of plug-ins by name, but none with a name of ours.

    The first of two with the same name counts. The scan reads the metadata of every installed
    package: keep what it finds.
    """
    found: dict[str, metadata.EntryPoint] = {}
    for entry_point in metadata.entry_points(group=group):
        if entry_point.name not in own:
            found.setdefault(entry_point.name, entry_point)
    return found
