"""The gateway: admits or rejects each request, and hands it to its endpoint."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import Context
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, assert_never

from websockets.http11 import Request, Response

from ttt_protocol.codes import CloseCode
from ttt_protocol.state import RoomName
from ttt_server.cluster.signature import CLIENT, RELAY, Relayed
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.endpoints.http import Client, HttpApi
from ttt_server.endpoints.lobby import LobbyEndpoint
from ttt_server.endpoints.origins import OriginPolicy, in_origin_form
from ttt_server.endpoints.play import PlayEndpointContext
from ttt_server.endpoints.room import RoomEndpointContext
from ttt_server.endpoints.studies import STUDIES
from ttt_server.endpoints.tournament import TournamentEndpointContext
from ttt_server.endpoints.urls import (
    HttpUrl,
    LobbyUrl,
    PlayUrl,
    RoomUrl,
    TournamentUrl,
    Url,
    parse_url,
)
from ttt_server.limits.connections import ConnectionTable
from ttt_server.lobby.watchers import Lobby
from ttt_server.storage.base import StorageFailed
from ttt_server.telemetry.logging import about_connection
from ttt_server.tournaments.log_names import log_name
from ttt_server.transport.connection import Connection
from ttt_server.transport.responses import HttpError, error_response

if TYPE_CHECKING:
    from ttt_server.cluster.member import ClusterMember

logger = logging.getLogger(__name__)

HANDSHAKE_TIMEOUT_S = 10
"""For a client to send its request, and again for the server to find the answer."""

IDLE_TIMEOUT_S = 5
"""For a client to begin another request, on a connection that was answered."""

_TOO_LATE = HttpError(HTTPStatus.SERVICE_UNAVAILABLE, "it takes too long, come back")
_STORE_FAILS = HttpError(HTTPStatus.SERVICE_UNAVAILABLE, "the store fails")
_FAULT = HttpError(HTTPStatus.INTERNAL_SERVER_ERROR, "internal server error")

Respond = Callable[[], Awaitable[Response]]

FOR_OPERATORS = ("/healthz", "/metrics")
"""Answered by a full server, too: it is well, and to be watched."""


class Gateway:
    """Decides which requests are answered, and by which endpoint."""

    def __init__(
        self,
        table: ConnectionTable[Connection],
        origins: OriginPolicy,
        api: HttpApi,
        lobby: Lobby,
        rooms: RoomEndpointContext,
        *,
        events: TournamentEndpointContext,
        play: PlayEndpointContext,
        cluster: "ClusterMember | None" = None,
    ) -> None:
        """`cluster`: this server among many; `None` if it is alone."""
        self._table = table
        self._origins = origins
        self._api = api
        self._lobby = lobby
        self._rooms = rooms
        self._events = events
        self._play = play
        self._cluster = cluster
        self._tasks = TaskOwner()
        """The tasks in which the answers of the HTTP API are found."""
        self._is_admitting = True

    def stop_admitting(self) -> None:
        """Open no WebSocket any more."""
        self._is_admitting = False

    async def drained(self) -> None:
        """Wait until each request has its answer."""
        await self._tasks.ended()

    async def close(self) -> None:
        """Cancel what finds answers."""
        await self._tasks.close()

    def on_request(self, connection: Connection, request: Request) -> None:
        """Answer a request: at once, or in a task where the answer has to be found."""
        # In a context of its own, as what is logged is about this connection alone.
        Context().run(self._answer, connection, request)

    def _answer(self, connection: Connection, request: Request) -> None:
        about_connection(connection.number)
        request = in_origin_form(request)
        try:
            relayed = self._relayed(request)
            if relayed is not None and relayed.kind == "probe" and self._cluster is not None:
                self._find(connection, request, partial(self._cluster.answer_probe, request))
                return
            url = self._admit(connection, request, relayed)
        except HttpError as error:
            connection.answer(_rejection(error, request))
            return
        match url:
            case RoomUrl(name=name):
                begin = partial(self._rooms.begin, name=name)
                self._serve(connection, request, name, relayed, begin)
            case LobbyUrl(wants_changes=wish):
                if connection.accept():
                    endpoint = LobbyEndpoint(connection, self._lobby, wants_changes=wish)
                    connection.attach(endpoint)
            case TournamentUrl(name=event):
                begin = partial(self._events.begin, name=event)
                self._serve(connection, request, log_name(event), relayed, begin)
            case PlayUrl():
                if connection.accept():
                    self._play.begin(connection)
            case HttpUrl():
                client = Client(connection.account.source, partial(_may_guess, connection))
                respond = partial(self._api.respond, request, url, client)
                finding = self._find(connection, request, respond)
                if url.path in STUDIES:
                    connection.on_departure(finding.cancel)
            case _:
                assert_never(url)

    def _serve(
        self,
        connection: Connection,
        request: Request,
        name: RoomName,
        relayed: Relayed | None,
        begin: Callable[[Connection], None],
    ) -> None:
        """Serve a room or an event with `begin`, here or on the server that owns its log."""
        if self._cluster is not None:
            self._find_owner(self._cluster, connection, request, name, relayed, begin)
        elif connection.accept():
            begin(connection)

    def _find_owner(
        self,
        cluster: "ClusterMember",
        connection: Connection,
        request: Request,
        name: RoomName,
        relayed: Relayed | None,
        serve_here: Callable[[Connection], None],
    ) -> None:
        """Serve a log, or pass the connection on to the server that does."""

        def found(address: str | None) -> None:
            if address is None:
                if connection.accept():
                    serve_here(connection)
            elif relayed is None:
                cluster.relay.begin(connection, request, name, address, serve_here)
            elif connection.accept():
                connection.dismiss(CloseCode.RESTARTING)  # one hop at most

        async def find() -> None:
            about_connection(connection.number)
            address: str | None = None
            # A room that cannot be found has a `storage_failed` for each join.
            with suppress(StorageFailed):
                address = await cluster.locate(name)
            found(address)

        if cluster.has(name):
            found(None)
        else:
            self._tasks.start(find(), partial(self._answered, connection, request))

    def _relayed(self, request: Request) -> Relayed | None:
        """Return what another server says of a request; `None` if no server does."""
        if RELAY not in request.headers and CLIENT not in request.headers:
            return None
        relayed = None if self._cluster is None else self._cluster.relayed(request)
        if relayed is None:
            self._rooms.counters.count_false_relay()
        return relayed

    def _admit(self, connection: Connection, request: Request, relayed: Relayed | None) -> Url:
        """Return what an admitted request asks for.

        Args:
            connection: of the client, or of another server.
            request: the client's.
            relayed: what another server says of it, which has looked at it before.

        Raises:
            HttpError: the first reason to reject it.
        """
        if relayed is None:
            is_let_in = connection.let_in(request.headers.get_all("X-Forwarded-For"))
        else:
            is_let_in = connection.let_in((), relayed_for=relayed.client)
        if not is_let_in and request.path not in FOR_OPERATORS:
            raise HttpError(HTTPStatus.SERVICE_UNAVAILABLE, "the server is full")
        self._origins.check_host(request)
        is_proxied = relayed is not None or self._table.is_proxy(connection.host)
        url = parse_url(request.path)
        if isinstance(url, HttpUrl):
            self._origins.check_name(request, is_proxied=is_proxied)
        else:
            self._origins.check_origin(request, is_proxied=is_proxied)
            if not self._is_admitting:
                raise HttpError(HTTPStatus.SERVICE_UNAVAILABLE, "service unavailable")
            logger.debug("connected from %s", connection.account.source)
        return url

    def _find(
        self, connection: Connection, request: Request, respond: Respond
    ) -> asyncio.Task[None]:
        """Answer a request in a task."""
        answered = partial(self._answered, connection, request)
        return self._tasks.start(self._find_answer(connection, request, respond), answered)

    async def _find_answer(
        self, connection: Connection, request: Request, respond: Respond
    ) -> None:
        about_connection(connection.number)
        try:
            async with asyncio.timeout(HANDSHAKE_TIMEOUT_S):
                response = await respond()
        except HttpError as error:
            response = _rejection(error, request)
        except StorageFailed:
            response = _rejection(_STORE_FAILS, request)
        except TimeoutError:
            response = _rejection(_TOO_LATE, request)
        connection.answer(response)

    def _answered(
        self, connection: Connection, request: Request, error: BaseException | None
    ) -> None:
        """Answer a request even if a bug kept it from its answer."""
        if error is not None and not isinstance(error, asyncio.CancelledError):
            context = Context()
            context.run(about_connection, connection.number)
            context.run(logger.error, "a request could not be answered", exc_info=error)
            connection.answer(_rejection(_FAULT, request))


def _may_guess(connection: Connection) -> bool:
    return connection.account.guesses.spend(connection.loop.time())


def _rejection(error: HttpError, request: Request) -> Response:
    logger.debug("rejected with %d", error.status)
    return error_response(error, is_head=request.method == "HEAD")
