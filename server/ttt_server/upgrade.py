"""The opening handshake (RFC 6455, section 4) of nearly every player: one request, one answer.

The library knows every request, and reads it line by line, in a task. Those that come whole and ask
for a room in the usual words are read at once here, and answered; all others are left to it.
"""

import re
from email.utils import formatdate
from functools import lru_cache

from websockets.datastructures import Headers
from websockets.http11 import Request
from websockets.utils import accept_key

from ttt_protocol.state import SUBPROTOCOL

_REQUEST = re.compile(
    rb"GET (/ws/rooms/[!-.0->@-~]+) HTTP/1\.1\r\n"  # without a slash or a query
    rb"((?:[-!#$%&'*+.^_`|~0-9A-Za-z]++:[\t -~\x80-\xff]*+\r\n){1,64}+)\r\n"
)
_KEY = re.compile(r"[0-9A-Za-z+/]{22}==")
_UPGRADES = ("Upgrade", "upgrade", "keep-alive, Upgrade")
_OF_A_BODY = {"content-length", "transfer-encoding"}


class _Headers(Headers):
    """None, to begin with. The library goes a long way to find that out."""

    __slots__ = ()

    def __init__(self) -> None:
        self.clear()


def read_upgrade(data: bytes) -> Request | None:
    """The request, if `data` is one for a room's socket, and has nothing that is not usual."""
    request = _REQUEST.fullmatch(data)
    if request is None:
        return None
    headers, values = _Headers(), {}
    for line in request[2].decode("latin-1").split("\r\n")[:-1]:
        name, _, value = line.partition(":")
        values[name.lower()] = value = value.strip(" \t")
        headers.set_insecure(name, value)  # nothing else is left in it
    is_usual = len(values) == request[2].count(b"\n") and _is_usual(values)
    return Request(request[1].decode(), headers) if is_usual else None


def acceptance(request: Request, now: float) -> bytes:
    """The answer to a request that `read_upgrade` gave. `now`: Unix seconds."""
    headers = request.headers
    accept = accept_key(headers["Sec-WebSocket-Key"])
    protocol = f"Sec-WebSocket-Protocol: {SUBPROTOCOL}\r\n"
    return (
        "HTTP/1.1 101 Switching Protocols\r\n"
        f"Date: {_date(int(now))}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Accept: {accept}\r\n"
        f"{protocol if headers.get_all('Sec-WebSocket-Protocol') else ''}\r\n"
    ).encode()


def _is_usual(values: dict[str, str]) -> bool:
    return (
        values.get("connection") in _UPGRADES
        and values.get("upgrade") == "websocket"
        and values.get("sec-websocket-version") == "13"
        and values.get("sec-websocket-protocol", SUBPROTOCOL) == SUBPROTOCOL
        and _KEY.fullmatch(values.get("sec-websocket-key", "")) is not None
        and values.keys().isdisjoint(_OF_A_BODY)
    )


@lru_cache(1)
def _date(second: int) -> str:
    return formatdate(second, usegmt=True)
