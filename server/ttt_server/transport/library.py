"""The protocol of the `websockets` library, with two differences.

The library answers every ping and accepts every fragment: here each frame is counted. And the
library is silent to a request that it cannot read: here the client is always told why.
"""

import logging
from collections.abc import Sequence
from http import HTTPStatus

from websockets.exceptions import NegotiationError
from websockets.frames import Frame
from websockets.http11 import Response
from websockets.protocol import Protocol, State
from websockets.server import ServerProtocol
from websockets.typing import StatusLike, Subprotocol

from ttt_protocol.codec import encode_message
from ttt_protocol.codes import CLOSE_REASONS, CloseCode
from ttt_protocol.messages import Goodbye
from ttt_server.limits.token_bucket import TokenBucket
from ttt_server.transport.handshake import select_subprotocol
from ttt_server.transport.persistence import HeadSplitter
from ttt_server.transport.responses import METHODS, HttpError, error_response

_CODES: dict[int, CloseCode] = {code.value: code for code in CloseCode}

_LOGGER = logging.getLogger("websockets.server")
"""The library's own, which it would look up for each connection."""

_BEGINNING = 16
"""Bytes of a request that are kept: enough for the method."""

_WORDS = {
    HTTPStatus.BAD_REQUEST: "this request makes no sense here",
    HTTPStatus.UPGRADE_REQUIRED: "this is a WebSocket, and needs a client that speaks it",
}


class LibraryProtocol(ServerProtocol):
    """The library's protocol, with its own state. `protocol.ServerProtocol` alone uses it."""

    # With slots beside the library's own attributes, the dictionary of those stays small.
    __slots__ = ("_beginning", "_frames", "_head", "_now", "is_answered", "is_flooded")

    def __init__(self, max_size: int, frames: TokenBucket) -> None:
        super().__init__(max_size=max_size, logger=_LOGGER)
        self._frames = frames
        self._now = 0.0
        self._beginning = b""
        """The first bytes of a request."""
        self._head = HeadSplitter()
        self.is_answered = False
        """Whether the request has a response."""
        self.is_flooded = False
        """Whether the client sent too many frames."""

    def receive(self, data: bytes, now: float) -> None:
        """Take frames in, at a time."""
        self._now = now
        self.receive_data(data)

    def receive_head(self, data: bytes) -> bytes:
        """Take in what belongs to the request, and return what is behind it."""
        if len(self._beginning) < _BEGINNING:
            self._beginning += data[:_BEGINNING]
        head, behind = self._head.split(data)
        self.receive_data(head)
        return behind

    def skip_request(self) -> None:
        """Read frames from now on: the request was read elsewhere."""
        self.parser = Protocol.parse(self)  # a server's own begins with a request
        next(self.parser)

    def open(self) -> None:
        """Go on as a WebSocket: the request was answered elsewhere."""
        self.is_answered = True
        self.state = State.OPEN

    def let_go(self) -> None:
        """Break the reference cycle, so that the connection is freed without garbage collection."""
        self.parser.close()

    def recv_frame(self, frame: Frame) -> None:
        if self._frames.spend(self._now):
            super().recv_frame(frame)
        else:
            self.fail_flood()

    def fail_flood(self) -> None:
        """Fail the connection: the client sends too much."""
        self.is_flooded = True
        self.fail(CloseCode.POLICY, CLOSE_REASONS[CloseCode.POLICY])

    def fail(self, code: int, reason: str = "", *, goodbye: str | None = None) -> None:
        """Fail the connection, and say goodbye before the close.

        Args:
            code: of the close.
            reason: of the close.
            goodbye: the reason in the goodbye, if not the usual one of the code.
        """
        if self.state is State.OPEN and (known := _CODES.get(code)):
            message = Goodbye(code=code, reason=goodbye or CLOSE_REASONS[known])
            self.send_text(encode_message(message))
        super().fail(code, reason)

    def select_subprotocol(self, subprotocols: Sequence[Subprotocol]) -> Subprotocol | None:
        return select_subprotocol(subprotocols)

    def reject(self, status: StatusLike, text: str) -> Response:  # noqa: ARG002 - it repeats input
        """Answer in the form of all other errors."""
        status = HTTPStatus(status)
        words = _WORDS.get(status, status.phrase.lower())
        if isinstance(self.handshake_exc, NegotiationError):
            words = str(self.handshake_exc)  # from `select_subprotocol`
        response = error_response(HttpError(status, words))
        response.headers.pop("Allow", None)  # the library adds its own
        if status in _WORDS:
            response.headers["Sec-WebSocket-Version"] = "13"  # RFC 6455, section 4.4
        return response

    def send_response(self, response: Response) -> None:
        self.is_answered = True
        super().send_response(response)

    def error_unread(self) -> Response:
        """Return the answer to a request that could not be read."""
        method = self._beginning.partition(b" ")[0]
        # The library reads no request with a body, and a body belongs to other methods.
        if method.isalpha() and method.isupper() and method.decode() not in METHODS:
            return error_response(HttpError(HTTPStatus.METHOD_NOT_ALLOWED, "only GET and HEAD"))
        return error_response(HttpError(HTTPStatus.BAD_REQUEST, _WORDS[HTTPStatus.BAD_REQUEST]))
