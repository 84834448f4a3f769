"""Whoever comes to the port: let in or rejected, answered, or begun a conversation with."""

import logging
from contextlib import suppress
from contextvars import Context
from http import HTTPStatus
from typing import assert_never

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from ttt_protocol.codes import CloseCode
from ttt_server.connections import Connections
from ttt_server.conversations import Conversations
from ttt_server.http import LobbySocket, Rejected, RoomSocket, parse_socket, rejection
from ttt_server.lobby import Lobby
from ttt_server.logs import about_connection
from ttt_server.peer import Peer
from ttt_server.site import Site, respond
from ttt_server.store import StorageFailed
from ttt_server.visitors import Visitors

logger = logging.getLogger(__name__)

FOR_OPERATORS = ("/healthz", "/metrics")
"""Answered by a full server, too: it is well, and to be watched."""


class Reception:
    """Knows who may come in, and where they want to go."""

    def __init__(
        self,
        connections: Connections,
        visitors: Visitors,
        site: Site,
        lobby: Lobby,
        conversations: Conversations,
    ) -> None:
        self._connections = connections
        self._visitors = visitors
        self._site = site
        self._lobby = lobby
        self._conversations = conversations

    def admit(self, peer: Peer, request: Request) -> Response | None:
        """The answer to one who wants a socket and is rejected; null if they may have it."""
        return Context().run(self._admit, peer, request)  # what it logs is about them alone

    async def answer(self, connection: ServerConnection, request: Request) -> Response | None:
        """The answer to any request; null if it is for a socket, and may have it."""
        peer = as_peer(connection)
        about_connection(peer.number)
        try:
            self._decide(peer, request)
            if peer.wanted is not None:
                return None
            return await respond(request, self._site)
        except Rejected as rejected:
            return _rejection(rejected, request)
        except StorageFailed:
            return rejection(Rejected(HTTPStatus.SERVICE_UNAVAILABLE, "the store fails"))

    def begin(self, peer: Peer) -> None:
        """Speaks with one whose socket is open."""
        peer.forget_handshake()
        match peer.wanted:
            case RoomSocket(name=name):
                self._conversations.begin(peer, name)
            case LobbySocket():
                self._conversations.tasks.start(self._watch_lobby(peer))
            case None:
                raise ValueError(peer)  # it was not let in, and its socket is not open
            case _:
                assert_never(peer.wanted)

    def _admit(self, peer: Peer, request: Request) -> Response | None:
        about_connection(peer.number)
        try:
            self._decide(peer, request)
        except Rejected as rejected:
            return _rejection(rejected, request)
        return None

    def _decide(self, peer: Peer, request: Request) -> None:
        """Finds the peer's socket, if its request is for any.

        Raises:
            Rejected: the first of what there is against it.
        """
        is_let_in = self._connections.let_in(peer, request.headers.get_all("X-Forwarded-For"))
        if not is_let_in and request.path not in FOR_OPERATORS:
            raise Rejected(HTTPStatus.SERVICE_UNAVAILABLE, "the server is full")
        self._visitors.check_host(request)
        socket = parse_socket(request.path)
        if socket is not None:
            self._visitors.check_origin(request, is_proxied=peer.is_proxied)
            peer.wanted = socket
            logger.debug("connected from %s", peer.account.source)

    async def _watch_lobby(self, peer: Peer) -> None:
        about_connection(peer.number)
        self._lobby.enter(peer)
        try:
            with suppress(ConnectionClosed):
                async for _ in peer:
                    peer.dismiss(CloseCode.POLICY)  # there is nothing to say here
        finally:
            self._lobby.exit(peer)


def as_peer(connection: ServerConnection) -> Peer:
    """The connection, which we made ourselves, as all of them."""
    if not isinstance(connection, Peer):
        raise TypeError(connection)
    return connection


def _rejection(rejected: Rejected, request: Request) -> Response:
    logger.debug("rejected with %d", rejected.status)
    return rejection(rejected, head=request.method == "HEAD")
