"""JSON in, JSON out: every message, command, event and document. `encoder` is its fast part.

InvalidWire
├── BadCommand   a client's fault: has the refusal's code and reason
└── BadMessage   a server's fault, or a newer server's word
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, TypeVar, get_args

import jiter
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import to_json

from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import BaseCommand, Command
from ttt_protocol.events import BaseEvent, Ended, Event, Offered, Played, Seated, Started
from ttt_protocol.messages import Message
from ttt_protocol.records import GameRecord
from ttt_protocol.state import Given, Human, Mark, OfferKind, Outcome, RoomState

T = TypeVar("T")

_COMMAND: TypeAdapter[Command] = TypeAdapter(Command)
_MESSAGE: TypeAdapter[Message] = TypeAdapter(Message)
_EVENT: TypeAdapter[Event] = TypeAdapter(Event)
_ROOM: TypeAdapter[RoomState] = TypeAdapter(RoomState)
_RECORD: TypeAdapter[GameRecord] = TypeAdapter(GameRecord)
_COMMAND_TYPES: dict[str, type[BaseCommand]] = {
    kind.model_fields["type"].default: kind for kind in get_args(get_args(Command)[0])
}

_X = Mark.X  # to ask an enumeration for a member takes ten times as long

_MOST_FIELDS = 32
"""More than any object of ours has; what has more is not looked at field by field."""

_PLAIN = tuple(
    b'{"type":%b"%b"' % (space, word)
    for word in (b"play", b"offer", b"accept", b"decline")
    for space in (b"", b" ")
)
"""How nearly every command begins: there are few of them, and none has a secret in it."""

_SHORT = 64
"""Bytes of such a command: enough for one without an id."""

_MOST_KNOWN = 4096
"""Commands, which take some 6 MB. More are a flood: then they are decoded anew."""

_known: dict[bytes, Command] = {}
"""Plain commands that came lately: one is a value, the same for the same bytes from whomever."""

known_command: Callable[[bytes], Command | None] = _known.get
"""The command, if the same bytes were decoded lately and it is one that many say."""


EncodedEvents = Sequence[bytes]
"""Events as JSON: the store keeps and the rooms send the same bytes."""


class InvalidWire(ValueError):
    """Bytes that are no word of the protocol."""


class BadCommand(InvalidWire):
    """A command that was not understood.

    `command` is its type and `id` its id where they could be read; `reason` never repeats the
    input.
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
    """A message, or an answer over HTTP, that this version of the protocol does not know."""


def decode_command(raw: str | bytes) -> Command:
    """One command from one frame.

    Raises:
        BadCommand: `bad_json` if it is not JSON, holds NaN or a duplicate key, or nests too deep;
            `bad_command` if it is JSON but no command.
    """
    data = raw.encode(errors="surrogatepass") if isinstance(raw, str) else raw
    command = known_command(data)
    if command is None:
        command = _decode(data)
        if len(data) <= _SHORT and data.startswith(_PLAIN):
            if len(_known) >= _MOST_KNOWN:
                _known.clear()
            _known[data] = command
    return command


def _decode(data: bytes) -> Command:
    try:
        # The models' own parser takes the last of two equal keys; this one refuses them.
        seen = jiter.from_json(data, allow_inf_nan=False, catch_duplicate_keys=True)
    except ValueError as error:
        raise BadCommand(RefusalCode.BAD_JSON, _why_no_json(error)) from None
    if not isinstance(seen, dict):
        raise BadCommand(RefusalCode.BAD_COMMAND, "a command is an object")
    if len(seen) > _MOST_FIELDS:
        type_, id_ = _type_and_id(seen)
        raise BadCommand(RefusalCode.BAD_COMMAND, _too_many_fields(type_), type_, id_)
    try:
        return _COMMAND.validate_json(data)
    except ValidationError as error:
        type_, id_ = _type_and_id(seen)
        raise BadCommand(
            RefusalCode.BAD_COMMAND, _why_no_command(type_, error), type_, id_
        ) from None


def decode_message(raw: str | bytes) -> Message:
    """One message from one frame. Unknown fields are ignored: a newer server may say more.

    Raises:
        BadMessage: if it is no message.
    """
    return _told(_MESSAGE, raw, "a message of this protocol")


def decode_room(raw: str | bytes) -> RoomState:
    """A room that was read over HTTP, as tolerant as a message.

    Raises:
        BadMessage: if it is no room.
    """
    return _told(_ROOM, raw, "a room")


def decode_record(raw: str | bytes) -> GameRecord:
    """A game that was read over HTTP, as tolerant as a message.

    Raises:
        BadMessage: if it is no record of a game.
    """
    return _told(_RECORD, raw, "a record of a game")


def decode_event(raw: str | bytes) -> Event:
    """One stored event.

    Raises:
        InvalidWire: if it is no event.
    """
    try:
        return _EVENT.validate_json(raw)
    except ValidationError as error:
        raise InvalidWire(f"not an event: {error.errors(include_input=False)[0]['msg']}") from None


def decode_events(lines: Iterable[bytes]) -> tuple[Event, ...]:
    """A stored log.

    Raises:
        InvalidWire: if one of them is no event.
    """
    return tuple(map(decode_event, lines))


def encode_command(command: Command) -> bytes:
    """The command with the fields that were given: a default that is sent may conflict."""
    return to_json({"type": command.type, **command.model_dump(exclude_unset=True)})


def encode_message(message: BaseModel) -> bytes:
    return message.__pydantic_serializer__.to_json(message)


def encode_event(event: BaseEvent) -> bytes:
    """The same bytes as its model makes; those that every game has are written out by hand."""
    match event:
        case Played(clock=None):
            seq, at, game, ply = event.seq, event.at, event.game, event.ply
            return encode_move(seq, at, game, ply, event.seat, event.cell, reason=event.reason)
        case Ended(clock=None, detail=None):
            return encode_end(event.seq, event.at, event.game, event.outcome)
        case Offered():
            return encode_offer(event.seq, event.at, event.kind, event.seat)
        case Started():
            return encode_start(event.seq, event.at, event.game)
        case Seated(player=Human() as player):
            return encode_seated(event.seq, event.at, event.seat, player)
        case _:
            return encode_message(event)


@lru_cache(maxsize=1024)  # a small board's games end in few ways, and each end is a value
def encode_outcome(outcome: Outcome) -> bytes:
    return encode_message(outcome)


def encode_move(
    seq: int, at: int, game: int, ply: int, seat: Mark, cell: int, *, reason: str | None = None
) -> bytes:
    """A `Played` of these fields. Nearly all events are: a model takes four times as long."""
    return b'{"type":"played","seq":%d,"at":%d,"game":%d,"ply":%d,"seat":"%b","cell":%d%b}' % (
        seq,
        at,
        game,
        ply,
        b"X" if seat is _X else b"O",
        cell,
        b"" if reason is None else b',"reason":%b' % to_json(reason),
    )


def encode_end(seq: int, at: int, game: int, outcome: Outcome) -> bytes:
    """An `Ended` of these fields."""
    return b'{"type":"ended","seq":%d,"at":%d,"game":%d,"outcome":%b}' % (
        seq,
        at,
        game,
        encode_outcome(outcome),
    )


def encode_offer(seq: int, at: int, kind: OfferKind, seat: Mark) -> bytes:
    """An `Offered` of these fields."""
    return b'{"type":"offered","seq":%d,"at":%d,"kind":"%b","seat":"%b"}' % (
        seq,
        at,
        kind.encode(),
        seat.encode(),
    )


def encode_start(seq: int, at: int, game: int) -> bytes:
    """A `Started` of these fields."""
    return b'{"type":"started","seq":%d,"at":%d,"game":%d}' % (seq, at, game)


def encode_created(at: int, settings: bytes) -> bytes:
    """A `Created` of a room without a password, whose settings were encoded to these bytes."""
    return b'{"type":"created","seq":1,"at":%d,"settings":%b}' % (at, settings)


def encode_seated(seq: int, at: int, seat: Mark, player: Human) -> bytes:
    """A `Seated` of these fields."""
    return (
        b'{"type":"seated","seq":%d,"at":%d,"seat":"%b",'
        b'"player":{"kind":"human","id":%b,"name":%b}}'
    ) % (seq, at, seat.encode(), to_json(player.id), to_json(player.name))


def encode_events(events: Iterable[BaseEvent]) -> tuple[bytes, ...]:
    return tuple(map(encode_event, events))


def encode_document(document: dict[str, Any]) -> bytes:
    """A JSON object for people to read too: indented, and with a line break at its end."""
    return to_json(document, indent=2) + b"\n"


def _told(adapter: TypeAdapter[T], raw: str | bytes, what: str) -> T:
    try:
        # Without this the nouns that a client may send too, as the settings, refuse what is new.
        return adapter.validate_json(raw, extra="ignore")
    except ValidationError as error:
        detail = error.errors(include_input=False)[0]
        where = ".".join(str(part) for part in detail["loc"])
        raise BadMessage(f"not {what}: {where}: {detail['msg']}") from None


def _why_no_json(error: ValueError) -> str:
    # The parser's own words may repeat the input.
    words = str(error)
    if words.startswith("Detected duplicate key"):
        return "a key stands there twice"
    if words.startswith("recursion limit exceeded"):
        return "this nests too deep"
    return "this is not JSON"


def _type_and_id(seen: dict[str, Any]) -> tuple[str | None, str | None]:
    type_, id_ = seen.get("type"), seen.get("id")
    known = isinstance(type_, str) and type_ in _COMMAND_TYPES
    good = isinstance(id_, str) and 1 <= len(id_) <= 64
    return (type_ if known else None), (id_ if good else None)


def _why_no_command(type_: str | None, error: ValidationError) -> str:
    if type_ is None:
        return "type: must be one of " + ", ".join(_COMMAND_TYPES)
    # To tell of each fault takes time: an answer costs no more than a command does.
    if error.error_count() > _MOST_FIELDS:
        return _too_many_fields(type_)
    details = error.errors(include_url=False, include_context=False, include_input=False)
    # Where several forms of a field were tried, the one that got furthest says most.
    detail = max(details, key=lambda detail: len(detail["loc"]))
    extra = detail["type"] == "extra_forbidden"
    parts = detail["loc"][1:-1] if extra else detail["loc"][1:]
    # A path may hold words that the client chose, and the names of the forms that were tried.
    path = ".".join(str(part) for part in parts if part in _FIELDS)
    if extra:
        return f"{path or type_}: has a field that is not known"
    return f"{path or type_}: {detail['msg'].removeprefix('Value error, ')}"


def _too_many_fields(type_: str | None) -> str:
    return f"{type_ or 'this'}: has far too many fields"


def _fields(model: type[Given]) -> set[str]:
    return set(model.model_fields).union(*(_fields(kind) for kind in model.__subclasses__()))


_FIELDS = _fields(Given)
