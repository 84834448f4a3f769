"""A connection to a server: dialing, the meaning of failures, and the pauses between tries.

CannotDial
├── Unreachable   no server there, or not able now: worth another try
└── Rejected      refused by the server: another try would end the same
"""

import asyncio
import os
import random
import ssl
from collections.abc import Awaitable, Callable, Iterator
from ipaddress import ip_address
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidMessage, InvalidStatus, SecurityError, WebSocketException
from websockets.typing import Subprotocol

from ttt_client.net.tasks import first_of
from ttt_protocol.state import SUBPROTOCOL
from ttt_protocol.text import clean

MAX_MESSAGE = 16 * 2**20
"""The longest message, in bytes: a list of ten thousand rooms fits."""

PING_INTERVAL_S, PING_TIMEOUT_S = 4.0, 8.0
"""A silent connection is closed within the sum of these, and a second for the close."""

_REJECTED = {
    400: "the server does not speak this client's protocol",
    403: "the server does not let this client in",
    404: "there is no such place on the server; is the address right?",
}

_UNREACHABLE = {
    200: "a web page is there, and no socket: those are at /ws/lobby and /ws/rooms/NAME",
    503: "the server is full or stopping",
}

_NO_TLS = "WRONG_VERSION_NUMBER"
"""The library's reason for an answer that is not TLS."""


class CannotDial(Exception):
    """There is no connection; `words` says why, for people."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


class Unreachable(CannotDial):
    """No server is there, or it is not able now."""

    def __init__(self, words: str, retry_after_s: float = 0) -> None:
        super().__init__(words)
        self.retry_after_s = retry_after_s


class Rejected(CannotDial):
    """The server refused the upgrade to WebSocket, or a page."""

    def __init__(self, words: str, status: int | None = None, reason: str | None = None) -> None:
        super().__init__(words)
        self.status = status
        """The HTTP status, if there was one."""
        self.reason = reason
        """The server's own text, if it sent one."""


async def dial(url: str, *, open_timeout_s: float = 10) -> ClientConnection:
    """Open a connection to `url`, a socket such as `ws://HOST/ws/lobby`; the caller closes it.

    Nothing is sent on it yet: the first command must be a `join`, except in the lobby.

    Raises:
        Unreachable: if no server answers, or it answers that it is not able now.
        Rejected: if the server refuses the upgrade.
    """
    opening = connect(
        url,
        subprotocols=[Subprotocol(SUBPROTOCOL)],
        compression=None,
        open_timeout=open_timeout_s,
        close_timeout=1,
        ping_interval=PING_INTERVAL_S,
        ping_timeout=PING_TIMEOUT_S,
        max_size=MAX_MESSAGE,
        # A proxy would take this machine's address for its own.
        proxy=None if is_local(urlsplit(url).hostname or "") else True,
    )
    try:
        return await opening
    except InvalidStatus as error:
        response = error.response
        raise refusal(response.status_code, response.headers.get("Retry-After", "")) from None
    except TimeoutError:
        raise Unreachable("no answer in time") from None
    except OSError as error:
        raise Unreachable(words_of(error)) from None
    except (InvalidMessage, SecurityError) as error:
        if isinstance(error.__cause__, EOFError):
            raise Unreachable("the connection was closed without an answer") from None
        raise Unreachable("what answers there does not speak WebSocket") from None
    except WebSocketException as error:
        raise Rejected(f"what answers there is not a game server: {clean(str(error))}") from None


def words_of(error: OSError) -> str:
    """Return only the reason, without numbers and addresses."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"TLS: {clean(error.verify_message)}"
    if isinstance(error, ssl.SSLError):
        if error.reason == _NO_TLS:
            return "what answers there does not speak TLS: the address may be ws://"
        return f"TLS: {(error.reason or 'failed').replace('_', ' ').lower()}"
    if error.errno is not None and error.errno > 0:
        return os.strerror(error.errno)
    return clean(error.strerror or str(error))


def is_local(host: str) -> bool:
    """Return whether `host` is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def refusal(status: int, retry_after: str) -> CannotDial:
    """Return what an HTTP status other than the expected one means."""
    if 400 <= status < 500 and status != 429:
        words = _REJECTED.get(status, "the server refuses")
        return Rejected(f"{words} (HTTP {status})", status)
    words = _UNREACHABLE.get(status, "no game server answers there")
    return Unreachable(f"{words} (HTTP {status})", _retry_after(retry_after))


def _retry_after(value: str) -> float:
    return float(value) if value.isascii() and value.isdigit() and len(value) < 6 else 0


FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 15.0

Sleep = Callable[[float], Awaitable[None]]
"""Waits for that many seconds."""


class Backoff:
    """A pause between two tries, which `end` cuts short.

    Args:
        sleep: waits for that many seconds.
    """

    def __init__(self, sleep: Sleep = asyncio.sleep) -> None:
        self._sleep = sleep
        self._ended = asyncio.Event()

    async def take(self, pause_s: float) -> None:
        """Wait for this many seconds, until `end` at the longest."""
        self._ended.clear()
        await first_of(self._sleep(pause_s), self._ended.wait())

    def end(self) -> None:
        """End the pause, if there is one."""
        self._ended.set()


def growing_pauses(chance: Callable[[], float] = random.random) -> Iterator[float]:
    """Yield the pauses between tries in seconds: doubling, each varied by up to a quarter.

    Args:
        chance: a source of numbers from 0 to 1.
    """
    pause = FIRST_PAUSE_S
    while True:
        yield pause * (0.75 + chance() / 2)
        pause = min(pause * 2, LONGEST_PAUSE_S)
