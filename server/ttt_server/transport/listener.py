"""The port: a peer for whoever connects."""

import asyncio
import ssl
from collections.abc import Callable
from socket import SO_SNDBUF, SOCK_STREAM, SOL_SOCKET, getaddrinfo

from ttt_server.config import Config, InvalidConfig
from ttt_server.endpoints.gateway import HANDSHAKE_TIMEOUT_S
from ttt_server.transport.connection import Connection

_BACKLOG = 1024

_KERNEL_BYTES = 1 << 16
"""What the kernel takes for a peer that does not read; it would grow to megabytes by itself."""


def require_host(config: Config) -> None:
    """Finds out early that there is nothing to listen on.

    Raises:
        InvalidConfig: naming the option.
    """
    try:
        getaddrinfo(config.host, config.port, type=SOCK_STREAM)
    except OSError as error:
        raise InvalidConfig(f"--host: {config.host}: {error.strerror}") from None
    except UnicodeError:
        raise InvalidConfig(f"--host: {config.host}: no name of a host") from None


async def listen(
    config: Config, tls: ssl.SSLContext | None, make_peer: Callable[[], Connection]
) -> asyncio.Server:
    """Accepts connections from now on.

    Raises:
        OSError: if the port cannot be had.
    """
    server = await asyncio.get_running_loop().create_server(
        make_peer,
        config.host,
        config.port,
        backlog=_BACKLOG,
        ssl=tls,
        ssl_handshake_timeout=None if tls is None else HANDSHAKE_TIMEOUT_S,
        ssl_shutdown_timeout=None if tls is None else config.send_timeout_s,
    )
    for socket in server.sockets:  # whoever is accepted there inherits it
        socket.setsockopt(SOL_SOCKET, SO_SNDBUF, _KERNEL_BYTES)
    return server
