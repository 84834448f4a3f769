"""The port: a peer for whoever connects, and the way in for those whom the library has to read."""

import asyncio
import logging
import ssl
from collections.abc import Callable
from functools import partial
from socket import SO_SNDBUF, SOL_SOCKET

from websockets.asyncio.server import Server, ServerConnection
from websockets.exceptions import ConnectionClosed
from websockets.protocol import State

from ttt_server.config import Config
from ttt_server.peer import Peer
from ttt_server.reception import Reception, as_peer

logger = logging.getLogger(__name__)

HANDSHAKE_TIMEOUT_S = 10

_BACKLOG = 1024

_KERNEL_BYTES = 1 << 16
"""What the kernel takes for a peer that does not read; it would grow to megabytes by itself."""


async def listen(
    config: Config,
    tls: ssl.SSLContext | None,
    reception: Reception,
    make_peer: Callable[[Server], Peer],
) -> Server:
    """Accepts connections from now on.

    Raises:
        OSError: if the port cannot be had.
    """
    loop = asyncio.get_running_loop()
    # Not the library's own `serve`: it would make its side of each connection, which is thrown
    # away as ours has another, and a task for each, also for those that are answered at once.
    server = Server(
        lambda: loop.create_server(
            lambda: make_peer(server),
            config.host,
            config.port,
            backlog=_BACKLOG,
            ssl=tls,
            ssl_handshake_timeout=None if tls is None else HANDSHAKE_TIMEOUT_S,
            ssl_shutdown_timeout=None if tls is None else config.send_timeout_s,
        ),
        partial(_shake_hands, reception),
    )
    await server
    for socket in server.sockets:  # whoever is accepted there inherits it
        socket.setsockopt(SOL_SOCKET, SO_SNDBUF, _KERNEL_BYTES)
    return server


async def _shake_hands(reception: Reception, connection: ServerConnection) -> None:
    """Opens a connection the library's way: all that `read_upgrade` does not read."""
    try:
        async with asyncio.timeout(HANDSHAKE_TIMEOUT_S):
            await connection.handshake(reception.answer, server_header=None)
        if connection.state is State.OPEN:
            as_peer(connection).begin()
            return
    except (TimeoutError, ConnectionClosed):
        pass
    except Exception:
        logger.exception("a handshake failed")
    finally:
        tasks = connection.server.handler_tasks
        tasks.discard(asyncio.current_task())
    if not connection.connection_lost_waiter.done():
        connection.transport.abort()
