"""The meaning of a key in a room: the input state after it, and what to carry out.

Keys have the names of `prompt_toolkit` (`up`, `enter`, `escape`, `tab`, `backspace`, `c-u`). A
character is itself, a click is `cell:N`, and a movement of the mouse over the board is `aim:N`. A
letter may name a column and an action (`d4`, `d` for a draw): then it waits for the next key.
"""

from dataclasses import dataclass, replace
from typing import Literal

from ttt_client.model.intents import cell_of
from ttt_client.model.typed import Move, parse_line
from ttt_client.text import render
from ttt_client.tui.model.input import InputState, aimed, cursor_of, moved
from ttt_client.tui.model.screen import Live, ScreenState
from ttt_client.tui.model.text_field import TextField
from ttt_protocol.state import OfferKind, RoomState, Rules, Status

WAIT_S = 0.8
"""Seconds that the beginning of a cell's name waits for the rest."""

ENTER_S = 2.0
"""Seconds after the name of a cell in which Enter belongs to it, and does not move again."""

_STEPS = {
    "up": (0, -1),
    "down": (0, 1),
    "left": (-1, 0),
    "right": (1, 0),
    "k": (0, -1),
    "j": (0, 1),
    "h": (-1, 0),
    "l": (1, 0),
    "home": (-99, 0),
    "end": (99, 0),
    "pageup": (0, -5),
    "pagedown": (0, 5),
}
_OFFERS = {"d": OfferKind.DRAW, "t": OfferKind.TAKEBACK, "n": OfferKind.REMATCH}
FILL = "fill minimax:5"


@dataclass(frozen=True, slots=True)
class TypedLine:
    """A line to be carried out as in plain mode."""

    text: str


Act = Literal["next"]
"""An act for the owner of the scene: go on to another room."""

Intent = TypedLine | Act | None


def press(
    inputs: InputState, key: str, screen: ScreenState, now: float
) -> tuple[InputState, Intent]:
    """Return the input state after a key, and what to carry out."""
    if inputs.text_field is not None:
        text_field, line = inputs.text_field.press(key)
        if line is None:
            return replace(inputs, text_field=text_field), None
        if _is_too_early(line, screen):
            return inputs, None
        return replace(inputs, text_field=text_field), TypedLine(line)
    if inputs.help:
        return replace(inputs, help=False), None
    if inputs.asking is not None:
        asked, inputs = inputs.asking, replace(inputs, asking=None)
        if key in {"y", "Y", "enter"}:
            return inputs, TypedLine(asked)
        if key in {"n", "N", "x", "escape", asked[0]}:
            return inputs, None
    room = screen.view.room
    if room is None:
        return _anywhere(inputs, key, screen)
    if inputs.named_at is not None and not key.startswith("aim:"):
        named_at, inputs = inputs.named_at, replace(inputs, named_at=None)
        if key == "enter" and now < named_at + ENTER_S:
            return inputs, None
    if inputs.typed:
        return _after_typed(inputs, key, screen, room, now)
    if _waits(key, screen, room):
        # The cursor moves at once all the same, which does no harm.
        return replace(_moved(inputs, key, screen, room), typed=key, typed_at=now), None
    if _is_number(key, screen, room):
        return _named(inputs, key, room, now)
    return _act(inputs, key, screen, room)


def flush(inputs: InputState, screen: ScreenState, now: float) -> tuple[InputState, Intent]:
    """Return the input state after a wait: a half-typed name is then taken as it is."""
    room = screen.view.room
    if room is None or not inputs.typed or now < inputs.typed_at + WAIT_S:
        return inputs, None
    return _take_typed(inputs, screen, room, now)


def _is_too_early(line: str, screen: ScreenState) -> bool:
    """Return whether the line is talk without a connection: it stays until there is one."""
    return line.startswith("say ") and not isinstance(screen.connection, Live)


def _waits(key: str, screen: ScreenState, room: RoomState) -> bool:
    """Return whether the key may begin the name of a cell that could be played now."""
    if not screen.view.your_turn:
        return False
    return len(key) == 1 and "a" <= key < render.column_letter(room.settings.rules.columns)


def _after_typed(
    inputs: InputState, key: str, screen: ScreenState, room: RoomState, now: float
) -> tuple[InputState, Intent]:
    if len(key) == 1 and key.isdigit():
        inputs = replace(inputs, typed=inputs.typed + key, typed_at=now)
        complete = _is_complete(inputs.typed, room.settings.rules)
        return _take_typed(inputs, screen, room, now) if complete else (inputs, None)
    if key in {"escape", "backspace"}:
        return replace(inputs, typed=""), None
    after, intent = _take_typed(inputs, screen, room, now)
    after = replace(after, named_at=None)  # if this is an Enter, it belongs to the name
    if key == "enter" or intent is not None:
        return after, intent  # one act a key: the other key is lost
    return press(after, key, screen, now)


def _is_complete(typed: str, rules: Rules) -> bool:
    """Return whether no digit could follow."""
    row = int(typed[1:])
    return len(typed) == 3 or row * 10 > rules.rows or row == 0


def _take_typed(
    inputs: InputState, screen: ScreenState, room: RoomState, now: float
) -> tuple[InputState, Intent]:
    typed, inputs = inputs.typed, replace(inputs, typed="")
    if len(typed) > 1:
        return _named(inputs, typed, room, now)
    return (inputs, None) if typed in _STEPS else _act(inputs, typed, screen, room)


def _is_number(key: str, screen: ScreenState, room: RoomState) -> bool:
    """Return whether the key alone is the name of a cell, for a player."""
    is_digit = len(key) == 1 and "1" <= key <= "9"
    return is_digit and screen.view.seat is not None and not render.has_edges(room.settings.rules)


def _named(inputs: InputState, name: str, room: RoomState, now: float) -> tuple[InputState, Intent]:
    """Play the cell of that name, and move the cursor there if it exists."""
    move = parse_line(name)
    cell = cell_of(move, room.settings.rules) if isinstance(move, Move) else None
    cursor = inputs.cursor if cell is None else cell
    return replace(inputs, cursor=cursor, named_at=now), TypedLine(name)


def _anywhere(inputs: InputState, key: str, screen: ScreenState) -> tuple[InputState, Intent]:
    """Return what a key means with or without a room."""
    match key:
        case "q":
            return _quit(inputs, screen)
        case "c-d":
            return inputs, TypedLine("quit")
        case "?":
            return replace(inputs, help=True), None
        case _:
            return inputs, None


def _act(
    inputs: InputState, key: str, screen: ScreenState, room: RoomState
) -> tuple[InputState, Intent]:
    """Return what a key means when nothing is typed or asked."""
    match key:
        case "tab" | "/":
            return replace(inputs, text_field=TextField()), None
        case ":":
            return replace(inputs, text_field=TextField(talk=False)), None
        case _ if key in _STEPS:
            return _moved(inputs, key, screen, room), None
        case _ if key.startswith("aim:"):
            return replace(inputs, cursor=int(key[4:])), None
        case "n" if screen.view.seat is None:
            return inputs, "next"
        case _ if screen.view.seat is None or key in {"q", "c-d", "?"}:
            return _anywhere(inputs, key, screen)
        case _:
            return _play(inputs, key, screen, room)


def _play(
    inputs: InputState, key: str, screen: ScreenState, room: RoomState
) -> tuple[InputState, Intent]:
    """Return what a key means for a player. The controller or the server may refuse it."""
    answer = {"y": "accept", "x": "decline", "n": "decline"}.get(key)
    offered = screen.view.offered
    if offered and answer is not None and not (key == "n" and offered[0] is OfferKind.REMATCH):
        return inputs, TypedLine(f"{answer} {offered[0]}")
    match key:
        case "enter" | " ":
            return inputs, _play_cell(cursor_of(inputs, screen.view), screen, room)
        case _ if key.startswith("cell:"):
            cell = int(key[5:])
            return replace(inputs, cursor=cell), _play_cell(cell, screen, room)
        case "r" if screen.view.to_move is not None:
            return replace(inputs, asking="resign"), None
        case _ if key in _OFFERS:
            return inputs, TypedLine(_OFFERS[key])
        case "i":
            return inputs, TypedLine("hint")
        case "C" if screen.away:
            return inputs, TypedLine("claim")
        case "F" if screen.can_fill or screen.away:
            return replace(inputs, text_field=TextField(FILL, talk=False)), None
        case _:
            return inputs, None


def _play_cell(cell: int, screen: ScreenState, room: RoomState) -> TypedLine:
    rules = room.settings.rules
    return TypedLine(render.label(aimed(cell, rules, screen.view.game), rules))


def _moved(inputs: InputState, key: str, screen: ScreenState, room: RoomState) -> InputState:
    cursor = moved(cursor_of(inputs, screen.view), room.settings.rules, *_STEPS.get(key, (0, 0)))
    return replace(inputs, cursor=cursor) if key in _STEPS else inputs


def _quit(inputs: InputState, screen: ScreenState) -> tuple[InputState, Intent]:
    """Quit, but ask first in a running game of this player."""
    room = screen.view.room
    running = screen.view.seat is not None and room is not None and room.status is Status.PLAYING
    return (replace(inputs, asking="quit"), None) if running else (inputs, TypedLine("quit"))
