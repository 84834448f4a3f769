"""An event as one of its players reads it: the place so far, and what comes next. Pure."""

from typing import assert_never

from ttt_client.text.standings import round_words, status_line
from ttt_protocol.state import SessionId
from ttt_protocol.text import counted, plural
from ttt_protocol.tournament.messages import OwnGame, Standing, TournamentState
from ttt_protocol.tournament.settings import Form

_FORMS = {
    Form.ARENA: "arena",
    Form.SWISS: "Swiss",
    Form.ROUND_ROBIN: "round-robin",
    Form.KNOCKOUT: "knockout",
    Form.MATCH: "match",
    Form.SIMUL: "simul",
}


def form_words(event: TournamentState) -> str:
    """Return how players are paired."""
    return _FORMS[event.form]


def row_of(event: TournamentState, player: SessionId | None) -> Standing | None:
    """Return a player's row; None if the state has none, because it is cut."""
    return next((row for row in event.standings if row.id == player), None)


def begins(game: OwnGame) -> str:
    """Return the words for a player's game that begins."""
    again = ", once more, as no other player was free" if game.again else ""
    return f"your game against {game.opponent}{again}: you play {game.seat}"


def place_words(event: TournamentState, row: Standing) -> str:
    """Return `place 3 of 12, 1.5 points: won 1, drawn 1, lost 0`."""
    points = f"{row.points:g} {plural(row.points, 'point')}"
    byes = f", byes {row.byes}" if row.byes else ""
    streak = f", streak {row.streak}" if event.form is Form.ARENA and row.streak > 1 else ""
    counts = f"won {row.wins}, drawn {row.draws}, lost {row.losses}{byes}{streak}"
    return f"place {row.rank} of {event.players}, {points}: {counts}"


def next_words(event: TournamentState, row: Standing | None) -> str:
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


def _next_game(event: TournamentState) -> str:
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


def words_at_board(event: TournamentState) -> str:
    """Return what a player at a board reads of the event: what is told there, too.

    The state is told to players who are free, and to the others only when its status changes.
    """
    if event.status == "paused":
        return "paused"
    is_in_rounds = event.form not in (Form.ARENA, Form.SIMUL)
    return round_words(event) if is_in_rounds and event.status == "running" else ""


def final_words(event: TournamentState, row: Standing | None) -> str:
    """Return how an event came out, and for a player the own place."""
    over = status_line(event)
    if row is None:
        return over
    return f"{over}; you: {place_words(event, row)}"
