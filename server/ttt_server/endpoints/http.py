"""The HTTP API: rooms, games and more as JSON, the page's files, /healthz and /metrics."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, field
from functools import cache
from http import HTTPStatus
from typing import Final, Protocol

from websockets.http11 import Request, Response

from ttt_engine.strategies import Description
from ttt_protocol.base import FromServer
from ttt_protocol.codec import encode_document, encode_message
from ttt_protocol.records import GameRecord
from ttt_protocol.schema import protocol_schema
from ttt_protocol.state import (
    RoomName,
    RoomState,
    Summary,
)
from ttt_protocol.tournament.messages import TournamentState
from ttt_protocol.tournament.settings import TournamentName
from ttt_server.ai.game_analysis import GameAnalyser, NotOver
from ttt_server.concurrency.bounded_lock import BoundedLock, TooBusy
from ttt_server.endpoints.static import StaticFiles
from ttt_server.endpoints.urls import HttpUrl, room_name, tournament_name
from ttt_server.rooms.event_log import GameNotKept
from ttt_server.transport.responses import METHODS, Document, HttpError, document_response

MOST_READERS = 32
"""The games that are read from logs, or wait for that, at once."""

_METRICS: Final = "text/plain; version=0.0.4; charset=utf-8"
"""The `Content-Type` that Prometheus reads."""


class Health(FromServer):
    status: str


class RoomList(FromServer):
    rooms: tuple[Summary, ...]


class StrategyList(FromServer):
    strategies: tuple[dict[str, str | bool], ...]


class Readable(Protocol):
    """The hub, as the API sees it."""

    @property
    def is_healthy(self) -> bool: ...

    def public_rooms(self) -> tuple[Summary, ...]: ...

    async def read(self, name: RoomName) -> RoomState | None: ...

    async def read_game(self, name: RoomName, number: int) -> GameRecord | None: ...

    async def strategies(self) -> tuple[Description, ...]: ...


class ReadableTournaments(Protocol):
    """The tournaments, as the API sees them."""

    async def read(self, name: TournamentName) -> TournamentState | None: ...


@dataclass(frozen=True, slots=True)
class HttpApi:
    """Answers plain requests. `_ROUTES` has the paths."""

    hub: Readable
    tournaments: ReadableTournaments
    files: StaticFiles
    analyser: GameAnalyser
    metrics: Callable[[], bytes]
    """Writes the metrics for Prometheus."""
    readers: BoundedLock = field(default_factory=lambda: BoundedLock(MOST_READERS))
    """Reads one log at a time: it may be long."""

    async def respond(self, request: Request, url: HttpUrl) -> Response:
        """Answer a request.

        Raises:
            HttpError: 404 for an unknown path, except to a browser, which gets a page that says so;
                405 for another method than GET and HEAD; 403, 404, 409 and 503 for a room, a game
                or its analysis.
            StorageFailed: if the store could not be read.
        """
        if request.method not in METHODS:
            raise HttpError(HTTPStatus.METHOD_NOT_ALLOWED, "only GET and HEAD")
        try:
            document = self.files.find(url) or await self._read(url)
        except HttpError as error:
            page = self.files.lost(url) if _is_lost(request, error) else None
            if page is None:
                raise
            return document_response(page, request, error.status)
        return document_response(document, request)

    async def _read(self, url: HttpUrl) -> Document:
        for _method, pattern, handler in _ROUTES:  # all are for GET, and so for HEAD
            match = pattern.fullmatch(url.path)
            if match is not None:
                try:
                    return await handler(self, url, *match.groups())
                except TooBusy:
                    words = "too many ask for this"
                    raise HttpError(HTTPStatus.SERVICE_UNAVAILABLE, words) from None
        raise HttpError(HTTPStatus.NOT_FOUND, "there is nothing here")

    async def health(self, _: HttpUrl) -> Document:
        if not self.hub.is_healthy:
            raise HttpError(HTTPStatus.SERVICE_UNAVAILABLE, "the store fails")
        return _json(Health(status="ok"))

    async def rooms(self, _: HttpUrl) -> Document:
        return _json(RoomList(rooms=self.hub.public_rooms()))

    async def room(self, _: HttpUrl, room: str) -> Document:
        return _json(await self._open_room(room))

    async def game(self, url: HttpUrl, room: str, number: str) -> Document:
        async with self.readers.take():
            record = await self._read_game(room, number)
        if "analysis=1" in url.query.split("&"):
            return Document.of(await self._analyse(record))
        return _json(record)

    async def tournament(self, _: HttpUrl, event: str) -> Document:
        state = await self.tournaments.read(tournament_name(event))
        if state is None:
            raise HttpError(HTTPStatus.NOT_FOUND, "there is no such event")
        return _json(state)

    async def strategies(self, _: HttpUrl) -> Document:
        kinds = await self.hub.strategies()
        return _json(StrategyList(strategies=tuple(map(asdict, kinds))))

    async def protocol(self, _: HttpUrl) -> Document:
        return _protocol_document()

    async def prometheus(self, _: HttpUrl) -> Document:
        return Document.of(self.metrics(), _METRICS)

    async def _open_room(self, text: str) -> RoomState:
        state = await self.hub.read(room_name(text))
        if state is None:
            raise HttpError(HTTPStatus.NOT_FOUND, "there is no such room")
        if state.locked or not state.settings.spectators:
            raise HttpError(HTTPStatus.FORBIDDEN, "this room is not for everyone")
        return state

    async def _read_game(self, text: str, number: str) -> GameRecord:
        room = await self._open_room(text)
        # No room has seen a million games, and no longer number is worth reading.
        is_number = number.isascii() and number.isdigit() and len(number) <= 6
        game = int(number) if is_number else 0
        try:
            record = await self.hub.read_game(room.name, game) if game else None
        except GameNotKept:
            raise HttpError(HTTPStatus.NOT_FOUND, "this game is no longer kept") from None
        if record is None:
            raise HttpError(HTTPStatus.NOT_FOUND, "there is no such game in this room")
        return record

    async def _analyse(self, record: GameRecord) -> bytes:
        try:
            return await self.analyser.analyse(record)
        except NotOver:
            # Before the end, what moves are worth would help one of the players.
            raise HttpError(HTTPStatus.CONFLICT, "the game is not over") from None


def _is_lost(request: Request, error: HttpError) -> bool:
    """Whether a browser asked for a page that does not exist."""
    accepted = ",".join(request.headers.get_all("Accept"))
    return error.status is HTTPStatus.NOT_FOUND and "text/html" in accepted


def _pattern(path: str) -> re.Pattern[str]:
    """Compile a path. Each `{name}` in it is a part, and an argument of the handler."""
    return re.compile(re.sub(r"{\w+}", "([^/]*)", path))


_ROUTES: Final[tuple[tuple[str, re.Pattern[str], Callable[..., Awaitable[Document]]], ...]] = (
    ("GET", _pattern("/healthz"), HttpApi.health),
    ("GET", _pattern("/metrics"), HttpApi.prometheus),
    ("GET", _pattern("/api/rooms"), HttpApi.rooms),
    ("GET", _pattern("/api/rooms/{room}"), HttpApi.room),
    ("GET", _pattern("/api/rooms/{room}/games/{number}"), HttpApi.game),
    ("GET", _pattern("/api/events/{event}"), HttpApi.tournament),
    ("GET", _pattern("/api/strategies"), HttpApi.strategies),
    ("GET", _pattern("/api/protocol.json"), HttpApi.protocol),
)
"""The method, the path and the handler of each route."""


def _json(message: FromServer) -> Document:
    return Document.of(encode_message(message))


@cache
def _protocol_document() -> Document:
    return Document.of(encode_document(protocol_schema()))
