"""A connection whose transport ends in the test."""

import asyncio
from types import SimpleNamespace
from typing import Any

from websockets.http11 import Request, Response

from ttt_server.concurrency.deadlines import Deadlines
from ttt_server.limits.client_address import NO_PROXIES
from ttt_server.limits.connections import ConnectionLimits, ConnectionTable
from ttt_server.limits.rates import AddressLimits, Rate
from ttt_server.transport.connection import Connection, ConnectionContext
from ttt_server.transport.frames import Broadcaster
from ttt_server.transport.keepalive import Keepalive

REQUEST = (
    b"GET /ws/rooms/den HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


class FakeTransport(asyncio.Transport):
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

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        if name == "sslcontext":
            return self.is_tls or None
        return super().get_extra_info(name, default)

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


class RecordingHandler:
    """Takes one message after the other, or stops at the first."""

    def __init__(self, connection: Connection, *, stops: bool = False) -> None:
        self.messages: list[bytes] = []
        self.binaries = 0
        self.closed = 0
        self._connection = connection
        self._stops = stops

    def on_message(self, text: bytes) -> None:
        self.messages.append(text)
        if not self._stops:
            self._connection.receive_next()

    def on_binary(self) -> None:
        self.binaries += 1
        if not self._stops:
            self._connection.receive_next()

    def on_close(self) -> None:
        self.closed += 1


class FakeGateway:
    """Accepts requests for WebSockets, and leaves others to the test."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.refusal: Response | None = None
        self.failure: Exception | None = None
        self.stops = False
        """Whether the handler stops at the first message."""
        self.handlers: list[RecordingHandler] = []

    @property
    def handler(self) -> RecordingHandler:
        """The handler of the only connection."""
        (handler,) = self.handlers
        return handler

    def on_request(self, connection: Connection, request: Request) -> None:
        self.requests.append(request)
        if self.failure is not None:
            raise self.failure
        if self.refusal is not None:
            connection.answer(self.refusal)
        elif request.path.startswith("/ws/") and connection.accept():
            handler = RecordingHandler(connection, stops=self.stops)
            self.handlers.append(handler)
            connection.attach(handler)


def make_connection(gateway: FakeGateway, limits: ConnectionLimits, *, most: int = 9) -> Connection:
    """Make a connection for a transport that is not there yet; `most` of them may be open."""
    account = AddressLimits(9, Rate(9, 9), Rate(9, 9), Rate(9, 9))
    context = ConnectionContext(
        on_request=gateway.on_request,
        table=ConnectionTable(most, account, asyncio.get_running_loop().time, NO_PROXIES),
        silent=Deadlines(9, Connection.give_up),
        idle=Deadlines(9, Connection.end_idle),
        unread=Deadlines(limits.send_timeout_s, Connection.end_unread),
        keepalive=Keepalive(9, 9, ping=Connection.ping, presume_dead=Connection.presume_dead),
        broadcaster=Broadcaster(),
        limits=limits,
    )
    return Connection(context)
