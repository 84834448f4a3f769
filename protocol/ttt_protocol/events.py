"""What happened in a room. The stored form is the sent form: a room's log is a list of these."""

from typing import Annotated, Literal

from pydantic import Field

from ttt_protocol.state import Mark, OfferKind, Outcome, Player, Settings, TimeLeft, Told, absent


class BaseEvent(Told):
    type: str
    seq: int
    """How many events the room has had, with this one."""
    at: int
    """Unix time in milliseconds."""


class Created(BaseEvent):
    """The room begins; what was not asked for in its settings is filled in."""

    type: Literal["created"] = "created"
    settings: Settings
    lock: str | None = Field(default=None, exclude_if=absent, repr=False)
    """What a password is checked with, no use without the server's secret; absent without one."""


class Seated(BaseEvent):
    """`player` sits down in `seat`, in place of whoever sat there."""

    type: Literal["seated"] = "seated"
    seat: Mark
    player: Player


class Left(BaseEvent):
    """The seat was given up for good."""

    type: Literal["left"] = "left"
    seat: Mark


class Started(BaseEvent):
    """The next game begins. If the same two played the last one, they have changed sides."""

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
    """Why an AI played it; absent for a human."""
    clock: TimeLeft | None = Field(default=None, exclude_if=absent)
    """After the move; absent in a game without a clock."""


class Offered(BaseEvent):
    """A question to the other player: `seat` offers."""

    type: Literal["offered"] = "offered"
    kind: OfferKind
    seat: Mark


class Declined(BaseEvent):
    """No to an offer: `seat` declines."""

    type: Literal["declined"] = "declined"
    kind: OfferKind
    seat: Mark


class TakenBack(BaseEvent):
    """The game goes back to `ply` moves."""

    type: Literal["taken_back"] = "taken_back"
    game: int
    ply: int
    clock: TimeLeft | None = Field(default=None, exclude_if=absent)
    """As of now: the time that was spent does not come back, and what the moves that are taken back
    had added is gone. Absent in a game without a clock."""


class Ended(BaseEvent):
    """The game is over."""

    type: Literal["ended"] = "ended"
    game: int
    outcome: Outcome
    detail: str | None = Field(default=None, exclude_if=absent)
    """What an AI did that forfeits; absent otherwise."""
    clock: TimeLeft | None = Field(default=None, exclude_if=absent)
    """When it stopped; absent in a game without a clock."""


Event = Annotated[
    Created | Seated | Left | Started | Played | Offered | Declined | TakenBack | Ended,
    Field(discriminator="type"),
]
