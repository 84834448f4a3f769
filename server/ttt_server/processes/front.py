"""The port of the parent: connections, until it is known which process gets them."""

import asyncio
from collections.abc import Callable
from http import HTTPStatus
from typing import Final, cast

from ttt_server.concurrency.deadlines import Deadlines
from ttt_server.config.options import Config
from ttt_server.endpoints.gateway import HANDSHAKE_TIMEOUT_S
from ttt_server.limits.client_address import Proxies
from ttt_server.limits.connections import ConnectionTable
from ttt_server.limits.rates import Rate
from ttt_server.transport.listener import address_of, connections_within_file_limit, listen
from ttt_server.transport.responses import HttpError, end_connection, error_response

_LONGEST_LINE: Final = 8192
"""Bytes of a first line; the process that gets a longer one refuses it."""

_UNLIMITED: Final = 1_000_000_000

_FULL: Final = HttpError(HTTPStatus.SERVICE_UNAVAILABLE, "too many connections")
_NOBODY: Final = HttpError(HTTPStatus.SERVICE_UNAVAILABLE, "the server is restarting; try again")

Give = Callable[[int, bytes], bool]
"""Passes a descriptor and what was read from it to a process; returns whether one took it."""


class Front:
    """Accepts, and gives each connection away."""

    def __init__(self, config: Config, give: Give, is_peer: Callable[[str], bool]) -> None:
        """Do nothing until `listen`.

        Args:
            config: of the server.
            give: passes a connection on.
            is_peer: tells whether another server is at an address.
        """
        self._config = config
        self.give = give
        self.reads = config.tls_cert is None
        """Whether the first line can be read."""
        self.silent: Deadlines[Newcomer] = Deadlines(HANDSHAKE_TIMEOUT_S, Newcomer.leave)
        self.table: ConnectionTable[Newcomer] = ConnectionTable(
            connections_within_file_limit(config.max_connections),
            # The processes count who has sent a request.
            config.address_limits._replace(connects=Rate(_UNLIMITED, _UNLIMITED)),
            asyncio.get_running_loop().time,
            Proxies.parse(config.trusted_proxies),
            is_peer,
        )
        self._listener: asyncio.Server | None = None

    async def listen(self) -> str:
        """Open the port; return its address.

        Raises:
            OSError: if it cannot be had.
        """
        host = self._config.host
        listener = await listen(
            lambda: Newcomer(self),
            host,
            self._config.port,
            handshake_timeout_s=HANDSHAKE_TIMEOUT_S,
            shutdown_timeout_s=self._config.send_timeout_s,
        )
        self._listener = listener
        return address_of(listener, host, is_tls=not self.reads)

    def close(self) -> None:
        """Stop accepting."""
        if self._listener is not None:
            self._listener.close()
        for newcomer in tuple(self.table.all):
            newcomer.leave()


class Newcomer(asyncio.Protocol):
    """A connection whose first line has not arrived."""

    def __init__(self, front: Front) -> None:
        self._front = front
        self._head = b""
        self._is_known = False
        self._transport: asyncio.Transport

    def leave(self) -> None:
        """End it."""
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        if not self._front.reads:
            self._give()
            return
        peer_name = transport.get_extra_info("peername")
        host = str(peer_name[0]) if isinstance(peer_name, tuple) else ""
        self._is_known = True
        if self._front.table.open(self, host) is None:
            self._refuse(_FULL)
        else:
            self._front.silent.add(self)

    def data_received(self, data: bytes) -> None:
        self._head += data
        is_text = self._head[0] in b"\r\nABCDEFGHIJKLMNOPQRSTUVWXYZ"
        if b"\n" in self._head.lstrip(b"\r\n") or len(self._head) > _LONGEST_LINE or not is_text:
            self._transport.pause_reading()
            self._give()

    def eof_received(self) -> None:
        if self._head:
            self._give()  # whoever gets it sees the end, too

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - for any reason
        if self._is_known:
            self._front.table.close(self)
            self._front.silent.discard(self)

    def _give(self) -> None:
        if self._transport.is_closing():
            return
        descriptor = self._transport.get_extra_info("socket").fileno()
        if self._front.give(descriptor, self._head):
            self._transport.abort()  # the other process has its own
        else:
            self._refuse(_NOBODY)

    def _refuse(self, error: HttpError) -> None:
        if self._front.reads:
            response = error_response(error)
            end_connection(response)
            self._transport.write(response.serialize())
        self._transport.close()
