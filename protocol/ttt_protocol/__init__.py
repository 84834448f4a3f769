"""The words of `ttt.v1`: commands, messages, events, the nouns that they share, and their JSON.

The unions with their members, the state of a room, the codes and the codec are here. The nouns are
in `state`, what only HTTP gives in `records`, the cleaning of text in `text`.

The names are imported when one of them is asked for: the models take 80 ms, and `text`, which all
programs need at their start, needs none. `__init__.pyi` gives their types.
"""

from importlib import import_module
from typing import Any

_NAMES = {
    "codec": """
        BadCommand BadMessage EncodedEvents InvalidWire decode_command decode_event
        decode_message decode_record decode_room encode_command encode_document
        encode_event encode_message
    """,
    "codes": "CLOSE_REASONS REASONS CloseCode Reason RefusalCode",
    "commands": """
        Accept AskHint Choose Claim Command Decline Fill Join Leave Moderate Offer Play
        Rename Resign Say Seek
    """,
    "events": """
        Chosen Created Declined Ended Event Left Moderated Offered Played Renamed Seated
        Slept Started TakenBack
    """,
    "messages": """
        AiOffered Cleared Goodbye Hint Message Paired Presence Refused Rooms
        RoomsChanged Said StillReading Update Welcome
    """,
    "state": "RoomState",
}
"""The public names, by the module of each."""
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted(_HOMES)  # noqa: PLE0605 - strings


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"ttt_protocol.{_HOMES[name]}"), name)
