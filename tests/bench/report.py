"""Rows as tables that people read. Pure."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tests.bench.figures import spread
from tests.bench.rows import Row


@dataclass(frozen=True)
class Column:
    """A figure of the rows; `scale` makes it what the heading says."""

    figure: str
    heading: str
    digits: int = 0
    scale: float = 1


@dataclass(frozen=True)
class Table:
    """What is shown of a subject."""

    title: str
    columns: tuple[Column, ...]
    compared: str = ""
    """The figure that is divided by that of the base, in the same round."""
    base: tuple[str, str | int] = ("", "")
    """What a case has that others are compared with, all else of it being the same."""


_BUSY: Final = (
    Column("server_busy", "server busy, %", scale=100),
    Column("load_busy", "load busy, %", scale=100),
)

TABLES: Final = {
    "play": Table(
        "Rooms in which two play without a pause",
        (
            Column("moves_per_s", "moves/s"),
            Column("cpu_us_per_moves", "CPU µs a move", 1),
            Column("own_p50_ms", "round trip p50, ms", 1),
            Column("own_p99_ms", "p99, ms", 1),
            *_BUSY,
        ),
        "cpu_us_per_moves",
        ("server", "as it comes"),
    ),
    "paced": Table(
        "Rooms in which two think before each move",
        (
            Column("moves_per_s", "moves/s"),
            Column("cpu_us_per_moves", "CPU µs a move", 1),
            Column("own_p50_ms", "round trip p50, ms", 2),
            Column("own_p99_ms", "p99, ms", 2),
            Column("all_p50_ms", "both have it p50, ms", 2),
            Column("all_p99_ms", "p99, ms", 2),
            *_BUSY,
        ),
    ),
    "fan-out": Table(
        "One game, and many who watch",
        (
            Column("deliveries_per_s", "deliveries/s"),
            Column("cpu_us_per_deliveries", "CPU µs a delivery", 2),
            Column("own_p50_ms", "the mover has it p50, ms", 2),
            Column("all_p50_ms", "the last has it p50, ms", 2),
            Column("all_p99_ms", "p99, ms", 2),
            *_BUSY,
        ),
    ),
    "join": Table(
        "Rooms that are made, filled and left",
        (
            Column("rooms_per_s", "rooms/s"),
            Column("cpu_us_per_rooms", "CPU ms a room", 2, 0.001),
            Column("seated_p50_ms", "both seated p50, ms", 1),
            Column("seated_p99_ms", "p99, ms", 1),
            *_BUSY,
        ),
        "cpu_us_per_rooms",
        ("server", "as it comes"),
    ),
    "ai": Table(
        "An AI in a seat of every room",
        (
            Column("moves_per_s", "moves/s"),
            Column("cpu_us_per_moves", "CPU µs a move", 1),
            Column("own_p50_ms", "own move p50, ms", 1),
            Column("thought_p50_ms", "answer p50, ms", 1),
            *_BUSY,
        ),
        "cpu_us_per_moves",
        ("seats", "two people"),
    ),
    "thought": Table(
        "How long an AI thinks, as its opponent sees it",
        (
            Column("thought_p50_ms", "p50, ms", 2),
            Column("thought_p99_ms", "p99, ms", 2),
        ),
    ),
    "memory": Table("What one more costs", (Column("kib", "KiB", 1),)),
    "start": Table(
        "Start",
        (
            Column("start_ms", "ms to the first answer"),
            Column("memory_mib", "memory, MiB", 1),
        ),
        "start_ms",
        ("program", "python -c pass"),
    ),
    "rejoin": Table(
        "Long rooms that are joined again",
        (
            Column("quiet_p99_ms", "another room before p99, ms", 2),
            Column("own_p99_ms", "meanwhile p99, ms", 2),
            Column("own_worst_ms", "worst, ms", 1),
            Column("join_p50_ms", "join p50, ms", 1),
            Column("join_last_ms", "last, ms"),
            Column("peak_mib", "memory at most, MiB more", 1),
            Column("left_mib", "after it", 1),
        ),
        "peak_mib",
        ("joins", "one after the other"),
    ),
    "room-list": Table(
        "The list of rooms is read all the time",
        (
            Column("answers_per_s", "answers/s"),
            Column("answer_p50_ms", "answer p50, ms", 1),
            Column("kib_per_s", "KiB/s to all readers"),
            Column("own_p50_ms", "another game p50, ms", 2),
            Column("own_p99_ms", "p99, ms", 2),
            Column("own_worst_ms", "worst, ms", 1),
            Column("server_busy", "server busy, %", scale=100),
        ),
        "own_p99_ms",
        ("readers", "none"),
    ),
}

_NONE: Final = "-"


def cells(table: Table, rows: Sequence[Row]) -> list[list[str]]:
    """The table's head and its lines: medians over the rounds, with the least and the largest."""
    by_case: dict[tuple[tuple[str, str | int], ...], list[Row]] = {}
    for row in rows:
        by_case.setdefault(tuple(row.case.items()), []).append(row)
    head = [*rows[0].case, *(column.heading for column in table.columns)]
    if table.compared:
        head.append(f"times that of “{table.base[1]}”")
    lines = []
    for case, its in by_case.items():
        line = [str(value) for _, value in case]
        line += [_shown(column, its) for column in table.columns]
        if table.compared:
            base = by_case.get(tuple((dict(case) | dict([table.base])).items()), [])
            line.append(_written(ratios(table.compared, its, base), 2))
        lines.append(line)
    return [head, *lines]


def ratios(figure: str, rows: Sequence[Row], base: Sequence[Row]) -> list[float]:
    """The figure of each row, divided by that of the base in the same round."""
    of_base = {row.round: row.figures.get(figure, math.nan) for row in base}
    found = (row.figures.get(figure, math.nan) / of_base.get(row.round, math.nan) for row in rows)
    return [ratio for ratio in found if math.isfinite(ratio)]


def _shown(column: Column, rows: Sequence[Row]) -> str:
    values = [
        row.figures[column.figure] * column.scale for row in rows if column.figure in row.figures
    ]
    return _written([value for value in values if math.isfinite(value)], column.digits)


def _written(values: Sequence[float], digits: int) -> str:
    if not values:
        return _NONE
    median, least, largest = (f"{value:,.{digits}f}".replace(",", " ") for value in spread(values))
    return median if len(values) == 1 else f"{median} ({least} to {largest})"


def plain(title: str, lines: Sequence[Sequence[str]]) -> str:
    """For a terminal."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    shown = (
        "  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
    return "\n".join([title, *(f"  {line}" for line in shown)])


def markdown(lines: Sequence[Sequence[str]]) -> str:
    """For a page."""
    head, *rest = (f"| {' | '.join(line)} |" for line in lines)
    return "\n".join([head, "|---" * len(lines[0]) + "|", *rest])


def renewed(page: str, tables: Mapping[str, str]) -> str:
    """The page with these tables in their places: `<!-- play -->` to `<!-- end -->`."""
    for name, table in tables.items():
        place = re.compile(f"(<!-- {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
        if found := place.search(page):
            page = f"{page[: found.end(1)]}\n{table}\n\n{page[found.start(2) :]}"
    return page


def by_table(rows: Sequence[Row]) -> dict[str, list[list[str]]]:
    """The lines of each table that there are rows for, in their usual order."""
    found = {name: [row for row in rows if row.table == name] for name in TABLES}
    return {name: cells(TABLES[name], its) for name, its in found.items() if its}
