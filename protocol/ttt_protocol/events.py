"""The events of a room. The stored form is the sent form: a room's log is a list of events.

Nothing is checked when an event is made: `decode_event` validates what is read. Events are not
frozen, because every move makes one and freezing doubles the time; nothing assigns to their fields.

Four events of every game write their JSON by hand, a `Played` in 0.4 µs instead of 1 µs. The bytes
are those of the data class, as the tests hold over generated values.
"""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field
from pydantic_core import to_json

from ttt_protocol.base import Maybe, Plain
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
class BaseEvent(Plain):
    type: str = field(default="", init=False)
    seq: int
    """The number of events of the room so far, this one included."""
    at: int
    """Unix time in milliseconds."""


@dataclass(slots=True)
class Created(BaseEvent):
    """The room begins. Its settings are complete: defaults stand for what was left out."""

    type: Literal["created"] = field(default="created", init=False)
    settings: Settings
    lock: Maybe[str] = field(default=None, repr=False)
    """A hash of the password, useless without the server's secret. Absent without a password."""
    host: Maybe[SessionId] = None
    """The public id of the spectator who made the room; empty if the room has no host. Absent where
    the first human in a seat made the room."""


@dataclass(slots=True)
class Seated(BaseEvent):
    """`player` sits down in `seat`, and replaces the player who sat there."""

    type: Literal["seated"] = field(default="seated", init=False)
    seat: Mark
    player: Player


@dataclass(slots=True)
class Left(BaseEvent):
    """The player gave the seat up for good."""

    type: Literal["left"] = field(default="left", init=False)
    seat: Mark


@dataclass(slots=True)
class Started(BaseEvent):
    """The next game begins.

    If the same two played the last one, the player who began it as O begins this one as X: they
    have changed seats, unless they did so in its opening.
    """

    type: Literal["started"] = field(default="started", init=False)
    game: int

    def to_json(self) -> bytes:
        return b'{"type":"started","seq":%d,"at":%d,"game":%d}' % (self.seq, self.at, self.game)


@dataclass(slots=True)
class Played(BaseEvent):
    """A move: `ply` is the number of moves made before it."""

    type: Literal["played"] = field(default="played", init=False)
    game: int
    ply: int
    seat: Mark
    cell: int
    reason: Maybe[str] = None
    """Why an AI played it. Absent for a human."""
    clock: Maybe[TimeLeft] = None
    """After the move. Absent in a game without a clock."""
    log: Maybe[MoveLog] = None
    """The thoughts of a program about its move. Absent where it told none."""

    def to_json(self) -> bytes:
        if self.log is not None:
            return Plain.to_json(self)
        reason = b"" if self.reason is None else b',"reason":%b' % to_json(self.reason)
        return (
            b'{"type":"played","seq":%d,"at":%d,"game":%d,"ply":%d,"seat":"%b","cell":%d%b%b}'
            % (
                self.seq,
                self.at,
                self.game,
                self.ply,
                self.seat.encode(),
                self.cell,
                reason,
                b"" if self.clock is None else _clock_json(self.clock),
            )
        )


@dataclass(slots=True)
class Chosen(BaseEvent):
    """A choice in the opening of a game: with `swap` the players change seats, as does the score.

    `ply` is the number of moves made before it.
    """

    type: Literal["chosen"] = field(default="chosen", init=False)
    game: int
    ply: int
    seat: Mark
    """The seat of the player who chose, before the choice."""
    choice: Choice
    clock: Maybe[TimeLeft] = None
    """After the choice: the time goes with the players. Absent in a game without a clock."""


@dataclass(slots=True)
class Offered(BaseEvent):
    """`seat` offers the other player something."""

    type: Literal["offered"] = field(default="offered", init=False)
    kind: OfferKind
    seat: Mark

    def to_json(self) -> bytes:
        return b'{"type":"offered","seq":%d,"at":%d,"kind":"%b","seat":"%b"}' % (
            self.seq,
            self.at,
            self.kind.encode(),
            self.seat.encode(),
        )


@dataclass(slots=True)
class Declined(BaseEvent):
    """`seat` declines the other player's offer."""

    type: Literal["declined"] = field(default="declined", init=False)
    kind: OfferKind
    seat: Mark


@dataclass(slots=True)
class TakenBack(BaseEvent):
    """The game goes back to `ply` moves."""

    type: Literal["taken_back"] = field(default="taken_back", init=False)
    game: int
    ply: int
    clock: Maybe[TimeLeft] = None
    """After the takeback: time that was spent stays spent, and increments of the moves that are
    taken back are lost. Absent in a game without a clock."""


@dataclass(slots=True)
class Ended(BaseEvent):
    """The game is over."""

    type: Literal["ended"] = field(default="ended", init=False)
    game: int
    outcome: Outcome
    detail: Maybe[str] = None
    """Why an AI or a bot forfeits. Absent otherwise."""
    clock: Maybe[TimeLeft] = None
    """At the end. Absent in a game without a clock."""

    def to_json(self) -> bytes:
        detail = b"" if self.detail is None else b',"detail":%b' % to_json(self.detail)
        return b'{"type":"ended","seq":%d,"at":%d,"game":%d,"outcome":%b%b%b}' % (
            self.seq,
            self.at,
            self.game,
            self.outcome.to_json(),
            detail,
            b"" if self.clock is None else _clock_json(self.clock),
        )


@dataclass(slots=True)
class Renamed(BaseEvent):
    """The human in `seat` has another name."""

    type: Literal["renamed"] = field(default="renamed", init=False)
    seat: Mark
    name: str


@dataclass(slots=True)
class Moderated(BaseEvent):
    """The host changed who may chat."""

    type: Literal["moderated"] = field(default="moderated", init=False)
    chat: ChatMode


@dataclass(slots=True)
class Slept(BaseEvent):
    """The server did not run for a while; the side to move has the time beyond 2 s back."""

    type: Literal["slept"] = field(default="slept", init=False)
    game: int
    seat: Mark
    """The side that was to move."""
    given_back_ms: int
    clock: TimeLeft
    """Now, with the time that is given back."""


Event = Annotated[
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
    | Slept,
    Field(discriminator="type"),
]


def _clock_json(left: TimeLeft) -> bytes:
    return b',"clock":{"X":%d,"O":%d}' % (left.X, left.O)
