"""What happened in a room. The stored form is the sent form: a room's log is a list of these."""

from typing import Annotated, Literal

from pydantic import Field

from ttt_protocol.state import Mark, OfferKind, Outcome, Player, Settings, Told


class BaseEvent(Told):
    type: str
    seq: int
    at: int
    """Unix time in milliseconds."""


class Created(BaseEvent):
    type: Literal["created"] = "created"
    settings: Settings


class Seated(BaseEvent):
    """`player` sits down in `seat`, in place of whoever sat there."""

    type: Literal["seated"] = "seated"
    seat: Mark
    player: Player


class Left(BaseEvent):
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
    reason: str | None = Field(default=None, exclude_if=lambda reason: reason is None)
    """Why an AI played it; absent for a human."""


class Offered(BaseEvent):
    type: Literal["offered"] = "offered"
    kind: OfferKind
    seat: Mark


class Declined(BaseEvent):
    type: Literal["declined"] = "declined"
    kind: OfferKind
    seat: Mark
    """Who declines."""


class TakenBack(BaseEvent):
    """The game goes back to `ply` moves."""

    type: Literal["taken_back"] = "taken_back"
    game: int
    ply: int


class Ended(BaseEvent):
    type: Literal["ended"] = "ended"
    game: int
    outcome: Outcome


Event = Annotated[
    Created | Seated | Left | Started | Played | Offered | Declined | TakenBack | Ended,
    Field(discriminator="type"),
]
