"""Plain requests, one after another on one connection, joined in memory."""

import pytest
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import SEND_EOF

from tests.server.connections import REQUEST
from ttt_server.transport.messages import Event, Text
from ttt_server.transport.persistence import MOST_BEHIND
from ttt_server.transport.protocol import ServerProtocol
from ttt_server.transport.responses import Document, document_response
from ttt_server.transport.states import State

CLOSE = b"Connection: close\r\n"


def page(path: str = "/", headers: bytes = b"", method: str = "GET", version: str = "1.1") -> bytes:
    line = f"{method} {path} HTTP/{version}\r\nHost: here\r\n".encode()
    return line + headers + b"\r\n"


def make_server(frames: int = 100) -> ServerProtocol:
    """No time passes here, so `frames` is all that may come."""
    return ServerProtocol(max_size=64, frames_per_s=1, frame_burst=frames, now=0)


def receive(server: ServerProtocol, *pieces: bytes) -> list[Event]:
    return [event for piece in pieces for event in server.receive(piece, 0)]


def paths(events: list[Event]) -> list[str]:
    return [event.path for event in events if isinstance(event, Request)]


def state_of(server: ServerProtocol) -> State:
    """A function, so that mypy expects it to change."""
    return server.state


def answer(server: ServerProtocol, asked: Event, body: bytes = b"yes") -> bytes:
    """Answer a request where there is room, and return all that is sent."""
    assert isinstance(asked, Request)
    server.answer(document_response(Document.of(body), asked), may_keep=True)
    return b"".join(server.data_to_send())


def is_last(server: ServerProtocol, sent: bytes) -> bool:
    """Whether the connection ends with an answer; the answer has to say the same."""
    is_said = b"\r\nConnection: close\r\n" in sent
    assert state_of(server) is (State.ANSWERED if is_said else State.IDLE)
    return is_said


def test_requests_are_answered_one_after_another() -> None:
    server = make_server()
    for path in ("/a", "/b", "/c"):
        (asked,) = receive(server, page(path))
        assert paths([asked]) == [path]
        sent = answer(server, asked, path.encode())
        assert sent.startswith(b"HTTP/1.1 200 ")
        assert sent.endswith(path.encode())
        assert not is_last(server, sent)


def test_a_request_may_come_byte_by_byte() -> None:
    server = make_server()
    for path in ("/a", "/b"):
        (asked,) = receive(server, *(bytes([byte]) for byte in page(path)))
        assert paths([asked]) == [path]
        assert not is_last(server, answer(server, asked))


def test_requests_that_come_at_once_are_answered_in_their_order() -> None:
    server = make_server()
    events = receive(server, page("/a") + page("/b") + page("/c")[:9])
    assert paths(events) == ["/a"], "one at a time"
    assert receive(server, page("/c")[9:]) == []
    for path in ("/b", "/c"):
        assert not is_last(server, answer(server, events[0]))
        events = receive(server, b"")
        assert paths(events) == [path]
    assert not is_last(server, answer(server, events[0]))
    assert receive(server, b"") == []
    assert state_of(server) is State.IDLE


@pytest.mark.parametrize(
    "headers", [CLOSE, b"Connection: te, Close\r\n", b"Connection: te\r\n" + CLOSE]
)
def test_the_client_names_its_last_request(headers: bytes) -> None:
    server = make_server()
    (asked,) = receive(server, page("/a", headers) + page("/b"))
    assert is_last(server, answer(server, asked))
    assert receive(server, page("/c")) == [], "it is no request any more"
    assert server.data_to_send() == []


@pytest.mark.parametrize("headers", [b"", b"Connection: keep-alive\r\n"])
def test_the_older_protocol_has_one_request(headers: bytes) -> None:
    server = make_server()
    (asked,) = receive(server, page("/", headers, version="1.0"))
    assert is_last(server, answer(server, asked))


def test_there_may_be_no_room_for_a_connection_that_waits() -> None:
    server = make_server()
    (asked,) = receive(server, page())
    assert isinstance(asked, Request)
    server.answer(document_response(Document.of(b"yes"), asked))
    assert is_last(server, b"".join(server.data_to_send()))


def test_an_answer_may_be_the_last() -> None:
    server = make_server()
    (asked,) = receive(server, page())
    assert isinstance(asked, Request)
    response = document_response(Document.of(b"yes"), asked)
    response.headers["Connection"] = "close"
    server.answer(response, may_keep=True)
    assert is_last(server, b"".join(server.data_to_send()))


def test_heads_and_documents_that_are_known_have_no_body_that_the_next_is_taken_for() -> None:
    server = make_server()
    (asked,) = receive(server, page(method="HEAD"))
    sent = answer(server, asked)
    assert sent.endswith(b"\r\n\r\n")
    assert b"\r\nContent-Length: 3\r\n" in sent
    tag = Document.of(b"yes").tag
    (asked,) = receive(server, page(headers=f"If-None-Match: {tag}\r\n".encode()))
    sent = answer(server, asked)
    assert sent.startswith(b"HTTP/1.1 304 ")
    assert sent.endswith(b"\r\n\r\n")
    assert not is_last(server, sent)


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (page(method="POST", headers=b"Content-Length: 2\r\n") + b"{}", 405),
        (page(headers=b"Content-Length: 2\r\n") + b"{}", 400),
        (page(headers=b"Transfer-Encoding: chunked\r\n") + b"0\r\n\r\n", 400),
        (page(headers=b"Content-Length: 0\r\nContent-Length: 44\r\n") + page("/inner"), 400),
        (b"GET / HTTP/1.1\nHost: here\n\n", 400),
        (b"nonsense\r\n\r\n", 400),
        (b"GET /" + b"x" * 9000, 414),
    ],
)
@pytest.mark.parametrize("is_second", [False, True])
def test_a_request_with_a_body_or_without_sense_is_the_last(
    request_: bytes, status: int, is_second: bool
) -> None:
    server = make_server()
    if is_second:
        answer(server, receive(server, page())[0])
    assert receive(server, request_ + page("/next")) == []
    sent = b"".join(server.data_to_send())
    assert sent.startswith(b"HTTP/1.1 %d " % status)
    assert sent.count(b"HTTP/1.1 ") == 1
    assert is_last(server, sent)


def test_empty_lines_before_a_request_are_ignored() -> None:
    server = make_server()
    answer(server, receive(server, page())[0])
    assert receive(server, b"\r\n", b"\r") == []
    assert state_of(server) is State.IDLE
    assert paths(receive(server, b"\n" + page("/b"))) == ["/b"]


def test_the_next_request_has_begun_with_its_first_byte() -> None:
    server = make_server()
    answer(server, receive(server, page())[0])
    assert receive(server, b"G") == []
    assert state_of(server) is State.READING_REQUEST


@pytest.mark.parametrize("is_usual", [True, False], ids=["usual", "by the library"])
def test_a_websocket_after_plain_requests(is_usual: bool) -> None:
    server = make_server()
    for _ in range(2):
        answer(server, receive(server, page())[0])
    text = Frame(Opcode.TEXT, b"hello").serialize(mask=True)
    pieces = [REQUEST] if is_usual else [REQUEST[:9], REQUEST[9:] + text]
    events = receive(server, *pieces)
    assert paths(events) == ["/ws/rooms/den"]
    server.accept(0)
    assert state_of(server) is State.OPEN
    assert b"".join(server.data_to_send()).startswith(b"HTTP/1.1 101 ")
    if is_usual:
        events += receive(server, text)
    assert events[1:] == [Text(b"hello")]


def test_a_websocket_may_be_asked_for_behind_a_plain_request() -> None:
    server = make_server()
    (asked,) = receive(server, page() + REQUEST)
    answer(server, asked)
    assert paths(receive(server, b"")) == ["/ws/rooms/den"]
    server.accept(0)
    assert state_of(server) is State.OPEN


@pytest.mark.parametrize(
    "request_", [REQUEST, page(headers=b"Connection: Upgrade\r\nUpgrade: h2c\r\n")]
)
def test_an_upgrade_that_is_answered_as_a_plain_request_is_the_last(request_: bytes) -> None:
    server = make_server()
    answer(server, receive(server, page())[0])
    (asked,) = receive(server, request_)
    assert is_last(server, answer(server, asked))


def test_the_end_between_two_requests() -> None:
    server = make_server()
    answer(server, receive(server, page())[0])
    server.receive_eof(can_answer=True)
    assert server.data_to_send() == [SEND_EOF]
    assert state_of(server) is State.CLOSED


def test_the_end_behind_a_request_makes_it_the_last() -> None:
    server = make_server()
    (asked,) = receive(server, page("/a") + page("/b"))
    server.receive_eof(can_answer=True)
    assert is_last(server, answer(server, asked))


def test_the_server_takes_no_further_request() -> None:
    idle, asking = make_server(), make_server()
    answer(idle, receive(idle, page())[0])
    idle.end_requests()
    assert idle.data_to_send() == [SEND_EOF]
    assert receive(idle, page()) == []
    (asked,) = receive(asking, page())
    asking.end_requests()
    assert asking.data_to_send() == [], "it has its answer yet"
    assert is_last(asking, answer(asking, asked))


def test_each_request_has_as_many_reads_as_a_new_connection() -> None:
    server = make_server(frames=5)
    for _ in range(9):
        (asked,) = receive(server, *(bytes([byte]) for byte in page()))
        answer(server, asked)
    receive(server, *60 * [b"G"])
    assert state_of(server) is State.FLOODED
    assert server.data_to_send() == [], "nothing is to be said"


def test_a_flood_of_empty_lines_between_requests() -> None:
    server = make_server(frames=5)
    answer(server, receive(server, page())[0])
    receive(server, *60 * [b"\r\n"])
    assert state_of(server) is State.FLOODED


def test_a_flood_of_requests_before_the_answer() -> None:
    server = make_server(frames=1000)
    receive(server, page())
    for _ in range(MOST_BEHIND // len(page()) + 1):
        receive(server, page())
    assert state_of(server) is State.FLOODED
    server = make_server()
    assert receive(server, page() + bytes(MOST_BEHIND + 1)) == []
    assert state_of(server) is State.FLOODED
