"""An event in lines of text: what is going on, the standings, the games. Pure."""

from collections.abc import Sequence
from math import ceil
from typing import assert_never

from wcwidth import wcswidth

from ttt_protocol.text import counted
from ttt_protocol.tournament.messages import Standing, TournamentGame, TournamentState
from ttt_protocol.tournament.settings import EarlyEnd, Form, Result

_RESULTS = {
    Result.X: "1-0",
    Result.O: "0-1",
    Result.DRAW: "1/2-1/2",
    Result.NEITHER: "0-0",
    Result.VOID: "void",
}
_EARLY = {
    EarlyEnd.NO_PAIRING: "no pairing without a repetition",
    EarlyEnd.WITHDREW: "all withdrew",
    EarlyEnd.ORGANISER: "ended by the organiser",
}
_TIE_BREAKS = (Form.SWISS, Form.ROUND_ROBIN)


def status_line(event: TournamentState) -> str:
    """Return what is going on, in one line."""
    match event.status:
        case "created":
            return f"{event.title}: not started, {counted(event.players, 'player')}"
        case "paused":
            return f"{event.title}: paused"
        case "finished":
            winner = _winner(event.standings)
            ended = "over" if winner is None else f"{winner} won"
            early = early_words(event)
            return f"{event.title}: {ended}; {early}" if early else f"{event.title}: {ended}"
        case "running":
            return f"{event.title}: {_progress(event)}"
        case _:
            assert_never(event.status)


def early_words(event: TournamentState) -> str:
    """Return why an event ended before all was played; nothing if it did not."""
    return "" if event.ended_early is None else _EARLY[event.ended_early]


def _winner(standings: Sequence[Standing]) -> str | None:
    """Return who won: the first, if any game counts and no other player is as good."""
    has_games = any(row.wins or row.draws or row.losses for row in standings)
    first = [row.name for row in standings if row.rank == 1]
    return first[0] if has_games and len(first) == 1 else None


def _progress(event: TournamentState) -> str:
    if event.ends_at is not None:
        return f"{time_left((event.ends_at - event.now) / 1000)} left"
    if event.form is Form.SIMUL:
        return f"{counted(sum(game.result is None for game in event.games), 'board')} under way"
    if event.awaits == "next":
        return f"round {event.round} is over"
    waiting = f", waiting for {', '.join(event.waiting_for)}" if event.waiting_for else ""
    return f"{round_words(event)}{waiting}"


def round_words(event: TournamentState) -> str:
    """Return `round 2 of 5`."""
    of = "" if event.rounds is None else f" of {event.rounds}"
    return f"round {event.round}{of}"


def time_left(left_s: float) -> str:
    """Return a time as `4:05`, and one that is over as `0:00`."""
    left = max(0, ceil(left_s))
    return f"{left // 60}:{left % 60:02d}"


def table(event: TournamentState, most: int | None = None) -> list[str]:
    """Return the standings, a line a player under a line of heads."""
    return aligned(table_cells(event, most))


def table_cells(event: TournamentState, most: int | None = None) -> list[list[str]]:
    """Return the cells of the standings: those of the heads first, then a row a player."""
    has_tie_breaks = event.form in _TIE_BREAKS
    head = ["", "player", "points", "won", "drawn", "lost"]
    head += ["buchholz", "s-b"] if has_tie_breaks else []
    has_ratings = any(row.elo is not None for row in event.standings)
    head += ["elo"] if has_ratings else []
    rows = [_cells(row, has_tie_breaks=has_tie_breaks) for row in event.standings[:most]]
    if has_ratings:
        rows = [[*cells, _rating(row)] for cells, row in zip(rows, event.standings, strict=False)]
    return [head, *rows]


def _cells(row: Standing, *, has_tie_breaks: bool) -> list[str]:
    notes: list[str] = [row.kind] if row.kind != "human" else []
    notes += ["withdrawn"] if row.status == "withdrawn" else []
    notes += ["results left out"] if row.left_out else []
    name = f"{row.name} ({', '.join(notes)})" if notes else row.name
    counts = (row.wins, row.draws, row.losses)
    cells = [f"{row.rank}.", name, f"{row.points:g}", *map(str, counts)]
    return cells + ([f"{row.buchholz:g}", f"{row.sonneborn_berger:g}"] if has_tie_breaks else [])


def _rating(row: Standing) -> str:
    if row.elo is None or row.elo_error is None:
        return "-"
    return f"{row.elo:+.0f} ±{row.elo_error:.0f}"


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the rows with aligned columns; the second is text, and the others are numbers."""
    widths = [max(width(cell) for cell in column) for column in zip(*rows, strict=True)]
    return ["  ".join(map(_padded, row, widths, range(len(row)))).rstrip() for row in rows]


def _padded(cell: str, wide: int, column: int) -> str:
    pad = " " * (wide - width(cell))
    return cell + pad if column == 1 else pad + cell


def width(text: str) -> int:
    """Return how many columns the text takes."""
    return max(0, wcswidth(text))


def game_line(game: TournamentGame) -> str:
    """Return a game with its result."""
    result = "under way" if game.result is None else _RESULTS[game.result]
    notes = " (corrected)" if game.corrected else ""
    notes += " (once more, as no other player was free)" if game.again else ""
    return f"round {game.round}, {game.X} - {game.O}: {result}{notes}"
