"""The meaning of a key in a room: the input state after it, and what to carry out.

Keys have the names of `prompt_toolkit` (`up`, `enter`, `escape`, `tab`, `backspace`, `c-u`). A
character is itself, and a click is `cell:N`. A letter may begin the name of a cell and be the key
of an act (`d4`, `d` for a draw). Then it waits for a digit, Enter or Escape: no time decides. The
capital letter is the act at once.
"""

from dataclasses import dataclass, replace
from typing import Literal

from ttt_client.model.typed import cell_of, command_for, move_of
from ttt_client.model.variants import shape_of
from ttt_client.text import render
from ttt_client.tui.model.connection import Live, Lost
from ttt_client.tui.model.input import LIST_STEPS, Asking, InputState, TextField, aimed, moved
from ttt_client.tui.model.screen import ScreenState
from ttt_protocol.codes import Choice
from ttt_protocol.commands import Play
from ttt_protocol.state import OfferKind, Rules, Status
from ttt_protocol.text import clean

ARROWS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
STEPS = ARROWS | {"k": (0, -1), "j": (0, 1), "h": (-1, 0), "l": (1, 0)}
STEPS |= {"home": (-99, 0), "end": (99, 0), "pageup": (0, -5), "pagedown": (0, 5)}
"""The columns and rows by which keys move the cursor."""
_ASKS = {"t": "takeback", "n": "rematch", "i": "hint"}
_CAPITALS = {"R": "r", "D": "d", "T": "t", "I": "i", "N": "n"}
"""Keys of acts that are never the beginning of a cell's name."""

_QUESTIONS: dict[str, Asking] = {"r": "resign", "d": "draw"}
FILL = "fill fair"
DOUBLE_S = 0.4
"""Seconds after a move of one's own in which a click or Enter belongs to that move."""


@dataclass(frozen=True, slots=True)
class TypedLine:
    """A line to be carried out as in plain mode."""

    text: str


@dataclass(frozen=True, slots=True)
class TypedPassword:
    """The password that was asked for; None if the question was given up."""

    text: str | None


_OF_HOST = {"m": "mute {}", "u": "unmute {}", "x": "remove {}"}
_OF_HOST |= {"c": "clear", "a": "chat all", "p": "chat players", "o": "chat off"}
"""The host's acts, as lines to be looked at before Enter; the name is the latest speaker's."""

CHOICE_KEYS = {"s": Choice.STAY, "w": Choice.SWAP, "m": Choice.MORE}
"""The keys of choices in an opening, while no letter can begin a cell's name."""

RoomAct = Literal["next", "retry"]
"""An act for the owner of the scene: go on to another room, or dial again at once."""

Intent = TypedLine | TypedPassword | RoomAct | None
Pressed = tuple[InputState, Intent]
"""The input state after a key, and what to carry out."""


def press(inputs: InputState, key: str, screen: ScreenState, now: float) -> Pressed:
    """Return the input state after a key pressed at `now`, and what to carry out.

    The Enter after the name of a cell belongs to it. A click or Enter within `DOUBLE_S` of a move
    of one's own does nothing: it is the second half of a double click, or a bounced key. Any other
    key in between shows that it is meant.
    """
    plays = key in {"enter", " "} or key.startswith("cell:")
    is_second = plays and inputs.moved_at is not None and now < inputs.moved_at + DOUBLE_S
    if is_second and inputs.text_field is None and inputs.asking is None:
        return replace(inputs, named=""), None
    inputs = inputs if plays else replace(inputs, moved_at=None)
    after, intent = _press(inputs, key, screen)
    move = move_of(intent.text) if isinstance(intent, TypedLine) else None
    if move is not None and isinstance(command_for(move, screen.view), Play):
        after = replace(after, moved_at=now)
    return after, intent


def _press(inputs: InputState, key: str, screen: ScreenState) -> Pressed:
    if key == "c-r":
        return inputs, "retry" if isinstance(screen.connection, Lost) else None
    if inputs.text_field is not None:
        text_field, line = inputs.text_field.press(key)
        if inputs.text_field.kind == "password" and text_field is None:
            return replace(inputs, text_field=None), TypedPassword(line)
        if line is None:
            return replace(inputs, text_field=text_field), None
        if line.startswith("say ") and not isinstance(screen.connection, Live):
            return inputs, None  # talk without a connection stays until there is one
        if screen.view.is_running and line.strip() in {"resign", "draw"}:
            asking: Asking = "draw" if line.strip() == "draw" else "resign"
            return replace(inputs, text_field=None, asking=asking), None
        return replace(inputs, text_field=text_field), TypedLine(line)
    if inputs.help is not None:
        step = LIST_STEPS.get(key)
        return replace(inputs, help=None if step is None else max(0, inputs.help + step)), None
    if inputs.asking is not None:
        asked, inputs = inputs.asking, replace(inputs, asking=None)
        if asked == "host":
            return _host_line(inputs, key, screen), None
        # Enter is pressed in passing, and does not answer what cannot be undone.
        if key in {"y", "Y"} or (key == "enter" and asked == "quit"):
            return inputs, TypedLine(asked)
        if key in {"n", "N", "x", "escape", "enter", asked[0]}:
            return inputs, None
    if screen.view.room is None:
        return _anywhere(inputs, key, screen)
    named, inputs = inputs.named, replace(inputs, named="")
    if named and key == "enter":
        return inputs, None
    if inputs.typed:
        return _after_typed(inputs, key, screen)
    if _begins_name(key, screen):
        # The cursor moves at once all the same, which does no harm.
        return replace(_moved(inputs, key, screen), typed=key), None
    if _is_number(key, screen):
        return _named(inputs, key, screen)
    return _act(inputs, key, screen)


def _host_line(inputs: InputState, key: str, screen: ScreenState) -> InputState:
    if (line := _OF_HOST.get(key.lower())) is None:
        return inputs
    others = screen.view.others
    text = line.format(clean(others[-1].name) if others else "")
    return replace(inputs, text_field=TextField(text, kind="line"))


def _begins_name(key: str, screen: ScreenState) -> bool:
    """Return whether the key may begin the name of a cell that could be played now."""
    rules = screen.view.rules
    if not screen.view.your_turn or len(key) != 1:
        return False
    shape = shape_of(rules)
    if shape.is_cube:
        return "1" <= key <= str(shape.layers)
    if "1" <= key <= "9":
        # A number names a column of a large board where pieces fall: 1, or the beginning of 12.
        return rules.gravity and render.has_edges(rules) and int(key) * 10 <= rules.columns
    return "a" <= key < render.column_letter(rules.columns)


def _after_typed(inputs: InputState, key: str, screen: ScreenState) -> Pressed:
    typed, rules = inputs.typed, screen.view.rules
    if shape_of(rules).is_cube and len(typed) == 1 and len(key) == 1 and key.isalpha():
        return replace(inputs, typed=typed + key), None
    if len(key) == 1 and key.isdecimal() and key.isascii():
        name = typed + key
        if _is_complete(name, rules):
            return _named(replace(inputs, typed=""), name, screen)
        return replace(inputs, typed=name), None
    inputs = replace(inputs, typed="")
    if key in {"escape", "backspace"}:
        return replace(inputs, typed=typed[:-1] if key == "backspace" else ""), None
    if key == "enter":
        return _finished(inputs, typed, screen)
    return _press(inputs, key, screen)  # any other key gives the name up


def _is_complete(name: str, rules: Rules) -> bool:
    """Return whether no digit could follow."""
    if shape_of(rules).is_cube:
        return len(name) == 3
    if name[0].isdigit():
        return True  # the second digit of a column's number
    row = int(name[1:])
    return len(name) == 3 or row * 10 > rules.rows or row == 0


def _finished(inputs: InputState, typed: str, screen: ScreenState) -> Pressed:
    """Return what the beginning of a name means with an Enter behind it."""
    if len(typed) > 1 or screen.view.rules.gravity:
        after, intent = _named(inputs, typed, screen)
        return replace(after, named=""), intent  # this Enter was the name's
    if typed in STEPS:
        return _act(inputs, "enter", screen)
    return _act(inputs, typed, screen)


def _is_number(key: str, screen: ScreenState) -> bool:
    """Return whether the key is the whole name of a cell or column, for a player."""
    rules = screen.view.rules
    is_digit = len(key) == 1 and "1" <= key <= "9"
    names = not render.has_edges(rules) or (rules.gravity and screen.view.your_turn)
    return is_digit and screen.view.seat is not None and names


def _named(inputs: InputState, name: str, screen: ScreenState) -> Pressed:
    """Play the cell of that name, and move the cursor there if it exists."""
    rules = screen.view.rules
    move = move_of(name)
    cell = None if move is None else cell_of(move, rules)
    cursor = inputs.cursor if cell is None else cell
    return replace(inputs, cursor=cursor, follow=False, named=name), TypedLine(name)


def _anywhere(inputs: InputState, key: str, screen: ScreenState) -> Pressed:
    """Return what a key means with or without a room."""
    room = screen.view.room
    plays = screen.view.seat is not None and room is not None and room.status is Status.PLAYING
    match key:
        case "q" if plays:
            return replace(inputs, asking="quit"), None
        case "q" | "c-d":
            return inputs, TypedLine("quit")
        case "y" if screen.search is not None and screen.search.offered:
            return inputs, TypedLine("accept")
        case "?":
            return replace(inputs, help=0), None
        case _:
            return inputs, None


def _act(inputs: InputState, key: str, screen: ScreenState) -> Pressed:
    """Return what a key means when nothing is typed or asked."""
    key = _CAPITALS.get(key, key)
    match key:
        case "tab" | "/":
            return replace(inputs, text_field=TextField()), None
        case ":":
            return replace(inputs, text_field=TextField(kind="line")), None
        case _ if key in STEPS:
            return _moved(inputs, key, screen), None
        case "H":
            return inputs, TypedLine("show" if screen.hides_chat else "hide")
        case "M" if screen.view.is_host:
            return replace(inputs, asking="host"), None
        case "n" if screen.view.seat is None:
            return inputs, "next"
        case _ if screen.view.seat is None or key in {"q", "c-d", "?"}:
            return _anywhere(inputs, key, screen)
        case _:
            return _play(inputs, key, screen)


def _play(inputs: InputState, key: str, screen: ScreenState) -> Pressed:
    """Return what a key means for a player. The controller or the server may refuse it."""
    answer = {"y": "accept", "x": "decline", "n": "decline"}.get(key)
    offered = screen.view.offered
    if offered and answer is not None and not (key == "n" and offered[0] is OfferKind.REMATCH):
        return inputs, TypedLine(f"{answer} {offered[0]}")
    match key:
        case _ if CHOICE_KEYS.get(key) in screen.view.your_choices:
            return inputs, TypedLine(CHOICE_KEYS[key].value)
        case "enter" | " ":
            return inputs, _play_cell(inputs.cursor_in(screen.view), screen)
        case _ if key.startswith("cell:"):
            cell = int(key[5:])
            return replace(inputs, cursor=cell, follow=False), _play_cell(cell, screen)
        case _ if key in _QUESTIONS and screen.view.is_running:
            return replace(inputs, asking=_QUESTIONS[key]), None
        case _ if key in _ASKS:
            return inputs, TypedLine(_ASKS[key])
        case "C" if screen.away:
            return inputs, TypedLine("claim")
        case "F" if screen.can_fill or screen.away:
            return replace(inputs, text_field=TextField(FILL, kind="line")), None
        case _:
            return inputs, None


def _play_cell(cell: int, screen: ScreenState) -> TypedLine:
    rules = screen.view.rules
    return TypedLine(render.label(aimed(cell, rules, screen.view.game), rules))


def _moved(inputs: InputState, key: str, screen: ScreenState) -> InputState:
    cursor = moved(inputs.cursor_in(screen.view), screen.view.rules, *STEPS.get(key, (0, 0)))
    return replace(inputs, cursor=cursor, follow=False) if key in STEPS else inputs
