import gc
import json
import weakref

import pytest
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from ttt_server.limits.token_bucket import TokenBucket
from ttt_server.transport.protocol import Wire

HOST = b"Host: here\r\n"


class Line:
    """A wire, and what it was called with when it failed."""

    def __init__(self, frames: int = 100) -> None:
        self.failed: list[int] = []
        budget = TokenBucket(1, frames, now=0)
        self.wire = Wire(64, budget, clock=lambda: 0, on_fail=self.failed.append)

    def answer(self, *pieces: bytes) -> bytes:
        for piece in pieces:
            self.wire.receive_data(piece)
        return b"".join(self.wire.data_to_send())


def opened(frames: int = 100) -> Line:
    """With the handshake behind it."""
    line = Line(frames)
    client = ClientProtocol(parse_uri("ws://here/ws/rooms/den"))
    client.send_request(client.connect())
    line.wire.receive_data(b"".join(client.data_to_send()))
    [request] = line.wire.events_received()
    line.wire.send_response(line.wire.accept(request))  # type: ignore[arg-type]  # the first event
    line.wire.data_to_send()
    assert line.wire.state is State.OPEN
    return line


def sent(opcode: Opcode, data: bytes = b"", *, fin: bool = True) -> bytes:
    return Frame(opcode, data, fin).serialize(mask=True)


def goodbye(answer: bytes) -> dict[str, object]:
    """What stands in the frame of text before the close."""
    text = answer[answer.index(b"{") : answer.index(b"}") + 1]
    message: dict[str, object] = json.loads(text)
    assert message["type"] == "goodbye"
    return message


def test_a_request_may_be_read_elsewhere() -> None:
    line = Line()
    line.wire.open()
    assert line.wire.state is State.OPEN
    line.answer(sent(Opcode.TEXT, b"hello"))
    [frame] = line.wire.events_received()
    assert isinstance(frame, Frame)
    assert frame.data == b"hello"


def test_one_whose_connection_is_gone_is_no_garbage() -> None:
    line = opened()
    line.answer(sent(Opcode.CLOSE))
    line.wire.receive_eof()
    line.wire.let_go()
    wire = weakref.ref(line.wire)
    gc.disable()
    try:
        del line
        assert wire() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("opcode", [Opcode.PING, Opcode.PONG, Opcode.TEXT])
def test_so_many_frames_and_no_more(opcode: Opcode) -> None:
    line = opened(frames=3)
    assert b"goodbye" not in line.answer(sent(opcode) * 3)
    assert len(line.wire.events_received()) == 3
    assert goodbye(line.answer(sent(opcode) * 9))["code"] == 1008
    assert line.failed == [1008]
    assert line.wire.events_received() == []
    assert line.wire.close_sent is not None
    assert line.wire.close_sent.code == 1008


def test_empty_fragments_are_frames() -> None:
    line = opened(frames=3)
    fragments = sent(Opcode.TEXT, fin=False) + sent(Opcode.CONT, fin=False) * 9
    assert goodbye(line.answer(fragments))["code"] == 1008
    assert len(line.wire.events_received()) == 3


def test_after_a_flood_nothing_is_understood() -> None:
    line = opened(frames=1)
    line.answer(sent(Opcode.PING) * 2)
    assert line.answer(sent(Opcode.PING) * 9) == b""
    assert line.failed == [1008]


@pytest.mark.parametrize(
    ("frames", "code"),
    [
        (sent(Opcode.TEXT, b"x" * 65), 1009),
        (sent(Opcode.TEXT, b"x" * 60, fin=False) + sent(Opcode.CONT, b"x" * 5), 1009),
    ],
    ids=["one frame", "fragments"],
)
def test_before_the_close_it_is_told_why(frames: bytes, code: int) -> None:
    line = opened()
    assert goodbye(line.answer(frames))["code"] == code
    assert line.failed == [code]


def test_what_has_no_code_of_ours_is_closed_by_the_library() -> None:
    line = opened()
    assert b"goodbye" not in line.answer(b"\xff\xff")
    assert line.failed == [1002]


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
        line = Line()
        answer = line.answer(*pieces)
        assert answer.startswith(b"HTTP/1.1 %d " % status)
        assert answer.count(b"HTTP/1.1") == 1
        assert (b"\r\nAllow: GET, HEAD\r\n" in answer) == (status == 405)
        assert b"xxx" not in answer
        assert line.wire.eof_sent


def test_one_who_goes_in_the_middle_of_a_request() -> None:
    line = Line()
    line.wire.receive_data(b"GET / HT")
    line.wire.receive_eof()
    assert b"".join(line.wire.data_to_send()).startswith(b"HTTP/1.1 400 ")


def test_one_who_says_nothing_is_told_nothing() -> None:
    line = Line()
    line.wire.receive_eof()
    assert line.wire.data_to_send() == [b""]


@pytest.mark.parametrize(
    ("method", "headers", "status", "allow"),
    [
        (b"GET", b"", 426, []),
        (b"POST", b"", 405, ["GET"]),
        (b"GET", b"Connection: Upgrade\r\nUpgrade: websocket\r\n", 400, []),
        (b"GET", b"Connection: Upgrade\r\nUpgrade: zzzyyy\r\n", 426, []),
    ],
)
def test_the_librarys_own_answers_look_like_ours(
    method: bytes, headers: bytes, status: int, allow: list[str]
) -> None:
    line = Line()
    line.wire.receive_data(method + b" /ws/lobby HTTP/1.1\r\n" + HOST + headers + b"\r\n")
    [request] = line.wire.events_received()
    response = line.wire.accept(request)  # type: ignore[arg-type]  # the first event
    assert response.status_code == status
    assert response.headers.get_all("Allow") == allow
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert len(response.body) < 80
    assert b"zzzyyy" not in response.body


def test_one_who_speaks_other_protocols_is_told_which_is_spoken_here() -> None:
    line = Line()
    client = ClientProtocol(parse_uri("ws://here/ws/lobby"), subprotocols=[Subprotocol("zzzyyy")])
    client.send_request(client.connect())
    line.wire.receive_data(b"".join(client.data_to_send()))
    [request] = line.wire.events_received()
    response = line.wire.accept(request)  # type: ignore[arg-type]  # the first event
    assert response.status_code == 400
    assert response.body == b"this server speaks ttt.v1\n"
