"""CSV as spreadsheets write and read it. Pure; `web/js/model/spreadsheet.js` does the same."""

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
"""The beginning of a text that a spreadsheet would take for a formula, or that is guarded."""

_DELIMITERS = "\t;,"
_PAIR = 2
_HEAD = re.compile(
    "(?:player|name|spieler|joueur|jugador|nom|nombre)[ _-]?[xo12ab]?|[xo]|first|second|white|black"
)


class Unreadable(ValueError):
    """The content is not CSV that can be read; the message says what to do."""


class BadLine(ValueError):
    """A line is not two names."""

    def __init__(self, line: int) -> None:
        super().__init__(f"line {line}")
        self.line = line
        """Its number, from 1."""


class Pair(NamedTuple):
    """A pair of names, and the number of its line, from 1."""

    line: int
    names: tuple[str, str]


def csv_line(cells: Iterable[object]) -> str:
    """Return cells as a line of CSV, without its line break.

    A text that a spreadsheet would run as a formula gets a `'` before it. Numbers stay numbers.

    Source: OWASP, "CSV Injection".
    """
    line = io.StringIO()
    guarded = (f"'{it}" if isinstance(it, str) and _FORMULA.match(it) else it for it in cells)
    csv.writer(line, lineterminator="\r\n").writerow(guarded)
    return line.getvalue().removesuffix("\r\n")


def decoded(content: bytes) -> str:
    """Return the text of a file.

    Raises:
        Unreadable: if it is not UTF-8.
    """
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or b"\0" in content:
        raise Unreadable("this is UTF-16; save it as CSV in UTF-8")
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise Unreadable("this is not UTF-8 but perhaps Latin-1; save it as CSV in UTF-8") from None


def read_pairs(text: str) -> list[Pair]:
    """Read pairs of names, with commas, semicolons or tabs between them.

    Skips a byte order mark, a line of heads, empty lines and further empty columns.

    Raises:
        BadLine: the first line that is not two names.
    """
    lines = re.split("\r\n|\r|\n", text.removeprefix("\ufeff"))
    readings = [list(_rows(lines, delimiter)) for delimiter in _DELIMITERS]
    rows = min(readings, key=lambda rows: sum(len(cells) != _PAIR for _, cells in rows))
    if rows and all(_HEAD.fullmatch(cell.casefold()) for cell in rows[0][1]):
        del rows[0]
    for number, cells in rows:
        if len(cells) != _PAIR or not all(cells):
            raise BadLine(number)
    return [Pair(number, (cells[0], cells[1])) for number, cells in rows]


def _rows(lines: Iterable[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of the lines that have any, each with its number."""
    one = re.compile(f' *(?:"((?:[^"]|"")*)" *|([^"{delimiter}][^{delimiter}]*|))({delimiter}|$)')
    for number, line in enumerate(lines, start=1):
        cells: list[str] = []
        at, end = 0, delimiter
        while end and (found := one.match(line, at)):
            quoted, plain, end = found.groups()
            cell = (plain or "") if quoted is None else quoted.replace('""', '"')
            cell = cell.strip()
            cells.append(cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell)
            at = found.end()
        if end:
            cells = [line]  # a quote is not closed
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            yield number, cells
