"""A client and a server, joined in memory."""

import gc
import json
import weakref
from itertools import product
from typing import Any

import pytest
from websockets.client import ClientProtocol
from websockets.exceptions import InvalidStatus
from websockets.frames import Close as CloseFrame
from websockets.frames import Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import SEND_EOF
from websockets.protocol import State as ClientState
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from ttt_protocol.codes import CloseCode
from ttt_server.transport.messages import Binary, Close, Event, Ping, Pong, Text
from ttt_server.transport.protocol import ServerProtocol
from ttt_server.transport.responses import Document, document_response
from ttt_server.transport.states import TRANSITIONS, State

HOST = b"Host: here\r\n"
UPGRADE_8 = (
    b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 8\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)
PAGE = b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n"
UPGRADE = PAGE[:-2] + b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
MAX_SIZE = 64
ROOM = "ws://here/ws/rooms/den"


def make_server(frames: int = 100) -> ServerProtocol:
    """No time passes here, so `frames` is all that may come."""
    return ServerProtocol(max_size=MAX_SIZE, frames_per_s=1, frame_burst=frames, now=0)


def output(server: ServerProtocol) -> bytes:
    return b"".join(server.data_to_send())


def receive(server: ServerProtocol, *pieces: bytes) -> list[Event]:
    return [event for piece in pieces for event in server.receive(piece, 0)]


def sent(opcode: Opcode, data: bytes = b"", *, fin: bool = True) -> bytes:
    return Frame(opcode, data, fin).serialize(mask=True)


def state_of(server: ServerProtocol) -> State:
    """A function, so that mypy expects it to change."""
    return server.state


def messages(answer: bytes) -> list[dict[str, Any]]:
    """The texts in a server's frames."""
    client = ClientProtocol(parse_uri(ROOM), state=ClientState.OPEN)
    client.receive_data(answer)
    frames = [event for event in client.events_received() if isinstance(event, Frame)]
    return [json.loads(bytes(frame.data)) for frame in frames if frame.opcode is Opcode.TEXT]


def goodbye(answer: bytes) -> dict[str, Any]:
    (message,) = messages(answer)
    assert message["type"] == "goodbye"
    return message


class Pair:
    """A client of the library and a server, with nothing but bytes between them.

    Args:
        is_usual: False if the request comes in two pieces, and so the library reads everything.
    """

    def __init__(
        self, *, is_usual: bool = True, frames: int = 100, subprotocols: tuple[str, ...] = ()
    ) -> None:
        offered = [Subprotocol(each) for each in subprotocols] or None
        self.server = make_server(frames)
        self.client = ClientProtocol(parse_uri(ROOM), subprotocols=offered)
        self.client.send_request(self.client.connect())
        request = b"".join(self.client.data_to_send())
        pieces = [request] if is_usual else [request[:9], request[9:]]
        (self.request,) = receive(self.server, *pieces)
        assert self.server.state is State.ANSWERING

    def to_client(self) -> list[Frame | Response]:
        for data in self.server.data_to_send():
            if data == SEND_EOF:
                self.client.receive_eof()
            else:
                self.client.receive_data(data)
        events = self.client.events_received()
        return [event for event in events if isinstance(event, (Frame, Response))]

    def to_server(self) -> list[Event]:
        events: list[Event] = []
        for data in self.client.data_to_send():
            if data == SEND_EOF:
                self.server.receive_eof(can_answer=True)
            else:
                events += self.server.receive(data, 0)
        return events


def opened(*, is_usual: bool = True, frames: int = 100) -> Pair:
    pair = Pair(is_usual=is_usual, frames=frames)
    pair.server.accept(0)
    pair.to_client()
    assert pair.client.handshake_exc is None
    assert state_of(pair.server) is State.OPEN
    assert (pair.server._library is None) is is_usual
    return pair


BOTH = pytest.mark.parametrize("is_usual", [True, False], ids=["usual", "by the library"])


# The states


def test_each_state_has_its_transitions() -> None:
    assert set(TRANSITIONS) == set(State)
    assert not TRANSITIONS[State.CLOSED]
    assert all(State.CLOSED in after for state, after in TRANSITIONS.items() if after)
    reached = set().union(*TRANSITIONS.values())
    assert reached == set(State)


@pytest.mark.parametrize(("state", "next_"), list(product(State, State)))
def test_no_other_transition_is_possible(state: State, next_: State) -> None:
    server = make_server()
    server.state = state
    if next_ in TRANSITIONS[state]:
        server._enter(next_)
        assert server.state is next_
    else:
        with pytest.raises(RuntimeError, match="cannot go from"):
            server._enter(next_)
        assert server.state is state


# The opening handshake


@BOTH
@pytest.mark.parametrize("subprotocols", [(), ("ttt.v1",), ("other", "ttt.v1")])
def test_a_websocket_is_opened(is_usual: bool, subprotocols: tuple[str, ...]) -> None:
    pair = Pair(is_usual=is_usual, subprotocols=subprotocols)
    assert isinstance(pair.request, Request)
    assert pair.request.path == "/ws/rooms/den"
    pair.server.accept(0)
    assert state_of(pair.server) is State.OPEN
    pair.to_client()
    assert pair.client.handshake_exc is None
    assert pair.client.subprotocol == ("ttt.v1" if subprotocols else None)


def test_a_client_of_other_subprotocols_is_told_which_is_spoken_here() -> None:
    pair = Pair(subprotocols=("zzzyyy",))
    pair.server.accept(0)
    assert state_of(pair.server) is State.ANSWERED
    (response,) = pair.to_client()
    assert isinstance(response, Response)
    assert response.status_code == 400
    assert response.body == b"this server speaks ttt.v1\n"


@BOTH
def test_a_request_is_refused(is_usual: bool) -> None:
    pair = Pair(is_usual=is_usual)
    assert isinstance(pair.request, Request)
    pair.server.answer(document_response(Document.of(b"no"), pair.request))
    assert state_of(pair.server) is State.ANSWERED
    (response,) = pair.to_client()
    assert isinstance(response, Response)
    assert response.body == b"no"
    assert isinstance(pair.client.handshake_exc, InvalidStatus)
    assert receive(pair.server, sent(Opcode.TEXT)) == [], "input is discarded"
    pair.server.accept(0)
    pair.server.answer(response)
    assert output(pair.server) == b"", "a request has one answer"


@pytest.mark.parametrize(
    ("method", "headers", "status", "allow"),
    [
        (b"GET", b"", 426, 0),
        (b"POST", b"", 405, 1),
        (b"GET", b"Connection: Upgrade\r\nUpgrade: websocket\r\n", 400, 0),
        (b"GET", b"Connection: Upgrade\r\nUpgrade: zzzyyy\r\n", 426, 0),
        (b"GET", UPGRADE_8, 400, 0),
    ],
)
def test_what_is_no_handshake_is_not_accepted(
    method: bytes, headers: bytes, status: int, allow: int
) -> None:
    server = make_server()
    receive(server, method + b" /ws/lobby HTTP/1.1\r\n" + HOST + headers + b"\r\n")
    server.accept(0)
    assert server.state is State.ANSWERED
    head, _, body = output(server).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status)
    assert head.count(b"\r\nAllow: ") == allow
    assert head.count(b"\r\nSec-WebSocket-Version: 13") == 1 - allow
    assert b"\r\nX-Content-Type-Options: nosniff" in head
    assert len(body) < 80
    assert b"zzzyyy" not in body


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"POST /api/rooms HTTP/1.1\r\n" + HOST + b"Content-Length: 2\r\n\r\n{}", 405),
        (b"PUT / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 405),
        (b"GET / HTTP/1.1\r\n" + HOST + b"Content-Length: 2\r\n\r\n{}", 400),
        (b"GET /\r\n\r\n", 400),
        (b"GET / HTTP/2.0\r\n\r\n", 400),
        (b"GET /\xff HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\n\n", 400),
        (b"GET / HTTP/1.1\r\nno colon\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\n", 400),
        (b"\xff\xfe \r\n", 400),
        (b"GET /" + b"x" * 9000, 414),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * 9000, 431),
        (b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 200, 431),
    ],
)
def test_every_request_has_an_answer(request_: bytes, status: int) -> None:
    for pieces in ([request_], [request_[i : i + 1] for i in range(len(request_))]):
        server = make_server(1000)
        assert receive(server, *pieces) == []
        assert server.state is State.ANSWERED
        *answers, end = server.data_to_send()
        answer = b"".join(answers)
        assert answer.startswith(b"HTTP/1.1 %d " % status)
        assert answer.count(b"HTTP/1.1") == 1
        assert (b"\r\nAllow: GET, HEAD\r\n" in answer) == (status == 405)
        assert b"xxx" not in answer
        assert end == SEND_EOF


@pytest.mark.parametrize(
    "behind",
    [b"\r\n", PAGE, sent(Opcode.CLOSE), sent(Opcode.TEXT, b"\xff")],
    ids=["a line", "another", "a close", "a text that is none"],
)
def test_an_upgrade_with_anything_but_messages_behind_it_is_answered_once(behind: bytes) -> None:
    server = make_server()
    assert receive(server, UPGRADE + behind) == []
    assert output(server).startswith(b"HTTP/1.1 400 ")
    server.accept(0)
    assert output(server) == b""


@BOTH
def test_messages_may_come_before_the_answer(is_usual: bool) -> None:
    pair = Pair(is_usual=is_usual)
    assert receive(pair.server, sent(Opcode.TEXT, b"early")) == [Text(b"early")]
    pair.server.accept(0)
    pair.to_client()
    assert state_of(pair.server) is State.OPEN
    assert receive(pair.server, sent(Opcode.TEXT, b"next")) == [Text(b"next")]


def test_a_part_of_a_frame_may_come_before_the_answer() -> None:
    pair = Pair()
    text = sent(Opcode.TEXT, b"whole")
    assert receive(pair.server, text[:3]) == []
    pair.server.accept(0)
    assert receive(pair.server, text[3:]) == [Text(b"whole")]


def test_a_request_may_be_refused_though_a_message_came_behind_it() -> None:
    pair = Pair()
    receive(pair.server, sent(Opcode.TEXT, b"early"))
    assert isinstance(pair.request, Request)
    pair.server.answer(document_response(Document.of(b"no"), pair.request))
    assert state_of(pair.server) is State.ANSWERED
    assert output(pair.server).endswith(b"no")


# Its end before there is a WebSocket


def test_the_end_in_the_middle_of_a_request() -> None:
    server = make_server()
    receive(server, b"GET / HT")
    server.receive_eof(can_answer=True)
    assert output(server).startswith(b"HTTP/1.1 400 ")
    assert server.state is State.CLOSED


def test_the_end_before_a_request() -> None:
    server = make_server()
    server.receive_eof(can_answer=True)
    assert server.data_to_send() == [SEND_EOF]
    assert server.state is State.CLOSED


@BOTH
def test_the_end_behind_a_request_comes_before_its_answer(is_usual: bool) -> None:
    pair = Pair(is_usual=is_usual)
    pair.server.receive_eof(can_answer=True)
    assert state_of(pair.server) is State.HALF_CLOSED
    assert output(pair.server) == b""
    pair.server.accept(0)
    assert state_of(pair.server) is State.ANSWERED, "a WebSocket of which one half is gone is none"
    assert output(pair.server).startswith(b"HTTP/1.1 101 ")


@BOTH
def test_the_end_behind_a_request_may_be_the_end_of_the_connection(is_usual: bool) -> None:
    pair = Pair(is_usual=is_usual)
    pair.server.receive_eof(can_answer=False)
    assert state_of(pair.server) is State.CLOSED
    assert pair.server.data_to_send()[-1] == SEND_EOF
    pair.server.accept(0)
    assert output(pair.server) == b""


def test_the_end_after_the_answer() -> None:
    pair = Pair()
    assert isinstance(pair.request, Request)
    pair.server.answer(document_response(Document.of(b"no"), pair.request))
    output(pair.server)
    pair.server.receive_eof(can_answer=True)
    assert state_of(pair.server) is State.CLOSED
    assert output(pair.server) == b""


# Messages


@BOTH
def test_a_client_is_heard(is_usual: bool) -> None:
    pair = opened(is_usual=is_usual)
    pair.client.send_text("😀".encode())
    pair.client.send_binary(b"\xff")
    pair.client.send_ping(b"?")
    pair.client.send_pong(b"!")
    assert pair.to_server() == [Text("😀".encode()), Binary(b"\xff"), Ping(b"?"), Pong(b"!")]
    (pong,) = pair.to_client()
    assert isinstance(pong, Frame)
    assert (pong.opcode, pong.data) == (Opcode.PONG, b"?")


@BOTH
def test_fragments_become_a_message(is_usual: bool) -> None:
    pair = opened(is_usual=is_usual)
    pair.client.send_text(b"one ", fin=False)
    pair.client.send_ping(b"?")
    pair.client.send_continuation(b"message", fin=True)
    pair.client.send_text(b"next")
    assert pair.to_server() == [Ping(b"?"), Text(b"one message"), Text(b"next")]


def test_usual_frames_need_nothing_of_the_library() -> None:
    pair = opened()
    for payload in (b"", b"x" * MAX_SIZE, "é".encode()):
        receive(pair.server, sent(Opcode.TEXT, payload), sent(Opcode.PING) + sent(Opcode.PONG))
    receive(pair.server, sent(Opcode.CLOSE))
    receive(pair.server, sent(Opcode.TEXT))
    pair.server.receive_eof(can_answer=True)
    assert state_of(pair.server) is State.CLOSED
    assert pair.server._library is None


@BOTH
def test_a_text_that_is_not_utf_8_fails_the_connection(is_usual: bool) -> None:
    pair = opened(is_usual=is_usual)
    bad = sent(Opcode.TEXT, b"before") + 2 * sent(Opcode.TEXT, b"ab\xff")
    assert receive(pair.server, bad, sent(Opcode.TEXT, b"after")) == [Text(b"before")]
    assert state_of(pair.server) is State.CLOSING
    pair.to_client()
    expected = CloseFrame(CloseCode.NOT_UTF8, "invalid start byte at position 2")
    assert pair.client.close_rcvd == expected


@pytest.mark.parametrize(
    "frames",
    [
        sent(Opcode.TEXT, b"x" * (MAX_SIZE + 1)),
        sent(Opcode.TEXT, b"x" * 60, fin=False) + sent(Opcode.CONT, b"x" * 5),
    ],
    ids=["one frame", "fragments"],
)
def test_before_the_close_the_client_is_told_why(frames: bytes) -> None:
    pair = opened()
    assert receive(pair.server, frames) == []
    assert state_of(pair.server) is State.CLOSING
    assert goodbye(output(pair.server))["code"] == 1009


def test_a_fault_without_a_code_of_the_protocol_has_no_goodbye() -> None:
    pair = opened()
    receive(pair.server, b"\xff\xff")
    assert state_of(pair.server) is State.CLOSING
    answer = output(pair.server)
    assert messages(answer) == []
    assert (1002).to_bytes(2) in answer


# Floods


@BOTH
@pytest.mark.parametrize("opcode", [Opcode.PING, Opcode.PONG, Opcode.TEXT])
def test_so_many_frames_and_no_more(is_usual: bool, opcode: Opcode) -> None:
    pair = opened(is_usual=is_usual, frames=3)
    assert len(receive(pair.server, sent(opcode) * 3)) == 3
    assert messages(output(pair.server)) == []
    assert receive(pair.server, sent(opcode) * 9) == []
    assert state_of(pair.server) is State.FLOODED
    answer = output(pair.server)
    assert goodbye(answer)["code"] == CloseCode.POLICY
    assert CloseCode.POLICY.to_bytes(2) in answer
    assert receive(pair.server, sent(opcode) * 9) == []
    assert output(pair.server) == b""


def test_empty_fragments_are_frames() -> None:
    pair = opened(frames=3)
    fragments = sent(Opcode.TEXT, fin=False) + sent(Opcode.CONT, fin=False) * 9
    assert receive(pair.server, fragments) == []
    assert state_of(pair.server) is State.FLOODED
    assert goodbye(output(pair.server))["code"] == CloseCode.POLICY


def _reads_request(server: ServerProtocol) -> None:
    pass


def _answers(server: ServerProtocol) -> None:
    receive(server, PAGE)


def _has_answered(server: ServerProtocol) -> None:
    (request,) = receive(server, PAGE)
    assert isinstance(request, Request)
    server.answer(document_response(Document.of(b""), request))


@pytest.mark.parametrize("begin", [_reads_request, _answers, _has_answered])
def test_a_flood_of_pieces_before_a_websocket(begin: Any) -> None:
    server = make_server(frames=3)
    begin(server)
    output(server)
    for _ in range(40):
        server.receive(b"\x81" if begin is _answers else b"G", 0)
    assert server.state is State.FLOODED
    assert output(server) == b""


def test_a_flood_of_frames_behind_a_request() -> None:
    server = make_server(frames=3)
    assert receive(server, UPGRADE + 9 * sent(Opcode.PONG)) == [], "the request is not answered"
    assert server.state is State.FLOODED


@pytest.mark.parametrize("is_client_first", [True, False])
def test_a_flood_of_pieces_after_a_close(is_client_first: bool) -> None:
    pair = opened(frames=3)
    if is_client_first:
        receive(pair.server, sent(Opcode.CLOSE))
    else:
        pair.server.close(CloseCode.BYE)
    output(pair.server)
    for _ in range(40):
        receive(pair.server, sent(Opcode.TEXT)[:1])
    assert state_of(pair.server) is State.FLOODED
    assert messages(output(pair.server)) == []


def test_what_comes_after_the_end_is_no_flood() -> None:
    pair = opened(frames=3)
    pair.server.connection_lost()
    for _ in range(40):
        assert receive(pair.server, sent(Opcode.TEXT)[:1]) == []
    assert state_of(pair.server) is State.CLOSED


# The closing handshake


@BOTH
@pytest.mark.parametrize("code", [None, 1000, 1001, 4999])
def test_a_client_closes(is_usual: bool, code: int | None) -> None:
    pair = opened(is_usual=is_usual)
    pair.client.send_text(b"last")
    pair.client.send_close(code)
    payload = b"" if code is None else code.to_bytes(2)
    assert pair.to_server() == [Text(b"last"), Close(payload)]
    assert state_of(pair.server) is State.CLOSING
    pair.to_client()
    assert pair.client.close_rcvd == pair.client.close_sent
    assert receive(pair.server, sent(Opcode.TEXT, b"late")) == []
    pair.to_server()
    assert state_of(pair.server) is State.CLOSED


@BOTH
def test_a_server_closes(is_usual: bool) -> None:
    pair = opened(is_usual=is_usual)
    pair.server.close(CloseCode.RESTARTING, retry_after_s=3)
    assert state_of(pair.server) is State.CLOSE_SENT
    answer = pair.server.data_to_send()
    assert goodbye(b"".join(answer))["retry_after_s"] == 3
    assert SEND_EOF not in answer, "the client has the time to answer"
    pair.client.send_text(b"on its way")
    late = pair.client.data_to_send()
    pair.client.receive_data(b"".join(answer))
    assert receive(pair.server, *late) == []
    pair.to_server()
    assert state_of(pair.server) is State.CLOSING
    assert pair.server.data_to_send() == [SEND_EOF]
    pair.server.close(CloseCode.BYE)
    assert output(pair.server) == b""


@BOTH
def test_a_server_closes_for_a_reason_of_its_own(is_usual: bool) -> None:
    pair = opened(is_usual=is_usual)
    pair.server.close(CloseCode.POLICY, words="no join came within 10 s")
    answer = b"".join(pair.server.data_to_send())
    assert goodbye(answer)["reason"] == "no join came within 10 s"
    pair.client.receive_data(answer)
    assert pair.client.close_rcvd is not None
    assert pair.client.close_rcvd.reason == "no join came within 10 s"


@BOTH
def test_a_client_that_is_presumed_dead(is_usual: bool) -> None:
    pair = opened(is_usual=is_usual)
    assert pair.server.ping()
    (ping,) = pair.to_client()
    assert isinstance(ping, Frame)
    assert ping.opcode is Opcode.PING
    pair.server.presume_dead()
    assert state_of(pair.server) is State.CLOSING
    assert goodbye(output(pair.server))["reason"] == "there was no answer to a ping"
    assert not pair.server.ping()
    pair.server.presume_dead()
    assert output(pair.server) == b""


@BOTH
def test_the_end_without_a_close(is_usual: bool) -> None:
    pair = opened(is_usual=is_usual)
    pair.server.receive_eof(can_answer=True)
    assert state_of(pair.server) is State.CLOSED
    assert pair.server.data_to_send() == [SEND_EOF]
    pair.server.connection_lost()


def test_a_connection_that_is_gone_leaves_no_garbage() -> None:
    pair = opened(is_usual=False)
    receive(pair.server, sent(Opcode.CLOSE))
    pair.server.connection_lost()
    library = weakref.ref(pair.server._library)
    gc.disable()
    try:
        del pair
        assert library() is None
    finally:
        gc.enable()
