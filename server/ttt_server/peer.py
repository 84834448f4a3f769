"""One socket, as the library's connection and a little more: it can be told things without waiting.

The library's own `send` waits for a peer that does not read, and so do its keepalive and its
close. Here nobody waits for a peer: what cannot be written yet goes into a bounded outbox, and one
that takes nothing for `send_timeout_s` is cut off. Nor does anybody wait for one that sends without
end: little is read at once, and what comes is counted before it is understood.
"""

import logging
import struct
from asyncio import (
    BaseTransport,
    TimerHandle,
    Transport,
    get_running_loop,
)
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from socket import SO_LINGER, SOL_SOCKET
from time import time
from typing import Protocol as Interface
from typing import cast

from websockets.asyncio.connection import Connection
from websockets.asyncio.server import Server, ServerConnection
from websockets.http11 import Request, Response
from websockets.protocol import Event, State

from ttt_protocol.codec import encode_message
from ttt_protocol.codes import CLOSE_REASONS, CloseCode
from ttt_protocol.messages import Goodbye
from ttt_protocol.state import Told
from ttt_server.budget import Budget
from ttt_server.connections import Account, Connections
from ttt_server.deadlines import Deadlines
from ttt_server.frames import is_whole, short_close, short_text, text_frame
from ttt_server.heartbeat import Heartbeat
from ttt_server.http import LobbySocket, Rejected, RoomSocket, rejection
from ttt_server.outbox import Outbox, Waiting
from ttt_server.sips import Sips
from ttt_server.turned_away import turn_away
from ttt_server.upgrade import acceptance, read_upgrade
from ttt_server.wire import Wire
from ttt_server.writes import Writes

logger = logging.getLogger(__name__)

_END_OF_REQUEST = b"\r\n\r\n"
_READS_PER_FRAME = 10
"""A frame that comes byte by byte is read so often, at first; in the long run, twice."""

_UNHEARD_BYTES = 1 << 16
"""What a peer may say while it does not read: pings are answered below us, into the same buffer."""

_RESET = struct.pack("ii", 1, 0)
"""To linger, for no time."""


@dataclass(frozen=True, slots=True)
class PeerLimits:
    """What one peer may send, and how much it may leave unread."""

    max_frame: int
    """Bytes of a message."""
    frames_per_s: float
    """Pings and fragments are frames too."""
    frame_burst: int
    outbox: int
    """Messages."""
    send_timeout_s: float
    fast_lane: bool
    """Whether `open_lane` opens any."""


class House(Interface):
    """Who sees to the peers."""

    def admit(self, peer: "Peer", request: Request) -> Response | None:
        """What one who asks for a room's socket is answered if they may not have it."""

    def begin(self, peer: "Peer") -> None:
        """Speaks with one whose socket is open."""


class Talk(Interface):
    """What is said on a connection."""

    def hear(self) -> None:
        """There is something to `recv`, or a part of it."""

    def end(self) -> None:
        """The connection is gone."""


class Peer(ServerConnection):
    """A connection that is written to, never waited for."""

    # With these beside the library's own attributes, the dictionary of those stays small.
    __slots__ = (
        "_connections",
        "_deadline",
        "_heartbeat",
        "_house",
        "_is_being_read",
        "_is_half_closed",
        "_lane",
        "_may_take_lane",
        "_outbox",
        "_reads",
        "_send_timeout_s",
        "_silent",
        "_unheard",
        "_wire",
        "_writes",
        "account",
        "host",
        "is_dismissed",
        "is_proxied",
        "number",
        "talk",
        "wanted",
    )

    def __init__(
        self,
        server: Server,
        *,
        house: House,
        connections: Connections,
        silent: "Deadlines[Peer]",
        heartbeat: Heartbeat,
        writes: Writes,
        limits: PeerLimits,
    ) -> None:
        now = get_running_loop().time
        pace, burst = limits.frames_per_s, limits.frame_burst
        frames = Budget(pace, burst, now())
        wire = Wire(limits.max_frame, frames, now, on_fail=self._failed)
        # The pings are the heartbeat's.
        super().__init__(wire, server, ping_interval=None, close_timeout=limits.send_timeout_s)
        self.drain_waiters = []  # type: ignore[assignment]  # few: an empty deque takes 700 bytes
        self._wire = wire
        self.host = ""
        self.account: Account
        self.is_proxied = False
        self.is_dismissed = False
        """Whether it was told goodbye."""
        self.number = 0
        """Of all connections since the start, as the log names it."""
        self.wanted: RoomSocket | LobbySocket | None = None
        """What it asked for, if that is one, and it may have it."""
        self.talk: Talk | None = None
        """Told of what comes, from `begin` on; null again when the connection is gone."""
        self._house = house
        self._connections = connections
        self._silent = silent
        self._heartbeat = heartbeat
        self._writes = writes
        self._reads = Budget(2 * pace, _READS_PER_FRAME * burst, now())
        self._outbox = Outbox(limits.outbox)
        self._send_timeout_s = limits.send_timeout_s
        self._deadline: TimerHandle | None = None
        self._lane: Callable[[bytes], bool] | None = None
        self._may_take_lane = limits.fast_lane
        """Whether all that came so far was whole, too: no frame lacks a part."""
        self._is_half_closed = False
        """Whether its side of the connection has ended, and ours is still to be answered on."""
        self._is_being_read = False
        """Whether the library reads its request."""
        self._unheard = 0

    @property
    def has_more(self) -> bool:
        """Whether more of what it sent is here already."""
        return len(self.recv_messages.frames) > 0

    @property
    def has_asked(self) -> bool:
        """Whether it has said what it wants; one that has not yet may be slow, or say nothing."""
        return self.request is not None

    def open_lane(self, take: Callable[[bytes], bool]) -> None:
        """Offers the next short text to `take`, should it come alone and nothing before it.

        What `take` does not want, and all that is not just so, goes the common way, to `recv`.
        """
        if self._may_take_lane and self.state is State.OPEN:
            self._lane = take

    def tell(self, message: Told) -> None:
        """Sends a message to this peer alone."""
        self.post(text_frame(encode_message(message)))

    def post(self, frame: bytes, is_state: bool = False) -> None:
        """Sends a frame, now or as soon as the peer reads; nothing to one that is gone.

        Args:
            frame: with a whole message; it may be one for many peers.
            is_state: whether a later one makes it worthless.
        """
        if self._writes.waiting:
            self._writes.flush()  # nothing is overtaken
        if self._wire.state is not State.OPEN:
            return
        if self.paused:
            self._outbox.put(Waiting(frame, is_state))
        else:
            self.transport.write(frame)

    def post_soon(self, frame: bytes, is_state: bool = False) -> None:
        """The same, when this round of the loop is over, together with those of other peers."""
        self._writes.add(self, frame, is_state)

    def dismiss(self, code: CloseCode, retry_after_s: float | None = None) -> None:
        """Says goodbye and closes; a peer that does not answer in time is cut off."""
        if self.state is not State.OPEN:
            return
        self.is_dismissed = True
        self._lane = None
        self._give_time_to_go()
        words = CLOSE_REASONS[code]
        goodbye = Goodbye(code=code, reason=words, retry_after_s=retry_after_s)
        self._writes.flush()
        # Also to one that does not read: what is in its outbox is not sent any more, this is.
        self.transport.write(text_frame(encode_message(goodbye)))
        self.protocol.send_close(code, words)
        self.send_data()

    def cut(self) -> None:
        """Ends the connection with a reset: its peer does not read."""
        if self.transport.is_closing():
            return
        self._connections.cuts += 1
        # Without this the kernel would keep what it has not sent, and wait for the peer to read.
        self.transport.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_LINGER, _RESET)
        self.transport.abort()

    def give_up(self) -> None:
        """It has not asked for anything in time."""
        self.transport.abort()

    def begin(self) -> None:
        """The socket is open."""
        self._heartbeat.begin(self)
        self._house.begin(self)

    def forget_handshake(self) -> None:
        """Empties the headers of the request and of the answer, which the library keeps."""
        for said in (self.request, self.response):
            if said is not None:
                said.headers.clear()

    def ask(self) -> bool:
        """Asks for a sign of life; false if it is being closed anyway."""
        if self.state is not State.OPEN:
            return False
        self.protocol.send_ping(b"")
        self.send_data()
        return True

    def presume_dead(self) -> None:
        """Closes, as it gave no sign of life."""
        if self.state is State.OPEN:
            self._lane = None
            self._writes.flush()
            self._wire.presume_dead()
            self.send_data()

    def acknowledge_pings(self, data: bytes) -> None:  # noqa: ARG002 - it is asked one thing alone
        self._heartbeat.answered(self)

    async def close(self, code: int = CloseCode.BYE, reason: str = "") -> None:
        """As the library's, which goes a long way to find out that there is nobody any more."""
        if self.state is not State.CLOSED:
            await super().close(code, reason)

    def connection_made(self, transport: BaseTransport) -> None:
        peer_name = transport.get_extra_info("peername")
        self.host = str(peer_name[0]) if isinstance(peer_name, tuple) else ""
        if not self._connections.open(self):
            self.transport = cast("Transport", transport)
            turn_away(self.transport, partial(self._connections.close, self))
            return
        Connection.connection_made(self, transport)  # a server's begins a task at once
        self.recv_messages.resume = self._read_on
        self.transport.set_protocol(Sips(self))
        self._silent.add(self)

    def eof_received(self) -> bool | None:  # type: ignore[override]  # asyncio wants to know
        """True where there is still something to say: the answer to a request that has come whole.

        Who asks may end their side with that; the rest of the connection ends with the answer.
        """
        has_asked = self.has_asked and self.state is State.CONNECTING
        is_unanswered = has_asked and not self.protocol.eof_sent
        if is_unanswered and self.transport.can_write_eof():  # which TLS cannot
            self._is_half_closed = True
            return True
        super().eof_received()
        return None

    def send_data(self) -> None:
        super().send_data()
        if self._is_half_closed:
            self._is_half_closed = False
            super().eof_received()
            self._disarm()
            self._deadline = self.loop.call_later(self._send_timeout_s, self.transport.abort)
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.close(self)
        self._silent.discard(self)
        self._heartbeat.end(self)
        self._lane = None
        super().connection_lost(exc)
        self._disarm()
        if self.talk is not None:
            talk, self.talk = self.talk, None
            talk.end()
        self.recv_messages.resume = _nothing
        self._wire.let_go()

    def process_event(self, event: Event) -> None:
        if self.request is None:
            self._silent.discard(self)
        super().process_event(event)
        if self.talk is not None and self.has_more:
            self.talk.hear()

    def data_received(self, data: bytes) -> None:
        self._unheard += len(data) if self.paused else 0
        if self._unheard > _UNHEARD_BYTES:
            self.cut()
            return
        if self._lane is not None:
            text = short_text(data)
            if text is not None and self._lane(text):
                return
            self._lane = None  # nothing overtakes what goes the common way
        self._writes.flush()  # what is answered at once is not to overtake it
        asks = self.state is State.CONNECTING and self.request is None
        if self._may_take_lane:
            self._may_take_lane = _is_a_request(data) if asks else is_whole(data)
        if self._reads.spend(self.loop.time()):
            if asks and not self._is_being_read and self._open_at_once(data):
                return
            self._receive(data)
        elif self.protocol.state is State.CONNECTING:
            self.cut()
        else:
            self._wire.end_flood()
            self.send_data()

    def _receive(self, data: bytes) -> None:
        said = short_close(data) if self._may_take_lane and self.state is State.OPEN else None
        if said is None:
            super().data_received(data)
        else:
            self._wire.take_leave(said)
            self.send_data()
        if self.state is State.CLOSING:
            self._give_time_to_go()  # it said goodbye; the line is its own to end, but soon

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unheard = 0
        self._give_time_to_go()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self.state is not State.OPEN:
            return  # it is being closed, and the deadline stands
        self._disarm()
        while self._outbox and not self.paused:
            self.transport.write(self._outbox.take())

    def _open_at_once(self, data: bytes) -> bool:
        """Answers a request that is whole and usual; another is the library's, in a task."""
        request = read_upgrade(data)
        if request is None:
            self._is_being_read = True
            task = self.loop.create_task(self.server.handler(self))
            self.server.handler_tasks.add(task)
            return False
        self.request = request
        self._silent.discard(self)
        try:
            self._answer(request)
        except Exception:
            logger.exception("a connection could not be opened")
            self.cut()
        return True

    def _answer(self, request: Request) -> None:
        refusal = self._house.admit(self, request)
        if refusal is None and not self.server.is_serving():
            refusal = rejection(Rejected(HTTPStatus.SERVICE_UNAVAILABLE, "service unavailable"))
        if refusal is not None:
            self._wire.send_response(refusal)
            self.send_data()
            self._deadline = self.loop.call_later(self._send_timeout_s, self.transport.abort)
            return
        self.transport.write(acceptance(request, time()))
        self._wire.open()
        self.begin()

    def _read_on(self) -> None:
        if self.state is State.OPEN:
            self.transport.resume_reading()

    def _failed(self, code: int) -> None:
        self._give_time_to_go()
        if code == CloseCode.POLICY:  # what comes is read no more: to read it is the harm
            self.transport.pause_reading()

    def _give_time_to_go(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(self._send_timeout_s, self.cut)

    def _disarm(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def _is_a_request(data: bytes) -> bool:
    """Whether it ends where a request does, and has no part of a frame behind one."""
    return 0 <= data.find(_END_OF_REQUEST) == len(data) - len(_END_OF_REQUEST)


def _nothing() -> None:
    """Is read any more."""
