"""The messages of a server: one closed union, with `type` as its discriminator.

A server encodes its most frequent messages around JSON that it has already: `encode_update`,
`encode_welcome` and `encode_presence` give the bytes of the models.
"""

from collections.abc import Iterable
from operator import not_
from typing import Annotated, Literal

from pydantic import Field
from pydantic_core import to_json

from ttt_protocol import state
from ttt_protocol.base import FromServer, absent
from ttt_protocol.codes import RefusalCode
from ttt_protocol.events import Event


class Said(FromServer):
    """Chat."""

    type: Literal["said"] = "said"
    name: str
    role: state.Role
    text: str
    from_: state.SessionId | None = Field(default=None, alias="from", exclude_if=absent)
    """The speaker's public id."""
    at: int | None = Field(default=None, exclude_if=absent)
    """Unix time in milliseconds."""


class Welcome(FromServer):
    """The answer to `join`, sent only to the new member."""

    type: Literal["welcome"] = "welcome"
    protocol: str = state.SUBPROTOCOL
    server: str
    """Name and version: `ttt-rooms/0.1.0`."""
    you: state.You
    at: int | None = Field(default=None, exclude_if=absent)
    """The server's Unix time in milliseconds, to compare with `away_since` and the like."""
    feed: tuple[Said, ...] = Field(default=(), exclude_if=not_)
    """The latest chat, oldest first. Absent if there is none."""
    muted: tuple[state.SessionId, ...] = Field(default=(), exclude_if=not_)
    """For the host: the public ids of muted members. Absent if there are none."""
    room: state.RoomState


_SUBPROTOCOL = to_json(state.SUBPROTOCOL)


def encode_welcome(
    server: str,
    you: state.You,
    room: bytes,
    at: int | None = None,
    feed: Iterable[bytes] = (),
    muted: tuple[state.SessionId, ...] = (),
) -> bytes:
    """Encode a `Welcome`, given the encoded room and chat."""
    lines = b",".join(feed)
    more = b"" if at is None else b',"at":%d' % at
    more += b',"feed":[%b]' % lines if lines else b""
    more += b',"muted":%b' % to_json(muted) if muted else b""
    told = _SUBPROTOCOL, to_json(server), you.to_json(), more, room
    return b'{"type":"welcome","protocol":%b,"server":%b,"you":%b%b,"room":%b}' % told


class Update(FromServer):
    """The committed events and the room after them, sent to everyone in the room."""

    type: Literal["update"] = "update"
    events: tuple[Event, ...]
    room: state.RoomState


def encode_update(events: Iterable[bytes], room: bytes) -> bytes:
    """Encode an `Update`, given the encoded events and room."""
    return b'{"type":"update","events":[%b],"room":%b}' % (b",".join(events), room)


class Presence(FromServer):
    """The connected seats and spectators. Not numbered; several changes may become one."""

    type: Literal["presence"] = "presence"
    seats: state.BySeat[bool]
    spectators: int


_BOOLEANS = b"false", b"true"


def encode_presence(x_is_here: bool, o_is_here: bool, spectators: int) -> bytes:
    """Encode a `Presence` of these fields."""
    told = _BOOLEANS[x_is_here], _BOOLEANS[o_is_here], spectators
    return b'{"type":"presence","seats":{"X":%b,"O":%b},"spectators":%d}' % told


class Refused(FromServer):
    """The command was not carried out and nothing changed."""

    type: Literal["refused"] = "refused"
    command: str | None
    code: RefusalCode
    reason: str
    id: str | None = Field(default=None, exclude_if=absent)
    legal: tuple[int, ...] | None = Field(default=None, exclude_if=absent)
    room: state.RoomState | None = Field(default=None, exclude_if=absent)


class Hint(FromServer):
    """The answer to `hint`."""

    type: Literal["hint"] = "hint"
    best: tuple[int, ...]
    values: dict[str, Literal[-1, 0, 1] | None]
    """The value of each legal cell for the mover: loss, draw or win; null where unknown."""
    reason: str


class Cleared(FromServer):
    """The host cleared the chat: show nothing of what was said before."""

    type: Literal["cleared"] = "cleared"


class StillReading(FromServer):
    """The long log of a room is still being read, once a second; the answer to `join` follows."""

    type: Literal["reading"] = "reading"
    seq: int
    """The number of the last event that was read; 0 before the first."""


class Goodbye(FromServer):
    """The server is about to close this connection."""

    type: Literal["goodbye"] = "goodbye"
    code: int
    reason: str
    retry_after_s: int | float | None = Field(default=None, exclude_if=absent)


class Rooms(FromServer):
    """The public rooms, on a connection to the lobby."""

    type: Literal["rooms"] = "rooms"
    rooms: tuple[state.Summary, ...]
    """The page that is watched, by name: the first, of at most 200 rooms, unless the address has
    `limit` or `after`."""
    total: int | None = Field(default=None, exclude_if=absent)
    """The number of rooms on all pages; not told by an older server."""
    seeking: tuple[state.Sought, ...] | None = Field(default=None, exclude_if=absent)
    """What players who wait for a quick match seek, each something else: the 16 who wait longest.
    Absent if there are none, and by an older server."""


class RoomsChanged(FromServer):
    """The changes in the list of rooms, on a connection to the lobby with `?changes=1`."""

    type: Literal["rooms_changed"] = "rooms_changed"
    rooms: tuple[state.Summary, ...]
    """Rooms that are new on the page or have changed."""
    gone: tuple[state.RoomName, ...]
    """Rooms that are no longer on it, and perhaps on the next one."""
    total: int | None = Field(default=None, exclude_if=absent)
    """The number of rooms on all pages; not told by an older server."""
    seeking: tuple[state.Sought, ...] | None = Field(default=None, exclude_if=absent)
    """As in `rooms`; absent while it stays the same."""


class AiOffered(FromServer):
    """No player has come yet. A `seek` with `ai` is paired with this AI at once."""

    type: Literal["ai_offered"] = "ai_offered"
    strategy: str
    level: int | None
    """Null where the strategy has no levels."""


class Paired(FromServer):
    """An opponent is found and a seat is held: `join` the room with this token."""

    type: Literal["paired"] = "paired"
    room: state.RoomName
    token: state.Token = Field(repr=False)
    """Owns the seat. Use it within `within_s` seconds."""
    seat: state.Mark
    within_s: int


_InRoom = Welcome | Update | Presence | Refused | Hint | Said | Goodbye
_InLobby = Rooms | RoomsChanged
Message = Annotated[
    _InRoom | _InLobby | Cleared | StillReading | AiOffered | Paired, Field(discriminator="type")
]
