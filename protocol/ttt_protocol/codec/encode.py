"""JSON out."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel
from pydantic_core import to_json

from ttt_protocol.base import Plain
from ttt_protocol.commands import Command
from ttt_protocol.events import Event

if TYPE_CHECKING:
    from ttt_protocol.tournament.commands import TournamentCommand

EncodedEvents = Sequence[bytes]
"""Events as JSON: the store keeps and the rooms send the same bytes."""


def encode_command(command: "Command | TournamentCommand") -> bytes:
    """Encode the command with the fields that were given: a default that is sent may conflict."""
    return to_json({"type": command.type, **command.model_dump(exclude_unset=True)})


def encode_message(message: BaseModel | Plain) -> bytes:
    """Encode a message, or any other value of the protocol."""
    if isinstance(message, Plain):
        return message.to_json()
    return message.__pydantic_serializer__.to_json(message)


def encode_event(event: Event) -> bytes:
    """Encode one event, as it is stored and sent."""
    return event.to_json()


def encode_log(events: Iterable[Event]) -> EncodedEvents:
    """Encode each of the events."""
    return tuple([event.to_json() for event in events])


def encode_document(document: dict[str, Any]) -> bytes:
    """Encode a JSON object for people to read too: indented, and with a line break at its end."""
    return to_json(document, indent=2) + b"\n"
