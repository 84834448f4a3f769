"""A WebSocket to another server, message by message: for spectators, and for questions."""

import asyncio
from typing import Protocol, cast

from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.protocol import SEND_EOF, State
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from ttt_protocol.state import SUBPROTOCOL
from ttt_server.cluster.dial import dial

_MOST: int = 1 << 24
"""The most bytes of a message: those of a server are as long as they are."""


class Reader(Protocol):
    """The part that reads what the other server sends."""

    def on_payload(self, payload: bytes) -> None:
        """Take one text message."""

    def on_end(self, code: int | None) -> None:
        """Take note of the end, with the code of the close if there was one. Called once."""


class Upstream(asyncio.Protocol):
    """A connection to the owner of a room.

    The owner may speak before `open` has returned: the reader is told at once.
    """

    def __init__(
        self, address: str, path: str, headers: tuple[tuple[str, str], ...], reader: Reader
    ) -> None:
        self._address = address
        self._protocol = ClientProtocol(
            parse_uri(address + path), subprotocols=[Subprotocol(SUBPROTOCOL)], max_size=_MOST
        )
        self._headers = headers
        self._reader = reader
        self._transport: asyncio.Transport
        self._is_connected = False
        self._waiting: list[bytes] = []
        """Messages that wait for the handshake."""
        self._fragments: list[bytes] = []
        self._is_over = False

    async def open(self) -> None:
        """Connect.

        Raises:
            Unreachable: if there is no connection in time.
        """
        await dial(self._address, lambda: self)
        if self._is_over:  # closed while it was dialled
            self._transport.abort()

    def send(self, payload: bytes) -> None:
        """Send one text message, now or after the handshake."""
        if self._protocol.state is State.OPEN:
            self._protocol.send_text(payload)
            self._write()
        elif not self._is_over:
            self._waiting.append(payload)

    def close(self) -> None:
        """End the connection; nothing is read any more."""
        self._is_over = True
        if self._is_connected:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._is_connected = True
        request = self._protocol.connect()
        for name, value in self._headers:
            request.headers[name] = value
        self._protocol.send_request(request)
        self._write()

    def data_received(self, data: bytes) -> None:
        self._protocol.receive_data(data)
        for event in self._protocol.events_received():
            if isinstance(event, Response):
                self._open()
            elif isinstance(event, Frame) and event.opcode in {
                Opcode.TEXT,
                Opcode.CONT,
            }:
                self._receive(event)
        self._write()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - whatever it was
        if not self._is_over:
            self._is_over = True
            # The protocol knows its own code only after the end of the stream.
            close = self._protocol.close_rcvd
            self._reader.on_end(None if close is None else close.code)

    def _open(self) -> None:
        if self._protocol.state is not State.OPEN:
            self._transport.abort()
            return
        waiting, self._waiting = self._waiting, []
        for payload in waiting:
            self._protocol.send_text(payload)

    def _receive(self, frame: Frame) -> None:
        self._fragments.append(bytes(frame.data))
        if frame.fin:
            payload, self._fragments = b"".join(self._fragments), []
            if not self._is_over:
                self._reader.on_payload(payload)

    def _write(self) -> None:
        for data in self._protocol.data_to_send():
            if data == SEND_EOF:
                self._transport.close()
            elif not self._transport.is_closing():
                self._transport.write(data)
