"""The library's side of one connection, without its patience and its silence.

It answers pings and gathers fragments by itself, however many come, and says nothing to a request
that it cannot read. Here each frame is counted, and whoever is refused is told why.
"""

import logging
from collections.abc import Callable, Sequence
from http import HTTPStatus

from websockets.exceptions import NegotiationError
from websockets.frames import Frame
from websockets.http11 import Response
from websockets.protocol import Protocol as Frames
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.typing import StatusLike, Subprotocol

from ttt_protocol.codec import encode_message
from ttt_protocol.codes import CLOSE_REASONS, CloseCode
from ttt_protocol.messages import Goodbye
from ttt_server.endpoints.urls import METHODS, HttpError, error_response, select_subprotocol
from ttt_server.limits.token_bucket import TokenBucket

_CODES: dict[int, CloseCode] = {code.value: code for code in CloseCode}

_LOGGER = logging.getLogger("websockets.server")
"""The library's own, which it would look for each time."""

_NO_PONG = "there was no answer to a ping"

_BEGINNING = 16
"""Bytes of a request that are kept: enough for the method."""


class Wire(ServerProtocol):
    """Bytes to frames and back, without a socket or a clock of its own."""

    # With these beside the library's own attributes, the dictionary of those stays small.
    __slots__ = ("_beginning", "_clock", "_frames", "_is_answered", "_on_fail")

    def __init__(
        self,
        max_size: int,
        frames: TokenBucket,
        clock: Callable[[], float],
        on_fail: Callable[[int], None],
    ) -> None:
        """As the library's.

        Args:
            max_size: bytes of one message.
            frames: how many may come, pings and fragments too.
            clock: for the budget.
            on_fail: called with the close code when the connection is to end for what was sent.
        """
        super().__init__(max_size=max_size, logger=_LOGGER)
        self._frames = frames
        self._clock = clock
        self._on_fail = on_fail
        self._beginning = b""
        self._is_answered = False

    def select_subprotocol(self, subprotocols: Sequence[Subprotocol]) -> Subprotocol | None:
        return select_subprotocol(subprotocols)

    def receive_data(self, data: bytes | bytearray) -> None:
        if self.state is State.CONNECTING and len(self._beginning) < _BEGINNING:
            self._beginning += data[:_BEGINNING]
        super().receive_data(data)

    def open(self) -> None:
        """The request was read elsewhere, and is answered: frames follow."""
        self._is_answered = True
        self.state = State.OPEN
        self.parser = Frames.parse(self)  # a server's begins with a request
        next(self.parser)

    def let_go(self) -> None:
        """The connection is gone: it keeps hold of nobody, who would be garbage to look for."""
        self.parser.close()
        self._on_fail = _nobody

    def recv_frame(self, frame: Frame) -> None:
        if self._frames.spend(self._clock()):
            super().recv_frame(frame)
        else:
            self.end_flood()

    def end_flood(self) -> None:
        """Says goodbye to one who sends more than may be."""
        self.fail(CloseCode.POLICY, CLOSE_REASONS[CloseCode.POLICY])

    def presume_dead(self) -> None:
        """Closes, as the peer gave no sign of life."""
        self.fail(CloseCode.SERVER_FAULT, _NO_PONG, words=_NO_PONG)

    def fail(self, code: int, reason: str = "", *, words: str | None = None) -> None:
        """Before the close for a frame that breaks the rules, the peer is told why.

        Args:
            code: of the close.
            reason: for the close, in the library's words.
            words: for the goodbye, if not the usual ones of this code.
        """
        if self.state is State.OPEN and (known := _CODES.get(code)):
            said = Goodbye(code=code, reason=words or CLOSE_REASONS[known])
            self.send_text(encode_message(said))
        super().fail(code, reason)
        self._on_fail(code)

    def reject(self, status: StatusLike, text: str) -> Response:  # noqa: ARG002 - it repeats input
        """The library's own answers, in the form of all others."""
        status = HTTPStatus(status)
        words = _WORDS.get(status, status.phrase.lower())
        if isinstance(self.handshake_exc, NegotiationError):
            words = str(self.handshake_exc)  # ours, from `select_subprotocol`
        response = error_response(HttpError(status, words))
        response.headers.pop("Allow", None)  # it adds its own
        return response

    def send_response(self, response: Response) -> None:
        self._is_answered = True
        super().send_response(response)

    def send_eof(self) -> None:
        """Comes before any answer if the request could not be read."""
        if self.state is State.CONNECTING and self._beginning and not self._is_answered:
            self.writes.append(error_response(self._why_unread()).serialize())
        super().send_eof()

    def _why_unread(self) -> HttpError:
        method = self._beginning.partition(b" ")[0]
        # The library reads no request with a body, and a body has its place in other methods.
        if method.isalpha() and method.isupper() and method.decode() not in METHODS:
            return HttpError(HTTPStatus.METHOD_NOT_ALLOWED, "only GET and HEAD")
        return HttpError(HTTPStatus.BAD_REQUEST, _WORDS[HTTPStatus.BAD_REQUEST])


def _nobody(_: int) -> None:
    """To be told, as nobody is there any more."""


_WORDS = {
    HTTPStatus.BAD_REQUEST: "this request makes no sense here",
    HTTPStatus.UPGRADE_REQUIRED: "this is a WebSocket, and needs a client that speaks it",
}
