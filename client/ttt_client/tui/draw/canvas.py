"""A canvas of characters. Text never overflows its place."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from typing import NamedTuple

from wcwidth import wcwidth

from ttt_protocol.text import clean

GAP = 2
"""The columns between two cells of a table."""

StyledLine = list[tuple[str, str]]
"""Runs of one style, each with its classes and text."""


class Size(NamedTuple):
    """The size of a window, in characters."""

    columns: int
    rows: int


@dataclass(frozen=True, slots=True)
class Area:
    """A part of a window."""

    x: int
    y: int
    columns: int
    rows: int

    def below(self, rows: int) -> "Area":
        """Return the area without its first rows."""
        return replace(self, y=self.y + rows, rows=self.rows - rows)


@dataclass(frozen=True, slots=True)
class Target(Area):
    """A place that can be clicked, and the key that a click stands for."""

    key: str

    def covers(self, x: int, y: int) -> bool:
        return self.x <= x < self.x + self.columns and self.y <= y < self.y + self.rows


class Picture(NamedTuple):
    """The contents of a window."""

    lines: list[StyledLine]
    targets: tuple[Target, ...] = ()
    origin: tuple[int, int] | None = None
    """The first column and row of a board that is larger than its place."""

    def key_at(self, x: int, y: int) -> str | None:
        """Return the key that a click stands for; the target drawn last lies on top."""
        return next((t.key for t in reversed(self.targets) if t.covers(x, y)), None)

    @property
    def text(self) -> str:
        """The text without its styles."""
        return "\n".join("".join(text for _, text in line).rstrip() for line in self.lines)


def shown(text: str) -> str:
    """Clean a foreign text, and drop characters that terminals draw in different widths."""
    return "".join(char for char in clean(text) if not _is_modifier(char))


def _is_modifier(char: str) -> bool:
    return (
        char == "\u200d"  # without it a family is drawn as its members
        or "\ufe00" <= char <= "\ufe0f"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
    )


@cache
def _columns(char: str) -> int:
    return max(0, wcwidth(char))


def width(text: str) -> int:
    """Return the number of columns that `text` takes."""
    return sum(map(_columns, text))


def clip(text: str, columns: int, *, ascii_only: bool = False) -> str:
    """Cut `text` to fit, with a mark at the cut."""
    if width(text) <= columns:
        return text
    mark = "~" if ascii_only else "…"
    while width(text) > columns - 1 and text:
        text = text[:-1]
    return text + mark if columns > 0 else ""


def wrap(text: str, columns: int) -> list[str]:
    """Break `text` into lines that fit, at spaces where possible."""
    lines, line = [], ""
    for word in text.split():
        joined = f"{line} {word}" if line else word
        if width(joined) <= columns:
            line = joined
            continue
        if line:
            lines.append(line)
        *full, line = _chunks(word, columns)
        lines += full
    return [*lines, line] if line else lines


def _chunks(word: str, columns: int) -> list[str]:
    chunks = [""]
    for char in word:
        if chunks[-1] and width(chunks[-1]) + _columns(char) > columns:
            chunks.append("")
        chunks[-1] += char
    return chunks


class Canvas:
    """The sheet: `x` counts from 0 to the right, `y` from 0 down."""

    def __init__(self, size: Size, *, ascii_only: bool = False) -> None:
        self.size = size
        self.ascii_only = ascii_only
        self._rows = [[(" ", "")] * size.columns for _ in range(size.rows)]
        self._targets: list[Target] = []
        self.origin: tuple[int, int] | None = None
        """The first column and row of a board that is larger than its place."""

    def put(self, x: int, y: int, text: str, style: str = "", *, columns: int | None = None) -> int:
        """Write `text`, cut to `columns` and to the sheet, and return the `x` after it."""
        if not 0 <= y < self.size.rows:
            return x
        room = self.size.columns - x
        if columns is not None:
            text = clip(text, min(room, columns), ascii_only=self.ascii_only)
        row = self._rows[y]
        for char in text:
            wide = _columns(char)
            if wide == 0:
                self._add_mark(row, x, char)
            elif x < 0 or x + wide > self.size.columns:
                break
            else:
                self._set(row, x, char, wide, style)
                x += wide
        return x

    def write(self, area: Area, texts: Iterable[str], style: str = "") -> int:
        """Write the texts, wrapped, as far as they fit, and return the number of lines."""
        wrapped = [line for text in texts for line in wrap(text, area.columns)]
        lines = wrapped[: max(0, area.rows)]
        for y, line in enumerate(lines, start=area.y):
            self.put(area.x, y, line, style)
        return len(lines)

    def put_row(
        self, x: int, y: int, cells: Sequence[str], widths: list[int], style: str, *, numbers: bool
    ) -> None:
        """Write the cells of a table's row; with `numbers` only the second is no number."""
        for column, (cell, columns) in enumerate(zip(cells, widths, strict=False)):
            pad = columns - width(cell) if numbers and column != 1 else 0
            self.put(x + pad, y, cell, style, columns=columns)
            x += columns + GAP

    def target(self, x: int, y: int, columns: int, rows: int, key: str) -> None:
        self._targets.append(Target(x, y, columns, rows, key))

    def tint(self, x: int, y: int, columns: int, rows: int, style: str) -> None:
        """Add a style to an area."""
        for row in self._rows[max(0, y) : max(0, y + rows)]:
            for at in range(max(0, x), min(x + columns, len(row))):
                char, old = row[at]
                row[at] = (char, f"{old} {style}".strip())

    def picture(self) -> Picture:
        return Picture([_runs(row) for row in self._rows], tuple(self._targets), self.origin)

    def _set(self, row: list[tuple[str, str]], x: int, char: str, wide: int, style: str) -> None:
        if self.ascii_only and not char.isascii():
            char = "?" * wide
        for at in range(x, x + wide):
            self._break(row, at)
        cells = char if self.ascii_only or wide == 1 else (char, "")
        row[x : x + wide] = [(cell, style) for cell in cells]

    def _break(self, row: list[tuple[str, str]], x: int) -> None:
        """Blank the other half of a wide character that is about to be overwritten."""
        if row[x][0] == "":
            row[x - 1] = (" ", row[x - 1][1])
            row[x] = (" ", row[x][1])
        elif x + 1 < len(row) and row[x + 1][0] == "":
            row[x + 1] = (" ", row[x + 1][1])

    def _add_mark(self, row: list[tuple[str, str]], x: int, mark: str) -> None:
        """Add a combining mark to the character before it."""
        at = x - 1
        if self.ascii_only or at < 0 or unicodedata.category(mark)[0] != "M":
            return
        if row[at][0] == "":
            at -= 1
        row[at] = (row[at][0] + mark, row[at][1])


def _runs(row: list[tuple[str, str]]) -> StyledLine:
    runs = groupby(row, key=lambda cell: cell[1])
    return [(style, "".join(char for char, _ in run)) for style, run in runs]
