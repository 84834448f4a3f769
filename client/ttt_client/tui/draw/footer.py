"""The lines at the bottom: the turn, a question or the newest message, and the keys."""

from dataclasses import dataclass

from ttt_client.model.view import who
from ttt_client.text import render
from ttt_client.tui.draw.canvas import Canvas, clip, shown, width
from ttt_client.tui.draw.panel import newest_line
from ttt_client.tui.draw.seats import absence
from ttt_client.tui.model.input import Asking, InputState
from ttt_client.tui.model.screen import Lost, ScreenState
from ttt_protocol.state import OfferKind, Status

ROWS = 3

_OFFERS = {
    OfferKind.DRAW: "offers a draw",
    OfferKind.TAKEBACK: "asks to take a move back",
    OfferKind.REMATCH: "offers a rematch",
}


@dataclass(frozen=True, slots=True)
class Key:
    """A shown key and its effect; a click on it presses it."""

    shown: str
    does: str
    press: str


QUIT = Key("q", "quit", "q")
_ALWAYS = (Key("Tab", "chat", "tab"), Key("?", "help", "?"), QUIT)
_ASKED: dict[Asking, tuple[str, tuple[Key, ...]]] = {
    "resign": ("resign this game?", (Key("y", "resign", "y"), Key("n", "play on", "n"))),
    "quit": (
        "leave the running game? your seat is kept",
        (Key("y", "leave", "y"), Key("n", "stay", "n")),
    ),
}


def turn_words(screen: ScreenState) -> tuple[str, str]:
    """Return the turn or the outcome in words, and its style."""
    view = screen.view
    if view.room is None:
        return "", ""
    game = view.game
    if game is not None and game.outcome is not None and view.room.status is not Status.WAITING:
        words = render.outcome(view, game.outcome, view.room.settings.rules)
        return shown(words), "class:outcome"
    if view.your_turn:
        return f"YOUR TURN ({view.seat})", "class:your-turn"
    return shown(render.turn(view)), "class:turn"


def question(screen: ScreenState, inputs: InputState) -> tuple[str, tuple[Key, ...]]:
    """Return the question that waits for an answer, with the keys of the answers."""
    if inputs.asking is not None:
        return _ASKED[inputs.asking]
    view = screen.view
    if view.offered and view.seat is not None:
        kind = view.offered[0]
        words = f"{shown(who(view, view.seat.other))} {_OFFERS[kind]}"
        return words, (Key("y", "accept", "y"), Key("x", "decline", "x"))
    return "", ()


def keys_of(screen: ScreenState) -> tuple[Key, ...]:
    """Return the keys of this moment, the rarer ones first."""
    view, room = screen.view, screen.view.room
    if room is None:
        return (QUIT,)
    if view.seat is None:
        return (Key("n", "next room", "n"), *_ALWAYS) if screen.television else _ALWAYS
    if room.status is Status.WAITING:
        return (Key("F", "seat an AI", "F"), *_ALWAYS)
    if view.to_move is None:
        return (Key("n", "rematch", "n"), *_ALWAYS)
    running = (Key("r", "resign", "r"), Key("d", "draw", "d"), Key("t", "takeback", "t"))
    hint = (Key("i", "hint", "i"),) if room.settings.hints else ()
    return (*running, *hint, *_ALWAYS)


def draw_footer(
    canvas: Canvas, screen: ScreenState, inputs: InputState, now: float, *, with_feed: bool
) -> None:
    """Draw the last rows; `with_feed` adds the newest message, where no panel shows it."""
    top = canvas.size.rows - ROWS
    draw_turn(canvas, top, *turn_words(screen))
    _draw_message(canvas, top + 1, screen, inputs, now, with_feed=with_feed)
    draw_keys(canvas, top + 2, keys_of(screen))


def draw_turn(canvas: Canvas, y: int, words: str, style: str) -> None:
    words = clip(words, canvas.size.columns - 2, ascii_only=canvas.ascii_only)
    canvas.put(max(0, (canvas.size.columns - width(words) - 2) // 2), y, f" {words} ", style)


def _draw_message(
    canvas: Canvas, y: int, screen: ScreenState, inputs: InputState, now: float, *, with_feed: bool
) -> None:
    room = canvas.size.columns - 2
    if inputs.text_field is not None:
        prompt = "say: " if inputs.text_field.talk else ": "
        draw_text_field(canvas, y, prompt, inputs.text_field.text)
        return
    words, keys = question(screen, inputs)
    if words:
        _draw_question(canvas, y, words, keys)
        return
    if isinstance(screen.connection, Lost):
        words, style = shown(screen.connection.words), "class:lost"
    elif inputs.typed:
        words, style = f"{inputs.typed}_", "class:typed"
    elif screen.notice:
        words, style = shown(screen.notice), "class:refused"
    elif with_feed and (away := absence(screen, now)):
        words, style = away, "class:away"
    elif with_feed:
        words, style = newest_line(screen, room, ascii_only=canvas.ascii_only)
    else:
        return
    canvas.put(1, y, words, style, columns=room)


def _draw_question(canvas: Canvas, y: int, words: str, keys: tuple[Key, ...]) -> None:
    """Draw the question: all of its keys, and as many of its words as fit."""
    needed = sum(len(key.shown) + len(key.does) + 4 for key in keys)
    room = canvas.size.columns - 3 - needed
    if room < 8:  # the letters of the keys without their effects
        keys = tuple(Key(key.shown, "", key.press) for key in keys)
        room = canvas.size.columns - 3 - sum(len(key.shown) + 2 for key in keys)
    x = canvas.put(1, y, words, "class:question", columns=room) + 2
    for key in keys:
        x = _draw_key(canvas, x, y, key) + 1


def _draw_key(canvas: Canvas, x: int, y: int, key: Key) -> int:
    start = x
    x = canvas.put(x, y, key.shown, "class:key")
    if key.does:
        x = canvas.put(x, y, f" {key.does}", "class:does")
    canvas.target(start, y, x - start, 1, key.press)
    return x + 1


def draw_keys(canvas: Canvas, y: int, keys: tuple[Key, ...]) -> None:
    """Draw as many keys as fit; the last ones, help and quit, matter most."""
    kept: list[Key] = []
    room = canvas.size.columns - 1
    for key in reversed(keys):
        room -= len(key.shown) + len(key.does) + 3
        if room < -2:
            break
        kept.insert(0, key)
    x = 1
    for key in kept:
        x = _draw_key(canvas, x, y, key) + 1


def draw_text_field(canvas: Canvas, y: int, prompt: str, text: str) -> None:
    """Draw a line that is being typed; of a long one, its end."""
    room = canvas.size.columns - width(prompt) - 3
    text = shown(text)
    while width(text) > room:
        text = text[1:]
    x = canvas.put(1, y, prompt, "class:prompt")
    x = canvas.put(x, y, text, "class:draft")
    canvas.put(x, y, " ", "class:caret")
