"""The messages of a server: one closed union, with `type` as its discriminator."""

from typing import Annotated, Literal

from pydantic import Field

from ttt_protocol.codes import RefusalCode
from ttt_protocol.events import Event
from ttt_protocol.state import (
    SUBPROTOCOL,
    BySeat,
    FromServer,
    Role,
    RoomState,
    Summary,
    You,
    absent,
)


class Welcome(FromServer):
    """The answer to `join`, sent to the new member alone."""

    type: Literal["welcome"] = "welcome"
    protocol: str = SUBPROTOCOL
    server: str
    """Name and version: `ttt-rooms/0.1.0`."""
    you: You
    room: RoomState


class Update(FromServer):
    """The committed events and the room after them, sent to everyone in the room."""

    type: Literal["update"] = "update"
    events: tuple[Event, ...]
    room: RoomState


class Presence(FromServer):
    """The connected seats and spectators. Not numbered, and many changes become one."""

    type: Literal["presence"] = "presence"
    seats: BySeat[bool]
    spectators: int


class Refused(FromServer):
    """The command was not carried out and nothing changed."""

    type: Literal["refused"] = "refused"
    command: str | None
    code: RefusalCode
    reason: str
    id: str | None = Field(default=None, exclude_if=absent)
    legal: tuple[int, ...] | None = Field(default=None, exclude_if=absent)
    room: RoomState | None = Field(default=None, exclude_if=absent)


class Hint(FromServer):
    """The answer to `hint`."""

    type: Literal["hint"] = "hint"
    best: tuple[int, ...]
    values: dict[str, Literal[-1, 0, 1] | None]
    """The value of each legal cell for the mover: loss, draw or win; null where unknown."""
    reason: str


class Said(FromServer):
    """Chat."""

    type: Literal["said"] = "said"
    name: str
    role: Role
    text: str


class Goodbye(FromServer):
    """The server closes this connection next."""

    type: Literal["goodbye"] = "goodbye"
    code: int
    reason: str
    retry_after_s: int | float | None = Field(default=None, exclude_if=absent)


class Rooms(FromServer):
    """The public rooms, on a connection to the lobby."""

    type: Literal["rooms"] = "rooms"
    rooms: tuple[Summary, ...]


Message = Annotated[
    Welcome | Update | Presence | Refused | Hint | Said | Goodbye | Rooms,
    Field(discriminator="type"),
]
