"""Enter a room, and what is beyond one: the list of rooms, an opponent, the games so far."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from typing import TypeVar

from pydantic import ValidationError

from ttt_client.library.errors import BadArgument, CommandRefused, raise_ending
from ttt_client.library.room import OnNote, Room, WatchedRoom, log_note, made, one_of
from ttt_client.model.words import refusal
from ttt_client.net.address import parse_room, parse_server
from ttt_client.net.dial import Rejected
from ttt_client.net.http import fetch
from ttt_client.net.newer_server import read_record, read_rooms
from ttt_client.net.session import Ending, Heard, Note, RoomSession, TokenStore
from ttt_client.net.tasks import first_of
from ttt_protocol.codec import decode_room
from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import Join, Seek
from ttt_protocol.faults import first_fault
from ttt_protocol.messages import Paired, Refused, Rooms
from ttt_protocol.notation import board_of
from ttt_protocol.records import GameRecord
from ttt_protocol.state import ClockSetting, GivenSettings, Mark, Role, Summary, Token

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
    except ValueError as error:
        fault = first_fault(error) if isinstance(error, ValidationError) else error
        raise BadArgument(f"{name}: {fault}") from None


def _url(server: str, room: str) -> str:
    name, linked = parse_argument("room", parse_room, room)
    return (linked or parse_argument("server", parse_server, server)).socket(f"rooms/{name}")


async def rooms(server: str) -> tuple[Summary, ...]:
    """Return the public rooms of a server, at most a thousand.

    Raises:
        BadArgument: there is no such address.
        Unreachable, Rejected: there is no connection.
    """
    return read_rooms(await fetch(parse_argument("server", parse_server, server).api("rooms")))


async def lobby(
    server: str, *, on_note: OnNote | None = None
) -> AsyncIterator[tuple[Summary, ...]]:
    """Yield the public rooms, at most the first 200 by name, and again after each change.

    A lost connection is dialled again; `on_note` is told, as by `join`.

    Raises:
        BadArgument: there is no such address.
        Unreachable, Rejected: there is no connection.
    """
    url = parse_argument("server", parse_server, server).lobby()
    session, news = RoomSession(url, None), asyncio.Queue[tuple[Summary, ...] | Ending]()

    async def hear(event: Heard | Note) -> None:
        if isinstance(event, Note):
            (on_note or log_note)(event)
        elif isinstance(event.message, Rooms):
            news.put_nowait(event.message.rooms)

    async def listen() -> None:
        news.put_nowait(await session.run(hear))

    listening = asyncio.create_task(listen())
    try:
        while not isinstance(found := await news.get(), Ending):
            yield found
        raise_ending(found)
    finally:
        listening.cancel()
        with suppress(asyncio.CancelledError):
            await listening


@asynccontextmanager
async def quick_match(
    server: str,
    *,
    name: str = "guest",
    rules: str = "3x3x3",
    clock: ClockSetting | None = None,
    ai: bool = False,
    bot: bool = False,
    on_note: OnNote | None = None,
) -> AsyncIterator[Room]:
    """Wait for a player who wants the same board and clock, and play in a room with them.

    Args:
        server: its address.
        name: the player's.
        rules: the board, as "7x6x4g".
        clock: the time of each side; None for none.
        ai: take the AI that the server offers after a while.
        bot: as that of `join`.
        on_note: as that of `join`.

    Raises:
        BadArgument: an argument means nothing; the message names it.
        CommandRefused: with the server's code.
        Unreachable, Rejected: there is no connection.
    """
    place = parse_argument("server", parse_server, server)
    board = parse_argument("rules", board_of, rules)
    session = RoomSession(place.socket("play"), made(Seek, rules=board, clock=clock, ai=ai or None))
    found: asyncio.Future[Paired | Ending] = asyncio.get_running_loop().create_future()

    async def hear(event: Heard | Note) -> None:
        if isinstance(event, Note):
            (on_note or log_note)(event)
        elif isinstance(event.message, Paired):
            found.set_result(event.message)
        elif isinstance(refused := event.message, Refused):
            found.set_result(Ending(4, refusal(refused.code, refused.reason), refused.code))

    end = await first_of(found, session.run(hear))
    if isinstance(end, Ending):
        raise_ending(end)
    room, token = end.room, end.token
    async with join(server, room, name=name, token=token, bot=bot, on_note=on_note) as entered:
        yield entered


async def history(server: str, room: str, *, token: str | None = None) -> AsyncIterator[GameRecord]:
    """Yield the games that a room has had and its server has kept, the oldest first.

    Args:
        server: its address.
        room: the name of the room.
        token: that of a seat, which opens the games of a private room.

    Raises:
        CommandRefused: there is no such room, it is not for everyone, or the token is not of its
            seats; `BadArgument` where there is no such address or name.
        Unreachable, Rejected: there is no connection.
    """
    name, linked = parse_argument("room", parse_room, room)
    place = linked or parse_argument("server", parse_server, server)
    game = decode_room(await _fetch(place.api(f"rooms/{name}"), token)).game
    for number in range(1, 1 + (0 if game is None else game.number)):
        try:
            yield read_record(await _fetch(place.api(f"rooms/{name}/games/{number}"), token))
        except CommandRefused as error:
            if error.code is not RefusalCode.NO_SUCH_ROOM:  # a game that is no longer kept
                raise


_REFUSALS = {
    HTTPStatus.UNAUTHORIZED: RefusalCode.BAD_TOKEN,
    HTTPStatus.FORBIDDEN: RefusalCode.NOT_ALLOWED,
    HTTPStatus.NOT_FOUND: RefusalCode.NO_SUCH_ROOM,
}
"""The refusals of a room, by their HTTP status."""


async def _fetch(url: str, token: str | None) -> bytes:
    try:
        return await fetch(url, token=token)
    except Rejected as error:
        if error.reason is None or error.status not in _REFUSALS:
            raise
        raise CommandRefused(_REFUSALS[HTTPStatus(error.status)], error.reason) from None
