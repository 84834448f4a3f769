"""The opening handshake (RFC 6455, section 4) of nearly every player: one request, one answer.

The library knows every request, and reads it line by line, to be answered by a task. Those that
come whole and ask for a room in the usual words are read at once here, and answered; all others are
left to it. What one client says is what all of its kind say, but for the path and the key: so their
headers are read once for all.
"""

import re
from email.utils import formatdate
from functools import lru_cache
from typing import NamedTuple

from websockets.datastructures import Headers
from websockets.http11 import Request
from websockets.utils import accept_key

from ttt_protocol.state import SUBPROTOCOL

_ASKED = re.compile(rb"GET (/ws/rooms/[!-.0->@-~]+) HTTP/1\.1(?=\r\n)")  # no slash, no query
_KEY = re.compile(rb"\r\n(?i:Sec-WebSocket-Key):[ \t]*([0-9A-Za-z+/]{22}==)[ \t]*(?=\r\n)")
_SECRET = re.compile(rb"\r\n(?i:Cookie|Authorization):")
_HEADERS = re.compile(rb"((?:\r\n[-!#$%&'*+.^_`|~0-9A-Za-z]++:[\t -~\x80-\xff]*+){1,64}+)\r\n\r\n")
_END = b"\r\n\r\n"
_UPGRADES = ("Upgrade", "upgrade", "keep-alive, Upgrade")
_OTHERS = {"content-length", "transfer-encoding", "sec-websocket-key"}
"""Of a body, which has no place here, and a second key."""


class Upgrade(NamedTuple):
    """A usual request. Its headers lack the key, and are those of other requests, too."""

    request: Request
    key: str


def read_upgrade(data: bytes) -> Upgrade | None:
    """The request, if `data` is one for a room's socket, and has nothing that is not usual."""
    asked, key = _ASKED.match(data), _KEY.search(data)
    if asked is None or key is None or not data.endswith(_END) or _SECRET.search(data):
        return None
    headers = _usual_headers(data[asked.end() : key.start()] + data[key.end() :])
    if headers is None:
        return None
    return Upgrade(Request(asked[1].decode(), headers), key[1].decode())


def acceptance(upgrade: Upgrade, now: float) -> bytes:
    """The answer to a request that `read_upgrade` gave. `now`: Unix seconds."""
    protocol = f"Sec-WebSocket-Protocol: {SUBPROTOCOL}\r\n"
    return (
        "HTTP/1.1 101 Switching Protocols\r\n"
        f"Date: {_date(int(now))}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Accept: {accept_key(upgrade.key)}\r\n"
        f"{protocol if 'Sec-WebSocket-Protocol' in upgrade.request.headers else ''}\r\n"
    ).encode()


@lru_cache(64)
def _usual_headers(block: bytes) -> Headers | None:
    """All but the key, from the end of the first line on; null if they are not usual."""
    said = _HEADERS.fullmatch(block)
    if said is None:
        return None
    headers, values = Headers(), {}
    for line in said[1].decode("latin-1").split("\r\n")[1:]:
        name, _, value = line.partition(":")
        values[name.lower()] = value = value.strip(" \t")
        headers[name] = value
    is_usual = len(values) == said[1].count(b"\n") and _is_usual(values)
    return headers if is_usual else None


def _is_usual(values: dict[str, str]) -> bool:
    return (
        values.get("connection") in _UPGRADES
        and values.get("upgrade") == "websocket"
        and values.get("sec-websocket-version") == "13"
        and values.get("sec-websocket-protocol", SUBPROTOCOL) == SUBPROTOCOL
        and values.keys().isdisjoint(_OTHERS)
    )


@lru_cache(1)
def _date(second: int) -> str:
    return formatdate(second, usegmt=True)
