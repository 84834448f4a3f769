"""Whoever comes to the port: let in or rejected, answered, or begun a conversation with."""

import asyncio
import logging
from contextlib import suppress
from contextvars import Context
from http import HTTPStatus
from typing import assert_never

from websockets.http11 import Request, Response

from ttt_protocol.codes import CloseCode
from ttt_server.endpoints.http import HttpApi, respond
from ttt_server.endpoints.origins import OriginPolicy
from ttt_server.endpoints.room import RoomEndpointContext
from ttt_server.endpoints.urls import HttpError, LobbyUrl, RoomUrl, error_response, parse_url
from ttt_server.limits.connections import ConnectionTable
from ttt_server.rooms.lobby import Lobby
from ttt_server.storage.base import StorageFailed
from ttt_server.telemetry.logging import about_connection
from ttt_server.transport.connection import Connection, Unheard

logger = logging.getLogger(__name__)

HANDSHAKE_TIMEOUT_S = 10
"""For a peer to say what it wants, and again for us to find the answer."""

_TOO_LATE = HttpError(HTTPStatus.SERVICE_UNAVAILABLE, "it takes too long, come back")
_FAULT = HttpError(HTTPStatus.INTERNAL_SERVER_ERROR, "internal server error")

FOR_OPERATORS = ("/healthz", "/metrics")
"""Answered by a full server, too: it is well, and to be watched."""


class Gateway:
    """Knows who may come in, and where they want to go."""

    def __init__(
        self,
        connections: ConnectionTable,
        visitors: OriginPolicy,
        site: HttpApi,
        lobby: Lobby,
        conversations: RoomEndpointContext,
    ) -> None:
        self._connections = connections
        self._visitors = visitors
        self._site = site
        self._lobby = lobby
        self._conversations = conversations
        self._is_closing = False

    def close(self) -> None:
        """From now on nobody is given a socket."""
        self._is_closing = True

    def admit(self, peer: Connection, request: Request) -> Response | None:
        """The answer to one who wants a socket and is rejected; null if they may have it."""
        return Context().run(self._admit, peer, request)  # what it logs is about them alone

    def attend(self, peer: Connection, request: Request) -> None:
        """Finds the answer to any request, which may take a while."""
        self._conversations.tasks.start(self._attend(peer, request))

    def begin(self, peer: Connection) -> None:
        """Speaks with one whose socket is open."""
        match peer.wanted:
            case RoomUrl(name=name):
                self._conversations.begin(peer, name)
            case LobbyUrl():
                peer.talk = LobbyEndpoint(peer, self._lobby)
            case None:
                raise ValueError(peer)  # it was not let in, and its socket is not open
            case _:
                assert_never(peer.wanted)

    def _admit(self, peer: Connection, request: Request) -> Response | None:
        about_connection(peer.number)
        try:
            self._decide(peer, request)
        except HttpError as rejected:
            return _rejection(rejected, request)
        return None

    async def _attend(self, peer: Connection, request: Request) -> None:
        about_connection(peer.number)
        try:
            async with asyncio.timeout(HANDSHAKE_TIMEOUT_S):
                answer = await self._find(peer, request)
        except TimeoutError:
            answer = _rejection(_TOO_LATE, request)
        except Exception:
            logger.exception("a request could not be answered")
            answer = _rejection(_FAULT, request)
        try:
            peer.answer(answer)
        except Exception:
            logger.exception("a connection could not be opened")
            peer.cut()

    async def _find(self, peer: Connection, request: Request) -> Response | None:
        """The answer to any request; null if it is for a socket, and may have it."""
        try:
            self._decide(peer, request)
            if peer.wanted is not None:
                return None
            return await respond(request, self._site)
        except HttpError as rejected:
            return _rejection(rejected, request)
        except StorageFailed:
            return error_response(HttpError(HTTPStatus.SERVICE_UNAVAILABLE, "the store fails"))

    def _decide(self, peer: Connection, request: Request) -> None:
        """Finds the peer's socket, if its request is for any.

        Raises:
            Rejected: the first of what there is against it.
        """
        is_let_in = self._connections.let_in(peer, request.headers.get_all("X-Forwarded-For"))
        if not is_let_in and request.path not in FOR_OPERATORS:
            raise HttpError(HTTPStatus.SERVICE_UNAVAILABLE, "the server is full")
        self._visitors.check_host(request)
        socket = parse_url(request.path)
        if socket is not None:
            self._visitors.check_origin(request, is_proxied=peer.is_proxied)
            if self._is_closing:
                raise HttpError(HTTPStatus.SERVICE_UNAVAILABLE, "service unavailable")
            peer.wanted = socket
            logger.debug("connected from %s", peer.account.source)


class LobbyEndpoint:
    """One who watches the lobby, where there is nothing to say."""

    __slots__ = ("_lobby", "_peer")

    def __init__(self, peer: Connection, lobby: Lobby) -> None:
        self._peer = peer
        self._lobby = lobby
        lobby.enter(peer)
        if peer.has_more:
            self.hear()

    def hear(self) -> None:
        with suppress(Unheard):
            is_binary = isinstance(self._peer.take(), bytes)
            self._peer.dismiss(CloseCode.BINARY_FRAME if is_binary else CloseCode.POLICY)

    def end(self) -> None:
        self._lobby.exit(self._peer)


def _rejection(rejected: HttpError, request: Request) -> Response:
    logger.debug("rejected with %d", rejected.status)
    return error_response(rejected, head=request.method == "HEAD")
