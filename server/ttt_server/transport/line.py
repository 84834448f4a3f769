"""One socket that is written to, and never waited for.

The library's own connection waits for a peer that does not read: its `send` does, and so do its
keepalive and its close. Here what cannot be written yet goes into a bounded outbox, and one that
takes nothing for `send_timeout_s` is cut off.
"""

import struct
from asyncio import BufferedProtocol, TimerHandle, Transport, get_running_loop
from contextlib import suppress
from dataclasses import dataclass
from socket import SO_LINGER, SOL_SOCKET

from websockets.protocol import State

from ttt_protocol.codec import encode_message
from ttt_protocol.state import FromServer
from ttt_server.limits.connections import ConnectionTable
from ttt_server.transport.broadcast import Broadcaster
from ttt_server.transport.frames import text_frame
from ttt_server.transport.send_queue import SendQueue, Waiting

_OPEN = State.OPEN  # to ask an enumeration for a member takes ten times as long

_RESET = struct.pack("ii", 1, 0)
"""To linger, for no time."""


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """What one peer may send, and how much it may leave unread."""

    max_frame: int
    """Bytes of a message."""
    frames_per_s: float
    """Pings and fragments are frames too."""
    frame_burst: int
    outbox: int
    """Messages."""
    send_timeout_s: float


class Line(BufferedProtocol):
    """What is said to a peer, and the ways to be rid of it."""

    __slots__ = (
        "_connections",
        "_deadline",
        "_is_done",
        "_is_paused",
        "_limits",
        "_outbox",
        "_writes",
        "loop",
        "state",
        "transport",
    )

    def __init__(
        self, connections: ConnectionTable, writes: Broadcaster, limits: ConnectionLimits
    ) -> None:
        self.loop = get_running_loop()
        self.transport: Transport
        self.state = State.CONNECTING
        self._connections = connections
        self._writes = writes
        self._limits = limits
        self._outbox = SendQueue(limits.outbox)
        self._deadline: TimerHandle | None = None
        self._is_paused = False
        """Whether the peer does not read."""
        self._is_done = False
        """Whether our side has ended."""

    def tell(self, message: FromServer) -> None:
        """Sends a message to this peer alone."""
        self.post(text_frame(encode_message(message)))

    def send(self, payload: bytes, *, is_state: bool = False) -> None:
        """Send one message, now or as soon as the peer reads."""
        self.post(text_frame(payload), is_state)

    def post(self, frame: bytes, is_state: bool = False) -> None:
        """Sends a frame, now or as soon as the peer reads; nothing to one that is gone.

        Args:
            frame: with a whole message, or several; it may be one for many peers.
            is_state: whether a later one makes it worthless.
        """
        if self._writes.waiting:
            self._writes.flush()  # nothing is overtaken
        if self.state is not _OPEN:
            return
        if self._is_paused:
            self._outbox.put(Waiting(frame, is_state))
        else:
            self.transport.write(frame)

    def cut(self) -> None:
        """Ends the connection with a reset: its peer does not read."""
        if self.transport.is_closing() and not self.transport.get_write_buffer_size():
            return
        self._connections.cuts += 1
        # Without this the kernel would keep what it has not sent, and wait for the peer to read.
        self.transport.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_LINGER, _RESET)
        self.transport.abort()

    def give_up(self) -> None:
        """It has not asked for anything in time."""
        self.transport.abort()

    def pause_writing(self) -> None:
        self._is_paused = True
        self._give_time_to_go()

    def resume_writing(self) -> None:
        self._is_paused = False
        if self.state is not State.OPEN:
            return  # it is being closed, and the deadline stands
        self._disarm()
        while self._outbox and not self._is_paused:
            self.transport.write(self._outbox.take())

    def _end_output(self) -> None:
        """There is nothing more to say; what the peer says may still come."""
        if self._is_done:
            return
        self._is_done = True
        if self.transport.can_write_eof():
            with suppress(OSError, RuntimeError):  # the connection is gone
                self.transport.write_eof()
        elif self.transport.is_reading():
            self.transport.close()  # which over TLS reads to the end: one who floods is cut in time

    def _give_time_to_go(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(self._limits.send_timeout_s, self.cut)

    def _disarm(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
