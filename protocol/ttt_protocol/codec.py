"""Decode and encode commands, messages, records and events.

InvalidWire
├── BadCommand   the client's fault: carries the refusal's code and reason
└── BadMessage   the server's fault, or something from a newer server

Tournaments have `ttt_protocol.tournament.codec`.
"""

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from operator import methodcaller
from typing import Any, Generic, TypeVar, cast, get_args

import jiter
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails, to_json

from ttt_protocol.base import FromClient, Plain, adapter_of, wire_names, wire_type
from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import Command
from ttt_protocol.events import Event
from ttt_protocol.faults import Fault, first_fault, plainer
from ttt_protocol.messages import Message
from ttt_protocol.records import GameRecord
from ttt_protocol.state import RoomState

T = TypeVar("T")
B = TypeVar("B", bound=FromClient)

EncodedEvents = Sequence[bytes]
"""Events as JSON: the store keeps and the rooms send the same bytes."""


LATER = ConfigDict(defer_build=True)
"""Builds an adapter when it is first used."""


def _fields(model: type[FromClient]) -> set[str]:
    own = set(wire_names(model).values())
    return own.union(*(_fields(kind) for kind in model.__subclasses__()))


class CommandUnion(Generic[T]):
    """A closed union of commands, and the names that a reason may repeat."""

    def __init__(self, union: Any) -> None:
        kinds, _ = get_args(union)
        self.adapter: TypeAdapter[T] = TypeAdapter(union, config=LATER)
        self.types = tuple(wire_type(kind) for kind in get_args(kinds))
        """The `type` of each of its models."""
        self.fields = frozenset(_fields(FromClient))
        """The fields of all models that a client may send."""


_COMMAND: CommandUnion[Command] = CommandUnion(Command)
_EVENT: TypeAdapter[Event] = TypeAdapter(Event, config=LATER)
_MESSAGE: TypeAdapter[Message] = TypeAdapter(Message, config=LATER)

_MAX_FIELDS = 32
"""More than any object of the protocol has. Larger objects are refused as a whole."""

_MAX_REPEATED = 32
"""Characters of an unknown field's name that a reason may repeat."""

_FREQUENT = tuple(
    b'{"type":%b"%b"' % (space, word)
    for word in (b"play", b"offer", b"accept", b"decline")
    for space in (b"", b" ")
)
"""How most commands begin. They carry no secrets, so a cache may hold them."""

_SHORT = 64
"""Bytes of a frequent command without an id."""


class InvalidWire(ValueError):
    """Bytes that the protocol does not know."""


class BadCommand(InvalidWire):
    """A command that could not be decoded.

    `command` is its type and `id` its id where they could be read. `reason` repeats nothing of the
    input but the name of an unknown field, and that only if it is a short ASCII identifier.
    """

    def __init__(
        self, code: RefusalCode, reason: str, command: str | None = None, id_: str | None = None
    ) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.command = command
        self.id = id_


class BadMessage(InvalidWire):
    """A message or HTTP answer that this version of the protocol does not know."""


def decode_command(raw: str | bytes) -> Command:
    """Decode one command from one frame.

    Raises:
        BadCommand: `bad_json` if it is not JSON, holds NaN or a duplicate key, or nests too deep;
            `bad_command` if it is JSON but no command.
    """
    data = raw.encode(errors="surrogatepass") if isinstance(raw, str) else raw
    if len(data) <= _SHORT and data.startswith(_FREQUENT):
        return _decode_frequent(data)
    return decode_command_of(_COMMAND, data)


@lru_cache(maxsize=4096)  # some 6 MB; a hit takes a tenth of the 1.4 us
def _decode_frequent(data: bytes) -> Command:
    return decode_command_of(_COMMAND, data)


def decode_message(raw: str | bytes) -> Message:
    """Decode one message from one frame. Ignore unknown fields: a newer server may send more.

    Raises:
        BadMessage: if it is not a message.
    """
    return decode_from_server(_MESSAGE, raw, "a message of this protocol")


def decode_room(raw: str | bytes) -> RoomState:
    """Decode a room read over HTTP, as leniently as a message.

    Raises:
        BadMessage: if it is not a room.
    """
    return _decode_state(RoomState, raw, "a room")


def decode_record(raw: str | bytes) -> GameRecord:
    """Decode a game read over HTTP, as leniently as a message.

    Raises:
        BadMessage: if it is not a record of a game.
    """
    return _decode_state(GameRecord, raw, "a record of a game")


def decode_event(raw: str | bytes) -> Event:
    """Decode one stored event.

    Raises:
        InvalidWire: if it is not an event.
    """
    try:
        return _EVENT.validate_json(raw)
    except ValidationError as error:
        raise InvalidWire(f"not an event: {first_fault(error).what}") from None


def decode_log(lines: Iterable[bytes]) -> tuple[Event, ...]:
    """Decode the stored events of a log.

    Raises:
        InvalidWire: if a line is not an event.
    """
    return tuple(map(decode_event, lines))


def decode_command_of(union: CommandUnion[T], data: bytes) -> T:
    """Decode one command of a union.

    Raises:
        BadCommand: as by `decode_command`.
    """
    seen = _read(data)
    if not isinstance(seen, dict):
        raise BadCommand(RefusalCode.BAD_COMMAND, "a command is an object")
    if len(seen) > _MAX_FIELDS:
        type_, id_ = _type_and_id(seen, union.types)
        raise BadCommand(RefusalCode.BAD_COMMAND, _too_many_fields(type_), type_, id_)
    try:
        return union.adapter.validate_json(data, by_name=False, by_alias=True)
    except ValidationError as error:
        type_, id_ = _type_and_id(seen, union.types)
        reason = _why_no_command(type_, error, union)
        raise BadCommand(RefusalCode.BAD_COMMAND, reason, type_, id_) from None


def decode_body(model: type[B], data: bytes) -> B:
    """Decode the body of a request.

    Raises:
        InvalidWire: if it is not understood, with the words of `BadCommand.reason`.
    """
    _read(data)
    try:
        return model.model_validate_json(data, by_name=False, by_alias=True)
    except ValidationError as error:
        raise InvalidWire(_why_no_body(error)) from None


def decode_from_server(adapter: TypeAdapter[T], raw: str | bytes, what: str) -> T:
    """Decode what a server sent, ignoring unknown fields: a newer server may send more.

    Raises:
        BadMessage: if it is not `what`.
    """
    try:
        # Models that a client may send too, such as settings, refuse unknown fields by default.
        return adapter.validate_json(raw, extra="ignore", by_name=False, by_alias=True)
    except ValidationError as error:
        raise BadMessage(f"not {what}: {first_fault(error)}") from None


def _decode_state(kind: type[T], raw: str | bytes, what: str) -> T:
    value: T = decode_from_server(adapter_of(cast("Any", kind)), raw, what)
    return value


def _read(data: bytes) -> Any:
    try:
        # Pydantic's parser would take the last of duplicate keys.
        return jiter.from_json(data, allow_inf_nan=False, catch_duplicate_keys=True)
    except ValueError as error:
        raise BadCommand(RefusalCode.BAD_JSON, _why_no_json(error)) from None


def _why_no_json(error: ValueError) -> str:
    # The parser's message may repeat the input.
    words = str(error)
    if words.startswith("Detected duplicate key"):
        return "duplicate key"
    if words.startswith("recursion limit exceeded"):
        return "nested too deep"
    return "this is not JSON"


def _type_and_id(seen: dict[str, Any], types: tuple[str, ...]) -> tuple[str | None, str | None]:
    type_, id_ = seen.get("type"), seen.get("id")
    known = isinstance(type_, str) and type_ in types
    good = isinstance(id_, str) and 1 <= len(id_) <= 64
    return (type_ if known else None), (id_ if good else None)


def _why_no_command(type_: str | None, error: ValidationError, union: CommandUnion[T]) -> str:
    if type_ is None:
        return "type: must be one of " + ", ".join(union.types)
    # Describing many faults would take longer than a command.
    if error.error_count() > _MAX_FIELDS:
        return _too_many_fields(type_)
    detail = _deepest(error)
    _, *where = detail["loc"]
    if detail["type"] == "extra_forbidden":
        name = where.pop()
        known = f": {name}" if _is_harmless(name) else ""
        return f"{_path(where, union.fields) or type_}: has an unknown field{known}"
    return f"{_path(where, union.fields) or type_}: {detail['msg'].removeprefix('Value error, ')}"


def _why_no_body(error: ValidationError) -> str:
    if error.error_count() > _MAX_FIELDS:
        return _too_many_fields(None)
    detail = _deepest(error)
    where, words = detail["loc"], plainer(detail["msg"])
    fields = _fields(FromClient)  # those of a body's models, too, which were imported later
    if detail["type"] == "extra_forbidden" and not _is_harmless(where[-1]):
        words = "has an unknown field"
    elif detail["type"] == "extra_forbidden":
        fields.add(str(where[-1]))
    return str(Fault(_path(where, fields), words))


def _deepest(error: ValidationError) -> ErrorDetails:
    """Return the fault that says most where several types of a field were tried."""
    details = error.errors(include_url=False, include_context=False, include_input=False)
    return max(details, key=lambda detail: len(detail["loc"]))


def _path(where: Iterable[str | int], fields: Collection[str]) -> str:
    """Join the known fields. The rest comes from the client, or names types that were tried."""
    return ".".join(str(part) for part in where if part in fields)


def _is_harmless(name: str | int) -> bool:
    """Return whether the name of an unknown field may be shown everywhere."""
    text = str(name)
    return text.isascii() and text.isidentifier() and len(text) <= _MAX_REPEATED


def _too_many_fields(type_: str | None) -> str:
    return f"{type_ or 'this'}: has too many fields"


# JSON out


def encode_command(command: FromClient) -> bytes:
    """Encode only the fields that were given: a default might conflict with a room's settings."""
    return to_json({"type": wire_type(type(command)), **command.model_dump(exclude_unset=True)})


def encode_message(message: BaseModel | Plain) -> bytes:
    """Encode a message or any other value of the protocol."""
    if isinstance(message, Plain):
        return message.to_json()
    return message.__pydantic_serializer__.to_json(message)


def encode_event(event: Event) -> bytes:
    """Encode an event as it is stored and sent."""
    return event.to_json()


_to_json = methodcaller("to_json")


def encode_log(events: Iterable[Event]) -> EncodedEvents:
    """Encode each of the events."""
    return tuple(map(_to_json, events))


def encode_document(document: dict[str, Any]) -> bytes:
    """Encode a JSON object for people: indented, with a final line break."""
    return to_json(document, indent=2) + b"\n"
