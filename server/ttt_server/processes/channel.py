"""The channel between the parent and a child: whole messages, with descriptors.

    to the child     SETUP words, CONNECTION bytes (with a descriptor), RENEW
    to the parent    LISTENING, READY, ALIVE hosts, GAINED names, LOST names (all without any),
                     FAILED words

Neither waits for the other. Its end tells that the other process has ended.
"""

import asyncio
import os
import socket
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Final

SETUP: Final = b"S"
CONNECTION: Final = b"C"
RENEW: Final = b"N"
LISTENING: Final = b"L"
READY: Final = b"R"
ALIVE: Final = b"A"
GAINED: Final = b"+"
LOST: Final = b"-"
FAILED: Final = b"F"

_KERNEL_BYTES: Final = 1 << 20
"""For what is queued for the other process; the system may allow less."""

_LONGEST: Final = 1 << 19
"""Bytes of a message: a connection's first read is at most half of that."""

_MOST_WAITING: Final = 1000
"""Queued messages beyond which connections go elsewhere."""

_AT_ONCE: Final = 64
"""Messages to read in one turn of the loop."""

OnMessage = Callable[[bytes, bytes, int | None], None]
"""Takes the kind of a message, its content, and a descriptor that it must close."""


def pair() -> tuple[socket.socket, socket.socket]:
    """Return both ends."""
    ends = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    for end in ends:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _KERNEL_BYTES)
    return ends


class Channel:
    """One end. `end` may be read and written at once, before `listen`."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._on_message: OnMessage | None = None
        self._on_end: Callable[[], None] | None = None
        self._waiting: deque[tuple[bytes, int | None]] = deque()
        """What is to be sent, with descriptors, once the other process has read enough."""

    def listen(self, on_message: OnMessage, on_end: Callable[[], None]) -> None:
        """Call `on_message` with each message from now on, and `on_end` after the last."""
        self._end.setblocking(False)
        self._on_message, self._on_end = on_message, on_end
        asyncio.get_running_loop().add_reader(self._end.fileno(), self._read)

    def send(self, kind: bytes, content: bytes = b"") -> None:
        """Send a message, now or when the other process has read enough."""
        self._waiting.append((kind + content, None))
        if len(self._waiting) == 1:
            self._write()

    def give(self, descriptor: int, content: bytes) -> bool:
        """Pass a connection on, with what was read of it, now or when the other has read enough.

        Returns:
            False if the other process has ended, or reads nothing; the connection stays here.
        """
        message = CONNECTION + content
        if not self._waiting:
            try:
                socket.send_fds(self._end, [message], [descriptor])
            except BlockingIOError:
                asyncio.get_running_loop().add_writer(self._end.fileno(), self._write)
            except OSError:
                return False
            else:
                return True
        if len(self._waiting) >= _MOST_WAITING:
            return False
        self._waiting.append((message, os.dup(descriptor)))
        return True

    def start(self, setup: bytes, descriptor: int) -> None:
        """Send the first message to a child."""
        socket.send_fds(self._end, [SETUP + setup], [descriptor])

    def begin(self) -> tuple[bytes, int]:
        """Wait for the first message to a child; return its words and its descriptor.

        Raises:
            EOFError: if the parent has ended.
        """
        _, setup, descriptor = self._receive()
        if descriptor is None:
            raise EOFError
        return setup, descriptor

    def fail(self, error: Exception, status: int) -> int:
        """Tell the parent, in a last message, why this process cannot serve; return the status."""
        with suppress(OSError):
            self._end.setblocking(True)
            self._end.send(FAILED + bytes([status]) + str(error).encode())
        return status

    def close(self) -> None:
        """End it. `on_end` is not called."""
        if self._on_message is not None:
            self._on_message = None
            loop = asyncio.get_running_loop()
            loop.remove_reader(self._end.fileno())
            loop.remove_writer(self._end.fileno())
        self._end.close()
        self._drop()

    def _receive(self) -> tuple[bytes, bytes, int | None]:
        """Return the kind, the content and the descriptor of the next message.

        Raises:
            EOFError: if the other process has ended.
            BlockingIOError: if there is none yet.
        """
        data, descriptors, _, _ = socket.recv_fds(self._end, _LONGEST, 1)
        if not data:
            raise EOFError
        return data[:1], data[1:], descriptors[0] if descriptors else None

    def _read(self) -> None:
        for _ in range(_AT_ONCE):
            try:
                kind, content, descriptor = self._receive()
            except BlockingIOError:
                return
            except ConnectionResetError:  # told once, if it left something unread
                continue  # what it sent follows, and then the end
            except (EOFError, OSError):
                on_end = self._on_end
                self.close()
                if on_end is not None:
                    on_end()
                return
            if self._on_message is not None:
                self._on_message(kind, content, descriptor)
            elif descriptor is not None:
                os.close(descriptor)

    def _write(self) -> None:
        loop, file = asyncio.get_running_loop(), self._end.fileno()
        try:
            while self._waiting:
                message, descriptor = self._waiting[0]
                socket.send_fds(self._end, [message], [] if descriptor is None else [descriptor])
                self._waiting.popleft()
                if descriptor is not None:
                    os.close(descriptor)
        except BlockingIOError:
            loop.add_writer(file, self._write)
        except OSError:
            self._drop()  # the end is read, too
        else:
            loop.remove_writer(file)

    def _drop(self) -> None:
        while self._waiting:
            _, descriptor = self._waiting.popleft()
            if descriptor is not None:
                os.close(descriptor)
