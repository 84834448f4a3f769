"""The protocol of one connection (RFC 6455, 9112), without a socket, a task or a clock.

Bytes go in, and events come out; the bytes that answer them wait in `data_to_send`. `states` tells
where a connection can stand.

Usual requests and frames are parsed by `handshake` and `frames`. The library's protocol reads all
others: it is made when the first of them comes, and reads everything from then on.
"""

from collections.abc import Sequence
from typing import cast

from websockets.frames import Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import SEND_EOF
from websockets.protocol import Event as LibraryEvent
from websockets.protocol import State as LibraryState

from ttt_protocol.codec import encode_message
from ttt_protocol.codes import CLOSE_REASONS, CloseCode
from ttt_protocol.messages import Goodbye
from ttt_server.limits.token_bucket import TokenBucket
from ttt_server.transport import states
from ttt_server.transport.frames import control_frame, parse_short_text, parse_usual
from ttt_server.transport.handshake import Upgrade, acceptance, read_upgrade
from ttt_server.transport.library import LibraryProtocol
from ttt_server.transport.messages import (
    Binary,
    Close,
    Event,
    MessageAssembler,
    Ping,
    Pong,
    Text,
    text_message,
)
from ttt_server.transport.persistence import PlainRequests, end_connection
from ttt_server.transport.states import TRANSITIONS, State

_NO_PONG = "there was no answer to a ping"

_READS_PER_FRAME = 10
"""The burst of reads for each frame of the burst: a frame may come byte by byte at first. In the
long run there may be two reads for each frame."""


_TEXT, _BINARY, _PING, _PONG = Opcode.TEXT, Opcode.BINARY, Opcode.PING, Opcode.PONG

_UNANSWERED = {states.READING_REQUEST, states.ANSWERING, states.HALF_CLOSED}
_DISCARDING = {states.ANSWERED, states.CLOSING, states.FLOODED, states.CLOSED}


class ServerProtocol:
    """The server's side of one connection.

    After each call the shell writes `data_to_send`. All times are seconds on one clock that does
    not go back.
    """

    __slots__ = (
        "_assembler",
        "_frames",
        "_library",
        "_max_size",
        "_plain",
        "_reads",
        "_request",
        "output",
        "state",
    )

    def __init__(
        self, *, max_size: int, frames_per_s: float, frame_burst: float, now: float
    ) -> None:
        """Begin in `READING_REQUEST`.

        Args:
            max_size: the most bytes of a message.
            frames_per_s: the most frames from the client; pings and fragments are frames, too.
            frame_burst: the most frames at once.
            now: the time.
        """
        self.state = states.READING_REQUEST
        self._max_size = max_size
        self._frames = TokenBucket(frames_per_s, frame_burst, now)
        self._reads = TokenBucket(2 * frames_per_s, _READS_PER_FRAME * frame_burst, now)
        self._request: Request | Upgrade | None = None
        """The request, until it is answered; an `Upgrade` if `handshake` read it."""
        self._plain = PlainRequests()
        self._library: LibraryProtocol | None = None
        """The library's protocol; `None` while all that came was usual."""
        self._assembler: MessageAssembler | None = None
        """`None` until a fragment comes."""
        self.output: list[bytes] = []
        """The next result of `data_to_send`."""

    # Input

    def receive_text(self, data: bytes, now: float) -> bytes | None:
        """Take one short text in, if `data` is that and nothing else: it has no answer.

        Nearly every read of a client that plays is that. It takes 0.6 µs here and 1.3 µs in
        `receive`.

        Returns:
            The text; `None` if nothing was done, and `receive` has to take the data in.
        """
        if self.state is not states.OPEN or self._library is not None:
            return None
        text = parse_short_text(data)
        if text is None or not text.isascii() or len(text) > self._max_size:
            return None
        return text if self._frames.spend(now) else None

    def receive(self, data: bytes, now: float) -> Sequence[Event]:
        """Take bytes in, in whatever pieces they come, and return what is whole by now."""
        if self.state is states.OPEN and self._library is None:
            frames = parse_usual(data, self._max_size)
            if frames is not None:
                return self._receive_usual(frames, now)
        if not self._reads.spend(now):
            self._end_flood()
            return ()
        if self.state in _DISCARDING:
            return ()
        if self.state is states.IDLE:
            data = self._plain.next(data)
            if not data:
                return ()
            self._reads.fill()  # each request has as many as that of a new connection
            self._enter(states.READING_REQUEST)
        elif self.state is states.ANSWERING and self._hold(data):
            return ()
        if self.state is states.READING_REQUEST and self._library is None:
            upgrade = read_upgrade(data)
            if upgrade is not None:
                self._request = upgrade
                self._plain.end()
                self._enter(states.ANSWERING)
                return (upgrade.request,)
        return self._receive_any(data, now)

    def receive_eof(self, *, can_answer: bool) -> None:
        """Take the end of the client's side in.

        Args:
            can_answer: whether the connection still carries the answer to a request.
        """
        if self.state is states.ANSWERING and can_answer:
            self._enter(states.HALF_CLOSED)
            return
        if self._library is not None:
            self._library.receive_eof()
            self._take_output(self._library)
        elif self.state not in _DISCARDING:
            self.output.append(SEND_EOF)
        self.connection_lost()

    def connection_lost(self) -> None:
        """Take note that the connection is gone."""
        if self._library is not None:
            self._library.let_go()
        if self.state is not states.CLOSED:
            self._enter(states.CLOSED)

    # Output

    def data_to_send(self) -> Sequence[bytes]:
        """Return what is to be written; `SEND_EOF` is the end of the server's side."""
        output = self.output
        if output:
            self.output = []
        return output

    def accept(self, unix_now: float) -> None:
        """Answer the request: open its WebSocket, or refuse it if it is no handshake.

        Nothing happens if the request cannot be answered any more.

        Args:
            unix_now: Unix seconds, for the answer's date.
        """
        request = self._request
        if self.state not in _UNANSWERED or request is None:
            return
        self._request = None
        if isinstance(request, Upgrade):
            self.output.append(acceptance(request, unix_now))
            if self._library is not None:
                self._library.open()
            self._enter_opened()
        else:  # the library has read it
            self._send_response(self._library_from_here().accept(request))

    def answer(self, response: Response, *, may_keep: bool = False) -> None:
        """Send a response; nothing after another answer.

        The connection ends with it unless `may_keep`, the request and the response let the client
        send another request. The next `receive` takes in what has come of that already.
        """
        if self.state not in _UNANSWERED:
            return
        self._request = None
        if may_keep and self.state is states.ANSWERING and self._plain.may_follow(response):
            self.output.append(response.serialize())
            self._library_from_here().let_go()
            self._library = None
            self._enter(states.IDLE)
        else:
            end_connection(response)
            self._send_response(response)

    def end_requests(self) -> None:
        """Take no further request: an idle connection ends, another one with its answer."""
        self._plain.end()
        if self.state is states.IDLE:
            self.output.append(SEND_EOF)
            self._enter(states.ANSWERED)

    def ping(self) -> bool:
        """Send a ping; return whether the WebSocket is open."""
        if self.state is not states.OPEN:
            return False
        self.output.append(control_frame(_PING))
        return True

    def close(self, code: CloseCode, retry_after_s: float | None = None, words: str = "") -> None:
        """Say goodbye and begin the closing handshake, if the WebSocket is open."""
        if self.state is not states.OPEN:
            return
        reason = words or CLOSE_REASONS[code]
        goodbye = Goodbye(code=code, reason=reason, retry_after_s=retry_after_s)
        library = self._library_from_here()
        library.send_text(encode_message(goodbye))
        library.send_close(code, reason)
        self._enter(states.CLOSE_SENT)
        self._take_output(library)

    def presume_dead(self) -> None:
        """Fail the connection, if it is open: the client did not answer a ping."""
        if self.state is states.OPEN:
            self._fail(CloseCode.SERVER_FAULT, _NO_PONG, goodbye=_NO_PONG)

    # How input is read

    def _receive_usual(self, frames: Sequence[tuple[Opcode, bytes]], now: float) -> Sequence[Event]:
        events: list[Event] = []
        for kind, payload in frames:
            if not self._frames.spend(now):
                self._end_flood()
            elif kind is _TEXT and payload.isascii():
                events.append(Text(payload))
            elif kind is _TEXT:
                self._receive_text(payload, events)
            elif kind is _BINARY:
                events.append(Binary(payload))
            elif kind is _PONG:
                events.append(Pong(payload))
            elif kind is _PING:
                self.output.append(control_frame(_PONG, payload))
                events.append(Ping(payload))
            else:
                self.output += control_frame(kind, payload), SEND_EOF
                self._enter(states.CLOSING)
                events.append(Close(payload))
            if self.state is not states.OPEN:
                break
        return events

    def _receive_text(self, payload: bytes, events: list[Event]) -> None:
        try:
            events.append(text_message(payload))
        except UnicodeDecodeError as error:
            self._fail_text(error)

    def _receive_any(self, data: bytes, now: float) -> Sequence[Event]:
        """Leave input to the library."""
        before = self.state
        library = self._library_from_here()
        if before is states.READING_REQUEST:
            data = library.receive_head(data)
            events = self._events(library.events_received())
            if self.state is states.ANSWERING and self._hold(data):
                data = b""
        else:
            events = []
        library.receive(data, now)
        if before is not states.CLOSE_SENT:
            events += self._events(library.events_received())
        if library.is_flooded and self.state is not states.FLOODED:
            self._enter(states.FLOODED)
        self._take_output(library)
        # A request with something other than frames behind it is answered already, with an error.
        return () if before in _UNANSWERED and self.state in _DISCARDING else events

    def _events(self, heard: Sequence[LibraryEvent]) -> list[Event]:
        events: list[Event] = []
        for event in heard:
            if isinstance(event, Request):
                self._request = event
                self._plain.begin(event)
                self._enter(states.ANSWERING)
                events.append(event)
            else:
                try:
                    self._receive_frame(cast("Frame", event), events)  # no client sends a response
                except UnicodeDecodeError as error:
                    self._fail_text(error)
                    break
        return events

    def _receive_frame(self, frame: Frame, events: list[Event]) -> None:
        match frame.opcode:
            case Opcode.PING:
                events.append(Ping(bytes(frame.data)))
            case Opcode.PONG:
                events.append(Pong(bytes(frame.data)))
            case Opcode.CLOSE:
                events.append(Close(bytes(frame.data)))
            case _:
                if self._assembler is None:
                    self._assembler = MessageAssembler()
                message = self._assembler.add(frame)
                if message is not None:
                    events.append(message)

    def _hold(self, data: bytes) -> bool:
        """Keep what belongs to another plain request; return False if it belongs to this one."""
        if not self._plain.may_begin:
            return False
        if not self._plain.hold(data):
            self._end_flood()
        return True

    # How a connection ends

    def _end_flood(self) -> None:
        if self.state is states.OPEN:
            library = self._library_from_here()
            library.fail_flood()
            self._enter(states.FLOODED)
            self._take_output(library)
        elif self.state not in {states.FLOODED, states.CLOSED}:
            self._enter(states.FLOODED)

    def _fail_text(self, error: UnicodeDecodeError) -> None:
        self._fail(CloseCode.NOT_UTF8, f"{error.reason} at position {error.start}")

    def _fail(self, code: CloseCode, reason: str, *, goodbye: str | None = None) -> None:
        library = self._library_from_here()
        library.fail(code, reason, goodbye=goodbye)
        self._take_output(library)

    def _send_response(self, response: Response) -> None:
        library = self._library
        if library is None:
            self.output += response.serialize(), SEND_EOF
            self._enter(states.ANSWERED)
            return
        library.send_response(response)
        self._take_output(library)
        if library.state is LibraryState.OPEN:
            self._enter_opened()

    def _enter_opened(self) -> None:
        self._enter(states.ANSWERED if self.state is states.HALF_CLOSED else states.OPEN)

    def _take_output(self, library: LibraryProtocol) -> None:
        """Take the library's output over. Its end is the end of the server's side."""
        for data in library.data_to_send():
            if data == SEND_EOF:
                if self.state in _UNANSWERED:
                    if not library.is_answered:
                        self.output.append(library.error_unread().serialize())
                    self._enter(states.ANSWERED)
                elif self.state in {states.OPEN, states.CLOSE_SENT}:
                    self._enter(states.CLOSING)
            self.output.append(data)

    def _library_from_here(self) -> LibraryProtocol:
        """Return the library's protocol; a new one begins where the connection stands."""
        if self._library is None:
            self._library = library = LibraryProtocol(self._max_size, self._frames)
            if self.state is not states.READING_REQUEST:
                library.skip_request()
            if self.state is states.OPEN:
                library.open()
        return self._library

    def _enter(self, state: State) -> None:
        """Go to another state.

        Raises:
            RuntimeError: if `TRANSITIONS` does not have it: the server has a bug.
        """
        if state not in TRANSITIONS[self.state]:
            raise RuntimeError(f"a connection cannot go from {self.state!r} to {state!r}")
        self.state = state
