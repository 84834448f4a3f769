"""What the port says to a request: an upgrade for the two kinds of socket, JSON for plain reads."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from http import HTTPStatus
from typing import Protocol

from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from websockets.datastructures import Headers
from websockets.exceptions import NegotiationError
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from ttt_engine.strategies import Description
from ttt_protocol.codec import encode_document, encode_message
from ttt_protocol.events import Event
from ttt_protocol.records import GameRecord
from ttt_protocol.schema import protocol_schema
from ttt_protocol.state import (
    SUBPROTOCOL,
    InvalidRoomName,
    RoomName,
    RoomState,
    Summary,
    Told,
    parse_room_name,
)
from ttt_server import SERVER
from ttt_server.analyst import Analyst, NotOver, TooBusy
from ttt_server.pages import File, page_at, send
from ttt_server.record import record_of
from ttt_server.room import Room

METHODS = ("GET", "HEAD")

RETRY_AFTER_S = 5
"""When to come back after a 503."""


class Rejected(Exception):
    """The request is answered with this status and these words."""

    def __init__(self, status: HTTPStatus, words: str) -> None:
        super().__init__(words)
        self.status = status
        self.words = words


@dataclass(frozen=True, slots=True)
class RoomSocket:
    """The path `/ws/rooms/{room}`."""

    name: RoomName


@dataclass(frozen=True, slots=True)
class LobbySocket:
    """The path `/ws/lobby`."""


class Health(Told):
    status: str


class RoomList(Told):
    rooms: tuple[Summary, ...]


class StrategyList(Told):
    strategies: tuple[dict[str, str | bool], ...]


class Readable(Protocol):
    """What plain reads need of the hub."""

    @property
    def is_healthy(self) -> bool: ...

    def public_rooms(self) -> tuple[Summary, ...]: ...

    async def read(self, name: RoomName) -> RoomState | None: ...

    async def read_log(self, name: RoomName) -> tuple[Event, ...]: ...

    async def strategies(self) -> tuple[Description, ...]: ...


@dataclass(frozen=True, slots=True)
class Site:
    """All that plain requests may ask of: the rooms, the page's files, and who knows more."""

    hub: Readable
    files: Mapping[str, File]
    analyst: Analyst
    metrics: Callable[[], bytes]
    """What Prometheus reads."""


def parse_socket(path: str) -> RoomSocket | LobbySocket | None:
    """Which socket a request's path (with or without a query) means; null for plain HTTP.

    Raises:
        Rejected: 404 for a room that cannot be.
    """
    match _path(path).split("/")[1:]:
        case ["ws", "lobby"]:
            return LobbySocket()
        case ["ws", "rooms", text]:
            return RoomSocket(_room_name(text))
        case _:
            return None


def select_subprotocol(offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """`ttt.v1` if it is offered; one who offers nothing is served it too.

    Raises:
        NegotiationError: if only others are offered.
    """
    if not offered:
        return None
    if SUBPROTOCOL not in offered:
        raise NegotiationError(f"this server speaks {SUBPROTOCOL}")
    return Subprotocol(SUBPROTOCOL)


async def respond(request: Request, site: Site) -> Response:
    """The answer to a plain request.

    Raises:
        Rejected: 404, 403, 409 and 503 (an analysis), or 405 for what is no GET or HEAD.
        StorageFailed: if it could not be read.
    """
    if request.method not in METHODS:
        raise Rejected(HTTPStatus.METHOD_NOT_ALLOWED, "only GET and HEAD")
    if (file := _file(_path(request.path), site)) is not None:
        return send(file, request)
    if _path(request.path) == "/metrics":
        head = request.method == "HEAD"
        return reply(HTTPStatus.OK, site.metrics(), CONTENT_TYPE_PLAIN_0_0_4, head=head)
    body = await _read(request.path, site)
    return reply(HTTPStatus.OK, body, "application/json", head=request.method == "HEAD")


def rejection(rejected: Rejected) -> Response:
    """The answer to a request that failed."""
    response = reply(rejected.status, f"{rejected.words}\n".encode(), "text/plain; charset=utf-8")
    if rejected.status is HTTPStatus.SERVICE_UNAVAILABLE:
        response.headers["Retry-After"] = str(RETRY_AFTER_S)
    if rejected.status is HTTPStatus.METHOD_NOT_ALLOWED:
        response.headers["Allow"] = ", ".join(METHODS)
    return response


def reply(status: HTTPStatus, body: bytes, kind: str, *, head: bool = False) -> Response:
    """A whole response; the connection ends with it. With `head`, its body is left out."""
    headers = Headers(
        {
            "Server": SERVER,
            "Connection": "close",
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
        }
    )
    return Response(status.value, status.phrase, headers, b"" if head else body)


def _path(target: str) -> str:
    """Without the query. Not more than that: a parser of addresses fails at some of them."""
    return target.partition("?")[0]


def _file(path: str, site: Site) -> File | None:
    try:
        return page_at(path, site.files)
    except InvalidRoomName as error:
        raise Rejected(HTTPStatus.NOT_FOUND, str(error)) from None


async def _read(target: str, site: Site) -> bytes:
    hub = site.hub
    path, _, query = target.partition("?")
    match path.split("/")[1:]:
        case ["healthz"]:
            if not hub.is_healthy:
                raise Rejected(HTTPStatus.SERVICE_UNAVAILABLE, "the store fails")
            return encode_message(Health(status="ok"))
        case ["api", "rooms"]:
            return encode_message(RoomList(rooms=hub.public_rooms()))
        case ["api", "rooms", text]:
            return encode_message(await _open_room(text, hub))
        case ["api", "rooms", text, "games", number]:
            record = await _game(text, number, hub)
            if "analysis=1" in query.split("&"):
                return await _analysis(record, site.analyst)
            return encode_message(record)
        case ["api", "strategies"]:
            kinds = await hub.strategies()
            return encode_message(StrategyList(strategies=tuple(map(asdict, kinds))))
        case ["api", "protocol.json"]:
            return _protocol()
        case _:
            raise Rejected(HTTPStatus.NOT_FOUND, "there is nothing here")


async def _open_room(text: str, hub: Readable) -> RoomState:
    state = await hub.read(_room_name(text))
    if state is None:
        raise Rejected(HTTPStatus.NOT_FOUND, "there is no such room")
    if state.locked or not state.settings.spectators:
        raise Rejected(HTTPStatus.FORBIDDEN, "this room is not for everyone")
    return state


async def _game(text: str, number: str, hub: Readable) -> GameRecord:
    room = await _open_room(text, hub)
    # No room has seen a million games, and no longer number is worth reading.
    is_number = number.isascii() and number.isdigit() and len(number) <= 6
    log = await hub.read_log(room.name) if is_number else ()
    # In a thread, as the log of a long series takes a while.
    game = int(number) if is_number else 0
    record = await asyncio.to_thread(record_of, Room(room.name), log, game)
    if record is None:
        raise Rejected(HTTPStatus.NOT_FOUND, "there is no such game in this room")
    return record


async def _analysis(record: GameRecord, analyst: Analyst) -> bytes:
    try:
        return await analyst.analyse(record)
    except NotOver:
        # Before it is over, what moves are worth would be help to one of the players.
        raise Rejected(HTTPStatus.CONFLICT, "the game is not over") from None
    except TooBusy:
        raise Rejected(HTTPStatus.SERVICE_UNAVAILABLE, "too many ask for analyses") from None


@cache
def _protocol() -> bytes:
    return encode_document(protocol_schema())


def _room_name(text: str) -> RoomName:
    try:
        return parse_room_name(text)
    except InvalidRoomName as error:
        raise Rejected(HTTPStatus.NOT_FOUND, str(error)) from None
