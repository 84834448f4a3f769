"""A peer on a line that ends in the test."""

import asyncio
from types import SimpleNamespace
from typing import Any

from websockets.http11 import Request, Response

from ttt_server.concurrency.deadlines import Deadlines
from ttt_server.limits.client_address import NO_PROXIES
from ttt_server.limits.connections import AddressLimits, ConnectionTable
from ttt_server.transport.broadcast import Broadcaster
from ttt_server.transport.connection import Connection
from ttt_server.transport.keepalive import Keepalive
from ttt_server.transport.line import ConnectionLimits

REQUEST = (
    b"GET /ws/rooms/den HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


class Line(asyncio.Transport):
    """Takes all that is written."""

    def __init__(self) -> None:
        super().__init__({"socket": SimpleNamespace(setsockopt=lambda *_: None)})
        self.written = b""
        self.is_ended = False
        """Whether the server has said all that it has to say."""
        self.is_closed = False
        self.is_aborted = False
        self.is_read = True
        self.is_tls = False
        self.unread = 0
        """Bytes of what was written."""

    def write(self, data: Any) -> None:
        self.written += data

    def write_eof(self) -> None:
        self.is_ended = True

    def can_write_eof(self) -> bool:
        return not self.is_tls

    def get_write_buffer_size(self) -> int:
        return self.unread

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        pass

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        pass

    def pause_reading(self) -> None:
        self.is_read = False

    def resume_reading(self) -> None:
        self.is_read = True

    def is_reading(self) -> bool:
        return self.is_read

    def close(self) -> None:
        self.is_closed = True

    def is_closing(self) -> bool:
        return self.is_closed or self.is_aborted

    def abort(self) -> None:
        self.is_aborted, self.unread = True, 0


class House:
    """Lets everybody in, or nobody."""

    def __init__(self) -> None:
        self.asked = 0
        self.begun = 0
        self.attended: list[Request] = []
        """Those that are not answered at once."""
        self.refusal: Response | None = None
        self.failure: Exception | None = None
        self.taken: list[bytes] = []

    def admit(self, peer: Connection, request: Request) -> Response | None:  # noqa: ARG002
        self.asked += 1
        if self.failure is not None:
            raise self.failure
        return self.refusal

    def attend(self, peer: Connection, request: Request) -> None:  # noqa: ARG002
        self.attended.append(request)

    def begin(self, peer: Connection) -> None:
        self.begun += 1
        peer.open_lane(self.take)

    def take(self, text: bytes) -> bool:
        self.taken.append(text)
        return True


def make_peer(house: House, limits: ConnectionLimits, *, most: int = 9) -> Connection:
    """Not connected yet; `most` of them may be."""
    account = AddressLimits(9, 9, 9, 9, 9, 9, 9)
    return Connection(
        house=house,
        connections=ConnectionTable(most, account, asyncio.get_running_loop().time, NO_PROXIES),
        silent=Deadlines(9, Connection.give_up),
        heartbeat=Keepalive(9, 9),
        writes=Broadcaster(),
        limits=limits,
    )
