"""The first line: the place, and the state of the connection."""

from collections.abc import Sequence
from typing import assert_never

from ttt_client.model import variants
from ttt_client.model.view import name_of
from ttt_client.model.words import possessive
from ttt_client.text import render
from ttt_client.text.standings import time_left
from ttt_client.tui.draw.canvas import Canvas, shown, width
from ttt_client.tui.model.occasion import Occasion
from ttt_client.tui.model.screen import Connecting, Connection, Live, Lost, Recorded, ScreenState


def title(screen: ScreenState) -> str:
    """Return the title of the window: what matters to the reader, and where."""
    place, view = shown(screen.heading), screen.view
    game = view.game
    if view.offered:
        words = f"{view.offered[0]} offered"
    elif view.room is None or game is None:
        return f"{place} - ttt"
    elif game.outcome is not None:
        words = shown(render.won_words(view, game.outcome.winner))
    elif view.your_turn and not view.is_shared:
        words = "your turn"
    elif view.your_choices and not view.is_shared:
        words = "your choice"
    else:
        name = shown(name_of(view.room, game.turn))
        words = f"{possessive(name)} turn" if view.choosing is None else f"{name} chooses"
    return f"{words} in {place}"


def draw_room_header(canvas: Canvas, screen: ScreenState, now: float) -> None:
    """Draw the room's name, its board and the number of the game."""
    words = [screen.heading, *_occasion(screen.occasion, now)]
    if (room := screen.view.room) is not None:
        words += [variants.words(room.settings.rules)]
        opening = render.opening_words(room.settings.opening)
        words += [opening] if opening else []
        if room.game is not None and screen.occasion is None:
            words += [f"game {room.game.number}"]
    draw_header(canvas, words, screen.connection, now)


def _occasion(occasion: Occasion | None, now: float) -> list[str]:
    """Return what goes on in the event of a game, and which of the player's boards this is."""
    if occasion is None:
        return []
    left_s = occasion.left_s(now)
    words = occasion.words if left_s is None else f"{time_left(left_s)} left"
    if occasion.boards == 1 or occasion.number is None:
        return [words] if words else []
    board = f"board {occasion.number} of {occasion.boards}, {occasion.waiting} to move"
    return [board, words] if words else [board]


def draw_header(canvas: Canvas, words: Sequence[str], connection: Connection, now: float) -> None:
    """Draw as many of the words as fit, and the connection at the right."""
    state, style = connection_words(connection, now, ascii_only=canvas.ascii_only)
    if width(state) + width(words[0]) + 3 > canvas.size.columns:
        state = " ".join(state.split(" ")[:2]).rstrip(",")  # the name of the place matters more
    canvas.tint(0, 0, canvas.size.columns, 1, "class:header")
    right = max(0, canvas.size.columns - width(state) - 1)
    shorter = ("  ".join(map(shown, words[:count])) for count in range(len(words), 0, -1))
    text = next((text for text in shorter if width(text) + 2 <= right), shown(words[0]))
    canvas.put(1, 0, text, "class:header class:place", columns=max(0, right - 2))
    canvas.put(right, 0, state, f"class:header {style}")


def connection_words(connection: Connection, now: float, *, ascii_only: bool) -> tuple[str, str]:
    """Return `● live 3 ms`, and its style."""
    full, empty = ("*", "o") if ascii_only else ("●", "○")
    match connection:
        case Connecting():
            return f"{empty} connecting", "class:connecting"
        case Live() if (silent_s := connection.silent_s(now)) is not None:
            return f"{empty} silent {int(silent_s)} s", "class:lost"
        case Live(round_trip_s=None):
            return f"{full} live", "class:live"
        case Live(round_trip_s=round_trip_s):
            return f"{full} live {(round_trip_s or 0) * 1000:.0f} ms", "class:live"
        case Lost(until=until):
            left = max(0, round(until - now + 0.5))
            again = f"trying again in {left} s" if left else "trying again"
            return f"{empty} lost, {again}", "class:lost"
        case Recorded():
            return "replay", "class:live"
        case _:  # pragma: no cover - the union is closed
            assert_never(connection)
