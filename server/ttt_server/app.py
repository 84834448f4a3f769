"""The server as a whole: its parts put together, served, and stopped in order."""

import asyncio
import logging
import ssl
import time
from collections.abc import Callable, Coroutine
from functools import cached_property, partial
from http import HTTPStatus
from random import Random
from typing import Any

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.http11 import Request, Response

from ttt_protocol.codes import CloseCode
from ttt_server.addresses import Proxies
from ttt_server.ai import Thinkers
from ttt_server.analyst import Analyst
from ttt_server.config import Config
from ttt_server.connection import ConnectionLimits, Conversation
from ttt_server.connections import AddressLimits, Connections
from ttt_server.deadlines import Deadlines
from ttt_server.door import Door
from ttt_server.files import room_for
from ttt_server.heartbeat import Heartbeat
from ttt_server.http import (
    RETRY_AFTER_S,
    Rejected,
    RoomSocket,
    parse_socket,
    rejection,
)
from ttt_server.hub import Hub
from ttt_server.lag import Lag
from ttt_server.lobby import Lobby
from ttt_server.logs import about_connection
from ttt_server.pages import load_files
from ttt_server.peer import Peer, PeerLimits
from ttt_server.rooms import RoomLimits
from ttt_server.seats import load_secret, new_secret
from ttt_server.site import Site, respond
from ttt_server.store import CannotOpen, EventStore, StorageFailed
from ttt_server.store.opening import open_store
from ttt_server.traffic import Traffic
from ttt_server.visitors import Visitors, is_loopback

logger = logging.getLogger(__name__)

FRAMES_PER_COMMAND = 5
"""A command may come in fragments, and pings between them."""

LEAST_CONNECTS = 2000
"""In 10 seconds from one address, where its limit is not set."""

FOR_OPERATORS = ("/healthz", "/metrics")
"""Answered by a full server, too: it is well, and to be watched."""

HANDSHAKE_TIMEOUT_S = 10

PING_INTERVAL_S = 15
PING_TIMEOUT_S = 10
"""A line that is dead is known to be so within the two together."""

PEERS_SHARE, STORE_SHARE = 0.7, 0.9
"""Of the time that a stop may take: until then the peers may read their goodbye, and the store
may finish. The rest is for what the process has to do after that."""


class App:
    """Everything that one port serves."""

    def __init__(self, config: Config, store: EventStore, secret: bytes) -> None:
        self._config = config
        self._store = store
        self._thinkers = Thinkers(
            config.workers, Random(), config.ai_memory_mb, memory=store.memory
        )
        limits = RoomLimits(
            rooms=config.max_rooms,
            rooms_per_address=config.max_rooms_per_address,
            idle_s=config.room_idle_s,
            abandon_s=config.room_abandon_s,
        )
        self._hub = Hub(store, Door(secret), self._thinkers, limits)
        self._lobby = Lobby(self._hub)
        self._connections = Connections(
            room_for(config.max_connections),
            _address_limits(config),
            time.monotonic,
            Proxies.parse(config.trusted_proxies),
        )
        self._visitors = Visitors(
            origins=frozenset(config.allow_origin),
            hosts=frozenset(config.allow_host),
            is_local=is_loopback(config.host),
        )
        self._traffic = Traffic()
        self._lag = Lag()
        self._site = Site(self._hub, load_files(), Analyst(self._thinkers), self._scrape)
        self._limits = ConnectionLimits(
            commands_per_s=config.commands_per_10s / 10,
            command_burst=config.command_burst,
        )
        self._latecomers = Deadlines(config.join_timeout_s, Conversation.be_late)

    async def run(self, stop: asyncio.Event, on_ready: Callable[[str], None]) -> None:
        """Serves until `stop` is set; tells `on_ready` the address once it accepts connections.

        Raises:
            OSError: if the port cannot be had.
        """
        try:
            server = await self._listen()
        except OSError:
            await self._store.close()
            raise
        try:
            address = _address(self._config, server)
            logger.info("listening on %s", address)
            self._lag.start()
            on_ready(address)
            await stop.wait()
        finally:
            logger.info("stopping")
            await self._stop(server)

    def _scrape(self) -> bytes:
        return self._read_metrics()

    @cached_property
    def _read_metrics(self) -> Callable[[], bytes]:
        from ttt_server.metrics import Metrics  # noqa: PLC0415 - a start does not wait for it

        parts = self._hub, self._connections, self._traffic, self._thinkers, self._lag
        return Metrics(*parts).text

    async def _listen(self) -> Server:
        config = self._config
        return await serve(
            self._converse,
            config.host,
            config.port,
            create_connection=partial(  # type: ignore[arg-type]  # called like the class that it makes
                Peer,
                connections=self._connections,
                heartbeat=Heartbeat(PING_INTERVAL_S, PING_TIMEOUT_S),
                limits=_peer_limits(config),
            ),
            process_request=self._answer,
            compression=None,
            open_timeout=HANDSHAKE_TIMEOUT_S,
            ping_interval=None,  # that is the heartbeat's
            close_timeout=config.send_timeout_s,
            server_header=None,
            backlog=1024,
            ssl=_tls(config),
        )

    async def _converse(self, connection: ServerConnection) -> None:
        if not isinstance(connection, Peer) or connection.request is None:
            raise TypeError(connection)  # we make them all, and they come with a request
        logger.debug("connected from %s", connection.account.source)
        connection.forget_handshake()
        match parse_socket(connection.request.path):
            case RoomSocket(name=name):
                conversation = Conversation(
                    connection, self._hub, name, self._limits, self._traffic, self._latecomers
                )
                await conversation.run()
            case _:
                await self._watch_lobby(connection)

    async def _watch_lobby(self, peer: Peer) -> None:
        self._lobby.enter(peer)
        try:
            async for _ in peer:
                peer.dismiss(CloseCode.POLICY)  # there is nothing to say here
        finally:
            self._lobby.exit(peer)

    async def _answer(self, connection: ServerConnection, request: Request) -> Response | None:
        if not isinstance(connection, Peer):
            raise TypeError(connection)  # we make them all
        about_connection(connection.number)
        try:
            forwarded_for = request.headers.get_all("X-Forwarded-For")
            is_let_in = self._connections.let_in(connection, forwarded_for)
            if not is_let_in and request.path not in FOR_OPERATORS:
                raise Rejected(HTTPStatus.SERVICE_UNAVAILABLE, "the server is full")
            self._visitors.check_host(request)
            if parse_socket(request.path) is None:
                return await respond(request, self._site)
            self._visitors.check_origin(request, is_proxied=connection.is_proxied)
        except Rejected as rejected:
            logger.debug("rejected with %d", rejected.status)
            return rejection(rejected, head=request.method == "HEAD")
        except StorageFailed:
            return rejection(Rejected(HTTPStatus.SERVICE_UNAVAILABLE, "the store fails"))
        return None

    async def _stop(self, server: Server) -> None:
        """Ends everything within `drain_s`, whatever the peers and the disk do."""
        stopping = asyncio.get_running_loop().time()
        server.close(close_connections=False)
        for peer in self._connections.peers:
            peer.dismiss(CloseCode.RESTARTING, retry_after_s=RETRY_AFTER_S)
            if not peer.has_asked:
                peer.cut()
        peers_end = stopping + self._config.drain_s * PEERS_SHARE
        store_end = stopping + self._config.drain_s * STORE_SHARE
        if not await _done(server.wait_closed(), peers_end):
            for peer in self._connections.peers:
                peer.cut()
            for handler in server.handler_tasks:
                handler.cancel()  # it may wait for the disk, or for a thought
            await _done(server.wait_closed(), store_end)
        self._lobby.close()
        self._lag.close()
        await self._hub.close()
        await self._thinkers.close()
        if not await _done(self._store.close(), store_end):
            logger.error("the store did not end in time: what nobody was told may not be kept")
        logger.info("stopped")


async def _done(work: Coroutine[Any, Any, None], deadline: float) -> bool:
    """Whether `work` ended before `deadline`, on the loop's clock."""
    try:
        async with asyncio.timeout_at(deadline):
            await work
    except TimeoutError:
        return False
    return True


def open_app(config: Config) -> App:
    """The server with its store and secret, ready to run.

    Raises:
        CannotOpen: with one line of words.
    """
    store = open_store(config)
    try:
        return App(config, store, _secret(config))
    except OSError as error:
        raise CannotOpen(f"{error.filename}: {error.strerror}") from None


def _secret(config: Config) -> bytes:
    if config.secret is not None:
        return config.secret.encode()
    if config.store == "memory:":
        return new_secret()
    return load_secret(config.data / "secret")


def _peer_limits(config: Config) -> PeerLimits:
    return PeerLimits(
        max_frame=config.max_frame,
        frames_per_s=config.commands_per_10s * FRAMES_PER_COMMAND / 10,
        frame_burst=config.command_burst * FRAMES_PER_COMMAND,
        outbox=config.outbox,
        send_timeout_s=config.send_timeout_s,
        fast_lane=config.fast_lane,
    )


def _address_limits(config: Config) -> AddressLimits:
    """What is not set follows from what is: one who may have more may do more."""
    at_once = config.max_connections_per_address
    connects = config.connects_per_10s_per_address or max(10 * at_once, LEAST_CONNECTS)
    commands = config.commands_per_10s_per_address
    guesses = config.guesses_per_minute_per_address or 2 * config.command_burst
    return AddressLimits(
        connections=at_once,
        connects_per_s=connects / 10,
        connect_burst=connects,
        commands_per_s=(commands or 100 * config.commands_per_10s) / 10,
        command_burst=commands or 100 * config.command_burst,
        guesses_per_s=guesses / 60,
        guess_burst=guesses,
    )


def _tls(config: Config) -> ssl.SSLContext | None:
    if config.tls_cert is None:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(config.tls_cert, config.tls_key)
    return context


def _address(config: Config, server: Server) -> str:
    port = server.sockets[0].getsockname()[1]
    host = f"[{config.host}]" if ":" in config.host else config.host
    return f"{'wss' if config.tls_cert else 'ws'}://{host}:{port}"
