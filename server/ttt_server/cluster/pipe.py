"""A player's connection, passed on to the owner of the room byte for byte.

The relay has answered the client's handshake itself, so that it could read the first frame. The
owner answers it once more, to the relay alone. From then on bytes are copied both ways, with
back-pressure, and not looked into: only the ends of frames are counted, for a goodbye of the
relay's own when the owner goes away.
"""

import asyncio
from collections.abc import Callable
from typing import Final, cast

from ttt_protocol.codes import CloseCode
from ttt_server.cluster.frame_boundaries import FrameBoundary
from ttt_server.transport.connection import Connection

_END: Final = b"\r\n\r\n"
_MOST_HEAD: Final = 1 << 14
_SWITCHING: Final = b"HTTP/1.1 101 "


class Pipe(asyncio.Protocol):
    """The owner's end. `client` is the other one."""

    def __init__(
        self, connection: Connection, head: bytes, address: str, on_over: "Callable[[Pipe], None]"
    ) -> None:
        """Wait for the connection.

        Args:
            connection: the client's.
            head: the request, as it is passed on.
            address: the owner's.
            on_over: called when the connection to the owner has ended.
        """
        self.address = address
        self._connection = connection
        self._head = head
        self._on_over = on_over
        self._transport: asyncio.Transport
        self._answer: bytes | None = b""
        """The part of the owner's answer that has come; `None` once it is whole."""
        self._first = b""
        """The bytes of the client that wait for that answer (RFC 6455, section 4.1)."""
        self._boundary = FrameBoundary()
        self.client = ClientEnd(self, connection)

    def start(self, client: asyncio.Transport, first: bytes) -> bool:
        """Send the request; after its answer `first`, all that the client has sent, and copy.

        Returns:
            Whether the owner is still there.
        """
        self._first = first
        self.client.begin(client, self._transport)
        self.client.pause_reading()
        self._transport.write(self._head)
        is_there = not self._transport.is_closing()
        if not is_there:
            self.connection_lost(None)
        return is_there

    def stop(self) -> bool:
        """Copy no more; return `False` if a frame to the client was cut in the middle."""
        self.client.detach()
        self._transport.abort()
        return self._boundary.is_between and not self._boundary.is_closed

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        if self._answer is not None:
            data = self._read_answer(data)
            if not data:
                return
        self._boundary.follow(data)
        self.client.write(data)

    def pause_writing(self) -> None:
        self.client.pause_reading()

    def resume_writing(self) -> None:
        self.client.resume_reading()

    def pause_reading(self) -> None:
        if not self._transport.is_closing():
            self._transport.pause_reading()

    def resume_reading(self) -> None:
        if not self._transport.is_closing():
            self._transport.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - whatever it was
        self._on_over(self)
        if not self.client.detach():
            return
        if self._boundary.is_closed:
            self._connection.give_up()  # the goodbye was passed on
        else:
            self._connection.dismiss(CloseCode.RESTARTING)

    def cut(self) -> None:
        """End the connection to the owner at once: the client is gone, or the owner."""
        self._transport.abort()

    def finish(self) -> None:
        """The same, when the owner has read what the client has sent."""
        self._transport.close()

    def _read_answer(self, data: bytes) -> bytes:
        """Take in the answer to the request; return what comes after it."""
        answer = (self._answer or b"") + data
        end = answer.find(_END)
        if (end < 0 and len(answer) > _MOST_HEAD) or not answer.startswith(
            _SWITCHING[: len(answer)]
        ):
            self._transport.abort()
            return b""
        if end < 0:
            self._answer = answer
            return b""
        self._answer = None
        self._transport.write(self._first)
        self._first = b""
        self.client.resume_reading()
        return answer[end + len(_END) :]


class ClientEnd(asyncio.Protocol):
    """The client's end of a pipe."""

    def __init__(self, pipe: Pipe, connection: Connection) -> None:
        self._pipe = pipe
        self._connection = connection
        self._transport: asyncio.Transport | None = None
        self.write: Callable[[bytes], None] = _nowhere
        self._write_on: Callable[[bytes], None] = _nowhere

    def begin(self, client: asyncio.Transport, owner: asyncio.Transport) -> None:
        """Copy from now on."""
        self._transport = client
        self.write = client.write
        self._write_on = owner.write

    def detach(self) -> bool:
        """Copy no more; return `False` if the client is gone."""
        is_there = self._transport is not None
        self._transport = None
        self.write = self._write_on = _nowhere
        return is_there

    def data_received(self, data: bytes) -> None:
        self._write_on(data)

    def pause_writing(self) -> None:
        self._pipe.pause_reading()

    def resume_writing(self) -> None:
        self._pipe.resume_reading()

    def pause_reading(self) -> None:
        if self._transport is not None:
            self._transport.pause_reading()

    def resume_reading(self) -> None:
        if self._transport is not None:
            self._transport.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        self.detach()
        if exc is None:
            self._pipe.finish()
        else:
            self._pipe.cut()
        self._connection.connection_lost(exc)


def _nowhere(_: bytes) -> None:
    """Drop bytes that can be read nowhere any more."""
