"""One WebSocket to a room, as light as it can be: what comes in goes to a function, at once."""

import asyncio
from collections.abc import Callable
from typing import cast

from tests.bench.load import frames
from tests.bench.load.tally import PATIENCE_S

_END_OF_HEAD = b"\r\n\r\n"


class Member(asyncio.Protocol):
    """Hears whole messages.

    Args:
        path: of the room.
        hear: gets this member, and the message.
        fault: gets words when the connection is not what it should be.
    """

    def __init__(
        self, path: str, hear: Callable[["Member", bytes], None], fault: Callable[[str], None]
    ) -> None:
        self.is_open = asyncio.get_running_loop().create_future()
        self._path = path
        self._hear = hear
        self._fault = fault
        self._transport: asyncio.Transport
        self._is_open = self._is_leaving = False
        self._pending = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        host, port = transport.get_extra_info("peername")[:2]
        self._transport.write(
            f"GET {self._path} HTTP/1.1\r\nHost: {host}:{port}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            "Sec-WebSocket-Protocol: ttt.v1\r\n\r\n".encode()
        )

    def send(self, ready: bytes) -> None:
        """Sends a frame."""
        self._transport.write(ready)

    def leave(self) -> None:
        """Ends the connection as a browser would, and waits for nothing."""
        self._is_leaving = True
        self._transport.write(frames.frame(frames.CLOSE, (1000).to_bytes(2)))
        self._transport.close()

    def data_received(self, data: bytes) -> None:
        if self._pending:
            data, self._pending = self._pending + data, b""
        if self._is_open and frames.is_alone(data):
            self._hear(self, data[4:])
        else:
            self._take_apart(data)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._is_leaving:
            self._wrong(f"connection lost: {exc}")

    def _take_apart(self, data: bytes) -> None:
        if not self._is_open:
            head, end, data = data.partition(_END_OF_HEAD)
            if not end:
                self._pending = head
                return
            if b" 101 " not in head:
                self._wrong(head.partition(b"\r\n")[0].decode())
                return
            self._is_open = True
            self.is_open.set_result(None)
        while (found := frames.first(data)) is not None:
            opcode, payload, data = found
            if opcode == frames.TEXT:
                self._hear(self, payload)
            elif opcode == frames.PING:
                self.send(frames.frame(frames.PONG, payload))
            elif opcode == frames.CLOSE:
                self._wrong(f"closed: {payload[2:].decode()}")
        self._pending = data

    def _wrong(self, what: str) -> None:
        self._fault(what)
        self._is_leaving = True
        if not self.is_open.done():
            self.is_open.set_exception(ConnectionError(what))


async def connect(member: Member, port: int) -> None:
    """Returns when it has been upgraded.

    Raises:
        OSError: it was not.
    """
    async with asyncio.timeout(PATIENCE_S):
        await asyncio.get_running_loop().create_connection(lambda: member, "127.0.0.1", port)
        await member.is_open
