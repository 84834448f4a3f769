"""The protocol of the `websockets` library, with the differences that this server needs.

Every frame counts towards the limit, every request gets an answer, and a fault waits until the
messages before it are answered.
"""

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from time import time
from typing import NamedTuple, cast

from websockets.datastructures import Headers
from websockets.exceptions import NegotiationError
from websockets.frames import Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.typing import StatusLike, Subprotocol
from websockets.utils import accept_key

from ttt_protocol.codec import encode_message
from ttt_protocol.codes import CLOSE_REASONS, CloseCode
from ttt_protocol.messages import Goodbye
from ttt_protocol.state import SUBPROTOCOL
from ttt_server.limits.rates import TokenBucket
from ttt_server.transport.responses import METHODS, METHODS_WITH_BODY, HttpError, error_response

_CODES: dict[int, CloseCode] = {code.value: code for code in CloseCode}

_LOGGER = logging.getLogger("websockets.server")
"""The library's logger: without it, each connection would look it up."""

_HEAD_END = b"\r\n\r\n"
_LONGEST_METHOD = 16
_LONGEST_LINE = 8192
"""As the library has it."""
_LENGTH = re.compile(rb"content-length:[ \t]*([0-9]{1,7})[ \t]*\r", re.IGNORECASE)
_WITH_BODY = tuple(f"{method} ".encode() for method in METHODS_WITH_BODY)

_WORDS = {
    HTTPStatus.BAD_REQUEST: "the server does not understand this request",
    HTTPStatus.UPGRADE_REQUIRED: "this is a WebSocket, and needs a client that speaks it",
}


@dataclass
class RequestWithBody(Request):
    """A plain request that says something itself."""

    body: bytes = b""


def body_of(request: Request) -> bytes:
    """Return the body of a request, which is empty for most."""
    return request.body if isinstance(request, RequestWithBody) else b""


class WebSocketProtocol(ServerProtocol):
    """The library's protocol of one request, or of one open WebSocket."""

    # With slots beside the library's own attributes, the dictionary of those stays small.
    __slots__ = (
        "_begin",
        "_body",
        "_fragments",
        "_frames",
        "_kind",
        "_line",
        "_now",
        "_request",
        "fault",
        "is_flooded",
        "max_body",
    )

    def __init__(self, max_size: int, frames: TokenBucket, state: State = State.CONNECTING) -> None:
        """`state` is `OPEN` if the handshake is over: then it reads frames."""
        super().__init__(state=state, max_size=max_size, logger=_LOGGER)
        self.max_body = max_size
        """The most bytes of a request's body."""
        self._frames = frames
        self._now = 0.0
        self._begin = b""
        """The first bytes of the request."""
        self._line = b""
        """The begin of a line, in the head of a request that may have a body."""
        self._body: int | None = None
        """The length of its body, once a line of the head has told it."""
        self._request: Request | None = None
        """Its head, while the body is read."""
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
        if self._begin.startswith(_WITH_BODY):
            return self._read_with_body(data)
        while data and not self.eof_sent:
            head, separator, data = data.partition(end)
            self.receive_data(head + separator)
            if events := self.events_received():
                return cast("Request", events[0]), data
        return None, b""

    def _read_with_body(self, data: bytes) -> tuple[Request | None, bytes]:
        """Read a request that may have a body, which the library knows nothing of.

        So it is not given the line that tells the length.
        """
        data, self._line = self._line + data, b""
        while self._request is None and not self.eof_sent:
            line, separator, rest = data.partition(b"\n")
            if not separator and len(line) <= _LONGEST_LINE:
                self._line = line
                return None, b""
            if told := _LENGTH.fullmatch(line):
                # Two lengths may be a trick: the library refuses this one.
                given = b"" if self._body is None else b"Content-Length: twice\r\n"
                self._body = int(told[1])
            else:
                given = line + separator
            self.receive_data(given)
            data = rest
            if events := self.events_received():
                self._request = cast("Request", events[0])
        length = self._body or 0
        if length > self.max_body:
            error = HttpError(413, "this request is too long")
            self.send_response(error_response(error))
        if self.eof_sent or self._request is None or len(data) < length:
            self._line = data
            return None, b""
        head, body = self._request, data[:length]
        request = RequestWithBody(head.path, head.headers, head.method, head.protocol, body=body)
        return request, data[length:]

    def refusal(self) -> bytes:
        """Return the answer to an unreadable request."""
        if answer := b"".join(self.data_to_send()):
            return answer
        method = self._begin.partition(b" ")[0]
        # The library rejects every body, and only other methods have one.
        known = (*METHODS, *METHODS_WITH_BODY)
        if method.isalpha() and method.isupper() and method.decode() not in known:
            error = HttpError(405, "only GET and HEAD")
        else:
            error = HttpError(400, _WORDS[HTTPStatus.BAD_REQUEST])
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


_OPENING = re.compile(
    rb"GET (/[!-~]*) HTTP/1\.1"
    rb"(\r\n(?:.*?\r\n)?Sec-WebSocket-Key: )([+/0-9A-Za-z]{22}==)(\r\n.*\r\n)",
    re.DOTALL,
)
"""A request for a WebSocket: its path, what comes before the key, the key, and what follows."""
_SECRET = re.compile(rb"\r\n(?:Cookie|Authorization):", re.IGNORECASE)
_SAMPLE = b"dGhlIHNhbXBsZSBub25jZQ=="


class Opening(NamedTuple):
    """A request for a WebSocket that the library knows how to answer."""

    request: Request
    """Without the key: other requests share its headers."""
    acceptance: bytes
    """The answer that opens the WebSocket."""


def read_opening(data: bytes) -> Opening | None:
    """Return the request and its answer; `None` if `data` is anything but a whole, good request.

    The same browser or bot sends the same headers. The library takes 60 µs to read such a request
    and answer it. It does so once for the headers; from then on a request takes 5 µs.
    """
    found = _OPENING.fullmatch(data)
    if found is None or _SECRET.search(data):  # no secret of a client may stay in memory
        return None
    path, before, key, after = found.groups()
    judged = _judge(before, after)
    if judged is None:
        return None
    headers, answer = judged
    more = f"Date: {_date(int(time()))}\r\nSec-WebSocket-Accept: {accept_key(key.decode())}\r\n\r\n"
    return Opening(Request(path.decode(), headers), answer + more.encode())


@lru_cache(256)
def _judge(before: bytes, after: bytes) -> tuple[Headers, bytes] | None:
    """Return the headers around a key, and the library's answer without the lines that differ.

    Returns:
        `None` if the library does not open a WebSocket.
    """
    library = WebSocketProtocol(0, TokenBucket(0, 0, 0))
    request, behind = library.read_request(b"GET / HTTP/1.1" + before + _SAMPLE + after)
    library.let_go()
    if request is None or behind:
        return None
    response = library.accept(request)
    if response.status_code != HTTPStatus.SWITCHING_PROTOCOLS:
        return None
    del request.headers["Sec-WebSocket-Key"]
    del response.headers["Date"], response.headers["Sec-WebSocket-Accept"]
    return request.headers, response.serialize().removesuffix(b"\r\n")


@lru_cache(1)
def _date(second: int) -> str:
    return formatdate(second, usegmt=True)
