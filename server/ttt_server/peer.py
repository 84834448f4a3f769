"""One socket, as the library's connection and a little more: it can be told things without waiting.

The library's own `send` waits for a peer that does not read, and so do its keepalive and its
close. Here nobody waits for a peer: what cannot be written yet goes into a bounded outbox, and one
that takes nothing for `send_timeout_s` is cut off.
"""

from asyncio import BaseTransport, TimerHandle
from collections import Counter
from typing import Any

from websockets.asyncio.server import Server, ServerConnection
from websockets.protocol import State
from websockets.server import ServerProtocol

from ttt_protocol.codec import encode_message
from ttt_protocol.codes import CLOSE_REASONS, CloseCode
from ttt_protocol.messages import Goodbye
from ttt_protocol.state import Told
from ttt_server.outbox import Outbox, Waiting

_CODES: dict[int, CloseCode] = {code.value: code for code in CloseCode}


class Connections:
    """Who is connected, and how many were let in, in all and by address."""

    def __init__(self, limit: int, limit_per_address: int) -> None:
        self._limit = limit
        self._limit_per_address = limit_per_address
        self._by_address: Counter[str] = Counter()
        self._let_in: set[Peer] = set()
        self.peers: set[Peer] = set()

    def open(self, peer: "Peer") -> None:
        """From its first byte a peer is known, so that it can be cut off."""
        self.peers.add(peer)

    def let_in(self, peer: "Peer") -> bool:
        """Counts a peer that has said what it wants; false if there are too many."""
        by_address = self._by_address[peer.address]
        if self._by_address.total() >= self._limit or by_address >= self._limit_per_address:
            return False
        self._by_address[peer.address] = by_address + 1
        self._let_in.add(peer)
        return True

    def close(self, peer: "Peer") -> None:
        self.peers.remove(peer)
        if peer in self._let_in:
            self._let_in.remove(peer)
            self._by_address[peer.address] -= 1
        if not self._by_address[peer.address]:
            del self._by_address[peer.address]


class Peer(ServerConnection):
    """A connection that is written to, never waited for."""

    def __init__(
        self,
        protocol: ServerProtocol,
        server: Server,
        *,
        connections: Connections,
        outbox: int,
        send_timeout_s: float,
        **options: Any,
    ) -> None:
        super().__init__(protocol, server, **options)
        self.address = ""
        self._connections = connections
        self._outbox = Outbox(outbox)
        self._send_timeout_s = send_timeout_s
        self._deadline: TimerHandle | None = None
        self._say_goodbye_on_failure(protocol)

    @property
    def has_asked(self) -> bool:
        """Whether it has said what it wants; one that has not yet may be slow, or say nothing."""
        return self.request is not None

    def tell(self, message: Told) -> None:
        """Sends a message to this peer alone."""
        self.post(encode_message(message))

    def post(self, payload: bytes, *, is_state: bool = False) -> None:
        """Sends an encoded message, now or as soon as the peer reads; nothing to one that is gone.

        Args:
            payload: JSON.
            is_state: whether a later one makes it worthless.
        """
        if self.state is not State.OPEN:
            return
        if self.paused:
            self._outbox.put(Waiting(payload, is_state))
        else:
            self._write(payload)

    def dismiss(self, code: CloseCode, retry_after_s: float | None = None) -> None:
        """Says goodbye and closes; a peer that does not answer in time is cut off."""
        if self.state is not State.OPEN:
            return
        self._deadline = self._deadline or self.loop.call_later(self._send_timeout_s, self.cut)
        words = CLOSE_REASONS[code]
        self.tell(Goodbye(code=code, reason=words, retry_after_s=retry_after_s))
        self.protocol.send_close(code, words)
        self.send_data()

    def cut(self) -> None:
        """Ends the connection without a word: its peer does not read."""
        self.transport.abort()

    def connection_made(self, transport: BaseTransport) -> None:
        peer_name = transport.get_extra_info("peername")
        self.address = str(peer_name[0]) if peer_name else "local"
        self._connections.open(self)
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.close(self)
        self._disarm()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._deadline is None:
            self._deadline = self.loop.call_later(self._send_timeout_s, self.cut)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self.state is not State.OPEN:
            return  # it is being closed, and the deadline stands
        self._disarm()
        while self._outbox and not self.paused:
            self._write(self._outbox.take())

    def _disarm(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _write(self, payload: bytes) -> None:
        # As the library's broadcast() does, which needs no task and does not wait.
        self.protocol.send_text(payload)
        self.send_data()

    def _say_goodbye_on_failure(self, protocol: ServerProtocol) -> None:
        """Before the library closes for a frame that breaks the rules, the peer is told why."""
        fail = protocol.fail

        def goodbye_and_fail(code: int, reason: str = "") -> None:
            if protocol.state is State.OPEN and (known := _CODES.get(code)):
                words = CLOSE_REASONS[known]
                protocol.send_text(encode_message(Goodbye(code=code, reason=words)))
            fail(code, reason)

        protocol.fail = goodbye_and_fail  # type: ignore[method-assign]  # it has no other hook
