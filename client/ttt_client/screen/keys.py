"""What a key means in a room: another hand, and what is to be carried out.

Keys have the names of `prompt_toolkit` (`up`, `enter`, `escape`, `tab`, `backspace`, `c-u`), a
character is itself, and a click is `cell:N`, a movement of the mouse over the board `aim:N`. A
column's letter may be a key as well (`d4`, `d` for a draw): where it is both, it waits.
"""

from dataclasses import dataclass, replace
from typing import Literal

from ttt_client import render
from ttt_client.screen.board import has_edges
from ttt_client.screen.hand import Draft, Hand, aimed, cursor_of, moved
from ttt_client.screen.stage import Stage
from ttt_protocol.state import OfferKind, Rules, Status

WAIT_S = 0.8
"""How long a letter that may begin the name of a cell waits for the rest."""

_LONGEST_LINE = 200
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
        return _edit(hand, hand.draft, key)
    if hand.help:
        return replace(hand, help=False), None
    if hand.asking is not None and (answered := _confirm(hand, key)) is not None:
        return answered
    if hand.typed:
        return _after_typed(hand, key, stage, now)
    if _waits(key, stage):
        # The cursor moves at once all the same: it does no harm.
        hand, _ = _move(hand, key, stage)
        return replace(hand, typed=key, typed_at=now), None
    return _act(hand, key, stage)


def flush(hand: Hand, stage: Stage, now: float) -> tuple[Hand, Intent]:
    """The hand when time passes: what is half typed is taken as it is, once it has waited."""
    if not hand.typed or now < hand.typed_at + WAIT_S:
        return hand, None
    return _take_typed(hand, stage)


def _edit(hand: Hand, draft: Draft, key: str) -> tuple[Hand, Intent]:
    match key:
        case "escape" | "tab":
            return replace(hand, draft=None), None
        case "enter":
            line = f"say {draft.text}" if draft.talk else draft.text
            empty = not draft.text.strip()
            return replace(hand, draft=None), None if empty else Line(line)
        case "backspace":
            text = draft.text[:-1]
        case "c-u":
            text = ""
        case "c-w":
            text = draft.text.rstrip().rpartition(" ")[0]
            text += " " if text else ""
        case _ if len(key) == 1 and key.isprintable():
            text = (draft.text + key)[:_LONGEST_LINE]
        case _:
            text = draft.text
    return replace(hand, draft=replace(draft, text=text)), None


def paste(hand: Hand, text: str) -> Hand:
    """Text from elsewhere goes into the line that is being typed, and nowhere else."""
    if hand.draft is None:
        return hand
    joined = hand.draft.text + " ".join(text.split())
    return replace(hand, draft=replace(hand.draft, text=joined[:_LONGEST_LINE]))


def _confirm(hand: Hand, key: str) -> tuple[Hand, Intent] | None:
    """The answer to what we asked; None if it was none and the key means what it always does."""
    asked, hand = hand.asking, replace(hand, asking=None)
    if key in {"y", "Y", "enter"}:
        return hand, Line(asked or "")
    if key in {"n", "N", "x", "escape"}:
        return hand, None
    if asked == key or asked is None:
        return hand, None
    return None


def _waits(key: str, stage: Stage) -> bool:
    """Whether the key may be the first letter of a cell that could be played now."""
    room = stage.view.room
    if room is None or not stage.view.your_turn:
        return False
    return len(key) == 1 and "a" <= key < render.column_letter(room.settings.rules.columns)


def _after_typed(hand: Hand, key: str, stage: Stage, now: float) -> tuple[Hand, Intent]:
    room = stage.view.room
    if len(key) == 1 and key.isdigit() and room is not None:
        hand = replace(hand, asking=None, typed=hand.typed + key, typed_at=now)
        return (
            _take_typed(hand, stage) if _complete(hand.typed, room.settings.rules) else (hand, None)
        )
    if key in {"escape", "backspace"}:
        return replace(hand, typed=""), None
    if key == "enter":
        return _take_typed(hand, stage)
    after, intent = _take_typed(hand, stage)
    # Not two at once: what was typed goes first, and the other key is lost.
    return (after, intent) if intent is not None else press(after, key, stage, now)


def _complete(typed: str, rules: Rules) -> bool:
    """Whether no digit could follow."""
    row = int(typed[1:])
    return len(typed) == 3 or row * 10 > rules.rows or row == 0


def _take_typed(hand: Hand, stage: Stage) -> tuple[Hand, Intent]:
    typed, hand = hand.typed, replace(hand, typed="")
    if len(typed) > 1:
        return hand, Line(typed)
    return (hand, None) if typed in _STEPS else _act(hand, typed, stage)


def _act(hand: Hand, key: str, stage: Stage) -> tuple[Hand, Intent]:
    """What the key means when nothing else is going on."""
    match key:
        case "q":
            return _quit(hand, stage)
        case "c-d":
            return hand, Line("quit")
        case "?":
            return replace(hand, help=True), None
        case "tab" | "/":
            return replace(hand, draft=Draft()), None
        case ":":
            return replace(hand, draft=Draft(talk=False)), None
        case _ if key in _STEPS:
            return _move(hand, key, stage)
        case _ if key.startswith("aim:"):
            return replace(hand, cursor=int(key[4:])), None
        case _ if stage.view.seat is not None:
            return _play(hand, key, stage)
        case "n":
            return hand, "next"
        case _:
            return hand, None


def _play(hand: Hand, key: str, stage: Stage) -> tuple[Hand, Intent]:
    """What only players can do. Whether they may now, the server or the visit says."""
    answer = {"y": "accept", "x": "decline", "n": "decline"}.get(key)
    offered = stage.view.offered
    if offered and answer is not None and not (key == "n" and offered[0] is OfferKind.REMATCH):
        return hand, Line(f"{answer} {offered[0]}")
    match key:
        case "enter" | " ":
            return _play_cell(hand, cursor_of(hand, stage.view), stage)
        case _ if key.startswith("cell:"):
            cell = int(key[5:])
            return _play_cell(replace(hand, cursor=cell), cell, stage)
        case "r":
            running = stage.view.to_move is not None
            return replace(hand, asking="resign") if running else hand, None
        case _ if key in _OFFERS:
            return hand, Line(_OFFERS[key])
        case "i":
            return hand, Line("hint")
        case "C" if stage.away:
            return hand, Line("claim")
        case "F" if stage.can_fill or stage.away:
            return replace(hand, draft=Draft(FILL, talk=False)), None
        case _ if key.isdigit() and len(key) == 1:
            rules = stage.view.room.settings.rules if stage.view.room is not None else None
            numbered = rules is not None and not has_edges(rules) and key != "0"
            return hand, Line(key) if numbered else None
        case _:
            return hand, None


def _play_cell(hand: Hand, cell: int, stage: Stage) -> tuple[Hand, Intent]:
    room = stage.view.room
    if room is None:
        return hand, None
    rules = room.settings.rules
    return hand, Line(render.label(aimed(cell, rules, stage.view.game), rules))


def _move(hand: Hand, key: str, stage: Stage) -> tuple[Hand, Intent]:
    if stage.view.room is None or key not in _STEPS:
        return hand, None
    rules = stage.view.room.settings.rules
    cursor = cursor_of(hand, stage.view)
    return replace(hand, cursor=moved(cursor, rules, *_STEPS[key])), None


def _quit(hand: Hand, stage: Stage) -> tuple[Hand, Intent]:
    """Asks once in a running game of ours."""
    room = stage.view.room
    running = stage.view.seat is not None and room is not None and room.status is Status.PLAYING
    return (replace(hand, asking="quit"), None) if running else (hand, Line("quit"))
