"""The writing half of a connection: what is written now, what waits, and the end of a slow reader.

The library's own connection waits for a client that does not read: its send, its keepalive and its
close do. Here nothing waits. A frame that cannot be written yet goes to a bounded queue, and a
client that takes nothing for `send_timeout_s` is cut.
"""

import struct
from asyncio import Protocol, TimerHandle, Transport, get_running_loop
from contextlib import suppress
from socket import SO_LINGER, SOL_SOCKET

from ttt_server.transport.context import ConnectionContext
from ttt_server.transport.protocol import ServerProtocol
from ttt_server.transport.send_queue import SendQueue
from ttt_server.transport.states import State

UNWRITTEN_BYTES = 1 << 15
"""Bytes that wait in the asyncio transport before the send queue is used."""

_RESET = struct.pack("ii", 1, 0)
"""`SO_LINGER`, with no time: the kernel drops what it has not sent."""

_OPEN, _IDLE = State.OPEN, State.IDLE
"""Bound once: an attribute of an enumeration takes 0.1 µs in Python 3.11, a global 0.01 µs."""


class Outlet(Protocol):
    """The writing half of a connection."""

    __slots__ = (
        "_context",
        "_deadline",
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
        self._send_queue = SendQueue(limits.outbox)
        self._is_paused = False
        """Whether the client does not read: the transport's buffer is full."""
        self._unread = 0
        """Bytes that came since the client stopped to read."""
        self._deadline: TimerHandle | None = None
        """The end of a client that does not read, or does not go."""

    @property
    def is_behind(self) -> bool:
        """Whether the client does not read what it is sent, so that more would wait."""
        return self._is_paused

    def write_frame(self, frame: bytes, is_state: bool) -> None:
        """Write a frame, now or when the client reads; nothing if the WebSocket is not open."""
        if self._protocol.state is not _OPEN:
            return
        if self._is_paused:
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

    # Callbacks of the loop

    def pause_writing(self) -> None:
        self._is_paused = True
        self._unread = 0
        self._set_deadline()
        if self._protocol.state is _IDLE:
            self._transport.pause_reading()  # the next request waits for the client to read

    def resume_writing(self) -> None:
        self._is_paused = False
        if self._protocol.state not in {_OPEN, _IDLE}:
            return  # it is being closed, and the deadline stands
        self._drop_deadline()
        while self._send_queue and not self._is_paused:
            self._transport.write(self._send_queue.take())
        if self._protocol.state is _IDLE:
            self._transport.resume_reading()
            self._read_next()

    def _read_next(self) -> None:
        """Take in what has come of the next request, if the client has read the last answer."""
        if self._protocol.state is _IDLE and not self._is_paused:
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

    def _set_deadline(self) -> None:
        if self._deadline is None:
            # A client may leave the rest of an answer.
            is_answered = self._protocol.state in {State.ANSWERED, _IDLE}
            end = self._transport.abort if is_answered else self.cut
            self._deadline = self.loop.call_later(self._context.limits.send_timeout_s, end)

    def _drop_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
