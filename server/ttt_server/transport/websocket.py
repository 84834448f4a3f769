"""The protocol of the `websockets` library, with the differences that this server needs.

Every frame counts towards the limit, every request gets an answer, and a fault waits until the
messages before it are answered.
"""

import logging
from collections.abc import Sequence
from http import HTTPStatus
from typing import cast

from websockets.exceptions import NegotiationError
from websockets.frames import Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.typing import StatusLike, Subprotocol

from ttt_protocol.codec import encode_message
from ttt_protocol.codes import CLOSE_REASONS, CloseCode
from ttt_protocol.messages import Goodbye
from ttt_protocol.state import SUBPROTOCOL
from ttt_server.limits.rates import TokenBucket
from ttt_server.transport.responses import METHODS, HttpError, error_response

_CODES: dict[int, CloseCode] = {code.value: code for code in CloseCode}

_LOGGER = logging.getLogger("websockets.server")
"""The library's logger: without it, each connection would look it up."""

_HEAD_END = b"\r\n\r\n"
_LONGEST_METHOD = 16

_WORDS = {
    HTTPStatus.BAD_REQUEST: "the server does not understand this request",
    HTTPStatus.UPGRADE_REQUIRED: "this is a WebSocket, and needs a client that speaks it",
}


class WebSocketProtocol(ServerProtocol):
    """The library's protocol of one request, or of one open WebSocket."""

    # With slots beside the library's own attributes, the dictionary of those stays small.
    __slots__ = ("_begin", "_fragments", "_frames", "_kind", "_now", "fault", "is_flooded")

    def __init__(self, max_size: int, frames: TokenBucket, state: State = State.CONNECTING) -> None:
        """`state` is `OPEN` if the handshake is over: then it reads frames."""
        super().__init__(state=state, max_size=max_size, logger=_LOGGER)
        self._frames = frames
        self._now = 0.0
        self._begin = b""
        """The first bytes of the request."""
        self._kind = Opcode.TEXT
        """The kind of the message whose fragments are read."""
        self._fragments: list[bytes] = []
        self.fault: tuple[int, str] | None = None
        """The code and reason of a failure that is not reported yet: see `fail`."""
        self.is_flooded = False
        """Whether the client sent too many frames."""

    def let_go(self) -> None:
        """Break the reference cycle, so that the connection is freed without garbage collection."""
        self.parser.close()

    # The opening handshake

    def read_request(self, data: bytes) -> tuple[Request | None, bytes]:
        """Read a request, in whatever pieces it comes.

        The library would take what follows the head for frames. So it is given only the head: at
        once if that is in one piece, else line by line.

        Returns:
            The request once it is whole, and what follows it. If it cannot be read, `eof_sent` is
            set.
        """
        end = b"\n" if self._begin else _HEAD_END
        self._begin = (self._begin + data[:_LONGEST_METHOD])[:_LONGEST_METHOD]
        while data and not self.eof_sent:
            head, separator, data = data.partition(end)
            self.receive_data(head + separator)
            if events := self.events_received():
                return cast("Request", events[0]), data
        return None, b""

    def refusal(self) -> bytes:
        """Return the answer to an unreadable request."""
        if answer := b"".join(self.data_to_send()):
            return answer
        method = self._begin.partition(b" ")[0]
        # The library rejects every body, and only other methods have one.
        if method.isalpha() and method.isupper() and method.decode() not in METHODS:
            error = HttpError(HTTPStatus.METHOD_NOT_ALLOWED, "only GET and HEAD")
        else:
            error = HttpError(HTTPStatus.BAD_REQUEST, _WORDS[HTTPStatus.BAD_REQUEST])
        return error_response(error).serialize()

    def select_subprotocol(self, subprotocols: Sequence[Subprotocol]) -> Subprotocol | None:
        """Select `ttt.v1`; return `None` for a client that offers nothing, which is fine.

        Raises:
            NegotiationError: if only others are offered.
        """
        if not subprotocols:
            return None
        if SUBPROTOCOL not in subprotocols:
            raise NegotiationError(f"this server speaks {SUBPROTOCOL}")
        return Subprotocol(SUBPROTOCOL)

    def reject(self, status: StatusLike, text: str) -> Response:  # noqa: ARG002 - it would echo input
        """Return a refusal in the form of all other errors."""
        status = HTTPStatus(status)
        words = _WORDS.get(status, status.phrase.lower())
        if isinstance(self.handshake_exc, NegotiationError):
            words = str(self.handshake_exc)  # from `select_subprotocol`
        response = error_response(HttpError(status, words))
        response.headers.pop("Allow", None)  # the library adds its own
        if status in _WORDS:
            response.headers["Sec-WebSocket-Version"] = "13"  # RFC 6455, section 4.4
        return response

    # The open WebSocket

    def receive(self, data: bytes, now: float) -> list[tuple[Opcode, bytes]]:
        """Read frames; return the kind and the payload of whole messages and of pongs.

        Check `is_flooded`, `fault` and `eof_sent` (the client closed) afterwards.
        """
        self._now = now
        self.receive_data(data)
        messages = []
        for frame in self.events_received():
            if not isinstance(frame, Frame) or frame.opcode in {Opcode.PING, Opcode.CLOSE}:
                continue  # answered by the library
            if frame.opcode is Opcode.PONG:
                messages.append((Opcode.PONG, bytes(frame.data)))
                continue
            if frame.opcode is not Opcode.CONT:
                self._kind = frame.opcode
            self._fragments.append(bytes(frame.data))
            if frame.fin:
                messages.append((self._kind, b"".join(self._fragments)))
                self._fragments = []
        return messages

    def recv_frame(self, frame: Frame) -> None:
        if self._frames.spend(self._now):
            super().recv_frame(frame)
        else:
            self.is_flooded = True
            self.reader.discard()

    def fail(self, code: int, reason: str = "") -> None:
        """Note a fault and read no more frames. `fail_now` reports it to the client."""
        if self.state is State.OPEN:
            self.fault = code, reason
        else:
            super().fail(code, reason)

    def fail_now(self, code: int, reason: str, goodbye: str = "") -> None:
        """Fail the connection, and say goodbye before the close.

        Args:
            code: of the close.
            reason: of the close.
            goodbye: the reason in the goodbye; empty for the usual one of the code.
        """
        if known := _CODES.get(code):
            message = Goodbye(code=code, reason=goodbye or CLOSE_REASONS[known])
            self.send_text(encode_message(message))
        super().fail(code, reason)

    def say_goodbye(self, code: CloseCode, reason: str, retry_after_s: float | None) -> None:
        """Say goodbye and begin the closing handshake."""
        goodbye = Goodbye(code=code, reason=reason, retry_after_s=retry_after_s)
        self.send_text(encode_message(goodbye))
        self.send_close(code, reason)
