"""A client's connection: HTTP requests, then perhaps a WebSocket, over one asyncio transport.

`states` lists the states. The library's protocol, in `websocket`, reads requests and unusual
frames; whole messages of an open WebSocket are parsed here, with `frames`.

Nothing waits for a client. A frame that cannot be written yet goes to a bounded queue, and a client
that reads nothing for `send_timeout_s` is cut. While many messages of a client wait for the
handler, no more are read.
"""

import logging
import struct
from asyncio import BaseTransport, Transport, get_running_loop
from asyncio import Protocol as AsyncioProtocol
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from socket import SO_LINGER, SOL_SOCKET
from typing import Protocol, cast

from websockets.frames import Opcode
from websockets.http11 import Request, Response
from websockets.protocol import State as LibraryState

from ttt_protocol.base import FromServer
from ttt_protocol.codec import encode_message
from ttt_protocol.codes import CLOSE_REASONS, CloseCode
from ttt_server.concurrency.deadlines import Deadlines
from ttt_server.concurrency.guard import run_guarded
from ttt_server.limits.connections import ConnectionLimits, ConnectionTable
from ttt_server.limits.rates import AddressAccount, TokenBucket
from ttt_server.transport import responses, states
from ttt_server.transport.frames import (
    SHORT_TEXTS,
    Broadcaster,
    control_frame,
    parse_frames,
    text_frame,
    unmask,
)
from ttt_server.transport.keepalive import Keepalive
from ttt_server.transport.send_queue import SendQueue
from ttt_server.transport.states import TRANSITIONS, State
from ttt_server.transport.websocket import WebSocketProtocol, read_opening

logger = logging.getLogger(__name__)

TOO_MANY = "too many messages came at once; try again in ten seconds"
"""Why a flood is ended."""

_READ_BYTES = 4096
"""Bytes to parse at once: one read of the loop may hold 40 000 frames."""

_UNREAD_BYTES = 1 << 16
"""Bytes that a client may send while it does not read: answers to its pings pile up, too."""

_UNWRITTEN_BYTES = 1 << 15
"""Bytes buffered in the asyncio transport before the send queue is used."""

_AT_ONCE = 1 << 15
"""Bytes of a plain answer to write at once."""

_NOTHING = memoryview(b"")

MOST_BEHIND = 1 << 14
"""Bytes that may follow a request before its answer; more are a flood."""

_MANY, _FEW = 16, 4
"""Messages waiting for the handler. Above `_MANY` reading stops; at `_FEW` it resumes."""

_READS_PER_FRAME = 10
"""Reads allowed for each frame of the burst, as a frame may arrive byte by byte. In the long run
there may be two reads for each frame."""

_RESET = struct.pack("ii", 1, 0)
"""`SO_LINGER` of zero: the kernel drops what it has not sent."""

_TLS_HANDSHAKE = 0x16
"""The first byte of a client that speaks TLS (RFC 8446, section 5.1)."""
_TLS_ALERT = b"\x15\x03\x01\x00\x02\x02\x28"
"""A fatal `handshake_failure` (section 6): browsers show an error at once."""

_TEXT, _BINARY, _PING, _PONG = Opcode.TEXT, Opcode.BINARY, Opcode.PING, Opcode.PONG
_CLOSE = Opcode.CLOSE

_TURNED_AWAY = responses.HttpError(503, "too many connections")
_NO_PONG = "there was no answer to a ping"

_UNANSWERED = {states.READING_REQUEST, states.ANSWERING, states.HALF_CLOSED}
_DISCARDING = {states.ANSWERED, states.CLOSING, states.FLOODED, states.CLOSED}
_ENDING = {states.ANSWERED, states.CLOSE_SENT, states.CLOSING}
"""The last answer or the close was sent."""
_OVER = {states.CLOSE_SENT, states.CLOSING, states.FLOODED, states.CLOSED}
"""For the handler the WebSocket is closed: no message arrives, and none is sent."""
_WITHOUT_WEBSOCKET = {states.READING_REQUEST, states.ANSWERING, states.ANSWERED, states.IDLE}


class Handler(Protocol):
    """An endpoint, as seen by its connection."""

    def on_message(self, text: bytes) -> None:
        """Take one text message. The next one comes after `Connection.receive_next`."""

    def on_binary(self) -> None:
        """Take note of a binary message, in place of a text message."""

    def on_close(self) -> None:
        """Take note that the WebSocket is closed and no message is left. Called once."""


@dataclass(eq=False, slots=True)
class ConnectionContext:
    """What all connections share."""

    on_request: "Callable[[Connection, Request], None]"
    """Called with each request. It calls `Connection.accept` or `answer`, now or later."""
    table: "ConnectionTable[Connection]"
    silent: "Deadlines[Connection]"
    """Connections that have not sent a request yet."""
    idle: "Deadlines[Connection]"
    """Connections that were answered and may send another request."""
    unread: "Deadlines[Connection]"
    """Connections whose clients do not read, or have to go."""
    keepalive: "Keepalive[Connection]"
    """Connections with a WebSocket."""
    broadcaster: Broadcaster
    limits: ConnectionLimits
    warnings: TokenBucket = field(default_factory=lambda: TokenBucket(1 / 60, 1, 0))
    """Limits the log lines about clients that speak TLS to a plain port."""


class Connection(AsyncioProtocol):
    """The connection of one client, from its first byte to its last."""

    __slots__ = (
        "_acceptance",
        "_closes_after_answer",
        "_context",
        "_fault",
        "_frames",
        "_give_up",
        "_handler",
        "_is_last",
        "_library",
        "_reads",
        "_received",
        "_request",
        "_rest",
        "_send_queue",
        "_stop_diversion",
        "_transport",
        "_unparsed",
        "_unread",
        "_waiting",
        "account",
        "host",
        "is_behind",
        "is_dismissed",
        "loop",
        "number",
        "state",
    )

    def __init__(self, context: ConnectionContext) -> None:
        """Expect `connection_made`."""
        limits = context.limits
        self.loop = get_running_loop()
        now = self.loop.time()
        self.state = states.READING_REQUEST
        self.host = ""
        """The address of the peer; empty if it has none."""
        self.number = 0
        """The number in the log: connections are counted since the start."""
        self.account: AddressAccount
        """The account of the client's address."""
        self.is_dismissed = False
        """Whether `dismiss` said goodbye: no more messages are delivered."""
        self._context = context
        self._transport: Transport
        self._library: WebSocketProtocol | None = None
        """The library's protocol; `None` between requests and until an unusual frame arrives."""
        self._frames = TokenBucket(limits.frames_per_s, limits.frame_burst, now)
        reads = _READS_PER_FRAME * limits.frame_burst
        self._reads = TokenBucket(2 * limits.frames_per_s, reads, now)
        self._request: Request | None = None
        """The request to answer."""
        self._acceptance = b""
        """The answer that opens its WebSocket, unless the library read the request."""
        self._is_last = False
        """Whether no request may follow the current one."""
        self._unparsed = b""
        """Bytes to parse once the request is answered, or once fewer messages wait."""
        self._fault: tuple[int, str] | None = None
        """The code and reason of a fault to report once the messages before it are answered. Input
        after it is discarded."""
        self._handler: Handler | None = None
        """`None` before the WebSocket is open and after `on_close`."""
        self._received: list[bytes | None] = []
        """Texts waiting for the handler; `None` stands for a binary message."""
        self._waiting: Handler | None = None
        """The handler, while it waits for the next message."""
        self._send_queue: SendQueue | None = None
        """Messages waiting for the client; `None` until the first one has to wait."""
        self.is_behind = False
        """Whether the client does not read what it is sent: the transport's buffer is full."""
        self._rest = _NOTHING
        """What is still to be written of a plain answer, as the client reads."""
        self._closes_after_answer = False
        self._unread = 0
        """Bytes received since the client stopped reading."""
        self._give_up: Callable[[], object] | None = None
        self._stop_diversion: Callable[[], bool] | None = None
        """Ends a diversion of the bytes; `None` if there is none."""

    # The request

    def let_in(self, forwarded_for: Iterable[str], *, relayed_for: str | None = None) -> bool:
        """Count this connection, which has sent its request; return False if there are too many.

        Args:
            forwarded_for: the request's headers `X-Forwarded-For`, in order.
            relayed_for: the address of the client, if another server relays it; empty for that
                server's own connections.
        """
        table = self._context.table
        account = table.let_in(self, self.host, forwarded_for, relayed_for=relayed_for)
        if account is None:
            return False
        self.account = account
        return True

    def accept(self) -> bool:
        """Open the requested WebSocket, or refuse it; return whether it is open."""
        request, library, acceptance = self._request, self._library, self._acceptance
        if self.state not in _UNANSWERED or request is None:
            return False
        if library is not None:
            response = library.accept(request)
            if response.status_code != HTTPStatus.SWITCHING_PROTOCOLS:
                self.answer(response)
                return False
            acceptance = response.serialize()
        if self.state is states.HALF_CLOSED:
            self._answer_last(acceptance)
            self._transport.close()
            return False
        self._forget_request()
        self._enter(states.OPEN)
        self._transport.write(acceptance)
        return True

    def on_departure(self, give_up: Callable[[], object]) -> None:
        """Call `give_up` if the client leaves, or ends its side, before the answer."""
        self._give_up = give_up

    def answer(self, response: Response) -> None:
        """Answer the request without a WebSocket. Another request may follow, if all agree."""
        self._give_up = None
        if self.state not in _UNANSWERED:
            return
        if self._transport.get_extra_info("sslcontext"):
            response.headers["Strict-Transport-Security"] = responses.TLS_ONLY
        is_half_closed = self.state is states.HALF_CLOSED
        may_keep = (
            self.state is states.ANSWERING
            and not self._is_last
            and response.headers.get("Connection") != "close"
            and self._context.table.may_rest(self)
        )
        self._forget_request()
        if may_keep:
            self._enter(states.IDLE)
            self._write_answer(response)
            return
        responses.end_connection(response)
        self._enter(states.ANSWERED)
        self._closes_after_answer = is_half_closed
        self._write_answer(response)
        if not self._rest:
            self._end_answer()

    def _write_answer(self, response: Response) -> None:
        """Write an answer; of a long one only as much as the client reads."""
        body, response.body = response.body, b""
        self._transport.write(response.serialize() + body[:_AT_ONCE])
        self._rest = memoryview(body)[_AT_ONCE:]
        self._write_rest()

    def _write_rest(self) -> None:
        while self._rest and not self.is_behind:
            chunk, self._rest = self._rest[:_AT_ONCE], self._rest[_AT_ONCE:]
            self._transport.write(bytes(chunk))

    def _end_answer(self) -> None:
        """End the output after the last answer."""
        self._end_output()
        if self._closes_after_answer:
            self._transport.close()

    def end_idle(self) -> None:
        """Close a connection that sent no further request, once the client has read its answer."""
        if self._rest or self._transport.get_write_buffer_size():
            self._context.idle.add(self)  # it is still being read, within `send_timeout_s`
        else:
            self._end_requests()

    def divert(self, protocol: AsyncioProtocol, stop: Callable[[], bool]) -> Transport:
        """Hand the bytes of the open WebSocket to another protocol.

        Args:
            protocol: has to call `connection_lost` of this connection at the end.
            stop: called when this connection takes its bytes back to say goodbye. It returns
                False if a frame to the client was only written in part.

        Returns:
            The transport that writes to the client.
        """
        self._context.keepalive.end(self)
        self._stop_diversion = stop
        self._transport.set_protocol(protocol)
        if self._unparsed:  # arrived behind the request
            self.loop.call_soon(protocol.data_received, self._unparsed)
            self._unparsed = b""
        return self._transport

    def take_back(self, data: bytes) -> None:
        """Read the client's bytes again; `data` arrived meanwhile."""
        self._stop_diversion = None
        self._transport.set_protocol(self)
        if self.state is states.OPEN:
            self._context.keepalive.begin(self)
            if data:
                self.data_received(data)

    # Messages from the client

    def attach(self, handler: Handler) -> None:
        """Deliver messages to `handler` from now on."""
        self._handler = handler
        self.receive_next()

    def receive_next(self) -> None:
        """Deliver the next message as soon as there is one: the handler is done with the last."""
        if self._received:
            self.loop.call_soon(self._deliver)  # others have their turn between two messages
        else:
            self._waiting = self._handler
            if self._fault is not None:
                self.loop.call_soon(self._tell_fault)

    # Messages to the client

    def tell(self, message: FromServer) -> None:
        """Send one message to this client only."""
        self.send(encode_message(message))

    def send(self, *payloads: bytes, is_state: bool = False) -> None:
        """Send text messages in one write, after everything broadcast so far.

        Args:
            payloads: each message, in UTF-8.
            is_state: whether a later message with `is_state` makes this one obsolete.
        """
        self._context.broadcaster.flush()
        self.write_frame(b"".join(map(text_frame, payloads)), is_state)

    def write_frame(self, frame: bytes, is_state: bool) -> None:
        """Write a frame, now or when the client reads. Do nothing unless the WebSocket is open."""
        if self.state is not states.OPEN:
            return
        if self.is_behind:
            if self._send_queue is None:
                self._send_queue = SendQueue(self._context.limits.outbox)
            self._send_queue.put(frame, is_state=is_state)
        else:
            self._transport.write(frame)

    def ping(self) -> bool:
        """Send a ping; return False if the WebSocket is not open."""
        if self.state is not states.OPEN:
            return False
        self._transport.write(control_frame(_PING))
        return True

    # How it ends

    def dismiss(self, code: CloseCode, retry_after_s: float | None = None, words: str = "") -> None:
        """Say goodbye, in `words` or those of the code, and close. Deliver no more messages.

        A client that does not leave in time is cut; one without a request is cut at once. A plain
        request still gets its answer.
        """
        self._context.broadcaster.flush()
        self._received.clear()
        if self._stop_diversion is not None:
            is_whole = self._stop_diversion()
            self.take_back(b"")
            if not is_whole:
                self.cut()
                return
        if self.state is states.READING_REQUEST:
            self.cut()
        elif self.state is states.OPEN:
            self.is_dismissed = True
            if self._fault is not None:
                self._tell_fault()
                return
            library = self._library_from_here()
            library.say_goodbye(code, words or CLOSE_REASONS[code], retry_after_s)
            self._enter(states.CLOSE_SENT)
            self._write_output(library)  # past the send queue: a slow client gets the goodbye
        else:
            self._end_requests()
            self.loop.call_soon(self._tell_end)  # as no message is left

    def presume_dead(self) -> None:
        """Close without waiting for an answer: the client gave no sign of life."""
        if self.state is states.OPEN:
            self._fail(CloseCode.SERVER_FAULT, _NO_PONG, goodbye=_NO_PONG)
            self._transport.close()

    def cut(self) -> None:
        """Reset the connection: the client does not read."""
        if self._transport.is_closing() and not self._transport.get_write_buffer_size():
            return
        self._context.table.note_cut()
        # Otherwise the kernel would keep what it has not sent and wait for the client to read.
        self._transport.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_LINGER, _RESET)
        self._transport.abort()

    def give_up(self) -> None:
        """Drop a client that did not send its request in time."""
        self._transport.abort()

    def end_unread(self) -> None:
        """Drop a client that does not read, or does not leave."""
        if self.state in {states.ANSWERED, states.IDLE}:
            self._transport.abort()  # it need not read the whole answer
        else:
            self.cut()

    # Callbacks of the loop

    def connection_made(self, transport: BaseTransport) -> None:
        self._transport = cast("Transport", transport)
        peer_name = transport.get_extra_info("peername")
        self.host = str(peer_name[0]) if isinstance(peer_name, tuple) else ""
        account = self._context.table.open(self, self.host)
        self.number = self._context.table.opened
        if account is None:
            self.answer(responses.error_response(_TURNED_AWAY))  # whatever it asks for
            self._transport.close()
            return
        self.account = account
        self._transport.set_write_buffer_limits(_UNWRITTEN_BYTES)
        self._context.silent.add(self)

    def data_received(self, data: bytes) -> None:
        """Take bytes in, in whatever pieces they come."""
        if (
            (handler := self._waiting) is not None  # no other message comes first
            and (header := SHORT_TEXTS.get(len(data))) is not None
            and data.startswith(header)  # one short text, as in nearly every read
            and self.state is states.OPEN
            and self._library is None
            and not (self._unparsed or self.is_behind or self._fault)
            and (text := unmask(data[6:], data[2:6])).isascii()
            and self._frames.spend(self.loop.time())
        ):
            self._waiting = None
            try:
                handler.on_message(text)
            except Exception as error:  # noqa: BLE001 - a bug of the endpoint ends its connection
                self._end_on(error)
        elif self.state is not states.ANSWERING and (self._unparsed or len(data) > _READ_BYTES):
            self._unparsed += data
            self._parse_on()
        else:
            self._parse(data)

    def eof_received(self) -> bool:
        """Return True to keep the connection for the answer to a request."""
        self._context.broadcaster.flush()
        # TLS has no half of a connection that goes on.
        if (
            self.state is states.ANSWERING
            and self._give_up is None
            and self._transport.can_write_eof()
        ):
            self._enter(states.HALF_CLOSED)
            return True
        if self.state is states.READING_REQUEST and self._library is not None:
            self._answer_last(self._library.refusal())
        elif self._give_up is None and self.state not in _DISCARDING:
            self._end_output()
        self._await_reading()
        self._enter(states.CLOSED)
        return False

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - for any reason
        context = self._context
        context.table.close(self)
        context.silent.discard(self)
        context.idle.discard(self)
        context.keepalive.end(self)
        context.unread.discard(self)
        self.state = states.CLOSED
        self._rest = _NOTHING
        if self._library is not None:
            self._library.let_go()
        if self._give_up is not None:
            self._give_up()
        self._tell_end()

    def pause_writing(self) -> None:
        self.is_behind = True
        self._unread = 0
        self._await_reading()
        if self.state is states.IDLE:
            self._transport.pause_reading()  # the next request waits for the client to read

    def resume_writing(self) -> None:
        self.is_behind = False
        if self._rest:
            self._write_rest()
            if self._rest:
                return
            if self.state is states.ANSWERED:
                self._end_answer()
            if self.is_behind:
                return
        if self.state not in {states.OPEN, states.IDLE}:
            return  # closing: the deadline stays
        self._context.unread.discard(self)
        while self._send_queue and not self.is_behind:
            self._transport.write(self._send_queue.take())
        if self.state is states.IDLE:
            self._transport.resume_reading()
            self._parse_on()

    # How input is read

    def _parse_on(self) -> None:
        """Parse pending bytes in pieces, while neither a request nor the handler holds them up."""
        while self._unparsed and self._may_parse():
            data, self._unparsed = self._unparsed[:_READ_BYTES], self._unparsed[_READ_BYTES:]
            self._parse(data)

    def _may_parse(self) -> bool:
        if self.state is states.OPEN:
            return len(self._received) <= _MANY
        if self.state is states.IDLE:
            return not self.is_behind
        return self.state not in {states.ANSWERING, states.HALF_CLOSED}

    def _parse(self, data: bytes) -> None:
        if self.is_behind:
            self._unread += len(data)
            if self._unread > _UNREAD_BYTES:
                self.cut()
                return
        self._context.broadcaster.flush()  # before an answer or a close
        now = self.loop.time()
        if self.state is states.OPEN and self._library is None and self._fault is None:
            frames = parse_frames(data, self._context.limits.max_frame)
            if frames is not None:
                self._read_frames(frames, now)
                self._hand_on()
                return
        if not self._reads.spend(now):
            self._end_flood()
        elif self.state is states.ANSWERING:
            self._unparsed += data
            self._limit_unparsed()
        elif self.state is states.READING_REQUEST or self.state is states.IDLE:
            self._read_request(data)
        elif self.state not in _DISCARDING and self._fault is None:
            self._read_unusual(data, now)
            self._hand_on()

    def _read_request(self, data: bytes) -> None:
        if self.state is states.IDLE:
            data = data.lstrip(b"\r\n")  # RFC 9112, section 2.2
            if not data:
                return
            self._reads.fill()  # each request may have as many as the first
            self._enter(states.READING_REQUEST)
        if self._library is None:
            if data[0] == _TLS_HANDSHAKE and not self._transport.get_extra_info("sslcontext"):
                self._refuse_tls()
                return
            if (opening := read_opening(data)) is not None:
                self._acceptance = opening.acceptance
                self._take_request(opening.request)
                return
            self._library = WebSocketProtocol(self._context.limits.max_frame, self._frames)
        request, behind = self._library.read_request(data)
        if request is not None:
            self._unparsed = behind + self._unparsed
            self._take_request(request)
        elif self._library.eof_sent:
            self._answer_last(self._library.refusal())

    def _take_request(self, request: Request) -> None:
        self._request = request
        self._is_last = self._is_last or not responses.may_follow(request)
        self._enter(states.ANSWERING)
        if self._limit_unparsed():
            self._end_on(run_guarded(self._context.on_request, self, request))

    def _limit_unparsed(self) -> bool:
        """Return False, and end the connection, if too much followed a request."""
        if len(self._unparsed) <= MOST_BEHIND:
            return True
        self._end_flood()
        return False

    def _refuse_tls(self) -> None:
        """Answer a client that speaks TLS to a plain port with an alert."""
        if self._context.warnings.spend(self.loop.time()):
            words = "TLS on the plain port, from %s: use http:// or ws://, or set --tls-cert"
            logger.warning(words, self.host)
        self._answer_last(_TLS_ALERT)

    def _read_frames(self, frames: Sequence[tuple[Opcode, bytes]], now: float) -> None:
        for kind, payload in frames:
            if not self._frames.spend(now):
                self._end_flood()
            elif kind is _PING:
                self._transport.write(control_frame(_PONG, payload))
            elif kind is _CLOSE:
                self._enter(states.CLOSING)
                self._transport.write(control_frame(_CLOSE, payload))
                self._end_output()
            else:
                self._take(kind, payload)
            if self._fault is not None or self.state is not states.OPEN:
                break

    def _read_unusual(self, data: bytes, now: float) -> None:
        """Let the library read frames."""
        library = self._library_from_here()
        for kind, payload in library.receive(data, now):
            if self.state is states.OPEN and self._fault is None:
                self._take(kind, payload)
        if library.is_flooded:
            self._end_flood()
        elif library.eof_sent:
            self._enter(states.CLOSING)
        elif self._fault is None:
            self._fault = library.fault
        self._write_output(library)

    def _take(self, kind: Opcode, payload: bytes) -> None:
        if kind is _PONG:
            self._context.keepalive.answered(self)
        elif kind is _BINARY:
            self._received.append(None)
        else:
            if not payload.isascii():
                try:
                    payload.decode()
                except UnicodeDecodeError as error:
                    reason = f"{error.reason} at position {error.start}"
                    self._fault = CloseCode.NOT_UTF8, reason
                    return
            self._received.append(payload)

    def _hand_on(self) -> None:
        """Deliver a message if the handler waits for one; stop reading if many messages wait."""
        if self._received and self._waiting is not None:
            self._deliver()
        elif not self._received and (self._waiting is not None or self._handler is None):
            self._tell_fault()
        if len(self._received) > _MANY and self.state is states.OPEN:
            self._transport.pause_reading()

    def _deliver(self) -> None:
        """Hand the next message to the handler, and the end after the last one."""
        self._waiting = None
        if self._received and (handler := self._handler) is not None:
            if len(self._received) == _FEW + 1 and self.state is states.OPEN:
                self._transport.resume_reading()
                if self._unparsed:
                    self.loop.call_soon(self._parse_on)
            text = self._received.pop(0)
            if text is None:
                self._end_on(run_guarded(handler.on_binary))
            else:
                self._end_on(run_guarded(handler.on_message, text))
        self._tell_end()

    # How it fails and ends

    def _tell_fault(self) -> None:
        """Fail the connection if there was a fault: the messages before it are answered."""
        if self._fault is not None and self.state is states.OPEN:
            self._fail(*self._fault)

    def _tell_end(self) -> None:
        """Tell the handler of the end, once it has had the last message."""
        handler = self._handler
        if handler is not None and not self._received and self.state in _OVER:
            self._handler = self._waiting = None
            self._end_on(run_guarded(handler.on_close))

    def _end_on(self, error: Exception | None) -> None:
        """End this connection, and no other, if the application raised an error."""
        if error is None:
            return
        logger.error("a connection failed", exc_info=error)
        if self.state is states.OPEN:
            self.dismiss(CloseCode.SERVER_FAULT)
        else:
            self.cut()

    def _end_flood(self) -> None:
        if self.state is states.OPEN:
            self._fail(CloseCode.POLICY, TOO_MANY, state=states.FLOODED)
        elif self.state not in {states.FLOODED, states.CLOSED}:
            self._enter(states.FLOODED)

    def _fail(
        self, code: int, reason: str, *, goodbye: str = "", state: State = states.CLOSING
    ) -> None:
        self._context.broadcaster.flush()
        library = self._library_from_here()
        library.fail_now(code, reason, goodbye)
        self._enter(state)
        self._write_output(library)

    def _end_requests(self) -> None:
        """Accept no further request: end now if idle, else with the answer."""
        self._is_last = True
        if self.state is states.IDLE:
            self._enter(states.ANSWERED)
            self._end_output()
            self._transport.close()

    def _answer_last(self, answer: bytes) -> None:
        self._forget_request()
        self._enter(states.ANSWERED)
        self._transport.write(answer)
        self._end_output()

    def _forget_request(self) -> None:
        self._request = None
        if self._library is not None:
            self._library.let_go()
            self._library = None

    def _library_from_here(self) -> WebSocketProtocol:
        """Return the library's protocol of the open WebSocket, a new one if need be."""
        if self._library is None:
            limits = self._context.limits
            self._library = WebSocketProtocol(limits.max_frame, self._frames, LibraryState.OPEN)
        return self._library

    def _write_output(self, library: WebSocketProtocol) -> None:
        """Write the library's output."""
        for data in library.data_to_send():
            if data:
                self._transport.write(data)
            else:
                self._end_output()

    def _end_output(self) -> None:
        """End the server's side; the client may still send."""
        if self._transport.can_write_eof():
            with suppress(OSError, RuntimeError):  # the connection is gone
                self._transport.write_eof()
        elif self._transport.is_reading():
            # With TLS this reads to the end. A flood is not read, but cut at the deadline.
            self._transport.close()

    def _await_reading(self) -> None:
        """Drop the client in `send_timeout_s`, unless it reads or leaves."""
        if self not in self._context.unread:
            self._context.unread.add(self)

    def _enter(self, state: State) -> None:
        """Change the state.

        Raises:
            RuntimeError: for a change that is not in `TRANSITIONS`: a bug.
        """
        before, context = self.state, self._context
        if state not in TRANSITIONS[before]:
            raise RuntimeError(f"a connection cannot go from {before!r} to {state!r}")
        self.state = state
        if before is states.IDLE:
            context.idle.discard(self)
        if state is states.READING_REQUEST:
            context.silent.add(self)
        elif state is states.ANSWERING:
            context.silent.discard(self)
        elif state is states.IDLE:
            context.table.rest(self, self.host)
            context.idle.add(self)
            self.loop.call_soon(self._parse_on)  # others have their turn
        elif state is states.OPEN:
            context.keepalive.begin(self)
            self.loop.call_soon(self._parse_on)
        elif state in _ENDING:
            # The close of the client, or its end, may follow messages that were not read.
            self._transport.resume_reading()
            self.loop.call_soon(self._parse_on)
            self._await_reading()  # unread output would keep the connection open
        elif state is states.FLOODED and before in _WITHOUT_WEBSOCKET:
            self.cut()
        elif state is states.FLOODED:
            self._unparsed = b""
            self._transport.pause_reading()
            self._await_reading()
        if state in _OVER:
            self.loop.call_soon(self._tell_end)
