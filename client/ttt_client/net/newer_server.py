"""Messages of a newer server: what this client does not know is left out, and the rest is read.

Fields that are unknown are ignored by the codec. Here are the rest of the rules of
`docs/protocol.md`, section 7: event types, codes and reasons.
"""

import json
from contextlib import suppress
from dataclasses import replace
from typing import Any, get_args

from ttt_protocol.base import wire_type
from ttt_protocol.codec import BadMessage, decode_message, decode_record, encode_document
from ttt_protocol.codes import Reason, RefusalCode
from ttt_protocol.events import Event
from ttt_protocol.messages import Message, Refused, Rooms, Update, Welcome
from ttt_protocol.records import GameRecord
from ttt_protocol.state import RoomState, Summary

_EVENTS = frozenset(wire_type(kind) for kind in get_args(get_args(Event)[0]))
_STAND_IN = Reason.AGREEMENT
"""A reason in the place of an unknown one while the message is decoded."""


def read_message(raw: str | bytes) -> Message | None:
    """Return the message, without what only a newer client knows; None if that is all of it."""
    with suppress(BadMessage):
        return decode_message(raw)
    with suppress(BadMessage, ValueError, RecursionError):
        return _read_newer(raw)
    return None


def read_record(raw: bytes) -> GameRecord:
    """Return the record of a game, without events that only a newer client knows.

    Raises:
        BadMessage: if it is no record of a game.
    """
    try:
        return decode_record(raw)
    except BadMessage:
        found = _object(raw)
        if found is None:
            raise
        found["events"] = _known_events(found.get("events"))
        return decode_record(encode_document(found))


def read_rooms(raw: bytes) -> tuple[Summary, ...]:
    """Return the public rooms, as plain HTTP lists them.

    Raises:
        BadMessage: if it is no list of rooms.
    """
    listed = (_object(raw) or {}).get("rooms")
    message = decode_message(encode_document({"type": "rooms", "rooms": listed}))
    if not isinstance(message, Rooms):  # pragma: no cover - its type says so
        raise BadMessage("no list of rooms")
    return message.rooms


def _read_newer(raw: str | bytes) -> Message | None:
    found = _object(raw)
    if found is None:
        return None
    if "events" in found:
        found["events"] = _known_events(found["events"])
    reason = _stand_in(_outcome(found))
    if found.get("type") == "refused" and found.get("code") not in set(RefusalCode):
        # The words of this code are always the server's own.
        found["code"] = RefusalCode.NOT_ALLOWED
    message = decode_message(encode_document(found))
    if reason is None or not isinstance(message, Welcome | Update | Refused):
        return message
    room = message.room
    return message if room is None else message.model_copy(update={"room": _renamed(room, reason)})


def _object(raw: str | bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _known_events(events: object) -> list[dict[str, Any]]:
    """Return the events of known types, each with a reason that this client knows."""
    if not isinstance(events, list):
        return []
    known = [one for one in events if isinstance(one, dict) and one.get("type") in _EVENTS]
    for event in known:
        _stand_in(event.get("outcome"))
    return known


def _outcome(found: dict[str, Any]) -> object:
    inner: object = found
    for name in ("room", "game", "outcome"):
        inner = inner.get(name) if isinstance(inner, dict) else None
    return inner


def _stand_in(outcome: object) -> str | None:
    """Replace a reason that this client does not know, and return it."""
    if not isinstance(outcome, dict):
        return None
    reason = outcome.get("reason")
    if not isinstance(reason, str) or reason in set(Reason):
        return None
    outcome["reason"] = _STAND_IN
    return reason


def _renamed(room: RoomState, reason: str) -> RoomState:
    """Return the room with the reason that the server gave, for `words.outcome` to show."""
    game = room.game
    if game is None or game.outcome is None:  # pragma: no cover - the reason came from there
        return room
    outcome = replace(game.outcome, reason=reason)  # type: ignore[arg-type]  # to be shown
    return replace(room, game=replace(game, outcome=outcome))
