"""Rows as pictures, drawn by hand: what it costs, against how many there are. Pure."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape

from tests.bench.figures import Spread, spread
from tests.bench.rows import Row

WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 64, 24, 64, 56
"""Around the field."""

PAPER, INK, FAINT = "#1b1d23", "#d8dae0", "#3a3d46"
COLOURS: Final = ("#6aa5f2", "#7fc77a", "#e5b15c", "#d783e0")
FONT: Final = 'font-family="system-ui, sans-serif" font-size="13"'

_MOST_TICKS: Final = 6


@dataclass(frozen=True)
class Plot:
    """Lines over a logarithmic axis; what is up begins at zero."""

    title: str
    across: str
    up: str
    lines: Mapping[str, Mapping[int, Spread]]
    """By the name of each."""


def plots(rows: Sequence[Row]) -> dict[str, Plot]:
    """By the name of the file; those that there are rows for."""
    drawn = {
        "cost-of-a-move": Plot(
            "What a move costs the server, by the rooms that play at the same time",
            "rooms",
            "µs of CPU a move",
            _lines(rows, "play", "rooms", "cpu_us_per_moves"),
        ),
        "cost-of-a-delivery": Plot(
            "What a delivery costs the server, by the spectators of one game",
            "spectators",
            "µs of CPU a delivery",
            _lines(rows, "fan-out", "spectators", "cpu_us_per_deliveries"),
        ),
    }
    return {f"{name}.svg": plot for name, plot in drawn.items() if plot.lines}


def _lines(
    rows: Sequence[Row], table: str, across: str, figure: str
) -> dict[str, dict[int, Spread]]:
    values: dict[str, dict[int, list[float]]] = {}
    for row in rows:
        if row.table == table and figure in row.figures:
            name = ", ".join(str(value) for key, value in row.case.items() if key != across)
            at = int(row.case[across])
            values.setdefault(name, {}).setdefault(at, []).append(row.figures[figure])
    return {
        name: {at: spread(found) for at, found in sorted(points.items())}
        for name, points in values.items()
    }


def ticks(most: float) -> list[float]:
    """From zero to at least the most, a few round numbers of equal distance."""
    rough = most / (_MOST_TICKS - 1)
    unit = 10 ** math.floor(math.log10(rough))
    step = next(unit * times for times in (1, 2, 5, 10) if unit * times >= rough)
    return [step * at for at in range(math.ceil(most / step) + 1)]


class _Field:
    """Where a value is in the picture."""

    def __init__(self, plot: Plot) -> None:
        points = [(at, its) for line in plot.lines.values() for at, its in line.items()]
        self.columns = sorted({at for at, _ in points})
        self.rows = ticks(max(its.largest for _, its in points))
        self._begin, self._end = math.log(self.columns[0] / 1.2), math.log(self.columns[-1] * 1.2)

    def x(self, value: float) -> float:
        part = (math.log(value) - self._begin) / (self._end - self._begin)
        return LEFT + part * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        return HEIGHT - BOTTOM - value / self.rows[-1] * (HEIGHT - TOP - BOTTOM)


def svg(plot: Plot) -> str:
    """A picture with a background of its own, for light pages and dark ones."""
    field = _Field(plot)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" {FONT}>',
        f"<title>{escape(plot.title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="{PAPER}"/>',
        _text(LEFT, 24, plot.title, weight="bold"),
        *_axes(plot, field),
    ]
    at = LEFT
    for colour, (name, points) in zip(COLOURS, plot.lines.items(), strict=False):
        parts += _line(field, points, colour)
        if name:
            parts += [_text(at, 46, f"● {name}", colour)]
            at += 8 * len(name) + 32
    return "\n".join([*parts, "</svg>", ""])


def _axes(plot: Plot, field: _Field) -> list[str]:
    end, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    parts = []
    for row in field.rows:
        y = field.y(row)
        parts += [
            f'<path d="M{LEFT} {y:.1f}H{end}" stroke="{FAINT}"/>',
            _text(LEFT - 8, y + 4, f"{row:g}", anchor="end"),
        ]
    for column in field.columns:
        x = field.x(column)
        parts += [
            f'<path d="M{x:.1f} {bottom}v5" stroke="{INK}"/>',
            _text(x, bottom + 20, f"{column:,}".replace(",", " "), anchor="middle"),
        ]
    middle = (TOP + bottom) / 2
    return [
        *parts,
        f'<path d="M{LEFT} {bottom}H{end}" stroke="{INK}"/>',
        _text((LEFT + end) / 2, HEIGHT - 14, f"{plot.across} (logarithmic)", anchor="middle"),
        f'<g transform="rotate(-90 18 {middle:g})">',
        _text(18, middle, plot.up, anchor="middle"),
        "</g>",
    ]


def _line(field: _Field, points: Mapping[int, Spread], colour: str) -> list[str]:
    """Through the medians, with the least and the largest."""
    places = [f"{field.x(at):.1f} {field.y(its.median):.1f}" for at, its in points.items()]
    parts = [f'<path d="M{"L".join(places)}" fill="none" stroke="{colour}" stroke-width="2"/>']
    for at, its in points.items():
        x, low, high = field.x(at), field.y(its.least), field.y(its.largest)
        parts += [
            f'<path d="M{x:.1f} {low:.1f}V{high:.1f}" stroke="{colour}"/>',
            f'<circle cx="{x:.1f}" cy="{field.y(its.median):.1f}" r="4" fill="{colour}"/>',
        ]
    return parts


def _text(
    x: float, y: float, words: str, fill: str = INK, *, anchor: str = "start", weight: str = ""
) -> str:
    bold = f' font-weight="{weight}"' if weight else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{fill}" text-anchor="{anchor}"{bold}>'
        f"{escape(words)}</text>"
    )
