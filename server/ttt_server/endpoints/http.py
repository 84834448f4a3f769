"""What plain reads give: the page, and rooms, games and more as JSON."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from http import HTTPStatus
from typing import Final, Protocol

from websockets.http11 import Request, Response

from ttt_engine.strategies import Description
from ttt_protocol.codec import encode_document, encode_message
from ttt_protocol.records import GameRecord
from ttt_protocol.schema import protocol_schema
from ttt_protocol.state import FromServer, InvalidRoomName, RoomName, RoomState, Summary
from ttt_server.ai.game_analysis import GameAnalyser, NotOver
from ttt_server.concurrency.bounded_lock import BoundedLock, TooBusy
from ttt_server.core.events import Event
from ttt_server.core.game_record import record_of
from ttt_server.core.room import Room
from ttt_server.endpoints.static import page_at
from ttt_server.endpoints.urls import METHODS, HttpError, room_name
from ttt_server.transport.responses import Document, send

MOST_READERS = 32
"""The games that are read from logs, or wait for that, at once."""

_METRICS: Final = "text/plain; version=0.0.4; charset=utf-8"
"""As Prometheus asks for it."""


class Health(FromServer):
    status: str


class RoomList(FromServer):
    rooms: tuple[Summary, ...]


class StrategyList(FromServer):
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
class HttpApi:
    """All that plain requests may ask of: the rooms, the page's files, and who knows more."""

    hub: Readable
    files: Mapping[str, Document]
    analyst: GameAnalyser
    metrics: Callable[[], bytes]
    """What Prometheus reads."""
    readers: BoundedLock = field(default_factory=lambda: BoundedLock(MOST_READERS))
    """Those who want a game: a log may be long, and it is read and understood for each."""


async def respond(request: Request, site: HttpApi) -> Response:
    """The answer to a plain request.

    Raises:
        Rejected: 404, 403, 409 and 503 (a game or its analysis), or 405 for what is no GET or HEAD.
        StorageFailed: if it could not be read.
    """
    if request.method not in METHODS:
        raise HttpError(HTTPStatus.METHOD_NOT_ALLOWED, "only GET and HEAD")
    path, _, query = request.path.partition("?")
    try:
        return send(_page(path, site) or await _read(path, query, site), request)
    except TooBusy:
        raise HttpError(HTTPStatus.SERVICE_UNAVAILABLE, "too many ask for this") from None


def _page(path: str, site: HttpApi) -> Document | None:
    try:
        return page_at(path, site.files)
    except InvalidRoomName as error:
        raise HttpError(HTTPStatus.NOT_FOUND, str(error)) from None


async def _read(path: str, query: str, site: HttpApi) -> Document:
    hub = site.hub
    match path.split("/")[1:]:
        case ["healthz"]:
            if not hub.is_healthy:
                raise HttpError(HTTPStatus.SERVICE_UNAVAILABLE, "the store fails")
            return _told(Health(status="ok"))
        case ["api", "rooms"]:
            return _told(RoomList(rooms=hub.public_rooms()))
        case ["api", "rooms", text]:
            return _told(await _open_room(text, hub))
        case ["api", "rooms", text, "games", number]:
            async with site.readers.take():
                record = await _game(text, number, hub)
            if "analysis=1" in query.split("&"):
                return Document.of(await _analysis(record, site.analyst))
            return _told(record)
        case ["api", "strategies"]:
            kinds = await hub.strategies()
            return _told(StrategyList(strategies=tuple(map(asdict, kinds))))
        case ["api", "protocol.json"]:
            return _protocol()
        case ["metrics"]:
            return Document.of(site.metrics(), _METRICS)
        case _:
            raise HttpError(HTTPStatus.NOT_FOUND, "there is nothing here")


def _told(told: FromServer) -> Document:
    return Document.of(encode_message(told))


async def _open_room(text: str, hub: Readable) -> RoomState:
    state = await hub.read(room_name(text))
    if state is None:
        raise HttpError(HTTPStatus.NOT_FOUND, "there is no such room")
    if state.locked or not state.settings.spectators:
        raise HttpError(HTTPStatus.FORBIDDEN, "this room is not for everyone")
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
        raise HttpError(HTTPStatus.NOT_FOUND, "there is no such game in this room")
    return record


async def _analysis(record: GameRecord, analyst: GameAnalyser) -> bytes:
    try:
        return await analyst.analyse(record)
    except NotOver:
        # Before it is over, what moves are worth would be help to one of the players.
        raise HttpError(HTTPStatus.CONFLICT, "the game is not over") from None


@cache
def _protocol() -> Document:
    return Document.of(encode_document(protocol_schema()))
