"""A client's connection: the asyncio shell around `ServerProtocol`.

`Outlet` is its writing half. While many messages of a client wait for the handler, it is not read.
"""

import logging
from asyncio import BaseProtocol, BaseTransport, Transport
from collections.abc import Callable, Iterable
from http import HTTPStatus
from time import time
from typing import cast

from websockets.http11 import Request, Response

from ttt_protocol.base import FromServer
from ttt_protocol.codec import encode_message
from ttt_protocol.codes import CloseCode
from ttt_server.concurrency.guard import run_guarded
from ttt_server.limits.addresses import AddressAccount
from ttt_server.transport import states
from ttt_server.transport.context import ConnectionContext, Handler
from ttt_server.transport.frames import text_frame
from ttt_server.transport.messages import Binary, Event, Pong, Text
from ttt_server.transport.outlet import UNWRITTEN_BYTES, Outlet
from ttt_server.transport.responses import HttpError, error_response
from ttt_server.transport.states import State

logger = logging.getLogger(__name__)

_READ_BYTES = 4096
"""Bytes that are parsed at once. A read of the loop may hold 40 000 frames."""

_UNREAD_BYTES = 1 << 16
"""Bytes that a client may send while it does not read: the answers to its pings wait as well."""

_MANY, _FEW = 16, 4
"""Messages that wait for the handler. Above `_MANY` reading stops; at `_FEW` it goes on."""


_WITHOUT_WEBSOCKET = {states.READING_REQUEST, states.ANSWERING, states.ANSWERED, states.IDLE}
"""Before a flood: nothing is to be said, so the client is cut at once."""

_ENDING = {states.ANSWERED, states.CLOSE_SENT, states.CLOSING, states.CLOSED}
"""The last answer was sent, or the close."""

_TURNED_AWAY = HttpError(HTTPStatus.SERVICE_UNAVAILABLE, "too many connections")


class Connection(Outlet):
    """The connection of one client, from its first byte to its last."""

    __slots__ = (
        "_give_up",
        "_handler",
        "_received",
        "_stop_diversion",
        "_unparsed",
        "_waiting",
        "account",
        "host",
        "is_dismissed",
        "number",
    )

    def __init__(self, context: ConnectionContext) -> None:
        """Wait for the loop to connect it."""
        super().__init__(context)
        self.host = ""
        """The address of the client's end; empty if it has none."""
        self.number = 0
        """Its number of all connections since the start, as the log names it."""
        self.account: AddressAccount
        """The account of the client's address."""
        self.is_dismissed = False
        """Whether it was told goodbye by `dismiss`: no message of it is delivered any more."""
        self._handler: Handler | None = None
        """`None` before the WebSocket is open, and after `on_close`."""
        self._received: list[bytes | None] = []
        """The texts that wait for the handler; `None` stands for a binary message."""
        self._waiting: Handler | None = None
        """The handler, while it waits for the next message."""
        self._unparsed = b""
        """Bytes that were read, and are parsed when fewer messages wait."""
        self._give_up: Callable[[], object] | None = None
        self._stop_diversion: Callable[[], bool] | None = None
        """Ends the diversion of the bytes, if they are diverted."""

    # The request

    def let_in(self, forwarded_for: Iterable[str], *, relayed_for: str | None = None) -> bool:
        """Count a connection that has sent its request; return False if there are too many.

        Args:
            forwarded_for: the request's headers `X-Forwarded-For`, in order.
            relayed_for: the client of another server that passes it on; empty for that server's
                own connection.
        """
        table = self._context.table
        account = table.let_in(self, self.host, forwarded_for, relayed_for=relayed_for)
        if account is None:
            return False
        self.account = account
        return True

    def accept(self) -> bool:
        """Open the WebSocket that was requested; return False if that cannot be."""
        before = self._protocol.state
        self._protocol.accept(time())
        self._update(before)
        return self._protocol.state is states.OPEN

    def on_departure(self, give_up: Callable[[], object]) -> None:
        """Call `give_up` if the client ends the connection or its side of it before the answer."""
        self._give_up = give_up

    def answer(self, response: Response) -> None:
        """Answer the request without a WebSocket. The client may send another one, or not."""
        self._give_up = None
        before = self._protocol.state
        self._protocol.answer(response, may_keep=self._context.table.may_rest(self))
        self._update(before)

    def end_idle(self) -> None:
        """Close a connection that waits for another request, once the client has its answer."""
        if self._transport.get_write_buffer_size():  # it reads, and `send_timeout_s` limits that
            self._context.idle.add(self)
        else:
            self._end_requests()

    def divert(self, protocol: BaseProtocol, stop: Callable[[], bool]) -> Transport:
        """Hand the bytes of the open WebSocket to another protocol, from now on.

        Args:
            protocol: it calls `connection_lost` of this connection at the end.
            stop: called when this connection takes its bytes back to say goodbye. It returns
                `False` if a frame to the client was cut in the middle.

        Returns:
            The transport that writes to the client.
        """
        self._context.keepalive.end(self)
        self._stop_diversion = stop
        self._transport.set_protocol(protocol)
        return self._transport

    def take_back(self, data: bytes) -> None:
        """Read the client's bytes again; `data` is what has come meanwhile."""
        self._stop_diversion = None
        self._transport.set_protocol(self)
        if self._protocol.state is states.OPEN:
            self._context.keepalive.begin(self)
            if data:
                self.data_received(data)

    # Messages from the client

    def attach(self, handler: Handler) -> None:
        """Deliver the messages to `handler`."""
        self._handler = handler
        self.receive_next()

    def receive_next(self) -> None:
        """Deliver the next message, now or when it comes: the handler is done with the last."""
        if self._received:
            self.loop.call_soon(self._deliver)  # between two messages others have their turn
        else:
            self._waiting = self._handler

    # Messages to the client

    def tell(self, message: FromServer) -> None:
        """Send one message to this client alone."""
        self.send(encode_message(message))

    def send(self, *payloads: bytes, is_state: bool = False) -> None:
        """Send text messages in one write, after all that was broadcast before.

        Args:
            payloads: each message, in UTF-8.
            is_state: whether it is one that a later one with `is_state` makes worthless.
        """
        self._context.broadcaster.flush()
        self.write_frame(b"".join(map(text_frame, payloads)), is_state)

    def ping(self) -> bool:
        """Ask the client for a sign of life; return False if the WebSocket is not open."""
        is_open = self._protocol.ping()
        self._write_output()
        return is_open

    # How it ends

    def dismiss(self, code: CloseCode, retry_after_s: float | None = None, words: str = "") -> None:
        """Say goodbye, in `words` or in those of the code, and close; deliver no message any more.

        A client that does not go in time is cut; before its request it is cut at once. A plain
        request has its answer.
        """
        self._context.broadcaster.flush()
        self._received.clear()
        if self._stop_diversion is not None:
            is_whole = self._stop_diversion()
            self.take_back(b"")
            if not is_whole:
                self.cut()
                return
        before = self._protocol.state
        if before is states.READING_REQUEST:
            self.cut()
        elif before is states.OPEN:
            self.is_dismissed = True
            self._protocol.close(code, retry_after_s, words)
            self._update(before)  # past the send queue, so that a slow client gets the goodbye
        elif before is states.CLOSED:
            self.loop.call_soon(self._deliver)  # the end, as no message is left
        else:
            self._end_requests()

    def presume_dead(self) -> None:
        """Close, and wait for no answer: the client gave no sign of life."""
        self._context.broadcaster.flush()
        before = self._protocol.state
        self._protocol.presume_dead()
        self._update(before)
        if before is states.OPEN:
            self._transport.close()

    # Callbacks of the loop

    def connection_made(self, transport: BaseTransport) -> None:
        self._transport = cast("Transport", transport)
        peer_name = transport.get_extra_info("peername")
        self.host = str(peer_name[0]) if isinstance(peer_name, tuple) else ""
        account = self._context.table.open(self, self.host)
        self.number = self._context.table.opened
        if account is None:
            self.answer(error_response(_TURNED_AWAY))  # without a look at the request
            self._transport.close()
            return
        self.account = account
        self._transport.set_write_buffer_limits(UNWRITTEN_BYTES)
        self._context.silent.add(self)

    def data_received(self, data: bytes) -> None:
        """Take bytes in, in whatever pieces they come."""
        if self._unparsed or len(data) > _READ_BYTES:
            self._unparsed += data
            self._parse_on()
            return
        self._parse(data)

    def _parse_on(self) -> None:
        """Parse what was read at once in pieces, while few messages wait for the handler."""
        while self._unparsed and (
            len(self._received) <= _MANY or self._protocol.state is not states.OPEN
        ):
            data, self._unparsed = self._unparsed[:_READ_BYTES], self._unparsed[_READ_BYTES:]
            self._parse(data)

    def _parse(self, data: bytes) -> None:
        if self._is_paused:
            self._unread += len(data)
            if self._unread > _UNREAD_BYTES:
                self.cut()
                return
        text = self._protocol.receive_text(data, self.loop.time())
        if text is None:
            self._receive_any(data)
        elif (handler := self._waiting) is not None:  # so no other message is before this one
            self._waiting = None
            self._end_on(run_guarded(handler.on_message, text))
            return
        else:
            self._received.append(text)
        if self._received and self._waiting is not None:
            self._waiting = None
            self._deliver()
        if len(self._received) > _MANY and self._protocol.state is states.OPEN:
            self._transport.pause_reading()

    def eof_received(self) -> bool:
        """Return True if the connection goes on, for the answer to a request."""
        self._context.broadcaster.flush()
        before = self._protocol.state
        if self._give_up is None:  # TLS has no half of a connection that goes on
            self._protocol.receive_eof(can_answer=self._transport.can_write_eof())
        else:
            self._protocol.connection_lost()
        self._update(before)
        return self._protocol.state is states.HALF_CLOSED

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - whatever it was
        self._context.table.close(self)
        self._context.silent.discard(self)
        self._context.idle.discard(self)
        self._context.keepalive.end(self)
        self._protocol.connection_lost()
        self._context.unread.discard(self)
        if self._give_up is not None:
            self._give_up()
        if self._handler is not None and not self._received:
            self._deliver()

    # How input is handed on

    def _receive_any(self, data: bytes) -> None:
        self._context.broadcaster.flush()  # before the answer, or the close, that may follow
        before = self._protocol.state
        events = self._protocol.receive(data, self.loop.time())
        self._update(before)
        for event in events:
            self._take(event)

    def _take(self, event: Event) -> None:
        match event:
            case Text(payload=text):
                self._received.append(text)
            case Request():
                self._end_on(run_guarded(self._context.on_request, self, event))
            case Binary():
                self._received.append(None)
            case Pong():
                self._context.keepalive.answered(self)
            case _:
                pass  # the protocol has answered a ping or a close

    def _deliver(self) -> None:
        """Hand the next message to the handler; and after the last message the end."""
        if (handler := self._handler) is None:
            return
        if self._received:
            if len(self._received) == _FEW + 1 and self._protocol.state is states.OPEN:
                self._transport.resume_reading()
                if self._unparsed:
                    self.loop.call_soon(self._parse_on)
            text = self._received.pop(0)
            if text is None:
                self._end_on(run_guarded(handler.on_binary))
            else:
                self._end_on(run_guarded(handler.on_message, text))
        if self._protocol.state is states.CLOSED and not self._received:
            self._handler = self._waiting = None
            self._end_on(run_guarded(handler.on_close))

    def _end_on(self, error: Exception | None) -> None:
        """End this connection, and no other, if the application has a bug."""
        if error is None:
            return
        logger.error("a connection failed", exc_info=error)
        if self._protocol.state is states.OPEN:
            self.dismiss(CloseCode.SERVER_FAULT)
        else:
            self.cut()

    def _end_requests(self) -> None:
        before = self._protocol.state
        self._protocol.end_requests()
        self._update(before)
        if before is states.IDLE:
            self._transport.close()

    # How the protocol is followed

    def _update(self, before: State) -> None:
        """Follow the protocol's transition, if there was one, and write its output."""
        state = self._protocol.state
        if state is not before:
            self._follow(before, state)
        self._write_output()
        if before is states.HALF_CLOSED and state is states.ANSWERED:
            self._transport.close()

    def _follow(self, before: State, state: State) -> None:
        if before is states.IDLE:
            self._context.idle.discard(self)
        if state is states.ANSWERING:
            self._context.silent.discard(self)
        elif state is states.OPEN:
            self._context.keepalive.begin(self)
        elif state in _ENDING:
            # The client's close, or its end, may stand behind messages that were not read.
            self._transport.resume_reading()
            if self._unparsed:
                self.loop.call_soon(self._parse_on)
            self._await_reading()  # what the client does not read keeps the connection
        elif state is states.IDLE:
            self._context.table.rest(self, self.host)
            self._context.idle.add(self)
            self.loop.call_soon(self._read_next)  # others have their turn
        elif state is states.READING_REQUEST:
            self._context.silent.add(self)
        elif state is states.FLOODED and before in _WITHOUT_WEBSOCKET:
            self.cut()
        elif state is states.FLOODED:
            self._transport.pause_reading()
            self._await_reading()
