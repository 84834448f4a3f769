"""The events of a room, as the server handles them: cheap values, and their JSON.

These are the events of `ttt_protocol.events` with the same names and fields. A model validates
what it is made of, which pays where bytes come in: `decode` reads a stored event with its model.
An event that `decide` makes needs no check: a `Played` takes 0.3 us here, and 1.2 us as a model.

The classes are not frozen, because that costs 0.7 us an event. Nothing assigns to their fields.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ttt_engine import Position
from ttt_protocol import events as models
from ttt_protocol.codec import EncodedEvents, decode_event, encode_message
from ttt_protocol.codec.encode_fast import (
    encode_created,
    encode_end,
    encode_move,
    encode_offer,
    encode_seated,
    encode_start,
)
from ttt_protocol.codes import Choice
from ttt_protocol.move_log import MoveLog
from ttt_protocol.state import (
    ChatMode,
    Mark,
    OfferKind,
    Outcome,
    Player,
    SessionId,
    Settings,
    TimeLeft,
)


@dataclass(slots=True)
class Created:
    """The room begins, with complete settings."""

    type: ClassVar[str] = "created"
    seq: int
    at: int
    settings: Settings
    lock: str | None = field(default=None, repr=False)
    host: SessionId | None = None


@dataclass(slots=True)
class Seated:
    """`player` sits down in `seat`."""

    type: ClassVar[str] = "seated"
    seq: int
    at: int
    seat: Mark
    player: Player


@dataclass(slots=True)
class Left:
    """The player gave the seat up for good."""

    type: ClassVar[str] = "left"
    seq: int
    at: int
    seat: Mark


@dataclass(slots=True)
class Started:
    """The next game begins."""

    type: ClassVar[str] = "started"
    seq: int
    at: int
    game: int


@dataclass(slots=True)
class Played:
    """A move."""

    type: ClassVar[str] = "played"
    seq: int
    at: int
    game: int
    ply: int
    seat: Mark
    cell: int
    reason: str | None = None
    clock: TimeLeft | None = None
    log: MoveLog | None = None
    position_after: Position | None = field(default=None, repr=False, compare=False)
    """The position that `play` has found, so that a move is played once. `None` in a log."""


@dataclass(slots=True)
class Chosen:
    """A choice in the opening, of the player in `seat`. With `swap` the players change seats."""

    type: ClassVar[str] = "chosen"
    seq: int
    at: int
    game: int
    ply: int
    seat: Mark
    choice: Choice
    clock: TimeLeft | None = None


@dataclass(slots=True)
class Offered:
    """`seat` offers the other player something."""

    type: ClassVar[str] = "offered"
    seq: int
    at: int
    kind: OfferKind
    seat: Mark


@dataclass(slots=True)
class Declined:
    """`seat` declines the other player's offer."""

    type: ClassVar[str] = "declined"
    seq: int
    at: int
    kind: OfferKind
    seat: Mark


@dataclass(slots=True)
class TakenBack:
    """The game goes back to `ply` moves."""

    type: ClassVar[str] = "taken_back"
    seq: int
    at: int
    game: int
    ply: int
    clock: TimeLeft | None = None


@dataclass(slots=True)
class Ended:
    """The game is over."""

    type: ClassVar[str] = "ended"
    seq: int
    at: int
    game: int
    outcome: Outcome
    detail: str | None = None
    clock: TimeLeft | None = None


@dataclass(slots=True)
class Renamed:
    """The human in `seat` has another name."""

    type: ClassVar[str] = "renamed"
    seq: int
    at: int
    seat: Mark
    name: str


@dataclass(slots=True)
class Moderated:
    """The host changed who may chat."""

    type: ClassVar[str] = "moderated"
    seq: int
    at: int
    chat: ChatMode


@dataclass(slots=True)
class Slept:
    """The server did not run for a while, and gives time back to the side to move."""

    type: ClassVar[str] = "slept"
    seq: int
    at: int
    game: int
    seat: Mark
    given_back_ms: int
    clock: TimeLeft


Event = (
    Created
    | Seated
    | Left
    | Started
    | Played
    | Chosen
    | Offered
    | Declined
    | TakenBack
    | Ended
    | Renamed
    | Moderated
    | Slept
)

_MODELS: dict[type[Event], type[models.BaseEvent]] = {
    Created: models.Created,
    Seated: models.Seated,
    Left: models.Left,
    Started: models.Started,
    Played: models.Played,
    Chosen: models.Chosen,
    Offered: models.Offered,
    Declined: models.Declined,
    TakenBack: models.TakenBack,
    Ended: models.Ended,
    Renamed: models.Renamed,
    Moderated: models.Moderated,
    Slept: models.Slept,
}
_KINDS: dict[type[models.BaseEvent], type[Any]] = {model: kind for kind, model in _MODELS.items()}


def to_model(event: Event) -> models.Event:
    """Make the model of the event, as HTTP records and rare events need it."""
    model: type[Any] = _MODELS[type(event)]
    made: models.Event = model(**{name: getattr(event, name) for name in model.model_fields})
    return made


def from_model(model: models.Event) -> Event:
    """Make the event of a model that was read."""
    fields = ((name, getattr(model, name)) for name in type(model).model_fields)
    event: Event = _KINDS[type(model)](**{name: it for name, it in fields if name != "type"})
    return event


def decode(line: bytes | str) -> Event:
    """Read one stored event.

    Raises:
        InvalidWire: if the line is not an event.
    """
    return from_model(decode_event(line))


def decode_log(lines: Iterable[bytes]) -> tuple[Event, ...]:
    """Read a stored log.

    Raises:
        InvalidWire: if a line is not an event.
    """
    return tuple(map(decode, lines))


def encode(event: Event) -> bytes:
    """Encode an event, as it is stored and sent: the bytes of its model."""
    if isinstance(event, Played) and event.clock is None and event.log is None:  # as in `evolve`
        return encode_move(
            event.seq,
            event.at,
            event.game,
            event.ply,
            event.seat,
            event.cell,
            reason=event.reason,
        )
    match event:  # the most frequent first
        case Ended(clock=None, detail=None):
            return encode_end(event.seq, event.at, event.game, event.outcome)
        case Offered():
            return encode_offer(event.seq, event.at, event.kind, event.seat)
        case Started():
            return encode_start(event.seq, event.at, event.game)
        case Seated():
            return encode_seated(event.seq, event.at, event.seat, event.player)
        case Created():
            return encode_created(event.seq, event.at, event.settings, event.lock, event.host)
        case _:
            return encode_message(to_model(event))


def encode_log(events: Iterable[Event]) -> EncodedEvents:
    """Encode each of the events."""
    return tuple(map(encode, events))
