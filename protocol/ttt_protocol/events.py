"""The events of a room. The stored form is the sent form: a room's log is a list of events."""

from typing import Annotated, Literal

from pydantic import Field

from ttt_protocol.base import FromServer, absent
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


class BaseEvent(FromServer):
    type: str
    seq: int
    """The number of events of the room so far, this one included."""
    at: int
    """Unix time in milliseconds."""


class Created(BaseEvent):
    """The room begins. Its settings are complete: defaults stand for what was left out."""

    type: Literal["created"] = "created"
    settings: Settings
    lock: str | None = Field(default=None, exclude_if=absent, repr=False)
    """A hash of the password, useless without the server's secret. Absent without a password."""
    host: SessionId | None = Field(default=None, exclude_if=absent)
    """The public id of the spectator who made the room; empty if the room has no host. Absent where
    the first human in a seat made the room."""


class Seated(BaseEvent):
    """`player` sits down in `seat`, and replaces the player who sat there."""

    type: Literal["seated"] = "seated"
    seat: Mark
    player: Player


class Left(BaseEvent):
    """The player gave the seat up for good."""

    type: Literal["left"] = "left"
    seat: Mark


class Started(BaseEvent):
    """The next game begins.

    If the same two played the last one, the player who began it as O begins this one as X: they
    have changed seats, unless they did so in its opening.
    """

    type: Literal["started"] = "started"
    game: int


class Played(BaseEvent):
    """A move: `ply` is the number of moves made before it."""

    type: Literal["played"] = "played"
    game: int
    ply: int
    seat: Mark
    cell: int
    reason: str | None = Field(default=None, exclude_if=absent)
    """Why an AI played it. Absent for a human."""
    clock: TimeLeft | None = Field(default=None, exclude_if=absent)
    """After the move. Absent in a game without a clock."""
    log: MoveLog | None = Field(default=None, exclude_if=absent)
    """The thoughts of a program about its move. Absent where it told none."""


class Chosen(BaseEvent):
    """A choice in the opening of a game: with `swap` the players change seats, as does the score.

    `ply` is the number of moves made before it.
    """

    type: Literal["chosen"] = "chosen"
    game: int
    ply: int
    seat: Mark
    """The seat of the player who chose, before the choice."""
    choice: Choice
    clock: TimeLeft | None = Field(default=None, exclude_if=absent)
    """After the choice: the time goes with the players. Absent in a game without a clock."""


class Offered(BaseEvent):
    """`seat` offers the other player something."""

    type: Literal["offered"] = "offered"
    kind: OfferKind
    seat: Mark


class Declined(BaseEvent):
    """`seat` declines the other player's offer."""

    type: Literal["declined"] = "declined"
    kind: OfferKind
    seat: Mark


class TakenBack(BaseEvent):
    """The game goes back to `ply` moves."""

    type: Literal["taken_back"] = "taken_back"
    game: int
    ply: int
    clock: TimeLeft | None = Field(default=None, exclude_if=absent)
    """After the takeback: time that was spent stays spent, and increments of the moves that are
    taken back are lost. Absent in a game without a clock."""


class Ended(BaseEvent):
    """The game is over."""

    type: Literal["ended"] = "ended"
    game: int
    outcome: Outcome
    detail: str | None = Field(default=None, exclude_if=absent)
    """Why an AI or a bot forfeits. Absent otherwise."""
    clock: TimeLeft | None = Field(default=None, exclude_if=absent)
    """At the end. Absent in a game without a clock."""


class Renamed(BaseEvent):
    """The human in `seat` has another name."""

    type: Literal["renamed"] = "renamed"
    seat: Mark
    name: str


class Moderated(BaseEvent):
    """The host changed who may chat."""

    type: Literal["moderated"] = "moderated"
    chat: ChatMode


class Slept(BaseEvent):
    """The server did not run for a while; the side to move has the time beyond 2 s back."""

    type: Literal["slept"] = "slept"
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
