"""POST requests to other servers, without redirects and within a time limit; and their answers."""

import asyncio
import ssl
from collections.abc import Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from enum import Enum
from functools import cache
from http import HTTPStatus
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from websockets.datastructures import Headers
from websockets.http11 import Request

POST_S: Final = 10.0
"""The time limit for a request: to connect, to send it and to have the head of the answer."""

_MOST_HEAD: Final = 1 << 14
"""Bytes of the head of an answer. The rest is not read."""

_LONGEST_WAIT: Final = "604800"
"""The longest wait to honour, in seconds: a week."""


class NotReached(Exception):
    """A server cannot be reached, or does not answer in time. The text says why."""


class HttpAnswer(NamedTuple):
    """The answer to a request."""

    status: int
    retry_after: str = ""
    """The header `Retry-After`."""

    def wait_s(self, now_s: float) -> float | None:
        """Return the seconds that the server asks to wait; `None` if it does not say.

        `now_s`: Unix seconds, for a server that names a date.
        """
        most = float(_LONGEST_WAIT)
        if self.retry_after.isascii() and self.retry_after.isdigit():
            is_short = len(self.retry_after) <= len(_LONGEST_WAIT)
            return min(float(self.retry_after), most) if is_short else most
        with suppress(ValueError, OverflowError):
            until_s = parsedate_to_datetime(self.retry_after).timestamp()
            return min(max(0.0, until_s - now_s), most)
        return None


async def post(
    url: str, headers: Mapping[str, str], body: bytes, *, timeout_s: float = POST_S
) -> HttpAnswer:
    """Send a body; return the answer, whatever its status.

    Each request has a connection of its own: if one that was kept open broke, nobody could tell
    whether the server had taken the request.

    Args:
        url: an `http://` or `https://` address.
        headers: those beside `Host`, `Connection` and `Content-Length`.
        body: what to send.
        timeout_s: the time limit.

    Raises:
        NotReached: the server may have taken the request.
    """
    parts = urlsplit(url)
    head = {
        "Host": parts.netloc.rpartition("@")[2],
        "Connection": "close",
        "Content-Length": str(len(body)),
    }
    target = f"{parts.path or '/'}{parts.query and f'?{parts.query}'}"
    request = Request(target, Headers(head | dict(headers)), "POST")
    writer, is_answered = None, False
    try:
        async with asyncio.timeout(timeout_s):
            is_tls = parts.scheme == "https"
            reader, writer = await asyncio.open_connection(
                parts.hostname,
                parts.port or (443 if is_tls else 80),
                ssl=await asyncio.to_thread(_context) if is_tls else None,
                limit=_MOST_HEAD,
            )
            writer.write(request.serialize() + body)
            await writer.drain()
            answer = _answer(await reader.readuntil(b"\r\n\r\n"))
            is_answered = True
            return answer
    except TimeoutError:
        raise NotReached("timed out") from None
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        raise NotReached("this is not a web server") from None
    except OSError as error:
        raise NotReached(error.strerror or str(error)) from None
    finally:
        if writer is not None:
            writer.close() if is_answered else writer.transport.abort()


@cache
def _context() -> ssl.SSLContext:
    return ssl.create_default_context()  # 20 ms: it reads all the authorities


def _answer(head: bytes) -> HttpAnswer:
    """Parse the head of an answer.

    Raises:
        NotReached: if it is none.
    """
    first, *lines = head.decode("latin-1").split("\r\n")
    version, _, rest = first.partition(" ")
    status = rest[:3]
    if not version.startswith("HTTP/1.") or not (status.isascii() and status.isdigit()):
        raise NotReached("this is not a web server")
    found = (line.partition(":") for line in lines)
    waits = (value.strip() for name, _, value in found if name.lower() == "retry-after")
    return HttpAnswer(int(status), next(waits, ""))


FIRST_PAUSE_S: Final = 1.0
LONGEST_PAUSE_S: Final = 3600.0

_TRIED_AGAIN: Final = frozenset(
    {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS}
)
_GONE: Final = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.GONE})


class Fate(Enum):
    """What an answer means for a notice."""

    TOLD = "told"
    AGAIN = "again"
    """The server cannot take it now: try again later."""
    GONE = "gone"
    """The address is gone for good."""
    REFUSED = "refused"
    """Another attempt would not help: the server redirects, or rejects such requests."""


def verdict(status: int) -> Fate:
    """Return what an HTTP status means."""
    if 200 <= status < 300:
        return Fate.TOLD
    if status in _GONE:
        return Fate.GONE
    if status >= 500 or status in _TRIED_AGAIN:
        return Fate.AGAIN
    return Fate.REFUSED


def pause_s(failures: int, chance: float) -> float:
    """Return how long to avoid a server that has failed.

    Args:
        failures: how often it has failed since it last worked, at least 1.
        chance: a random number from 0 to 1, which varies the pause by up to a quarter.
    """
    doubled = FIRST_PAUSE_S * 2.0 ** min(failures - 1, 20)
    return min(doubled, LONGEST_PAUSE_S) * (0.75 + chance / 2)
