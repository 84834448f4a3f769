"""The writing half of a connection: what is written now, what waits, and the end of a slow reader.

The library's own connection waits for a client that does not read: its send, its keepalive and its
close do. Here nothing waits. A frame that cannot be written yet goes to a bounded queue, and a
client that takes nothing for `send_timeout_s` is cut.
"""

import struct
from asyncio import Protocol, Transport, get_running_loop
from contextlib import suppress
from socket import SO_LINGER, SOL_SOCKET

from ttt_server.transport import states
from ttt_server.transport.context import ConnectionContext
from ttt_server.transport.protocol import ServerProtocol
from ttt_server.transport.send_queue import SendQueue

UNWRITTEN_BYTES = 1 << 15
"""Bytes that wait in the asyncio transport before the send queue is used."""

_RESET = struct.pack("ii", 1, 0)
"""`SO_LINGER`, with no time: the kernel drops what it has not sent."""


class Outlet(Protocol):
    """The writing half of a connection."""

    __slots__ = (
        "_context",
        "_is_paused",
        "_protocol",
        "_send_queue",
        "_transport",
        "_unread",
        "loop",
    )

    def __init__(self, context: ConnectionContext) -> None:
        limits = context.limits
        self.loop = get_running_loop()
        self._context = context
        self._transport: Transport
        self._protocol = ServerProtocol(
            max_size=limits.max_frame,
            frames_per_s=limits.frames_per_s,
            frame_burst=limits.frame_burst,
            now=self.loop.time(),
        )
        self._send_queue: SendQueue | None = None
        """The messages that wait for the client; `None` until the first one has to."""
        self._is_paused = False
        """Whether the client does not read: the transport's buffer is full."""
        self._unread = 0
        """Bytes that came since the client stopped to read."""

    @property
    def is_behind(self) -> bool:
        """Whether the client does not read what it is sent, so that more would wait."""
        return self._is_paused

    def write_frame(self, frame: bytes, is_state: bool) -> None:
        """Write a frame, now or when the client reads; nothing if the WebSocket is not open."""
        if self._protocol.state is not states.OPEN:
            return
        if self._is_paused:
            if self._send_queue is None:
                self._send_queue = SendQueue(self._context.limits.outbox)
            self._send_queue.put(frame, is_state=is_state)
        else:
            self._transport.write(frame)

    def cut(self) -> None:
        """End the connection with a reset: the client does not read."""
        if self._transport.is_closing() and not self._transport.get_write_buffer_size():
            return
        self._context.table.count_cut()
        # Without this the kernel would keep what it has not sent, and wait for the client to read.
        self._transport.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_LINGER, _RESET)
        self._transport.abort()

    def give_up(self) -> None:
        """End the connection of a client that has not sent its request in time."""
        self._transport.abort()

    def end_unread(self) -> None:
        """End the connection of a client that does not read, or does not go."""
        if self._protocol.state in {states.ANSWERED, states.IDLE}:
            self._transport.abort()  # it may leave the rest of an answer
        else:
            self.cut()

    # Callbacks of the loop

    def pause_writing(self) -> None:
        self._is_paused = True
        self._unread = 0
        self._await_reading()
        if self._protocol.state is states.IDLE:
            self._transport.pause_reading()  # the next request waits for the client to read

    def resume_writing(self) -> None:
        self._is_paused = False
        if self._protocol.state not in {states.OPEN, states.IDLE}:
            return  # it is being closed, and the deadline stands
        self._context.unread.discard(self)
        while self._send_queue and not self._is_paused:
            self._transport.write(self._send_queue.take())
        if self._protocol.state is states.IDLE:
            self._transport.resume_reading()
            self._read_next()

    def _read_next(self) -> None:
        """Take in what has come of the next request, if the client has read the last answer."""
        if self._protocol.state is states.IDLE and not self._is_paused:
            self.data_received(b"")

    # How output is written

    def _write_output(self) -> None:
        for data in self._protocol.data_to_send():
            if data:
                self._transport.write(data)
            else:
                self._end_output()

    def _end_output(self) -> None:
        """End the server's side; what the client sends may still come."""
        if self._transport.can_write_eof():
            with suppress(OSError, RuntimeError):  # the connection is gone
                self._transport.write_eof()
        elif self._transport.is_reading():
            # Over TLS this reads to the end: a flood is not read, and is cut at the deadline.
            self._transport.close()

    def _await_reading(self) -> None:
        """End the connection in `send_timeout_s`, unless the client reads or goes."""
        if self not in self._context.unread:
            self._context.unread.add(self)
