"""What a key means in a room: another hand, and what is to be carried out.

Keys have the names of `prompt_toolkit` (`up`, `enter`, `escape`, `tab`, `backspace`, `c-u`), a
character is itself, and a click is `cell:N`, a movement of the mouse over the board `aim:N`. A
column's letter may be a key as well (`d4`, `d` for a draw): where it is both, it waits.
"""

from dataclasses import dataclass, replace
from typing import Literal

from ttt_client.model.intents import cell_of
from ttt_client.model.typed import Move, parse_line
from ttt_client.text import render
from ttt_client.tui.draw.board import has_edges
from ttt_client.tui.model.input import Hand, aimed, cursor_of, moved
from ttt_client.tui.model.screen import Live, Stage
from ttt_client.tui.model.text_field import Draft
from ttt_protocol.state import OfferKind, RoomState, Rules, Status

WAIT_S = 0.8
"""How long a letter that may begin the name of a cell waits for the rest."""

ENTER_S = 2.0
"""So soon after the name of a cell Enter belongs to it: who has the habit would move twice."""

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
class Line:
    """To be carried out as if it were typed in plain mode."""

    text: str


Act = Literal["next"]
"""What only the one who shows the room can do: go on to another."""

Intent = Line | Act | None


def press(hand: Hand, key: str, stage: Stage, now: float) -> tuple[Hand, Intent]:
    """The hand after a key, and what the key wants."""
    if hand.draft is not None:
        draft, line = hand.draft.press(key)
        if line is None:
            return replace(hand, draft=draft), None
        if _is_too_early(line, stage):
            return hand, None
        return replace(hand, draft=draft), Line(line)
    if hand.help:
        return replace(hand, help=False), None
    if hand.asking is not None:
        asked, hand = hand.asking, replace(hand, asking=None)
        if key in {"y", "Y", "enter"}:
            return hand, Line(asked)
        if key in {"n", "N", "x", "escape", asked[0]}:
            return hand, None
    room = stage.view.room
    if room is None:
        return _anywhere(hand, key, stage)
    if hand.named_at is not None and not key.startswith("aim:"):
        named_at, hand = hand.named_at, replace(hand, named_at=None)
        if key == "enter" and now < named_at + ENTER_S:
            return hand, None
    if hand.typed:
        return _after_typed(hand, key, stage, room, now)
    if _waits(key, stage, room):
        # The cursor moves at once all the same: it does no harm.
        return replace(_moved(hand, key, stage, room), typed=key, typed_at=now), None
    if _is_number(key, stage, room):
        return _named(hand, key, room, now)
    return _act(hand, key, stage, room)


def flush(hand: Hand, stage: Stage, now: float) -> tuple[Hand, Intent]:
    """The hand when time passes: what is half typed is taken as it is, once it has waited."""
    room = stage.view.room
    if room is None or not hand.typed or now < hand.typed_at + WAIT_S:
        return hand, None
    return _take_typed(hand, stage, room, now)


def _is_too_early(line: str, stage: Stage) -> bool:
    """Whether it is talk that nobody would hear: it stays, to be said with the next connection."""
    return line.startswith("say ") and not isinstance(stage.connection, Live)


def _waits(key: str, stage: Stage, room: RoomState) -> bool:
    """Whether the key may be the first letter of a cell that could be played now."""
    if not stage.view.your_turn:
        return False
    return len(key) == 1 and "a" <= key < render.column_letter(room.settings.rules.columns)


def _after_typed(
    hand: Hand, key: str, stage: Stage, room: RoomState, now: float
) -> tuple[Hand, Intent]:
    if len(key) == 1 and key.isdigit():
        hand = replace(hand, typed=hand.typed + key, typed_at=now)
        complete = _is_complete(hand.typed, room.settings.rules)
        return _take_typed(hand, stage, room, now) if complete else (hand, None)
    if key in {"escape", "backspace"}:
        return replace(hand, typed=""), None
    after, intent = _take_typed(hand, stage, room, now)
    after = replace(after, named_at=None)  # if this is an Enter, it is the one behind the name
    if key == "enter" or intent is not None:
        return after, intent  # not two at once: the other key is lost
    return press(after, key, stage, now)


def _is_complete(typed: str, rules: Rules) -> bool:
    """Whether no digit could follow."""
    row = int(typed[1:])
    return len(typed) == 3 or row * 10 > rules.rows or row == 0


def _take_typed(hand: Hand, stage: Stage, room: RoomState, now: float) -> tuple[Hand, Intent]:
    typed, hand = hand.typed, replace(hand, typed="")
    if len(typed) > 1:
        return _named(hand, typed, room, now)
    return (hand, None) if typed in _STEPS else _act(hand, typed, stage, room)


def _is_number(key: str, stage: Stage, room: RoomState) -> bool:
    """Whether the key alone is the name of a cell, to one who plays."""
    is_digit = len(key) == 1 and "1" <= key <= "9"
    return is_digit and stage.view.seat is not None and not has_edges(room.settings.rules)


def _named(hand: Hand, name: str, room: RoomState, now: float) -> tuple[Hand, Intent]:
    """Plays the cell of that name. The cursor goes there, if there is one."""
    move = parse_line(name)
    cell = cell_of(move, room.settings.rules) if isinstance(move, Move) else None
    cursor = hand.cursor if cell is None else cell
    return replace(hand, cursor=cursor, named_at=now), Line(name)


def _anywhere(hand: Hand, key: str, stage: Stage) -> tuple[Hand, Intent]:
    """What a key means with or without a room."""
    match key:
        case "q":
            return _quit(hand, stage)
        case "c-d":
            return hand, Line("quit")
        case "?":
            return replace(hand, help=True), None
        case _:
            return hand, None


def _act(hand: Hand, key: str, stage: Stage, room: RoomState) -> tuple[Hand, Intent]:
    """What the key means when nothing else is going on."""
    match key:
        case "tab" | "/":
            return replace(hand, draft=Draft()), None
        case ":":
            return replace(hand, draft=Draft(talk=False)), None
        case _ if key in _STEPS:
            return _moved(hand, key, stage, room), None
        case _ if key.startswith("aim:"):
            return replace(hand, cursor=int(key[4:])), None
        case "n" if stage.view.seat is None:
            return hand, "next"
        case _ if stage.view.seat is None or key in {"q", "c-d", "?"}:
            return _anywhere(hand, key, stage)
        case _:
            return _play(hand, key, stage, room)


def _play(hand: Hand, key: str, stage: Stage, room: RoomState) -> tuple[Hand, Intent]:
    """What only players can do. Whether they may now, the server or the visit says."""
    answer = {"y": "accept", "x": "decline", "n": "decline"}.get(key)
    offered = stage.view.offered
    if offered and answer is not None and not (key == "n" and offered[0] is OfferKind.REMATCH):
        return hand, Line(f"{answer} {offered[0]}")
    match key:
        case "enter" | " ":
            return hand, _play_cell(cursor_of(hand, stage.view), stage, room)
        case _ if key.startswith("cell:"):
            cell = int(key[5:])
            return replace(hand, cursor=cell), _play_cell(cell, stage, room)
        case "r" if stage.view.to_move is not None:
            return replace(hand, asking="resign"), None
        case _ if key in _OFFERS:
            return hand, Line(_OFFERS[key])
        case "i":
            return hand, Line("hint")
        case "C" if stage.away:
            return hand, Line("claim")
        case "F" if stage.can_fill or stage.away:
            return replace(hand, draft=Draft(FILL, talk=False)), None
        case _:
            return hand, None


def _play_cell(cell: int, stage: Stage, room: RoomState) -> Line:
    rules = room.settings.rules
    return Line(render.label(aimed(cell, rules, stage.view.game), rules))


def _moved(hand: Hand, key: str, stage: Stage, room: RoomState) -> Hand:
    cursor = moved(cursor_of(hand, stage.view), room.settings.rules, *_STEPS.get(key, (0, 0)))
    return replace(hand, cursor=cursor) if key in _STEPS else hand


def _quit(hand: Hand, stage: Stage) -> tuple[Hand, Intent]:
    """Asks once in a running game of ours."""
    room = stage.view.room
    running = stage.view.seat is not None and room is not None and room.status is Status.PLAYING
    return (replace(hand, asking="quit"), None) if running else (hand, Line("quit"))
