"""A picture of the arena: the cross table as a heat map, and the ratings. Pure.

The picture is an SVG document without scripts or fonts of its own; it follows the colours of the
page, and text keeps its contrast on every shade.
"""

import math
from html import escape

from ttt_engine.arena.crosstable import CrossTable, CrosstableRow
from ttt_protocol.text import clean, counted

_CELL, _LEFT, _TOP, _RATINGS = 56, 190, 60, 320
"""In pixels: a cell, the names beside the cells, the heads above, and the width of ratings."""

_LONGEST_NAME = 24


def as_svg(table: CrossTable) -> str:
    """Return the picture of all matches, the strongest contestant first."""
    standings = table.standings()
    size = len(standings) * _CELL
    width, height = _LEFT + size + 40 + _RATINGS, _TOP + size + 50
    title = f"{table.rules}, {counted(table.games, 'game')} a pair, seed {table.seed}"
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'font-family="sans-serif" font-size="13" role="img" aria-label="{escape(title)}">'
        ),
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text x="16" y="24" font-size="16">{escape(title)}</text>',
        *_heat_map(table, standings),
        *_ratings(table, standings, _LEFT + size + 40),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _heat_map(table: CrossTable, standings: tuple[CrosstableRow, ...]) -> list[str]:
    parts = []
    for row, one in enumerate(standings):
        y = _TOP + row * _CELL
        name = escape(_name(table, one))
        middle = y + _CELL / 2 + 5
        parts.append(f'<text x="{_LEFT - 10}" y="{middle:g}" text-anchor="end">{name}</text>')
        column = _LEFT + row * _CELL + _CELL / 2
        parts.append(f'<text x="{column:g}" y="{_TOP - 8}" text-anchor="middle">{row + 1}</text>')
        for column_number, other in enumerate(standings):
            x = _LEFT + column_number * _CELL
            parts += _cell(table, one, other, x, y)
    return parts


def _cell(table: CrossTable, one: CrosstableRow, other: CrosstableRow, x: int, y: int) -> list[str]:
    if one is other:
        return [f'<rect x="{x}" y="{y}" width="{_CELL}" height="{_CELL}" fill="#eee"/>']
    score = table.record(one.place, other.place).score
    dark = abs(score - 0.5) > 0.3
    middle, below = x + _CELL / 2, y + _CELL / 2 + 5
    return [
        f'<rect x="{x}" y="{y}" width="{_CELL}" height="{_CELL}" fill="{_shade(score)}"/>',
        (
            f'<text x="{middle:g}" y="{below:g}" text-anchor="middle" '
            f'fill="{"#fff" if dark else "#000"}">{100 * score:.0f}</text>'
        ),
    ]


def _shade(score: float) -> str:
    """Return the colour of a score: blue for wins, white for even, orange for losses."""
    share = abs(score - 0.5) * 2
    red, green, blue = (20, 90, 170) if score > 0.5 else (180, 80, 10)
    mixed = (round(255 + (part - 255) * share) for part in (red, green, blue))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def _ratings(table: CrossTable, standings: tuple[CrosstableRow, ...], left: int) -> list[str]:
    ends = [
        end
        for standing in standings
        for end in (
            standing.rating.elo - standing.rating.error,
            standing.rating.elo + standing.rating.error,
        )
        if math.isfinite(end)
    ]
    low, high = min(ends, default=-1), max(ends, default=1)
    scale = (_RATINGS - 40) / ((high - low) or 1)

    def place(elo: float) -> float:
        return left + 20 + (min(max(elo, low), high) - low) * scale

    bottom = _TOP + len(standings) * _CELL
    parts = [
        f'<text x="{left}" y="{_TOP - 8}">Elo, with 95 % intervals</text>',
        f'<line x1="{place(0):.1f}" x2="{place(0):.1f}" y1="{_TOP}" y2="{bottom}" stroke="#bbb"/>',
        f'<text x="{place(0):.1f}" y="{bottom + 18}" text-anchor="middle">0</text>',
    ]
    for row, standing in enumerate(standings):
        y = _TOP + row * _CELL + _CELL / 2
        elo, error = standing.rating.elo, standing.rating.error
        first, last, at = place(elo - error), place(elo + error), place(elo)
        parts += [
            (
                f'<line x1="{first:.1f}" x2="{last:.1f}" y1="{y:g}" y2="{y:g}" stroke="#145aaa" '
                'stroke-width="3"/>'
            ),
            f'<circle cx="{at:.1f}" cy="{y:g}" r="6" fill="#145aaa"/>',
            (
                f'<text x="{at:.1f}" y="{y - 12:g}" text-anchor="middle">{elo:+.0f}'
                f"<title>{escape(_name(table, standing))}</title></text>"
            ),
        ]
    return parts


def _name(table: CrossTable, standing: CrosstableRow) -> str:
    name = clean(str(table.contestants[standing.place]))
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
