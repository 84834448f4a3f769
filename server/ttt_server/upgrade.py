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
    rb"((?:[-!#$%&'*+.^_`|~0-9A-Za-z]+:[\t -~\x80-\xff]*\r\n){1,64})\r\n"
)
_KEY = re.compile(r"[0-9A-Za-z+/]{22}==")
_UPGRADES = (["Upgrade"], ["upgrade"], ["keep-alive, Upgrade"])
_OFFERS: tuple[list[str], ...] = ([], [SUBPROTOCOL])


def read_upgrade(data: bytes) -> Request | None:
    """The request, if `data` is one for a room's socket, and has nothing that is not usual."""
    request = _REQUEST.fullmatch(data)
    if request is None:
        return None
    headers = Headers()
    for line in request[2].decode("latin-1").split("\r\n")[:-1]:
        name, _, value = line.partition(":")
        headers.set_insecure(name, value.strip(" \t"))  # nothing else is left in it
    return Request(request[1].decode(), headers) if _is_usual(headers) else None


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


def _is_usual(headers: Headers) -> bool:
    all_of = headers.get_all
    keys = all_of("Sec-WebSocket-Key")
    return (
        all_of("Connection") in _UPGRADES
        and all_of("Upgrade") == ["websocket"]
        and all_of("Sec-WebSocket-Version") == ["13"]
        and all_of("Sec-WebSocket-Protocol") in _OFFERS
        and len(keys) == 1
        and _KEY.fullmatch(keys[0]) is not None
        and len(all_of("Origin")) <= 1
        and "Content-Length" not in headers
        and "Transfer-Encoding" not in headers
    )


@lru_cache(1)
def _date(second: int) -> str:
    return formatdate(second, usegmt=True)
