"""The events of a room. They are stored as they are sent: a room's log is a list of events.

Making an event checks nothing; `decode_event` validates what is read. Events are not frozen, as
that doubles the time to make one; nothing assigns to their fields.

The four events of every game encode themselves by hand, a `Played` in 0.4 us instead of 1. Tests
compare the bytes with those of `Plain.to_json`.
"""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field
from pydantic_core import to_json

from ttt_protocol import state
from ttt_protocol.base import Maybe, Plain
from ttt_protocol.codes import Choice


@dataclass(slots=True)
class BaseEvent(Plain):
    type: str = field(default="", init=False)
    seq: int
    """The number of events of the room so far, this one included."""
    at: int
    """Unix time in milliseconds."""


@dataclass(slots=True)
class Created(BaseEvent):
    """The room is created, with complete settings."""

    type: Literal["created"] = field(default="created", init=False)
    settings: state.Settings
    lock: Maybe[str] = field(default=None, repr=False)
    """A hash of the password, useless without the server's secret. Absent without a password."""
    host: Maybe[state.SessionId] = None
    """The public id of the spectator who made the room; empty if the room has no host. Absent if
    the first human in a seat is the host."""
    package: Maybe[str] = None
    """The package whose variant is played. Absent unless it is a plug-in's."""


@dataclass(slots=True)
class Seated(BaseEvent):
    """`player` sits down in `seat`, in place of the player before."""

    type: Literal["seated"] = field(default="seated", init=False)
    seat: state.Mark
    player: state.Player


@dataclass(slots=True)
class Left(BaseEvent):
    """The player gave up the seat for good."""

    type: Literal["left"] = field(default="left", init=False)
    seat: state.Mark


@dataclass(slots=True)
class Started(BaseEvent):
    """The next game begins.

    If the same two played the last one, the player who began it as O now plays X: they change
    seats, unless they did so in its opening.
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
    seat: state.Mark
    cell: int
    reason: Maybe[str] = None
    """Why an AI played it. Absent for a human."""
    clock: Maybe[state.TimeLeft] = None
    """After the move. Absent in a game without a clock."""
    log: Maybe[state.MoveLog] = None
    """What a program thought about its move. Absent if it told nothing."""

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
    seat: state.Mark
    """The seat of the player who chose, before the choice."""
    choice: Choice
    clock: Maybe[state.TimeLeft] = None
    """After the choice: the time goes with the players. Absent in a game without a clock."""


@dataclass(slots=True)
class Offered(BaseEvent):
    """`seat` offers the other player something."""

    type: Literal["offered"] = field(default="offered", init=False)
    kind: state.OfferKind
    seat: state.Mark

    def to_json(self) -> bytes:
        told = self.seq, self.at, self.kind.encode(), self.seat.encode()
        return b'{"type":"offered","seq":%d,"at":%d,"kind":"%b","seat":"%b"}' % told


@dataclass(slots=True)
class Declined(BaseEvent):
    """`seat` declines the other player's offer."""

    type: Literal["declined"] = field(default="declined", init=False)
    kind: state.OfferKind
    seat: state.Mark


@dataclass(slots=True)
class TakenBack(BaseEvent):
    """The game goes back to `ply` moves."""

    type: Literal["taken_back"] = field(default="taken_back", init=False)
    game: int
    ply: int
    clock: Maybe[state.TimeLeft] = None
    """After the takeback: spent time stays spent, and the increments of the moves are lost. Absent
    in a game without a clock."""


@dataclass(slots=True)
class Ended(BaseEvent):
    """The game is over."""

    type: Literal["ended"] = field(default="ended", init=False)
    game: int
    outcome: state.Outcome
    detail: Maybe[str] = None
    """Why an AI or a bot forfeits. Absent otherwise."""
    clock: Maybe[state.TimeLeft] = None
    """At the end. Absent in a game without a clock."""
    unrated: Maybe[str] = None
    """Why this game of a rated room does not count: a word of `Unrated`. Absent if it counts, and
    in other rooms."""

    def to_json(self) -> bytes:
        detail = b"" if self.detail is None else b',"detail":%b' % to_json(self.detail)
        clock = b"" if self.clock is None else _clock_json(self.clock)
        unrated = b"" if self.unrated is None else b',"unrated":%b' % to_json(self.unrated)
        outcome = self.outcome.to_json()
        told = self.seq, self.at, self.game, outcome, detail, clock, unrated
        return b'{"type":"ended","seq":%d,"at":%d,"game":%d,"outcome":%b%b%b%b}' % told


@dataclass(slots=True)
class Renamed(BaseEvent):
    """The human in `seat` has a new name."""

    type: Literal["renamed"] = field(default="renamed", init=False)
    seat: state.Mark
    name: str


@dataclass(slots=True)
class Moderated(BaseEvent):
    """The host changed who may chat."""

    type: Literal["moderated"] = field(default="moderated", init=False)
    chat: state.ChatMode


@dataclass(slots=True)
class Slept(BaseEvent):
    """The server did not run for a while. The side to move gets the time beyond 2 s back."""

    type: Literal["slept"] = field(default="slept", init=False)
    game: int
    seat: state.Mark
    """The side that was to move."""
    given_back_ms: int
    clock: state.TimeLeft
    """Now, with the time given back."""


OfGame = Started | Played | Chosen | Offered | Declined | TakenBack | Ended
"""The events of a game, rather than of its room."""

Event = Annotated[
    Created | Seated | Left | OfGame | Renamed | Moderated | Slept, Field(discriminator="type")
]


def _clock_json(left: state.TimeLeft) -> bytes:
    return b',"clock":{"X":%d,"O":%d}' % (left.X, left.O)
