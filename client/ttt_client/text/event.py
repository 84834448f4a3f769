"""An event in lines of text: what goes on, the standings, the games, and what comes next. Pure."""

from collections.abc import Sequence
from itertools import zip_longest
from math import ceil
from typing import assert_never

from wcwidth import wcswidth

from ttt_client.text import render
from ttt_protocol.state import Mark, Rules, SessionId
from ttt_protocol.text import clean, counted, plural
from ttt_protocol.tournament import messages
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


def status_line(event: messages.TournamentState) -> str:
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


def early_words(event: messages.TournamentState) -> str:
    """Return why an event ended before all was played; nothing if it did not."""
    return "" if event.ended_early is None else _EARLY[event.ended_early]


def _winner(standings: Sequence[messages.Standing]) -> str | None:
    """Return who won: the first, if any game counts and no other player is as good."""
    has_games = any(row.wins or row.draws or row.losses for row in standings)
    first = [row.name for row in standings if row.rank == 1]
    return first[0] if has_games and len(first) == 1 else None


def _progress(event: messages.TournamentState) -> str:
    if event.ends_at is not None:
        return f"{time_left((event.ends_at - event.now) / 1000)} left"
    if event.form is Form.SIMUL:
        return f"{counted(sum(game.result is None for game in event.games), 'board')} under way"
    if event.awaits == "next":
        return f"round {event.round} is over"
    waiting = f", waiting for {', '.join(event.waiting_for)}" if event.waiting_for else ""
    return f"{round_words(event)}{waiting}"


def round_words(event: messages.TournamentState) -> str:
    """Return `round 2 of 5`."""
    of = "" if event.rounds is None else f" of {event.rounds}"
    return f"round {event.round}{of}"


def time_left(left_s: float) -> str:
    """Return a time as `4:05`, and one that is over as `0:00`."""
    left = max(0, ceil(left_s))
    return f"{left // 60}:{left % 60:02d}"


def table(event: messages.TournamentState, most: int | None = None) -> list[str]:
    """Return the standings, a line a player under a line of heads."""
    return aligned(table_cells(event, most))


def table_cells(event: messages.TournamentState, most: int | None = None) -> list[list[str]]:
    """Return the cells of the standings: those of the heads first, then a row a player."""
    has_tie_breaks = event.form in _TIE_BREAKS
    head = ["", "player", "points", "won", "drawn", "lost"]
    head += ["buchholz", "s-b"] if has_tie_breaks else []
    has_ratings = any(row.elo is not None for row in event.standings)
    head += ["elo"] if has_ratings else []
    rows = event.standings[:most]
    return [head, *(_cells(row, tie_breaks=has_tie_breaks, rating=has_ratings) for row in rows)]


def _cells(row: messages.Standing, *, tie_breaks: bool, rating: bool) -> list[str]:
    notes: list[str] = [row.kind] if row.kind != "human" else []
    notes += ["withdrawn"] if row.status == "withdrawn" else []
    notes += ["results left out"] if row.left_out else []
    name = f"{row.name} ({', '.join(notes)})" if notes else row.name
    counts = (row.wins, row.draws, row.losses)
    cells = [f"{row.rank}.", name, f"{row.points:g}", *map(str, counts)]
    cells += [f"{row.buchholz:g}", f"{row.sonneborn_berger:g}"] if tie_breaks else []
    return cells + ([_rating(row)] if rating else [])


def _rating(row: messages.Standing) -> str:
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


def game_line(game: messages.TournamentGame) -> str:
    """Return a game with its result."""
    result = "under way" if game.result is None else _RESULTS[game.result]
    notes = " (corrected)" if game.corrected else ""
    notes += " (once more, as no other player was free)" if game.again else ""
    return f"round {game.round}, {game.X} - {game.O}: {result}{notes}"


def form_words(event: messages.TournamentState) -> str:
    """Return how players are paired."""
    return "Swiss" if event.form is Form.SWISS else event.form.value


def row_of(event: messages.TournamentState, player: SessionId | None) -> messages.Standing | None:
    """Return a player's row; None if the state has none, because it is cut."""
    return next((row for row in event.standings if row.id == player), None)


def begins(game: messages.OwnGame) -> str:
    """Return the words for a player's game that begins."""
    again = ", once more, as no other player was free" if game.again else ""
    return f"your game against {game.opponent}{again}: you play {game.seat}"


def place_words(event: messages.TournamentState, row: messages.Standing) -> str:
    """Return `place 3 of 12, 1.5 points: won 1, drawn 1, lost 0`."""
    points = f"{row.points:g} {plural(row.points, 'point')}"
    byes = f", byes {row.byes}" if row.byes else ""
    streak = f", streak {row.streak}" if event.form is Form.ARENA and row.streak > 1 else ""
    counts = f"won {row.wins}, drawn {row.draws}, lost {row.losses}{byes}{streak}"
    return f"place {row.rank} of {event.players}, {points}: {counts}"


def next_words(event: messages.TournamentState, row: messages.Standing | None) -> str:
    """Return what a player without a game waits for; for a watcher, without a row, nothing."""
    if row is None or event.status == "finished":
        return ""
    if row.status == "withdrawn":
        return "you have withdrawn"
    match event.status:
        case "created":
            return "waiting for the organiser to start"
        case "paused":
            return "paused: waiting for the organiser to go on"
        case "running":
            return _next_game(event)
        case _:  # pragma: no cover - the union is closed
            assert_never(event.status)


def _next_game(event: messages.TournamentState) -> str:
    if event.form in (Form.ARENA, Form.MATCH):
        return "waiting for your next game"
    if event.form is Form.SIMUL:
        return "waiting for a board"
    if event.awaits == "next":
        return "waiting for the organiser to begin the next round"
    open_games = sum(game.result is None for game in event.games)
    if not open_games:
        return "waiting for the next round"
    return f"waiting for the next round: {counted(open_games, 'game')} under way"


def words_at_board(event: messages.TournamentState) -> str:
    """Return what a player at a board reads of the event: what is told there, too.

    The state is told to players who are free, and to the others only when its status changes.
    """
    if event.status == "paused":
        return "paused"
    is_in_rounds = event.form not in (Form.ARENA, Form.SIMUL)
    return round_words(event) if is_in_rounds and event.status == "running" else ""


def final_words(event: messages.TournamentState, row: messages.Standing | None) -> str:
    """Return how an event came out, and for a player the own place."""
    over = status_line(event)
    if row is None:
        return over
    return f"{over}; you: {place_words(event, row)}"


_GAP = 4
"""Columns between two boards."""


def board_lines(
    boards: Sequence[messages.WallBoard], rules: Rules, columns: int, rows: int, *, ascii_only: bool
) -> list[str]:
    """Return the lines of as many boards as fit in these columns and rows."""
    blocks = [_block(board, rules, ascii_only=ascii_only) for board in boards]
    wide = max((width(line) for block in blocks for line in block), default=0)
    per_row = max(1, (columns + _GAP) // (wide + _GAP))
    shown: list[str] = []
    for first in range(0, len(blocks), per_row):
        lines = [*([""] if shown else []), *_beside(blocks[first : first + per_row], wide)]
        if wide > columns or len(shown) + len(lines) > rows:
            break
        shown += lines
    return shown


def _block(board: messages.WallBoard, rules: Rules, *, ascii_only: bool) -> list[str]:
    """Return a board between the names of its players and who is to move, or how it ended."""
    names = {Mark.X: clean(board.X), Mark.O: clean(board.O)}
    outcome = board.game.outcome
    if outcome is None:
        below = f"{board.game.turn} to move"
    else:
        below = "a draw" if outcome.winner is None else f"{names[outcome.winner]} won"
    lines = render.board(rules, board.game, ascii_only=ascii_only)
    return [f"{names[Mark.X]} - {names[Mark.O]}", *lines, below]


def _beside(blocks: Sequence[Sequence[str]], wide: int) -> list[str]:
    """Return the lines of blocks that stand side by side, each `wide` columns wide."""
    rows = zip_longest(*blocks, fillvalue="")
    gap = " " * _GAP
    return [gap.join(line + " " * (wide - width(line)) for line in row).rstrip() for row in rows]
