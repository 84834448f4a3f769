"""The lines around a window: the place and the connection at its top, turn and keys below."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, assert_never

from ttt_client.model import variants
from ttt_client.model.variants import shape_of
from ttt_client.model.view import name_of, who
from ttt_client.model.words import possessive
from ttt_client.text import render
from ttt_client.text.event import time_left
from ttt_client.text.narrate import OFFERED
from ttt_client.tui.draw.canvas import Area, Canvas, Picture, Size, clip, shown, width
from ttt_client.tui.draw.panel import absence, last_move, newest_line
from ttt_client.tui.model.connection import Connecting, Connection, Live, Lost, Recorded
from ttt_client.tui.model.input import Asking, FieldKind, InputState
from ttt_client.tui.model.keymap import CHOICE_KEYS
from ttt_client.tui.model.screen import Occasion, ScreenState
from ttt_protocol.state import Status


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
    words = _occasion(screen.occasion, now)
    if (room := screen.view.room) is not None:
        words += [variants.words(room.settings.rules), render.opening_words(room.settings.opening)]
        if room.game is not None and screen.occasion is None:
            words += [f"game {room.game.number}"]
    draw_header(canvas, [screen.heading, *filter(None, words)], screen.connection, now)


def _occasion(occasion: Occasion | None, now: float) -> list[str]:
    """Return what goes on in the event of a game, and which of the player's boards this is."""
    if occasion is None:
        return []
    left_s = occasion.left_s(now)
    words = occasion.words if left_s is None else f"{time_left(left_s)} left"
    if occasion.boards == 1 or occasion.number is None:
        return [words]
    return [f"board {occasion.number} of {occasion.boards}, {occasion.waiting} to move", words]


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
        case Live(round_trip_s=measured_s):
            took = "" if measured_s is None else f" {measured_s * 1000:.0f} ms"
            return f"{full} live{took}", "class:live"
        case Lost(until=until):
            left = max(0, round(until - now + 0.5))
            again = f"trying again in {left} s" if left else "trying again"
            return f"{empty} lost, {again}", "class:lost"
        case Recorded():
            return "replay", "class:live"
        case _:  # pragma: no cover - the union is closed
            assert_never(connection)


LEAST = Size(20, 8)
"""The smallest window with more than a text that says so."""
ROWS = 3
_WITH_LAST_MOVE = 18
"""Rows of a window from which on the last move has a line of its own above the board."""


class Key(NamedTuple):
    """A shown key and its effect; a click on it presses it."""

    shown: str
    does: str
    press: str


_PRESSES = {"Left Right": "right", "Up Down": "down", "Left": "left", "Right": "right"}
_PRESSES |= {"Enter": "enter", "Esc": "escape", "Tab": "tab", "Space": " ", "Del": "delete"}
_PRESSES |= {"Home": "home", "End": "end", "PgUp": "pageup", "PgDn": "pagedown"}
"""What keys press that are shown by their names."""


def keyed(**does: str) -> tuple[Key, ...]:
    """Return keys, each with its effect; a letter is pressed as it is shown."""
    return tuple(Key(shown, effect, _PRESSES.get(shown, shown)) for shown, effect in does.items())


HELP, QUIT = Key("?", "help", "?"), Key("q", "quit", "q")
_RARE = {"tab": 1, "T": 2, "I": 3, "M": 4, "D": 5}
"""The keys that a narrow window drops first, in this order: resign stays."""
_ALWAYS = (*keyed(Tab="chat"), HELP, QUIT)
RETRY = (Key("Ctrl-R", "retry now", "c-r"), QUIT)


_ASKED: dict[Asking, tuple[str, tuple[Key, ...]]] = {
    "draw": ("offer a draw?", keyed(y="offer it", n="play on")),
    "resign": ("resign this game?", keyed(y="resign", n="play on")),
    "quit": ("leave? your seat is kept", keyed(y="leave", n="stay")),
    "host": ("host:", keyed(m="mute", x="remove", c="clear chat", a="all", p="players", o="off")),
}


def turn_words(screen: ScreenState, now: float = 0.0) -> tuple[str, str]:
    """Return the turn or the outcome in words, and its style."""
    view = screen.view
    if view.room is None:
        return "", ""
    if (waiting_s := screen.waiting_s(now)) is not None:
        return f"sent, waiting {int(waiting_s)} s...", "class:turn"
    game = view.game
    if game is not None and game.outcome is not None and view.room.status is not Status.WAITING:
        return shown(render.outcome(view, game.outcome, view.rules)), "class:outcome"
    if view.your_choices and not view.is_shared:
        return f"YOUR CHOICE: {render.listed_choices(view.your_choices)}", "class:your-turn"
    paused = "" if screen.paused_at is None else ", paused: clocks stand still"
    if view.your_turn and not view.is_shared:
        what = paused or render.placing(view) or render.task(view)
        return f"YOUR TURN ({view.seat}){what}", "class:your-turn"
    return shown(render.turn(view)) + paused, "class:turn"


def question(screen: ScreenState, inputs: InputState) -> tuple[str, tuple[Key, ...]]:
    """Return the question that waits for an answer, with the keys of the answers."""
    view = screen.view
    if inputs.asking is not None:
        words, keys = _ASKED[inputs.asking]
        if inputs.asking == "quit" and screen.occasion is not None and view.room is not None:
            words = f"leave? lost after {view.room.settings.grace_s:g} s away"
        return words, keys
    if view.offered and view.room is not None:
        kind = view.offered[0]
        offers = view.room.offers[kind]
        words = f"{shown(who(view, offers))} {OFFERED[kind]}" if offers is not None else ""
        return words, keyed(y="accept", x="decline")
    if view.your_choices:
        keys_of_choices = {choice: key for key, choice in CHOICE_KEYS.items()}
        does = {keys_of_choices[choice]: render.CHOICES[choice] for choice in view.your_choices}
        return "choose:", keyed(**does)
    if screen.search is not None and screen.search.offered and view.room is None:
        return f"no player yet: {screen.search.offered} would play", keyed(y="play it")
    return "", ()


def keys_of(screen: ScreenState) -> tuple[Key, ...]:
    """Return the keys of this moment, the rarer ones first."""
    view, room = screen.view, screen.view.room
    if room is None:
        return (QUIT,)
    always = (*(keyed(M="host") if view.is_host else ()), *_ALWAYS)
    if screen.occasion is not None:
        boards = (Key("[ ]", "boards", "]"),) if screen.occasion.boards > 1 else ()
        always = (*boards, *keyed(E="standings"), *_ALWAYS)
    if view.seat is None:
        return (*keyed(n="next room"), *always) if screen.television else always
    if room.status is Status.WAITING:
        return always if room.settings.rated else (*keyed(F="seat an AI"), *always)
    if view.choosing is not None:
        # Letters choose now.
        return (*keyed(R="resign", D="draw"), *always)
    if view.to_move is None:
        return always if screen.occasion is not None else (*keyed(n="rematch"), *always)
    acts = {"r": "resign", "d": "draw"}
    if not view.to_place and not room.settings.rated:  # an opening has neither
        acts |= {"t": "takeback"} | ({"i": "hint"} if room.settings.hints else {})
    # The capital letter is never the beginning of a cell's name.
    # In a cube a digit begins the name.
    is_cube = shape_of(view.rules).is_cube
    last = "" if is_cube else render.column_letter(view.rules.columns - 1)
    names = {key: key.upper() if key <= last else key for key in acts}
    return (*(Key(names[key], does, key.upper()) for key, does in acts.items()), *always)


def draw_footer(
    canvas: Canvas, screen: ScreenState, inputs: InputState, now: float, *, with_feed: bool
) -> None:
    """Draw the last rows; `with_feed` adds the newest message, where no panel shows it."""
    words, style = turn_words(screen, now)
    move = last_move(screen, short=True)
    if with_feed and canvas.size.rows < _WITH_LAST_MOVE and inputs.help is None and move:
        longer = f"{words}  {move}"
        words = longer if width(longer) <= canvas.size.columns - 2 else words
    draw_turn(canvas, words, style)
    _draw_message(canvas, screen, inputs, now, with_feed=with_feed)
    keys = RETRY if isinstance(screen.connection, Lost) else keys_of(screen)
    if inputs.text_field is not None:
        keys = keyed(Enter=_TYPING[inputs.text_field.kind], Esc="back")
    draw_keys(canvas, keys)


def painted(size: Size, draw: Callable[[Canvas], None], *, ascii_only: bool = False) -> Picture:
    """Return the picture of a window: what `draw` draws, or that it is too small for that."""
    canvas = Canvas(size, ascii_only=ascii_only)
    if size.columns >= LEAST.columns and size.rows >= LEAST.rows:
        draw(canvas)
    else:
        words = f"too small: this needs {LEAST.columns}x{LEAST.rows}"
        canvas.write(Area(0, 0, max(1, size.columns), size.rows), [words])
    return canvas.picture()


def draw_words(canvas: Canvas, area: Area, text: str) -> None:
    """Draw a text in the middle of an otherwise empty area."""
    text = clip(text, area.columns, ascii_only=canvas.ascii_only)
    x = area.x + (area.columns - width(text)) // 2
    canvas.put(x, area.y + area.rows // 2, text, "class:dim")


def middle(canvas: Canvas) -> Area:
    """Return what is between the first line and the last ones."""
    return Area(0, 1, canvas.size.columns, canvas.size.rows - ROWS - 1)


def draw_turn(canvas: Canvas, words: str, style: str) -> None:
    words = clip(words, canvas.size.columns - 2, ascii_only=canvas.ascii_only)
    x = max(0, (canvas.size.columns - width(words) - 2) // 2)
    canvas.put(x, canvas.size.rows - ROWS, f" {words} ", style)


def draw_notice(canvas: Canvas, words: str, style: str) -> None:
    canvas.put(1, canvas.size.rows - 2, words, style, columns=canvas.size.columns - 2)


def _draw_message(
    canvas: Canvas, screen: ScreenState, inputs: InputState, now: float, *, with_feed: bool
) -> None:
    if inputs.text_field is not None:
        field = inputs.text_field
        text = "*" * len(field.text) if field.kind == "password" else field.text
        draw_text_field(canvas, field.prompt or _PROMPTS[field.kind], text, field.behind)
        return
    words, keys = question(screen, inputs)
    if words:
        draw_question(canvas, words, keys)
        return
    if isinstance(screen.connection, Lost):
        words, style = shown(screen.notice or screen.connection.words), "class:lost"
    elif inputs.typed:
        words, style = f"{inputs.typed}_{_ends_name(screen, inputs.typed)}", "class:typed"
    elif screen.notice:
        words, style = shown(screen.notice), "class:refused"
    elif screen.hint is not None:
        words, style = screen.hint_words, "class:hint"
    elif with_feed and (away := absence(screen, now)):
        words, style = away, "class:away"
    elif with_feed:
        words, style = newest_line(screen)
    else:
        return
    draw_notice(canvas, words, style)


_TYPING: dict[FieldKind, str] = {"talk": "say it", "line": "do it", "password": "go in"}
_PROMPTS: dict[FieldKind, str] = {"talk": "say: ", "line": ": ", "password": "password: "}
_ACTS = {"d": "offers a draw", "r": "resigns", "i": "hint", "t": "takeback", "n": "rematch"}


def _ends_name(screen: ScreenState, typed: str) -> str:
    """Return what Enter does behind the beginning of a cell's name."""
    if len(typed) > 1 or screen.view.rules.gravity:
        return "  Enter"
    return f"  Enter {_ACTS[typed]}" if typed in _ACTS else ""


def draw_question(canvas: Canvas, words: str, keys: tuple[Key, ...]) -> None:
    """Draw the question: all of its keys, and as many of its words as fit.

    The keys lose their effects where the whole question fits in without them.
    """
    room = canvas.size.columns - 3
    full = room - sum(len(key.shown) + len(key.does) + 3 for key in keys)
    bare = room - sum(len(key.shown) + 2 for key in keys)
    if full < 8 or full < width(words) <= bare:
        keys, full = tuple(Key(key.shown, "", key.press) for key in keys), bare
    x, y = 1, canvas.size.rows - 2
    x = canvas.put(x, y, words, "class:question", columns=full) + 2
    for key in keys:
        x = _draw_key(canvas, x, y, key) + 1


def _draw_key(canvas: Canvas, x: int, y: int, key: Key) -> int:
    start = x
    x = canvas.put(x, y, key.shown, "class:key")
    if key.does:
        x = canvas.put(x, y, f" {key.does}", "class:does")
    canvas.target(start, y, x - start, 1, key.press)
    return x + 1


def draw_keys(canvas: Canvas, keys: tuple[Key, ...]) -> None:
    """Draw as many keys as fit; help and quit, the last ones, matter most."""
    kept, room = list(keys), canvas.size.columns + 1
    while kept and sum(len(key.shown) + len(key.does) + 3 for key in kept) > room:
        # Of equals the one at the left.
        kept.remove(min(kept, key=lambda key: _RARE.get(key.press, len(_RARE) + 1)))
    x = 1
    for key in kept:
        x = _draw_key(canvas, x, canvas.size.rows - 1, key) + 1


def draw_text_field(canvas: Canvas, prompt: str, text: str, behind: int = 0) -> None:
    """Draw a line that is being typed, with `behind` characters after the caret.

    A long one is drawn up to the caret.
    """
    room = canvas.size.columns - width(prompt) - 3
    caret = len(text) - behind
    head, at, tail = shown(text[:caret]), shown(text[caret : caret + 1]), shown(text[caret + 1 :])
    while width(head) > room:
        head = head[1:]
    y = canvas.size.rows - 2
    x = canvas.put(1, y, prompt, "class:prompt")
    x = canvas.put(x, y, head, "class:draft")
    x = canvas.put(x, y, at or " ", "class:caret")
    canvas.put(x, y, tail, "class:draft", columns=max(0, canvas.size.columns - x - 1))
