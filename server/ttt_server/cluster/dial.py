"""Connections to another server: to ask it something, or to relay a client."""

import asyncio
import socket
import ssl
from collections.abc import Callable, Iterable
from typing import Final, TypeVar, cast
from urllib.parse import urlsplit

from websockets.datastructures import Headers
from websockets.http11 import Request

from ttt_server.cluster.siblings import DOOR

DIAL_S: Final = 2.0
"""The time limit for connecting to another server, and for its answer to a question."""

_KERNEL_BYTES: Final = 1 << 16

_SILENCE: Final = {
    "TCP_KEEPIDLE": 3,
    "TCP_KEEPINTVL": 1,
    "TCP_KEEPCNT": 2,
    "TCP_USER_TIMEOUT": 5000,
}
"""End connections after 5 s without a sign of the other machine: see tcp(7)."""

_MOST: Final = 1 << 24
"""The most bytes of an answer: an event comes with all its games."""


class PeerUnreachable(Exception):
    """Another server cannot be reached. The text says why."""


class PeerSilent(PeerUnreachable):
    """It takes connections, and does not answer in time."""


P = TypeVar("P", bound=asyncio.BaseProtocol)


async def dial(address: str, make: Callable[[], P]) -> P:
    """Connect to a server, or to a process of this one; return the protocol made by `make`.

    Raises:
        PeerUnreachable: if it cannot be reached in time.
    """
    parts = urlsplit(address)
    context = ssl.create_default_context() if parts.scheme == "wss" else None
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(DIAL_S):
            if address.startswith(DOOR):
                transport, protocol = await loop.create_unix_connection(make, parts.path)
            else:
                transport, protocol = await loop.create_connection(
                    make, parts.hostname or "", parts.port or 0, ssl=context
                )
    except TimeoutError:
        raise PeerUnreachable(f"{address}: timed out") from None
    except OSError as error:
        raise PeerUnreachable(f"{address}: {error.strerror or error}") from None
    if not transport.is_closing():
        transport.set_write_buffer_limits(_KERNEL_BYTES)
        if not address.startswith(DOOR):
            _notice_silence(transport.get_extra_info("socket"))
    return protocol


def _notice_silence(connected: socket.socket) -> None:
    """Enable TCP keepalive with short intervals, as far as the system can."""
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _SILENCE.items():
        if hasattr(socket, name):
            connected.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


async def ask(address: str, path: str, headers: Iterable[tuple[str, str]]) -> bytes:
    """Send a server a GET; return the body of its answer, or as much as arrived.

    Raises:
        PeerUnreachable: if there is no answer in time.
    """
    host = urlsplit(address).netloc or "localhost"
    head = Headers((("Host", host), ("Connection", "close"), *headers))
    request = Request(path, head).serialize()
    try:
        async with asyncio.timeout(DIAL_S):
            answer = await dial(address, _Answer)
            return (await answer.to(request)).partition(b"\r\n\r\n")[2]
    except TimeoutError:
        raise PeerSilent(f"{address}: timed out") from None


class _Answer(asyncio.Protocol):
    """Collects everything that arrives on a connection."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport
        self._data = b""
        self._whole: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    async def to(self, request: bytes) -> bytes:
        """Send a request; return all that arrives until the connection ends."""
        self._transport.write(request)
        try:
            return await self._whole
        finally:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._data += data[: _MOST - len(self._data)]

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - for any reason
        if not self._whole.done():
            self._whole.set_result(self._data)
