"""A connection to a room of another server: its first frame, and the way that it takes then."""

import asyncio
import logging
import os
from base64 import b64encode
from collections.abc import Callable
from functools import partial
from time import time
from typing import Final

from websockets.frames import Opcode
from websockets.http11 import Request
from websockets.utils import apply_mask

from ttt_protocol.codec import BadCommand, decode_command
from ttt_protocol.codes import CloseCode
from ttt_protocol.commands import Join
from ttt_protocol.state import Role, RoomName
from ttt_server.cluster.dial import Unreachable, dial, head_of
from ttt_server.cluster.frame_boundaries import frame_length
from ttt_server.cluster.ownership import Ownership
from ttt_server.cluster.pipe import Pipe
from ttt_server.cluster.shared_watches import Watches
from ttt_server.cluster.signature import Signer
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.rooms.tokens import BadToken, TokenSigner
from ttt_server.storage.base import StorageFailed
from ttt_server.tournaments.log_names import is_tournament
from ttt_server.transport.connection import Connection

logger = logging.getLogger(__name__)

_WHOLE_TEXT: Final = 0x80 | Opcode.TEXT
_MASK: Final = 4
_MASKED: Final = 0x80
_MOST_HEAD: Final = 14
"""Bytes of a frame before its payload."""
_MOST_WAITING: Final = 1 << 16
"""Bytes of a client that wait for a connection to the owner."""
_ATTEMPTS: Final = 2
"""To reach an owner: after the first the room may have another one."""

ServeHere = Callable[[Connection], None]
"""Serve a connection in this server after all."""


def may_share(text: bytes, name: RoomName, signer: TokenSigner) -> bool:
    """Tell whether a first message is the join of a spectator like any other."""
    try:
        join = decode_command(text)
    except BadCommand as error:  # which the owner refuses
        logger.debug("passed on: %s", error)
        return False
    if not isinstance(join, Join) or join.role is not Role.SPECTATOR:
        return False
    if (join.token, join.password, join.settings) != (None, None, None):
        return False
    if join.watch is None:
        return True
    try:
        signer.watcher(name, None, join.watch)
    except BadToken:
        return False
    return True


class Relay:
    """Passes connections on to the owners of their rooms."""

    def __init__(
        self,
        ownership: Ownership,
        signer: Signer,
        tokens: TokenSigner,
        watches: Watches,
        tasks: TaskOwner,
        *,
        max_frame: int,
        join_timeout_s: float,
    ) -> None:
        self._ownership = ownership
        self._signer = signer
        self._tokens = tokens
        self._watches = watches
        self._tasks = tasks
        self._max_frame = max_frame
        self._join_timeout_s = join_timeout_s
        self.relayed = 0
        """Connections that were passed on, since the start."""
        self._pipes: set[Pipe] = set()
        """The relays that are under way."""

    def begin(
        self,
        connection: Connection,
        request: Request,
        name: RoomName,
        address: str,
        serve_here: ServeHere,
    ) -> None:
        """Open the WebSocket of a request, and pass it on when its first frame is there."""
        if connection.accept():
            self.relayed += 1
            passage = Passage(
                connection,
                request,
                name,
                address,
                serve_here=serve_here,
                max_frame=self._max_frame,
                on_first=self._pass,
            )
            passage.begin(self._join_timeout_s)

    def leave(self, addresses: frozenset[str]) -> None:
        """End what leads to servers that are no longer alive: one that hangs ends nothing."""
        for pipe in [each for each in self._pipes if each.address in addresses]:
            pipe.cut()
        self._watches.leave(addresses)

    def _pass(self, passage: "Passage", text: bytes | None) -> None:
        """Choose the way of a connection whose first frame has come; `text`: its text, if any."""
        connection, name = passage.connection, passage.name
        if text is not None and may_share(text, name, self._tokens):
            self._watches.begin(connection, name, passage.address, connection.account.source)
            passage.give_back()
        else:
            self._tasks.start(self._pipe(passage))

    async def _pipe(self, passage: "Passage") -> None:
        """Connect to the owner, and copy from then on."""
        connection = passage.connection
        pipe = await self._reach(passage)
        if passage.is_over:
            if pipe is not None:
                pipe.cut()
        elif pipe is not None:
            if pipe.start(connection.divert(pipe.client, pipe.stop), bytes(passage.data)):
                self._pipes.add(pipe)
        elif self._ownership.has(passage.name):
            passage.serve_here(connection)
            passage.give_back()
        else:
            connection.dismiss(CloseCode.RESTARTING)

    async def _reach(self, passage: "Passage") -> Pipe | None:
        """Connect to the owner; `None` if that cannot be, or this server has become the owner."""
        address: str | None = passage.address
        connection, request = passage.connection, passage.request
        for _ in range(_ATTEMPTS):
            if address is None:
                break
            client = connection.account.source
            headers = self._signer.headers("player", request.path, client, time())
            head = head_of(request, b64encode(os.urandom(16)).decode(), headers)
            try:
                make = partial(Pipe, connection, head, address, self._pipes.discard)
                return await dial(address, make)
            except Unreachable as error:
                logger.warning("room %s: its server cannot be reached: %s", passage.name, error)
            try:
                address = await self._ownership.locate(passage.name, is_in_doubt=True)
            except StorageFailed:
                break
        return None


class Passage(asyncio.Protocol):
    """A connection to another server's room, until its way is found: its bytes wait here."""

    def __init__(
        self,
        connection: Connection,
        request: Request,
        name: RoomName,
        address: str,
        *,
        serve_here: ServeHere,
        max_frame: int,
        on_first: "Callable[[Passage, bytes | None], None]",
    ) -> None:
        self.connection = connection
        self.request = request
        self.name = name
        self.address = address
        self.serve_here = serve_here
        self.data = bytearray()
        """All that the client has sent."""
        self.is_over = False
        """Whether the client is gone, or told to go."""
        self._max_frame = max_frame
        self._on_first: Callable[[Passage, bytes | None], None] | None = on_first
        self._late: asyncio.TimerHandle | None = None

    def begin(self, join_timeout_s: float) -> None:
        """Read the client's bytes from now on, for a while."""
        connection = self.connection
        self._late = connection.loop.call_later(join_timeout_s, self._be_late, join_timeout_s)
        connection.divert(self, self.stop)

    def give_back(self) -> None:
        """Let the connection read its own bytes."""
        self._drop_timer()
        self.connection.take_back(bytes(self.data))

    def stop(self) -> bool:
        """Read no more, as the connection is dismissed."""
        self.is_over = True
        self._drop_timer()
        return True

    def data_received(self, data: bytes) -> None:
        self.data += data
        if self._on_first is None:
            if len(self.data) > _MOST_WAITING:
                self.connection.cut()  # it speaks on and on before it is let in
            return
        length = frame_length(self.data)
        if length is not None and length <= len(self.data):
            self._decide(self._text(length))
        elif max(length or 0, len(self.data)) > self._max_frame + _MOST_HEAD:
            self.connection.dismiss(CloseCode.FRAME_TOO_LARGE)

    def connection_lost(self, exc: Exception | None) -> None:
        self.stop()
        self.connection.connection_lost(exc)

    def _decide(self, text: bytes | None) -> None:
        on_first, self._on_first = self._on_first, None
        self._drop_timer()
        if on_first is not None:
            on_first(self, text)

    def _text(self, length: int) -> bytes | None:
        """Return the text of the first frame, if it is a whole text message."""
        data = self.data
        if data[0] != _WHOLE_TEXT or not data[1] & _MASKED:
            return None
        short = data[1] & ~_MASKED
        at = 2 + (0 if short < 126 else 2 if short == 126 else 8)
        return apply_mask(bytes(data[at + _MASK : length]), bytes(data[at : at + _MASK]))

    def _be_late(self, after_s: float) -> None:
        missing = "command" if is_tournament(self.name) else "join"
        words = f"no {missing} came within {after_s:g} s"
        self.connection.dismiss(CloseCode.POLICY, words=words)

    def _drop_timer(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
