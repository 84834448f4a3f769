"""Relay clients of rooms that another server owns, in both directions.

The relay answers the client's handshake itself, so that it can say goodbye when the owner goes
away; the owner answers the handshake again, but only to the relay. From then on bytes are copied
with backpressure and without decoding. Only the ends of frames are tracked, because a goodbye has
to stand between two of them.
"""

import asyncio
import logging
import os
from base64 import b64encode
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final, cast

from websockets.datastructures import Headers
from websockets.http11 import Request

from ttt_protocol.codes import CloseCode
from ttt_protocol.state import RoomName
from ttt_server.cluster.dial import PeerUnreachable, dial
from ttt_server.cluster.ownership import Ownership
from ttt_server.cluster.signature import CLIENT, RELAY, Signer
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.storage.base import StorageFailed
from ttt_server.transport.connection import Connection

logger = logging.getLogger(__name__)

_HEAD_END: Final = b"\r\n\r\n"
_LONGEST_HEAD: Final = 1 << 14
_SWITCHING: Final = b"HTTP/1.1 101 "
_MOST_WAITING: Final = 1 << 16
"""Bytes of a client to keep until the owner answers; beyond them it is not read."""
_ATTEMPTS: Final = 2
"""Attempts to reach the owner, which may change after the first."""

# Of the head of a frame (RFC 6455, section 5.2)
_MASKED: Final = 0x80
_LENGTH: Final = 0x7F
_LENGTH_16: Final = 126
_MASK_BYTES: Final = 4
_KIND: Final = 0x0F
_CLOSE: Final = 8

_NOT_RELAYED: Final = {CLIENT.lower(), RELAY.lower(), "sec-websocket-key"}
"""Headers of a client that the relay has its own for."""

ServeHere = Callable[[Connection], None]
"""Serve a connection here after all."""


class Relay:
    """Relays connections to the owners of their rooms."""

    def __init__(
        self, ownership: Ownership, signer: Signer, tasks: TaskOwner, now: Callable[[], float]
    ) -> None:
        """`now` returns the Unix time in seconds, the same for all servers."""
        self._ownership = ownership
        self._now = now
        self._signer = signer
        self._tasks = tasks
        self._pipes: set[Pipe] = set()
        """The connections that are passed on."""

    def begin(
        self,
        connection: Connection,
        request: Request,
        name: RoomName,
        address: str,
        serve_here: ServeHere,
    ) -> None:
        """Open the WebSocket of a request, and relay it to the owner at this address."""
        if connection.accept():
            forget = partial(self._ownership.forget, name)
            pipe = Pipe(connection, on_over=self._pipes.discard, on_lost=forget)
            self._pipes.add(pipe)
            self._tasks.start(self._connect(pipe, request, name, address, serve_here))

    def leave(self, addresses: frozenset[str]) -> None:
        """End relays to servers that are no longer alive: a hung server does not end them."""
        for pipe in [each for each in self._pipes if each.address in addresses]:
            pipe.lose_owner()

    async def _connect(
        self,
        pipe: "Pipe",
        request: Request,
        name: RoomName,
        address: str | None,
        serve_here: ServeHere,
    ) -> None:
        """Connect a pipe to the owner, or serve it here if this server became the owner."""
        for _ in range(_ATTEMPTS):
            if address is None:
                break
            client = pipe.connection.account.source
            headers = self._signer.headers("client", request.path, client, self._now())
            pipe.address = address
            try:
                owner = await dial(self._ownership.siblings.reach(address), OwnerEnd)
            except PeerUnreachable as error:
                logger.warning("room %s: could not reach its server: %s", name, error)
            else:
                key = b64encode(os.urandom(16)).decode()
                owner.begin(pipe, _head_of(request, key, headers))
                return
            try:
                address = await self._ownership.locate(name, is_in_doubt=True)
            except StorageFailed:
                break
        if pipe.is_over:
            return
        if self._ownership.has(name):
            serve_here(pipe.connection)
            pipe.connection.take_back(pipe.stop_reading())
        else:
            pipe.connection.dismiss(CloseCode.RESTARTING)


def _head_of(request: Request, key: str, more: Iterable[tuple[str, str]]) -> bytes:
    """Return the head of a WebSocket request, as it is relayed.

    Args:
        request: the client's request.
        key: the `Sec-WebSocket-Key` to send.
        more: headers to add.
    """
    given = request.headers.raw_items()
    kept = ((name, value) for name, value in given if name.lower() not in _NOT_RELAYED)
    headers = Headers((*kept, ("Sec-WebSocket-Key", key), *more))
    return Request(request.path, headers).serialize()


class Pipe(asyncio.Protocol):
    """The client's end of a relayed connection."""

    def __init__(
        self,
        connection: Connection,
        *,
        on_over: "Callable[[Pipe], None]",
        on_lost: Callable[[], None],
    ) -> None:
        """Take over the connection.

        Args:
            connection: the client's.
            on_over: called at the end of the relay.
            on_lost: called where the owner ends it: perhaps it owns the room no longer.
        """
        self.connection = connection
        self.address = ""
        """The owner's."""
        self.is_over = False
        self._on_over = on_over
        self._on_lost = on_lost
        self._waiting = b""
        """Bytes for the owner, who must answer the handshake first (RFC 6455, section 4.1)."""
        self.owner: OwnerEnd | None = None
        """The connection to the owner."""
        self._write: Callable[[bytes], None] = self._hold
        self.client = connection.divert(self, self._stop)

    def join(self, owner: "OwnerEnd") -> None:
        """Start copying: the owner has answered."""
        owner.transport.write(self._waiting)
        self._waiting = b""
        self._write = owner.transport.write
        self.client.resume_reading()

    def stop_reading(self) -> bytes:
        """Stop copying; return what was not sent to the owner."""
        self.is_over = True
        self._write = self._hold
        self._on_over(self)
        return self._waiting

    def lose_owner(self) -> None:
        """Say goodbye: the owner is gone."""
        owner = self.owner
        if self.is_over:
            return
        self._on_lost()
        if owner is not None and owner.boundary.is_closed:
            self.stop_reading()
            self.connection.give_up()  # the owner said goodbye
        else:
            self.connection.dismiss(CloseCode.RESTARTING)

    def _stop(self) -> bool:
        """Stop copying; return False if a frame to the client was only written in part."""
        self.stop_reading()
        if self.owner is None:
            return True
        self.owner.transport.abort()
        return self.owner.boundary.is_between and not self.owner.boundary.is_closed

    def _hold(self, data: bytes) -> None:
        self._waiting += data
        if len(self._waiting) > _MOST_WAITING:
            self.client.pause_reading()

    # Callbacks of the loop

    def data_received(self, data: bytes) -> None:
        self._write(data)

    def pause_writing(self) -> None:
        if self.owner is not None and not self.owner.transport.is_closing():
            self.owner.transport.pause_reading()

    def resume_writing(self) -> None:
        if self.owner is not None and not self.owner.transport.is_closing():
            self.owner.transport.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        self.stop_reading()
        if self.owner is not None and exc is None:
            self.owner.transport.close()  # after what the client has sent
        elif self.owner is not None:
            self.owner.transport.abort()
        self.connection.connection_lost(exc)


class OwnerEnd(asyncio.Protocol):
    """The owner's end of a relayed connection."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport
        self.boundary = FrameBoundary()
        """Of the frames to the client."""
        self._pipe: Pipe | None = None
        self._answer: bytes | None = b""
        """The answer to the handshake as far as it arrived; `None` once it is complete."""

    def begin(self, pipe: Pipe, head: bytes) -> None:
        """Send the request of a pipe's client."""
        if pipe.is_over:
            self.transport.abort()
            return
        self._pipe = pipe
        pipe.owner = self
        if self.transport.is_closing():
            pipe.lose_owner()
        else:
            self.transport.write(head)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        pipe = self._pipe
        if pipe is None or pipe.is_over:
            return
        if self._answer is not None:
            data = self._read_answer(pipe, data)
        self.boundary.follow(data)
        pipe.client.write(data)

    def pause_writing(self) -> None:
        if self._pipe is not None and not self._pipe.is_over:
            self._pipe.client.pause_reading()

    def resume_writing(self) -> None:
        if self._pipe is not None and not self._pipe.is_over:
            self._pipe.client.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - for any reason
        if self._pipe is not None:
            self._pipe.lose_owner()

    def _read_answer(self, pipe: Pipe, data: bytes) -> bytes:
        """Read the answer to the handshake; return what follows it."""
        answer = (self._answer or b"") + data
        head, end, behind = answer.partition(_HEAD_END)
        if len(head) > _LONGEST_HEAD or not answer.startswith(_SWITCHING[: len(answer)]):
            self.transport.abort()
        elif end:
            self._answer = None
            pipe.join(self)
            return behind
        else:
            self._answer = answer
        return b""


class FrameBoundary:
    """Where frames begin and end in a stream, which it follows chunk by chunk."""

    __slots__ = ("_head", "_rest", "is_closed")

    def __init__(self) -> None:
        self._rest = 0
        """Bytes of the current frame that have not arrived."""
        self._head = b""
        """The beginning of a frame whose length is not known yet."""
        self.is_closed = False
        """Whether the newest frame is a close."""

    @property
    def is_between(self) -> bool:
        """Whether the next byte would begin a frame."""
        return not self._rest and not self._head

    def follow(self, data: bytes) -> None:
        """Follow the next chunk."""
        if self._head:
            data, self._head = self._head + data, b""
        at, size = self._rest, len(data)
        while at < size:
            length = frame_length(data, at)
            if length is None:
                self._head = data[at:]
                self._rest = 0
                return
            self.is_closed = data[at] & _KIND == _CLOSE
            at += length
        self._rest = at - size


def frame_length(data: bytes | bytearray, at: int = 0) -> int | None:
    """Return the size of the frame that begins at `at`; `None` if it is not known yet."""
    head = at + 2
    if len(data) < head:
        return None
    masked, length = data[at + 1] & _MASKED, data[at + 1] & _LENGTH
    if length >= _LENGTH_16:
        width = 2 if length == _LENGTH_16 else 8
        if len(data) < head + width:
            return None
        length = int.from_bytes(data[head : head + width])
        head += width
    return head - at + length + (_MASK_BYTES if masked else 0)
