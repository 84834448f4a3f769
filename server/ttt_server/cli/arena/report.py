"""Write the results of the arena: tables and a picture for people, an object for programs. Pure.

The picture is an SVG document without scripts or fonts of its own: the cross table as a heat map,
and the ratings. It follows the colours of the page, and text keeps its contrast on every shade.
"""

import math
from html import escape
from typing import Any

from ttt_engine.arena.crosstable import CrossTable, CrosstableRow
from ttt_engine.arena.match import Times
from ttt_engine.arena.ratings import CONFIDENCE, Record, elo, rate_interval, score_interval
from ttt_engine.arena.sprt import BOUND, Sprt, Verdict
from ttt_protocol.text import clean, counted

_CELL, _LEFT, _TOP, _RATINGS = 56, 190, 60, 320
"""In pixels: a cell, the names beside the cells, the heads above, and the width of ratings."""

_LONGEST_NAME = 24


def as_text(table: CrossTable, sprt: Sprt | None = None) -> str:
    """Return a match of two in detail, or the cross table of more."""
    body = _match(table) if len(table.contestants) == 2 else _cross(table)
    sides = "sides changing after each"
    games = max(match.record.games for match in table.matches)  # a test may have ended it
    begin = f", after {table.opening} random moves" if table.opening else ""
    if isinstance(table.opening, str):
        begin = f", opened by {table.opening}"
    title = f"{table.rules}, {counted(games, 'game')} a pair, {sides}{begin}, seed {table.seed}"
    excuses = [
        f"{table.contestants[standing.place]} forfeited {standing.forfeits.games} of "
        f"{counted(standing.record.games, 'game')}; the first: {clean(standing.forfeits.reason)}"
        for standing in table.standings()
        if standing.forfeits.games
    ]
    paces = [
        f"{table.contestants[standing.place]} took {1000 * times.seconds / times.moves:.2f} ms "
        f"a move, at most {1000 * times.longest:.1f} ms"
        for standing in table.standings()
        if (times := standing.times).moves
    ]
    test = [] if sprt is None else [_verdict(table, sprt)]
    return "\n".join(line.rstrip() for line in (title, "", *body, *test, *paces, *excuses))


def _verdict(table: CrossTable, sprt: Sprt) -> str:
    record = table.matches[0].record
    ratio = f"log-likelihood ratio {sprt.ratio(record):+.2f} of ±{BOUND:.2f}"
    first, second = table.contestants
    words = {
        Verdict.ACCEPTED: f"{first} is stronger than {second} by {sprt.high:g} Elo or more",
        Verdict.REJECTED: f"{first} is not stronger than {second} by more than {sprt.low:g} Elo",
        None: "undecided",
    }
    return f"SPRT {sprt.low:g}, {sprt.high:g}: {words[sprt.verdict(record)]} ({ratio})"


def _match(table: CrossTable) -> list[str]:
    (match,), (first, second) = table.matches, table.contestants
    rows = [
        (str(first), match.record),
        ("  as X", match.as_x),
        ("  as O", match.as_o),
        (str(second), match.record.from_the_other_side),
        ("  as X", match.as_o.from_the_other_side),
        ("  as O", match.as_x.from_the_other_side),
    ]
    width = max(len(name) for name, _ in rows)
    heads = "".join(f"{head:>18}" for head in ("wins", "draws", "losses", "score %"))
    lines = [f"{'':{width}}{'games':>8}{heads}"]
    for name, record in rows:
        counts = "".join(
            f"{count:>6} {_percents(*rate_interval(count, record.games))}" for count in record
        )
        score = f"{100 * record.score:>6.1f} {_percents(*score_interval(record))}"
        lines.append(f"{name:{width}}{record.games:>8}{counts}{score}")
    low, high = (elo(end) for end in score_interval(match.record))
    gain = f"{_signed(elo(match.record.score))}, {_signed(low)} to {_signed(high)}"
    return [
        *lines,
        "",
        f"Elo of {first} above {second}: {gain}",
        "After a number: its 95 % interval, in percent.",
    ]


def _cross(table: CrossTable) -> list[str]:
    standings = table.standings()
    names = [str(table.contestants[standing.place]) for standing in standings]
    width, digits = max(map(len, names)), len(str(len(names)))
    results = [[_cell(table, one, other) for other in standings] for one in standings]
    column = 1 + max(5, *(len(result) for row in results for result in row))
    heads = "".join(f"{number:>{column}}" for number in range(1, len(names) + 1))
    lines = [f"{'':{digits + 1 + width}}{heads}{'score':>12}{'won/drawn/lost':>17}{'Elo':>10}"]
    rows = zip(standings, names, results, strict=True)
    for number, (standing, name, row) in enumerate(rows, 1):
        cells = "".join(f"{result:>{column}}" for result in row)
        record, rating = standing.record, standing.rating
        score = f"{100 * record.score:.1f}±{100 * score_interval(record).half:.1f}"
        shares = "/".join(f"{100 * count / record.games:.0f}" for count in record)
        points = f"{rating.elo:+.0f}±{rating.error:.0f}"
        lines.append(f"{number:>{digits}} {name:{width}}{cells}{score:>12}{shares:>17}{points:>10}")
    return [
        *lines,
        "",
        "Scores in percent of the points, a draw being half of one. ±: half of the 95 % interval.",
        "Elo: 0 is the average of these.",
    ]


def _cell(table: CrossTable, one: CrosstableRow, other: CrosstableRow) -> str:
    if one is other:
        return "·"
    record = table.record(one.place, other.place)
    return f"{100 * record.score:.0f}±{math.ceil(100 * score_interval(record).half)}"


def _percents(low: float, high: float) -> str:
    ends = f"{100 * low:.1f}-{100 * high:.1f}"
    return f"{ends:>11}"


def _signed(points: float) -> str:
    return f"{points:+.0f}" if math.isfinite(points) else f"{'+' if points > 0 else '-'}∞"


def as_object(table: CrossTable, sprt: Sprt | None = None) -> dict[str, Any]:
    """Return the same as an object for JSON, which docs/strategies.md describes.

    Rates and scores are 0 to 1. An infinite number of points is null.
    """
    names = [str(contestant) for contestant in table.contestants]
    return {
        "rules": str(table.rules),
        "seed": table.seed,
        "opening": table.opening,
        "games": table.games,
        "confidence": CONFIDENCE,
        "matches": [
            {
                "first": names[first],
                "second": names[second],
                **_results(match.record),
                "elo": _points(elo(match.record.score)),
                "elo_interval": [_points(elo(end)) for end in score_interval(match.record)],
                "as_x": match.as_x._asdict(),
                "as_o": match.as_o._asdict(),
            }
            for (first, second), match in table.pairs.items()
        ],
        "standings": [
            {
                "strategy": names[standing.place],
                **_results(standing.record),
                "elo": round(standing.rating.elo, 1),
                "elo_interval": [
                    round(standing.rating.elo + sign * standing.rating.error, 1) for sign in (-1, 1)
                ],
                "forfeits": standing.forfeits.games,
                "first_forfeit": clean(standing.forfeits.reason) or None,
                **_times(standing.times),
            }
            for standing in table.standings()
        ],
        **({} if sprt is None else {"sprt": _test(table, sprt)}),
    }


def _times(times: Times) -> dict[str, Any]:
    """Return the times of a program's moves; nothing for a strategy."""
    if not times.moves:
        return {}
    mean = round(1000 * times.seconds / times.moves, 3)
    return {"ms_per_move": mean, "longest_ms": round(1000 * times.longest, 3)}


def _test(table: CrossTable, sprt: Sprt) -> dict[str, Any]:
    record = table.matches[0].record
    verdict = sprt.verdict(record)
    return {
        "elo0": sprt.low,
        "elo1": sprt.high,
        "ratio": round(sprt.ratio(record), 4),
        "bound": round(BOUND, 4),
        "accepted": None if verdict is None else verdict is Verdict.ACCEPTED,
    }


def _results(record: Record) -> dict[str, Any]:
    wins, draws, losses = (_rounded(rate_interval(count, record.games)) for count in record)
    return {
        "games": record.games,
        **record._asdict(),
        "wins_interval": wins,
        "draws_interval": draws,
        "losses_interval": losses,
        "score": round(record.score, 4),
        "score_interval": _rounded(score_interval(record)),
    }


def _rounded(interval: tuple[float, float]) -> list[float]:
    return [round(end, 4) for end in interval]


def _points(points: float) -> float | None:
    return round(points, 1) if math.isfinite(points) else None


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
        *_rating_lines(table, standings, _LEFT + size + 40),
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
            parts += _box(table, one, other, x, y)
    return parts


def _box(table: CrossTable, one: CrosstableRow, other: CrosstableRow, x: int, y: int) -> list[str]:
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


def _rating_lines(table: CrossTable, standings: tuple[CrosstableRow, ...], left: int) -> list[str]:
    ratings = [standing.rating for standing in standings]
    ends = [one.elo + sign * one.error for one in ratings for sign in (-1, 1)]
    ends = [end for end in ends if math.isfinite(end)]
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
