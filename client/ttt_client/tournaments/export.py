"""`ttt-client event export`: the results of an event as a table, CSV or JSON lines."""

from collections.abc import Callable, Iterator

from ttt_client.net.address import ServerAddress
from ttt_client.net.http import read_page
from ttt_client.net.session import Ending
from ttt_client.terminal.stdout import Output
from ttt_client.text.event import aligned, early_words, game_line, status_line, table
from ttt_client.text.spreadsheet import csv_line
from ttt_protocol.tournament.messages import Standing, TournamentState
from ttt_protocol.tournament.settings import Result

FORMATS = ("text", "csv", "cross", "jsonl")

_ONLY_LIVE = ("id", "streak", "present")
"""Columns without a meaning outside the event."""

_SCORES = {
    Result.X: ("1", "0"),
    Result.O: ("0", "1"),
    Result.DRAW: ("=", "="),
    Result.NEITHER: ("0", "0"),
}
"""The signs in the cross table, for X and for O."""


async def export_event(server: ServerAddress, name: str, kind: str, output: Output) -> Ending:
    """Print the results of an event in one of the `FORMATS`."""
    event = await read_page(
        server.api(f"events/{name}"),
        lambda body: TournamentState.model_validate_json(body, extra="ignore"),
    )
    if isinstance(event, Ending):
        return event
    output.say(*_LINES[kind](event))
    return Ending(0)


def _text(event: TournamentState) -> Iterator[str]:
    yield status_line(event)
    yield from table(event)
    yield from map(game_line, event.games)


def _csv(event: TournamentState) -> Iterator[str]:
    """Yield the standings, for spreadsheets and scripts."""
    columns = [name for name in Standing.model_fields if name not in _ONLY_LIVE]
    yield csv_line((*columns, "ended_early"))
    for row in event.standings:
        cells = (getattr(row, name) for name in columns)
        yield csv_line((*cells, event.ended_early))


def _cross(event: TournamentState) -> Iterator[str]:
    """Yield the cross table: each row has the results against the players of the columns."""
    order = [row.id for row in event.standings]
    cells: dict[tuple[str, str], str] = {}
    for game in event.games:
        scores = _SCORES.get(game.result) if game.result is not None else None
        if scores is not None:
            x, o = game.ids
            cells[x, o] = cells.get((x, o), "") + scores[0]
            cells[o, x] = cells.get((o, x), "") + scores[1]
    head = ["", "player", *map(str, range(1, len(order) + 1)), "points"]
    rows = [head]
    for at, row in enumerate(event.standings, start=1):
        results = ("*" if row.id == other else cells.get((row.id, other), ".") for other in order)
        name = f"{row.name} (results left out)" if row.left_out else row.name
        rows.append([str(at), name, *results, f"{row.points:g}"])
    yield from aligned(rows)
    if early := early_words(event):
        yield f"ended early: {early}"


def _json_lines(event: TournamentState) -> Iterator[str]:
    """Yield the event without its games, then each game."""
    yield event.model_copy(update={"games": ()}).model_dump_json()
    yield from (game.model_dump_json() for game in event.games)


_LINES: dict[str, Callable[[TournamentState], Iterator[str]]] = {
    "text": _text,
    "csv": _csv,
    "cross": _cross,
    "jsonl": _json_lines,
}
