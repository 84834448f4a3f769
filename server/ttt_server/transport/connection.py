"""One connection: what comes is understood and handed on, and it can be told things.

Nobody waits for a peer, be it that it does not read (`Line`) or that it sends without end: little
is read at once, and what comes is counted before it is understood.

What is plain is understood here. The library's part is its protocol without a socket (`Wire`), and
is there as soon as anything else comes: most players never need it, and a connection without it
costs half as much.
"""

import logging
from asyncio import BaseTransport, Transport
from collections.abc import Callable, Sequence
from functools import partial
from time import time
from typing import ClassVar, cast
from typing import Protocol as Interface

from websockets.frames import Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import Event, State

from ttt_protocol.codec import encode_message
from ttt_protocol.codes import CLOSE_REASONS, CloseCode
from ttt_protocol.messages import Goodbye
from ttt_server.concurrency.deadlines import Deadlines
from ttt_server.endpoints.urls import LobbyUrl, RoomUrl
from ttt_server.limits.connections import AddressAccount, ConnectionTable
from ttt_server.limits.token_bucket import TokenBucket
from ttt_server.transport.broadcast import Broadcaster
from ttt_server.transport.frames import control, control_frame, is_whole, short_text, text_frame
from ttt_server.transport.handshake import acceptance, read_upgrade
from ttt_server.transport.keepalive import Keepalive
from ttt_server.transport.line import ConnectionLimits, Line
from ttt_server.transport.messages import MessageAssembler
from ttt_server.transport.protocol import Wire
from ttt_server.transport.turned_away import turn_away

logger = logging.getLogger(__name__)

_END_OF_REQUEST = b"\r\n\r\n"
_READS_PER_FRAME = 10
"""A frame that comes byte by byte is read so often, at first; in the long run, twice."""

_SIP = 4096
"""Bytes that are read at once: the loop's own reads may hold 40 000 frames."""

_UNWRITTEN_BYTES = 1 << 15
"""What waits in the transport before the outbox has to."""

_UNHEARD_BYTES = 1 << 16
"""What a peer may say while it does not read: pings are answered below us, into the same buffer."""

_MANY, _FEW = 16, 4
"""With so many messages that nobody has heard no more is read; and with so few again."""


class House(Interface):
    """Who sees to the peers."""

    def admit(self, peer: "Connection", request: Request) -> Response | None:
        """What one who asks for a room's socket is answered if they may not have it."""

    def attend(self, peer: "Connection", request: Request) -> None:
        """Sees to any other request, and has the peer `answer` it when that is done."""

    def begin(self, peer: "Connection") -> None:
        """Speaks with one whose socket is open."""


class Talk(Interface):
    """What is said on a connection."""

    def hear(self) -> None:
        """There is something to `take`."""

    def end(self) -> None:
        """The connection is gone."""


class Handler(Interface):
    """What an endpoint gives to a connection, to be told of what comes."""

    def on_message(self, text: bytes) -> None:
        """Take one text message; the next is delivered after `receive_next`."""

    def on_binary(self) -> None:
        """Take note that a binary message came."""

    def on_close(self) -> None:
        """Take note that the connection is gone. Called once."""


class Unheard(Exception):
    """What was said cannot be understood, and the connection is being closed for it."""


class Connection(Line):
    """Whoever is at the other end."""

    __slots__ = (
        "_delivery",
        "_frames",
        "_heartbeat",
        "_house",
        "_inbox",
        "_is_half_closed",
        "_lane",
        "_may_take_lane",
        "_reads",
        "_request",
        "_silent",
        "_unheard",
        "_wire",
        "account",
        "has_asked",
        "host",
        "is_dismissed",
        "is_proxied",
        "number",
        "talk",
        "wanted",
    )
    _buffer: ClassVar = memoryview(bytearray(_SIP))
    """One for all, as it is copied before anyone else is read."""

    def __init__(
        self,
        *,
        house: House,
        connections: ConnectionTable,
        silent: "Deadlines[Connection]",
        heartbeat: Keepalive,
        writes: Broadcaster,
        limits: ConnectionLimits,
    ) -> None:
        super().__init__(connections, writes, limits)
        self.host = ""
        self.account: AddressAccount
        self.is_proxied = False
        self.is_dismissed = False
        """Whether it was told goodbye."""
        self.has_asked = False
        """Whether it has said what it wants; one that has not yet may be slow, or say nothing."""
        self.number = 0
        """Of all connections since the start, as the log names it."""
        self.wanted: RoomUrl | LobbyUrl | None = None
        """What it asked for, if that is one, and it may have it."""
        self.talk: Talk | None = None
        """Told of what comes, once the socket is open; null again when the connection is gone."""
        self._house = house
        self._silent = silent
        self._heartbeat = heartbeat
        pace, burst, now = limits.frames_per_s, limits.frame_burst, self.loop.time()
        self._frames = TokenBucket(pace, burst, now)
        self._reads = TokenBucket(2 * pace, _READS_PER_FRAME * burst, now)
        self._inbox = MessageAssembler()
        self._wire: Wire | None = None
        """The library's side of it, once there is one."""
        self._request: Request | None = None
        """What it wants, until it is answered."""
        self._lane: Callable[[bytes], bool] | None = None
        self._may_take_lane = True
        """Whether all that came so far was whole, too: no frame lacks a part."""
        self._is_half_closed = False
        """Whether its side of the connection has ended, and ours is still to be answered on."""
        self._delivery: _Delivery
        self._unheard = 0
        """Bytes that came since it stopped to read."""

    def ask(self) -> bool:
        """Asks for a sign of life; false if it is being closed anyway."""
        if self.state is not State.OPEN:
            return False
        self.transport.write(control_frame(Opcode.PING))
        return True

    # What it says

    @property
    def has_more(self) -> bool:
        """Whether more of what it said is here already."""
        return len(self._inbox) > 0

    def take(self) -> str | bytes:
        """The first message that nobody has heard: a text, or binary data.

        Raises:
            IndexError: if there is none.
            Unheard: for a text that is none; the connection is being closed.
        """
        if len(self._inbox) == _FEW + 1 and self.state is State.OPEN:
            self.transport.resume_reading()
        try:
            return self._inbox.take()
        except UnicodeDecodeError as error:
            if self.state is State.OPEN:
                words = f"{error.reason} at position {error.start}"
                self._library().fail(CloseCode.NOT_UTF8, words)
                self._say()
            raise Unheard from None

    def attach(self, handler: Handler) -> None:
        """Deliver the messages to `handler` from now on."""
        self._delivery = self.talk = delivery = _Delivery(self, handler)
        delivery.next()

    def receive_next(self) -> None:
        """The handler has dealt with the last message: deliver the next when it is there."""
        self._delivery.next()

    def open_lane(self, take: Callable[[bytes], bool]) -> None:
        """Offers the next short text to `take`, should it come alone and nothing before it.

        What `take` does not want, and all that is not just so, goes the common way, to `talk`.
        """
        if self._may_take_lane and self.state is State.OPEN:
            self._lane = take

    def answer(self, response: Response | None) -> None:
        """Answers the request that the house attended to; null opens the socket it is for."""
        request, self._request = self._request, None
        if request is None or self.state is not State.CONNECTING:
            return  # it went meanwhile
        if not self._is_done:  # else it was told that what came behind its request makes no sense
            wire = self._library()
            wire.send_response(wire.accept(request) if response is None else response)
            self._say()
            if wire.state is State.OPEN and not self._is_half_closed:
                self._begin()
                return
        self._end_soon()

    # How it is let go

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
        self._library().send_close(code, words)
        self._say()
        self.transport.resume_reading()  # its own close may stand behind what waits to be heard

    def presume_dead(self) -> None:
        """Closes, as it gave no sign of life."""
        if self.state is State.OPEN:
            self._lane = None
            self._library().presume_dead()
            self._say()

    # What the loop calls

    def connection_made(self, transport: BaseTransport) -> None:
        self.transport = cast("Transport", transport)
        peer_name = transport.get_extra_info("peername")
        self.host = str(peer_name[0]) if isinstance(peer_name, tuple) else ""
        if not self._connections.open(self):
            turn_away(self.transport, partial(self._connections.close, self))
            return
        self.transport.set_write_buffer_limits(_UNWRITTEN_BYTES)
        self._silent.add(self)

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - never more at once
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        self.data_received(self._buffer[:nbytes].tobytes())

    def data_received(self, data: bytes) -> None:
        """Takes what came, in whatever pieces."""
        if self._is_paused:
            self._unheard += len(data)
            if self._unheard > _UNHEARD_BYTES:
                self.cut()
                return
        lane = self._lane
        if lane is not None:
            text = short_text(data)
            if text is not None and lane(text):
                return
            self._lane = None  # nothing overtakes what goes the common way
        self._writes.flush()  # what is answered at once is not to overtake it
        if not self._reads.spend(self.loop.time()):
            self._end_flood()
        elif self._heed(data):
            if lane is not None and self.state is State.OPEN:
                self._lane = lane  # nothing goes there
        else:
            self._receive(data)

    def eof_received(self) -> bool:
        """True where there is still something to say: the answer to a request that has come whole.

        Who asks may end their side with that; the rest of the connection ends with the answer.
        """
        is_unanswered = self._request is not None and self.state is State.CONNECTING
        if is_unanswered and self.transport.can_write_eof():  # which TLS cannot
            self._is_half_closed = True
            return True
        if self._wire is not None:
            self._wire.receive_eof()
            self._say()
        else:
            self._end_output()
            self.state = State.CLOSED
        self._give_time_to_go()  # what it does not read of what was said keeps the line open
        return False

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unheard = 0

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - whatever it was
        self._connections.close(self)
        if not self.has_asked:
            self._silent.discard(self)
        self._heartbeat.end(self)
        self._lane = None
        if self._wire is not None:
            self._wire.let_go()
        self.state = State.CLOSED
        self._disarm()
        if self.talk is not None:
            talk, self.talk = self.talk, None
            talk.end()

    # How it is read

    def _heed(self, data: bytes) -> bool:
        """Does all that there is to do about what is plain, and nothing about the rest: false."""
        if self.state is State.CONNECTING:
            return self._wire is None and (self.has_asked or self._open_at_once(data))
        if self.state is not State.OPEN:
            return self._wire is None  # it said goodbye, and is not heard any more
        said = control(data) if self._may_take_lane else None
        if said is None or (said[0] is Opcode.CLOSE and self._wire is not None):
            return False
        if self._frames.spend(self.loop.time()):
            self._react(*said)
        else:
            self._end_flood()
        return True

    def _react(self, kind: Opcode, payload: bytes) -> None:
        """To a control frame."""
        if kind is Opcode.PONG:
            self._heartbeat.answered(self)
        elif kind is Opcode.PING:
            self.transport.write(control_frame(Opcode.PONG, payload))
        else:
            self.transport.write(control_frame(Opcode.CLOSE, payload))
            self.state = State.CLOSING
            self._end_output()
            self._give_time_to_go()  # the line is its own to end, but soon

    def _receive(self, data: bytes) -> None:
        """Leaves it to the library."""
        if self._may_take_lane:
            asks = self.state is State.CONNECTING and not self.has_asked
            self._may_take_lane = _is_a_request(data) if asks else is_whole(data)
        is_heard = self.state is not State.CLOSING  # else it is read for the close behind it alone
        wire = self._library()
        wire.receive_data(data)
        events = wire.events_received()
        self._say()
        if self.state is State.CLOSING:
            self._give_time_to_go()
        if is_heard:
            self._follow(events)

    def _follow(self, events: Sequence[Event]) -> None:
        for event in events:
            if isinstance(event, Request):
                self._request = event
                self._asked()
                self._house.attend(self, event)
            else:
                self._sort(cast("Frame", event))  # a server is sent nothing else
        if len(self._inbox) > _MANY and self.state is State.OPEN:
            self.transport.pause_reading()
        if self.talk is not None and self.has_more:
            self.talk.hear()

    def _sort(self, frame: Frame) -> None:
        if frame.opcode is Opcode.PONG:
            self._heartbeat.answered(self)
        elif frame.opcode in _OF_A_MESSAGE:
            self._inbox.put(frame)

    def _end_flood(self) -> None:
        if self.state is State.CONNECTING:
            self.cut()
        elif self.state is State.OPEN:
            self._library().end_flood()
            self._say()
        else:
            self._failed(CloseCode.POLICY)

    # How it is answered

    def _open_at_once(self, data: bytes) -> bool:
        """Answers a request that is whole and usual."""
        upgrade = read_upgrade(data)
        if upgrade is None:
            return False
        self._asked()
        try:
            refusal = self._house.admit(self, upgrade.request)
            if refusal is None:
                self.transport.write(acceptance(upgrade, time()))
                self._begin()
            else:
                self.transport.write(refusal.serialize())
                self._end_output()
                self._end_soon()
        except Exception:
            logger.exception("a connection could not be opened")
            self.cut()
        return True

    def _asked(self) -> None:
        self.has_asked = True
        self._silent.discard(self)

    def _begin(self) -> None:
        """The socket is open."""
        self.state = State.OPEN
        self._heartbeat.begin(self)
        self._house.begin(self)

    def _end_soon(self) -> None:
        """A plain answer was given: the peer may read it, and that is all."""
        if self._is_half_closed:
            self.transport.close()
        self._disarm()
        self._deadline = self.loop.call_later(self._limits.send_timeout_s, self.transport.abort)

    def _library(self) -> Wire:
        """The library's side of it, from where the connection stands."""
        if self._wire is None:
            most, now = self._limits.max_frame, self.loop.time
            self._wire = Wire(most, self._frames, now, on_fail=self._failed)
            if self.state is State.OPEN:
                self._wire.open()
        return self._wire

    def _say(self) -> None:
        """Writes what the library has to say; what was posted is not overtaken."""
        self._writes.flush()
        wire = self._library()
        for data in wire.data_to_send():
            if data:
                self.transport.write(data)
            else:
                self._end_output()
        self.state = wire.state

    def _failed(self, code: int) -> None:
        """It is being closed. One who floods is not read any more, as to read it is the harm."""
        self._give_time_to_go()
        if code == CloseCode.POLICY:
            self.transport.pause_reading()
        else:
            self.transport.resume_reading()


class _Delivery:
    """Delivers messages to a handler, one at a time."""

    __slots__ = ("_connection", "_handler", "_has_ended", "_is_free")

    def __init__(self, connection: Connection, handler: Handler) -> None:
        self._connection = connection
        self._handler = handler
        self._is_free = False
        self._has_ended = False

    def next(self) -> None:
        if self._connection.has_more:
            # Between two messages that came together others are heard.
            self._connection.loop.call_soon(self._deliver)
        elif not self._has_ended:
            self._is_free = True
            if not self._connection.is_dismissed:
                self._connection.open_lane(self._take)

    def hear(self) -> None:
        if self._is_free and self._connection.has_more:
            self._is_free = False
            self._deliver()

    def end(self) -> None:
        self._has_ended = True
        if not self._connection.has_more or self._connection.is_dismissed:
            self._handler.on_close()

    def _take(self, text: bytes) -> bool:
        if not self._is_free:
            return False
        try:
            text.decode()
        except UnicodeDecodeError:
            return False
        self._is_free = False
        self._handler.on_message(text)
        return True

    def _deliver(self) -> None:
        if self._connection.is_dismissed:
            return
        try:
            raw = self._connection.take()
        except Unheard:
            if self._has_ended:
                self._handler.on_close()
            return
        if isinstance(raw, bytes):
            self._handler.on_binary()
        else:
            self._handler.on_message(raw.encode())
        if self._has_ended and not self._connection.has_more:
            self._handler.on_close()


_OF_A_MESSAGE = Opcode.TEXT, Opcode.BINARY, Opcode.CONT


def _is_a_request(data: bytes) -> bool:
    """Whether it ends where a request does, and has no part of a frame behind one."""
    return 0 <= data.find(_END_OF_REQUEST) == len(data) - len(_END_OF_REQUEST)
