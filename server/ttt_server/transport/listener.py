"""The listening port: its address, its certificate, and the limit of open files."""

import asyncio
import logging
import os
import resource
import ssl
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from socket import SO_SNDBUF, SOCK_STREAM, SOL_SOCKET, getaddrinfo, gethostbyname, gethostname

logger = logging.getLogger(__name__)

_BACKLOG = 1024

_KERNEL_BYTES = 1 << 16
"""The kernel's buffer for a client that does not read; left alone, it grows to megabytes."""

_RESERVED_FILES = 64
"""Open files for the database, the log, worker processes and rejected connections."""


class CannotListen(Exception):
    """A parameter cannot be used. The text tells the operator why."""

    def __init__(self, parameter: str, words: str) -> None:
        super().__init__(words)
        self.parameter = parameter
        """Its name: `host`, `tls_cert` or `tls_key`."""


def require_host(host: str, port: int) -> None:
    """Check early that the host can be listened on.

    Raises:
        CannotListen: if it is unknown or not a host name.
    """
    try:
        getaddrinfo(host, port, type=SOCK_STREAM)
    except OSError as error:
        raise CannotListen("host", f"{host}: {error.strerror}") from None
    except UnicodeError:
        raise CannotListen("host", f"{host}: not a host name") from None


def tls_context(cert: Path | None, key: Path | None) -> ssl.SSLContext | None:
    """Return the TLS context; `None` without a certificate and its key.

    Raises:
        CannotListen: if one of the files cannot be used.
    """
    if cert is None or key is None:
        return None
    _require_file("tls_cert", cert)
    _require_file("tls_key", key)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(cert, key, password="")  # otherwise OpenSSL asks at the terminal
    except OSError:  # includes ssl.SSLError
        words = f"{cert} is not a certificate for the key {key}, or the key has a passphrase"
        raise CannotListen("tls_cert", words) from None
    return context


def connections_within_file_limit(connections: int) -> int:
    """Return how many connections may be open: `connections`, or fewer.

    Each is an open file. Raises the limit of this process as far as the system allows.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + _RESERVED_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return connections
    fewer = soft - min(_RESERVED_FILES, soft // 2)
    words = "the limit of open files is %d: at most %d connections are accepted"
    logger.warning(words, soft, fewer)
    return fewer


async def listen(
    make_connection: Callable[[], asyncio.BaseProtocol],
    host: str,
    port: int,
    tls: ssl.SSLContext | None = None,
    *,
    handshake_timeout_s: float,
    shutdown_timeout_s: float,
) -> asyncio.Server:
    """Start accepting connections.

    Args:
        make_connection: called for each connection.
        host: a name or an address.
        port: 0 picks a free one.
        tls: the TLS context, if any.
        handshake_timeout_s: for the TLS handshake.
        shutdown_timeout_s: for the end of TLS.

    Raises:
        OSError: if the port is not available.
    """
    try:
        server = await asyncio.get_running_loop().create_server(
            make_connection,
            host,
            port,
            backlog=_BACKLOG,
            ssl=tls,
            ssl_handshake_timeout=None if tls is None else handshake_timeout_s,
            ssl_shutdown_timeout=None if tls is None else shutdown_timeout_s,
        )
    except OSError as error:  # each loop words it differently
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise OSError(f"{host}:{port}: {reason}") from error
    for socket in server.sockets:  # inherited by the connections
        socket.setsockopt(SOL_SOCKET, SO_SNDBUF, _KERNEL_BYTES)
    return server


def _require_file(parameter: str, path: Path) -> None:
    try:
        path.open("rb").close()
    except OSError as error:
        raise CannotListen(parameter, f"{path}: {error.strerror}") from None


def warn_of_clear_text(host: str) -> None:
    """Warn that the host is reachable from outside without TLS or a known proxy."""
    logger.warning(
        "%s is reachable from outside without TLS, so seat tokens can be read on the way: set"
        " --tls-cert and --tls-key, or use a proxy with TLS and name it with --trusted-proxies",
        host,
    )


def address_of(listener: asyncio.Server, host: str, *, is_tls: bool) -> str:
    """Return the WebSocket address of a listener."""
    port = listener.sockets[0].getsockname()[1]
    return f"{'wss' if is_tls else 'ws'}://{f'[{host}]' if ':' in host else host}:{port}"


def address_for_others(address: str) -> str:
    """Return the address for other servers: a wildcard becomes the machine's own address."""
    for anywhere in ("0.0.0.0", "[::]"):  # noqa: S104 - compared, not bound
        if f"//{anywhere}:" in address:
            with suppress(OSError):
                return address.replace(anywhere, gethostbyname(gethostname()))
    return address
