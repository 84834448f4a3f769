"""The opening handshake (RFC 6455, section 4.2) of the usual clients: one request, one answer.

A request is usual if it comes in whole and asks for a WebSocket in the words that browsers and the
library's client use. The library knows every request. It takes 38 µs for a handshake that takes
3 µs here, where requests of the same client share their headers: they differ in path and key alone.
"""

import re
from collections.abc import Sequence
from email.utils import formatdate
from functools import lru_cache
from typing import NamedTuple

from websockets.datastructures import Headers
from websockets.exceptions import NegotiationError
from websockets.http11 import Request
from websockets.typing import Subprotocol
from websockets.utils import accept_key

from ttt_protocol.state import SUBPROTOCOL

_REQUEST = re.compile(rb"GET (/[!-~]*) HTTP/1\.1(?=\r\n)")
_KEY = re.compile(rb"\r\n(?i:Sec-WebSocket-Key):[ \t]*([0-9A-Za-z+/]{22}==)[ \t]*(?=\r\n)")
_SECRET = re.compile(rb"\r\n(?i:Cookie|Authorization):")
_HEADERS = re.compile(rb"((?:\r\n[-!#$%&'*+.^_`|~0-9A-Za-z]++:[\t -~\x80-\xff]*+){1,64}+)\r\n\r\n")
_END = b"\r\n\r\n"
_UPGRADES = ("Upgrade", "upgrade", "keep-alive, Upgrade")
_UNUSUAL = {"content-length", "transfer-encoding", "sec-websocket-key"}
"""Headers of a body, which no request has here, and a second key."""


class Upgrade(NamedTuple):
    """A usual request. Its headers lack the key, and other requests share them."""

    request: Request
    key: str


def read_upgrade(data: bytes) -> Upgrade | None:
    """Return the request; `None` unless `data` is a usual request and nothing else."""
    asked, key = _REQUEST.match(data), _KEY.search(data)
    # No secret of a client may stay in the cache.
    if asked is None or key is None or not data.endswith(_END) or _SECRET.search(data):
        return None
    headers = _usual_headers(data[asked.end() : key.start()] + data[key.end() :])
    if headers is None:
        return None
    return Upgrade(Request(asked[1].decode(), headers), key[1].decode())


def acceptance(upgrade: Upgrade, now: float) -> bytes:
    """Return the answer that opens the WebSocket. `now`: Unix seconds."""
    protocol = f"Sec-WebSocket-Protocol: {SUBPROTOCOL}\r\n"
    return (
        "HTTP/1.1 101 Switching Protocols\r\n"
        f"Date: {_date(int(now))}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Accept: {accept_key(upgrade.key)}\r\n"
        f"{protocol if 'Sec-WebSocket-Protocol' in upgrade.request.headers else ''}\r\n"
    ).encode()


def select_subprotocol(offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """Select `ttt.v1`; `None` for a client that offers nothing, which is served all the same.

    Raises:
        NegotiationError: if only others are offered.
    """
    if not offered:
        return None
    if SUBPROTOCOL not in offered:
        raise NegotiationError(f"this server speaks {SUBPROTOCOL}")
    return Subprotocol(SUBPROTOCOL)


@lru_cache(64)
def _usual_headers(block: bytes) -> Headers | None:
    """Parse all headers but the key; `None` if they are not usual.

    Args:
        block: from the end of the request's first line on.
    """
    lines = _HEADERS.fullmatch(block)
    if lines is None:
        return None
    headers, values = Headers(), {}
    for line in lines[1].decode("latin-1").split("\r\n")[1:]:
        name, _, value = line.partition(":")
        values[name.lower()] = value = value.strip(" \t")
        headers[name] = value
    is_unique = len(values) == lines[1].count(b"\n")
    return headers if is_unique and _is_usual(values) else None


def _is_usual(values: dict[str, str]) -> bool:
    return (
        values.get("connection") in _UPGRADES
        and values.get("upgrade") == "websocket"
        and values.get("sec-websocket-version") == "13"
        and values.get("sec-websocket-protocol", SUBPROTOCOL) == SUBPROTOCOL
        and values.keys().isdisjoint(_UNUSUAL)
    )


@lru_cache(1)
def _date(second: int) -> str:
    return formatdate(second, usegmt=True)
