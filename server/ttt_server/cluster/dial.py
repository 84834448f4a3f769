"""A connection to another server: its address, and the request that is passed on."""

import asyncio
import socket
import ssl
from collections.abc import Callable, Iterable
from typing import Final, TypeVar
from urllib.parse import urlsplit

from websockets.datastructures import Headers
from websockets.http11 import Request

from ttt_server.cluster.signature import CLIENT, RELAY

DIAL_S: Final = 2.0
"""For a connection to another server."""

_KERNEL_BYTES: Final = 1 << 16

_SILENCE: Final = {
    "TCP_KEEPIDLE": 3,
    "TCP_KEEPINTVL": 1,
    "TCP_KEEPCNT": 2,
    "TCP_USER_TIMEOUT": 5000,
}
"""After 5 s without a sign of the other machine its connections end: see tcp(7)."""

_OURS: Final = {CLIENT.lower(), RELAY.lower()}

P = TypeVar("P", bound=asyncio.BaseProtocol)


class Unreachable(Exception):
    """The other server cannot be reached. The text says why."""


async def dial(address: str, make: Callable[[], P]) -> P:
    """Connect to a server; return the protocol that `make` makes, with the connection.

    Raises:
        Unreachable: if there is no connection in time.
    """
    parts = urlsplit(address)
    context = ssl.create_default_context() if parts.scheme == "wss" else None
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(DIAL_S):
            transport, protocol = await loop.create_connection(
                make, parts.hostname or "", parts.port or 0, ssl=context
            )
    except TimeoutError:
        raise Unreachable(f"{address}: there is no answer") from None
    except OSError as error:
        raise Unreachable(f"{address}: {error.strerror or error}") from None
    if not transport.is_closing():
        transport.set_write_buffer_limits(_KERNEL_BYTES)
        _notice_silence(transport.get_extra_info("socket"))
    return protocol


def _notice_silence(connected: socket.socket) -> None:
    """Let the system end a connection whose other end does not answer, as far as it can."""
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _SILENCE.items():
        if hasattr(socket, name):
            connected.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def head_of(request: Request, key: str, more: Iterable[tuple[str, str]]) -> bytes:
    """Return the head of a WebSocket request, as it is passed on.

    Args:
        request: the client's.
        key: its `Sec-WebSocket-Key`.
        more: headers to add, in place of any of these names.
    """
    headers = Headers()
    for name, value in request.headers.raw_items():
        if name.lower() not in {*_OURS, "sec-websocket-key"}:
            headers[name] = value
    headers["Sec-WebSocket-Key"] = key
    for name, value in more:
        headers[name] = value
    return Request(request.path, headers).serialize()
