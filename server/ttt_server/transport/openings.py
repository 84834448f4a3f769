"""Requests for a WebSocket whose headers came before: the same browser or bot sends the same.

The `websockets` library takes 60 µs to read such a request and answer it. It does so once for the
headers; from then on a request takes 5 µs.
"""

import re
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from time import time
from typing import NamedTuple

from websockets.datastructures import Headers
from websockets.http11 import Request
from websockets.utils import accept_key

from ttt_server.limits.rates import TokenBucket
from ttt_server.transport.websocket import WebSocketProtocol

_OPENING = re.compile(
    rb"GET (/[!-~]*) HTTP/1\.1"
    rb"(\r\n(?:.*?\r\n)?Sec-WebSocket-Key: )([+/0-9A-Za-z]{22}==)(\r\n.*\r\n)",
    re.DOTALL,
)
"""A request for a WebSocket: its path, what comes before the key, the key, and what follows."""
_SECRET = re.compile(rb"\r\n(?:Cookie|Authorization):", re.IGNORECASE)
_SAMPLE = b"dGhlIHNhbXBsZSBub25jZQ=="


class Opening(NamedTuple):
    """A request for a WebSocket that the library knows how to answer."""

    request: Request
    """Without the key: other requests share its headers."""
    acceptance: bytes
    """The answer that opens the WebSocket."""


def read_opening(data: bytes) -> Opening | None:
    """Return the request and its answer; `None` if `data` is anything but a whole, good request."""
    found = _OPENING.fullmatch(data)
    if found is None or _SECRET.search(data):  # no secret of a client may stay in memory
        return None
    path, before, key, after = found.groups()
    judged = _judge(before, after)
    if judged is None:
        return None
    headers, answer = judged
    more = f"Date: {_date(int(time()))}\r\nSec-WebSocket-Accept: {accept_key(key.decode())}\r\n\r\n"
    return Opening(Request(path.decode(), headers), answer + more.encode())


@lru_cache(256)
def _judge(before: bytes, after: bytes) -> tuple[Headers, bytes] | None:
    """Return the headers around a key, and the library's answer without the lines that differ.

    Returns:
        `None` if the library does not open a WebSocket.
    """
    library = WebSocketProtocol(0, TokenBucket(0, 0, 0))
    request, behind = library.read_request(b"GET / HTTP/1.1" + before + _SAMPLE + after)
    library.let_go()
    if request is None or behind:
        return None
    response = library.accept(request)
    if response.status_code != HTTPStatus.SWITCHING_PROTOCOLS:
        return None
    del request.headers["Sec-WebSocket-Key"]
    del response.headers["Date"], response.headers["Sec-WebSocket-Accept"]
    return request.headers, response.serialize().removesuffix(b"\r\n")


@lru_cache(1)
def _date(second: int) -> str:
    return formatdate(second, usegmt=True)
