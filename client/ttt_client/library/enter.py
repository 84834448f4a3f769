"""Enter a room: `join` as a player, `watch` as a spectator."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from pydantic import ValidationError

from ttt_client.library.errors import BadArgument
from ttt_client.library.room import Room, one_of
from ttt_client.library.watched import OnNote, WatchedRoom, made
from ttt_client.net.address import parse_room, parse_server
from ttt_client.net.entrance import TokenStore
from ttt_client.net.session import RoomSession
from ttt_protocol.commands import Join
from ttt_protocol.faults import first_fault
from ttt_protocol.state import GivenSettings, Mark, Role, Token

T = TypeVar("T")


@asynccontextmanager
async def join(  # noqa: PLR0913 - the words of the protocol's `join`
    server: str,
    room: str,
    *,
    name: str = "guest",
    seat: Mark | str | None = None,
    token: str | TokenStore | None = None,
    password: str | None = None,
    settings: GivenSettings | None = None,
    bot: bool = False,
    on_note: OnNote | None = None,
) -> AsyncIterator[Room]:
    """Take a seat in a room until the block ends. The room is made if it does not exist.

    Args:
        server: its address, as `ws://127.0.0.1:8765` or `https://example.org`.
        room: its name.
        name: the player's.
        seat: "X" or "O"; None for the first free one.
        token: the token of a seat to take back, or a store that remembers it.
        password: that of the room.
        settings: for a new room; an existing one must agree.
        bot: tell everyone in the room that a program plays.
        on_note: called when the connection is lost and redialled; None logs it.

    Raises:
        CommandRefused: with the server's code; `BadArgument` where an argument means nothing.
        Unreachable, Rejected: there is no connection.
    """
    side = None if seat is None else one_of("seat", Mark, seat)
    given = {"name": name, "settings": settings, "password": password, "bot": bot or None}
    command = made(Join, seat=side, **given)
    store = None if token is None or isinstance(token, str) else token
    own = Token(token) if isinstance(token, str) else None
    session = RoomSession(_url(server, room), command, store, given=own)
    async with Room(session, on_note).entered() as entered:
        yield entered


@asynccontextmanager
async def watch(
    server: str,
    room: str,
    *,
    name: str = "guest",
    password: str | None = None,
    settings: GivenSettings | None = None,
    on_note: OnNote | None = None,
) -> AsyncIterator[WatchedRoom]:
    """Watch a room until the block ends.

    Args:
        server: its address.
        room: its name.
        name: the spectator's, for chat.
        password: that of the room.
        settings: with an AI on both sides, for a new room.
        on_note: as that of `join`.

    Raises:
        CommandRefused: with the server's code; `BadArgument` where an argument means nothing.
        Unreachable, Rejected: there is no connection.
    """
    given = {"name": name, "settings": settings, "password": password}
    session = RoomSession(_url(server, room), made(Join, role=Role.SPECTATOR, **given))
    async with WatchedRoom(session, on_note).entered() as entered:
        yield entered


def parse_argument(name: str, parse: Callable[[str], T], text: str) -> T:
    """Parse an argument.

    Raises:
        BadArgument: with its name, for a `ValueError`.
    """
    try:
        return parse(text)
    except ValidationError as error:
        raise BadArgument(f"{name}: {first_fault(error)}") from None
    except ValueError as error:
        raise BadArgument(f"{name}: {error}") from None


def _url(server: str, room: str) -> str:
    name, linked = parse_argument("room", parse_room, room)
    return (linked or parse_argument("server", parse_server, server)).socket(f"rooms/{name}")
