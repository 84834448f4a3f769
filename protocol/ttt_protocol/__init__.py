"""The words of `ttt.v1`: commands, messages, events, the nouns that they share, and their JSON.

The unions with their members, the state of a room, the codes and the codec are here. The nouns are
in `state`, what only HTTP gives in `records`, the cleaning of text in `text`.

The names are imported when one of them is asked for: the models take 80 ms, and `text`, which all
programs need at their start, needs none.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ttt_protocol.codec import (
        BadCommand,
        BadMessage,
        EncodedEvents,
        InvalidWire,
        decode_command,
        decode_event,
        decode_message,
        decode_record,
        decode_room,
        encode_command,
        encode_document,
        encode_event,
        encode_message,
    )
    from ttt_protocol.codes import CLOSE_REASONS, REASONS, CloseCode, Reason, RefusalCode
    from ttt_protocol.commands import (
        Accept,
        AskHint,
        Choose,
        Claim,
        Command,
        Decline,
        Fill,
        Join,
        Leave,
        Moderate,
        Offer,
        Play,
        Rename,
        Resign,
        Say,
        Seek,
    )
    from ttt_protocol.events import (
        Chosen,
        Created,
        Declined,
        Ended,
        Event,
        Left,
        Moderated,
        Offered,
        Played,
        Renamed,
        Seated,
        Slept,
        Started,
        TakenBack,
    )
    from ttt_protocol.messages import (
        AiOffered,
        Cleared,
        Goodbye,
        Hint,
        Message,
        Paired,
        Presence,
        Refused,
        Rooms,
        RoomsChanged,
        Said,
        Update,
        Welcome,
    )
    from ttt_protocol.state import RoomState

__all__ = [
    "CLOSE_REASONS",
    "REASONS",
    "Accept",
    "AiOffered",
    "AskHint",
    "BadCommand",
    "BadMessage",
    "Choose",
    "Chosen",
    "Claim",
    "Cleared",
    "CloseCode",
    "Command",
    "Created",
    "Decline",
    "Declined",
    "EncodedEvents",
    "Ended",
    "Event",
    "Fill",
    "Goodbye",
    "Hint",
    "InvalidWire",
    "Join",
    "Leave",
    "Left",
    "Message",
    "Moderate",
    "Moderated",
    "Offer",
    "Offered",
    "Paired",
    "Play",
    "Played",
    "Presence",
    "Reason",
    "RefusalCode",
    "Refused",
    "Rename",
    "Renamed",
    "Resign",
    "RoomState",
    "Rooms",
    "RoomsChanged",
    "Said",
    "Say",
    "Seated",
    "Seek",
    "Slept",
    "Started",
    "TakenBack",
    "Update",
    "Welcome",
    "decode_command",
    "decode_event",
    "decode_message",
    "decode_record",
    "decode_room",
    "encode_command",
    "encode_document",
    "encode_event",
    "encode_message",
]

_HOMES = "codec", "codes", "commands", "events", "messages", "state"

if not TYPE_CHECKING:  # pragma: no branch

    def __dir__() -> list[str]:
        return __all__

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        homes = (import_module(f"ttt_protocol.{home}") for home in _HOMES)
        return next(getattr(home, name) for home in homes if hasattr(home, name))
