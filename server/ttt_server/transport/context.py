"""The parts that all connections share, and the handler that an endpoint gives to each."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from websockets.http11 import Request

from ttt_server.concurrency.deadlines import Deadlines
from ttt_server.limits.connections import ConnectionTable
from ttt_server.transport.broadcast import Broadcaster
from ttt_server.transport.keepalive import Keepalive

if TYPE_CHECKING:
    from ttt_server.transport.connection import Connection
    from ttt_server.transport.outlet import Outlet


class Handler(Protocol):
    """An endpoint, as its connection sees it."""

    def on_message(self, text: bytes) -> None:
        """Take one text message. The next comes after `Connection.receive_next`."""

    def on_binary(self) -> None:
        """Take note of a binary message, instead of a text message."""

    def on_close(self) -> None:
        """Take note that the connection is gone, and no message is left. Called once."""


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """The limits of what one client may send and leave unread."""

    max_frame: int
    """Bytes of a message."""
    frames_per_s: float
    """Pings and fragments are frames, too."""
    frame_burst: int
    outbox: int
    """Messages that wait for the client."""
    send_timeout_s: float
    """For the client to take something, and to go."""


@dataclass(frozen=True, slots=True)
class ConnectionContext:
    """The parts that all connections share."""

    on_request: "Callable[[Connection, Request], None]"
    """Called with each request. It sees to `Connection.accept` or `answer`, now or later."""
    table: "ConnectionTable[Connection]"
    silent: "Deadlines[Connection]"
    """The connections that have not sent a request yet."""
    idle: "Deadlines[Connection]"
    """The connections that were answered, and may send another request."""
    unread: "Deadlines[Outlet]"
    """The connections whose clients do not read, or are to go."""
    keepalive: "Keepalive[Connection]"
    """The connections with a WebSocket."""
    broadcaster: Broadcaster
    limits: ConnectionLimits
