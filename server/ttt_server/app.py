"""The server as a whole: its parts put together, served, and stopped in order."""

import asyncio
import logging
import ssl
import time
from collections.abc import Callable, Coroutine
from functools import cached_property, partial
from pathlib import Path
from random import Random
from typing import Any

from ttt_protocol.codes import CloseCode
from ttt_server.ai.game_analysis import GameAnalyser
from ttt_server.ai.runner import StrategyRunner
from ttt_server.concurrency.deadlines import Deadlines
from ttt_server.concurrency.wall_clock import WallClock
from ttt_server.config import Config
from ttt_server.endpoints.conversations import RoomEndpointContext
from ttt_server.endpoints.gateway import HANDSHAKE_TIMEOUT_S, Gateway
from ttt_server.endpoints.http import HttpApi
from ttt_server.endpoints.origins import OriginPolicy, is_loopback
from ttt_server.endpoints.static import load_files
from ttt_server.endpoints.urls import RETRY_AFTER_S
from ttt_server.limits.client_address import Proxies
from ttt_server.limits.commands import CommandLimits
from ttt_server.limits.connections import AddressLimits, ConnectionTable
from ttt_server.rooms import lane
from ttt_server.rooms.admission import Admission
from ttt_server.rooms.hub import Hub
from ttt_server.rooms.lobby import Lobby
from ttt_server.rooms.registry import RoomLimits
from ttt_server.rooms.tokens import load_secret, new_secret, read_secret
from ttt_server.storage import open_store
from ttt_server.storage.base import CannotOpen, EventStore
from ttt_server.telemetry.counters import Counters
from ttt_server.telemetry.loop_lag import LoopLag
from ttt_server.transport.broadcast import Broadcaster
from ttt_server.transport.connection import Connection
from ttt_server.transport.files import room_for
from ttt_server.transport.keepalive import Keepalive
from ttt_server.transport.line import ConnectionLimits
from ttt_server.transport.listener import listen, require_host
from ttt_server.transport.tls import tls_of

logger = logging.getLogger(__name__)

_BUILD = "plain Python" if lane.__file__.endswith(".py") else "compiled"
"""What the path of a move is: an install compiles it where it can (`hatch_build.py`)."""

FRAMES_PER_COMMAND = 5
"""A command may come in fragments, and pings between them."""

LEAST_CONNECTS = 2000
"""In 10 seconds from one address, where its limit is not set."""

PING_INTERVAL_S = 15
PING_TIMEOUT_S = 10
"""A line that is dead is known to be so within the two together."""

PEERS_SHARE, STORE_SHARE = 0.7, 0.9
"""Of the time that a stop may take: until then the peers may read their goodbye, and the store
may finish. The rest is for what the process has to do after that."""


class App:
    """Everything that one port serves."""

    def __init__(
        self,
        config: Config,
        store: EventStore,
        secret: bytes,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._config = config
        self._tls = tls
        self._store = store
        self._runner = StrategyRunner(
            config.workers, Random(), config.ai_memory_mb, memory=store.memory
        )
        limits = RoomLimits(
            rooms=config.max_rooms,
            rooms_per_address=config.max_rooms_per_address,
            idle_s=config.room_idle_s,
            abandon_s=config.room_abandon_s,
        )
        self._writes = Broadcaster()
        self._hub = Hub(store, Admission(secret), self._runner, limits, self._writes, WallClock())
        self._lobby = Lobby(self._hub)
        self._connections = ConnectionTable(
            room_for(config.max_connections),
            _address_limits(config),
            time.monotonic,
            Proxies.parse(config.trusted_proxies),
        )
        self._traffic = Counters()
        self._lag = LoopLag()
        self._conversations = RoomEndpointContext(
            self._hub,
            CommandLimits(
                commands_per_s=config.commands_per_10s / 10,
                command_burst=config.command_burst,
            ),
            self._traffic,
            config.join_timeout_s,
        )
        self._reception = Gateway(
            self._connections,
            OriginPolicy(
                origins=frozenset(config.allow_origin),
                hosts=frozenset(config.allow_host),
                is_local=is_loopback(config.host),
            ),
            HttpApi(self._hub, load_files(), GameAnalyser(self._runner), self._scrape),
            self._lobby,
            self._conversations,
        )

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
            logger.info("listening on %s, %s", address, _BUILD)
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

        parts = self._hub, self._connections, self._traffic, self._runner, self._lag
        return Metrics(*parts).text

    async def _listen(self) -> asyncio.Server:
        make_peer = partial(
            Connection,
            house=self._reception,
            connections=self._connections,
            silent=Deadlines(HANDSHAKE_TIMEOUT_S, Connection.give_up),
            heartbeat=Keepalive(PING_INTERVAL_S, PING_TIMEOUT_S),
            writes=self._writes,
            limits=_peer_limits(self._config),
        )
        return await listen(self._config, self._tls, make_peer)

    async def _stop(self, server: asyncio.Server) -> None:
        """Ends everything within `drain_s`, whatever the peers and the disk do."""
        stopping = asyncio.get_running_loop().time()
        server.close()
        self._reception.close()
        self._hub.arrivals.stop()
        for peer in self._connections.peers:
            peer.dismiss(CloseCode.RESTARTING, retry_after_s=RETRY_AFTER_S)
            if not peer.has_asked:
                peer.cut()
        peers_end = stopping + self._config.drain_s * PEERS_SHARE
        store_end = stopping + self._config.drain_s * STORE_SHARE
        if not await _done(self._all_gone(), peers_end):
            for peer in self._connections.peers:
                peer.cut()
            # They may wait for the disk, or for a thought.
            await _done(self._conversations.tasks.close(), store_end)
            await _done(self._all_gone(), store_end)
        self._lobby.close()
        self._lag.close()
        await self._hub.close()
        await self._runner.close()
        if not await _done(self._store.close(), store_end):
            logger.error("the store did not end in time: what nobody was told may not be kept")
        logger.info("stopped")

    async def _all_gone(self) -> None:
        nobody = asyncio.Event()
        self._connections.on_empty = nobody.set
        if self._connections.peers:
            await nobody.wait()
        await self._conversations.tasks.ended()


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
        InvalidConfig: before anything is opened.
        CannotOpen: with one line of words.
    """
    require_host(config)
    tls = tls_of(config)
    try:
        if (path := _secret_file(config)) is not None:
            read_secret(path)  # first, as to open a database is to write to it
        return App(config, open_store(config), _secret(config), tls)
    except OSError as error:
        raise CannotOpen(f"{error.filename}: {error.strerror}") from None


def _secret(config: Config) -> bytes:
    if config.secret is not None:
        return config.secret.encode()
    path = _secret_file(config)
    return new_secret() if path is None else load_secret(path)


def _secret_file(config: Config) -> Path | None:
    is_kept = config.secret is None and config.store != "memory:"
    return config.data / "secret" if is_kept else None


def _peer_limits(config: Config) -> ConnectionLimits:
    return ConnectionLimits(
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


def _address(config: Config, server: asyncio.Server) -> str:
    port = server.sockets[0].getsockname()[1]
    host = f"[{config.host}]" if ":" in config.host else config.host
    return f"{'wss' if config.tls_cert else 'ws'}://{host}:{port}"
