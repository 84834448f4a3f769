"""Plain requests, one after another on one connection, joined in memory."""

import pytest
from websockets.frames import Frame, Opcode

from tests.server.connections import REQUEST
from tests.server.transport.test_connection_protocol import Server
from ttt_server.transport.connection import MOST_BEHIND
from ttt_server.transport.responses import Document, document_response
from ttt_server.transport.states import State
from ttt_server.transport.websocket import body_of

CLOSE = b"Connection: close\r\n"


def page(path: str = "/", headers: bytes = b"", method: str = "GET", version: str = "1.1") -> bytes:
    line = f"{method} {path} HTTP/{version}\r\nHost: here\r\n".encode()
    return line + headers + b"\r\n"


def paths(server: Server) -> list[str]:
    return [request.path for request in server.gateway.requests]


async def answer(server: Server, body: bytes = b"yes") -> bytes:
    """Answer the newest request; return all that is sent."""
    server.answer(body)
    sent = server.output()
    await server.receive()
    return sent


def is_last(server: Server, sent: bytes) -> bool:
    """Whether the connection ends with an answer; the answer has to say the same."""
    is_said = b"\r\nConnection: close\r\n" in sent
    assert server.at(State.ANSWERED) is is_said
    return is_said


async def test_requests_are_answered_one_after_another() -> None:
    server = Server()
    for path in ("/a", "/b", "/c"):
        await server.receive(page(path))
        assert paths(server)[-1] == path
        sent = await answer(server, path.encode())
        assert sent.startswith(b"HTTP/1.1 200 ")
        assert sent.endswith(path.encode())
        assert not is_last(server, sent)
        assert server.at(State.IDLE)


@pytest.mark.parametrize("is_tls", [False, True])
async def test_browsers_stay_with_tls(is_tls: bool) -> None:
    server = Server()
    server.line.is_tls = is_tls
    await server.receive(page())
    sent = await answer(server)
    assert (b"\r\nStrict-Transport-Security: max-age=31536000\r\n" in sent) is is_tls


async def test_a_request_may_come_byte_by_byte() -> None:
    server = Server()
    for path in ("/a", "/b"):
        await server.receive(*(bytes([byte]) for byte in page(path)))
        assert paths(server)[-1] == path
        assert not is_last(server, await answer(server))


@pytest.mark.parametrize("first", range(1, len(page("/a")) + 1))
async def test_a_head_ends_where_its_empty_line_does(first: int) -> None:
    server, both = Server(), page("/a") + page("/b")
    await server.receive(both[:first], both[first:])
    await answer(server)
    await answer(server)
    assert paths(server) == ["/a", "/b"]


async def test_requests_that_come_at_once_are_answered_in_their_order() -> None:
    server = Server()
    await server.receive(page("/a") + page("/b") + page("/c")[:9], page("/c")[9:])
    for count in (1, 2, 3):
        assert paths(server) == ["/a", "/b", "/c"][:count], "one at a time"
        assert not is_last(server, await answer(server))
    assert server.at(State.IDLE)


@pytest.mark.parametrize(
    ("headers", "is_kept"),
    [
        (CLOSE, False),
        (b"Connection: te, Close\r\n", False),
        (b"Connection: te\r\n" + CLOSE, False),
        (b"Connection: keep-alive\r\n", True),
        (b"Connection: closed\r\n", True),
    ],
)
async def test_the_client_names_its_last_request(headers: bytes, is_kept: bool) -> None:
    server = Server()
    await server.receive(page("/a", headers) + page("/b"))
    assert is_last(server, await answer(server)) is not is_kept
    await server.receive(page("/c"))
    assert paths(server) == (["/a", "/b"] if is_kept else ["/a"])


@pytest.mark.parametrize("headers", [b"", b"Connection: keep-alive\r\n"])
async def test_http_1_0_has_one_request_per_connection(headers: bytes) -> None:
    server = Server()
    await server.receive(page("/", headers, version="1.0"))
    assert is_last(server, await answer(server))


async def test_an_answer_may_be_the_last() -> None:
    server = Server()
    await server.receive(page())
    response = document_response(Document.of(b"yes"), server.gateway.requests[0])
    response.headers["Connection"] = "close"
    server.connection.answer(response)
    assert is_last(server, server.output())


async def test_answers_without_a_body_do_not_confuse_the_next_request() -> None:
    server = Server()
    await server.receive(page(method="HEAD"))
    sent = await answer(server)
    assert sent.endswith(b"\r\n\r\n")
    assert b"\r\nContent-Length: 3\r\n" in sent
    tag = Document.of(b"yes").tag
    await server.receive(page(headers=f"If-None-Match: {tag}\r\n".encode()))
    sent = await answer(server)
    assert sent.startswith(b"HTTP/1.1 304 ")
    assert sent.endswith(b"\r\n\r\n")
    assert not is_last(server, sent)


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (page(method="PUT", headers=b"Content-Length: 2\r\n") + b"{}", 405),
        (page(method="POST", headers=b"Content-Length: 2\r\nContent-Length: 2\r\n") + b"{}", 400),
        (page(method="POST", headers=b"Content-Length: 2\r\nContent-Length: 0\r\n") + b"{}", 400),
        (page(method="POST", headers=b"Content-Length: 0\r\nContent-Length: 2\r\n") + b"{}", 400),
        (page(method="DELETE", headers=b"Transfer-Encoding: chunked\r\n") + b"0\r\n\r\n", 400),
        (page(headers=b"Content-Length: 2\r\n") + b"{}", 400),
        (page(headers=b"Transfer-Encoding: chunked\r\n") + b"0\r\n\r\n", 400),
        (page(headers=b"Content-Length: 0\r\nContent-Length: 44\r\n") + page("/inner"), 400),
        (b"GET / HTTP/1.1\nHost: here\n\n", 400),
        (b"nonsense\r\n\r\n", 400),
        (b"GET /" + b"x" * 9000, 414),
    ],
)
@pytest.mark.parametrize("is_second", [False, True])
async def test_a_malformed_request_or_one_with_a_body_is_the_last(
    request_: bytes, status: int, is_second: bool
) -> None:
    server = Server()
    if is_second:
        await server.receive(page("/first"))
        await answer(server)
    await server.receive(request_ + page("/next"))
    assert paths(server) == ["/first"] * is_second
    sent = server.output()
    assert sent.startswith(b"HTTP/1.1 %d " % status)
    assert sent.count(b"HTTP/1.1 ") == 1
    assert is_last(server, sent)


@pytest.mark.parametrize("method", ["POST", "PATCH", "DELETE"])
@pytest.mark.parametrize("size", [1, 7, 1000])
async def test_a_request_may_have_a_body(method: str, size: int) -> None:
    server, body = Server(), b'{"name": "GET / HTTP/1.1\\r\\n"}'
    length = f"content-LENGTH:  {len(body)} \r\n".encode()
    asked = page("/a", length + b"X: y\r\n", method) + body + page("/b") + page("/c", method=method)
    await server.receive(*(asked[at : at + size] for at in range(0, len(asked), size)))
    for path, sent in (("/a", body), ("/b", b""), ("/c", b"")):
        assert paths(server)[-1] == path
        assert body_of(server.gateway.requests[-1]) == sent
        assert "Content-Length" not in server.gateway.requests[-1].headers
        assert not is_last(server, await answer(server))


async def test_a_client_may_leave_within_a_body() -> None:
    server = Server()
    await server.receive(page(method="POST", headers=b"Content-Length: 9\r\n") + b"{")
    assert server.at(State.READING_REQUEST)
    assert not paths(server)
    server.connection.eof_received()
    assert server.at(State.CLOSED)


async def test_empty_lines_before_a_request_are_ignored() -> None:
    server = Server()
    await server.receive(page("/a"))
    await answer(server)
    await server.receive(b"\r\n", b"\r")
    assert server.at(State.IDLE)
    await server.receive(b"\n" + page("/b"))
    assert paths(server) == ["/a", "/b"]


async def test_the_next_request_has_begun_with_its_first_byte() -> None:
    server = Server()
    await server.receive(page())
    await answer(server)
    await server.receive(b"G")
    assert server.at(State.READING_REQUEST)


@pytest.mark.parametrize("size", [9, 1000])
async def test_a_websocket_after_plain_requests(size: int) -> None:
    server = Server()
    for _ in range(2):
        await server.receive(page())
        await answer(server)
    data = REQUEST + Frame(Opcode.TEXT, b"hello").serialize(mask=True)
    await server.receive(data[:size], data[size:])
    assert paths(server)[-1] == "/ws/rooms/den"
    assert server.accept()
    assert server.output().startswith(b"HTTP/1.1 101 ")
    await server.receive()
    assert server.heard == [b"hello"]


async def test_a_websocket_may_be_asked_for_behind_a_plain_request() -> None:
    server = Server()
    await server.receive(page("/a") + REQUEST)
    await answer(server)
    assert paths(server) == ["/a", "/ws/rooms/den"]
    assert server.accept()


@pytest.mark.parametrize(
    "request_", [REQUEST, page(headers=b"Connection: Upgrade\r\nUpgrade: h2c\r\n")]
)
async def test_an_upgrade_that_is_answered_as_a_plain_request_is_the_last(request_: bytes) -> None:
    server = Server()
    await server.receive(page())
    await answer(server)
    await server.receive(request_)
    assert is_last(server, await answer(server))


async def test_the_end_between_two_requests() -> None:
    server = Server()
    await server.receive(page())
    await answer(server)
    server.connection.eof_received()
    assert server.line.is_ended
    assert server.at(State.CLOSED)


async def test_the_end_behind_a_request_makes_it_the_last() -> None:
    server = Server()
    await server.receive(page("/a") + page("/b"))
    server.connection.eof_received()
    assert is_last(server, await answer(server))
    assert paths(server) == ["/a"]


async def test_each_request_has_as_many_reads_as_a_new_connection() -> None:
    server = Server(frames=5)
    for _ in range(9):
        await server.receive(*(bytes([byte]) for byte in page()))
        await answer(server)
    assert len(paths(server)) == 9
    await server.receive(*60 * [b"G"])
    assert server.at(State.FLOODED)
    assert server.output() == b"", "nothing is to be said"


async def test_a_flood_of_requests_before_the_answer() -> None:
    server = Server(frames=1000)
    await server.receive(page())
    for _ in range(MOST_BEHIND // len(page()) + 1):
        await server.receive(page())
    assert server.at(State.FLOODED)


class Deaf(Server):
    """A client that reads a piece only when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        write = self.line.write

        def write_and_pause(data: bytes) -> None:
            write(data)
            self.connection.pause_writing()

        self.line.write = write_and_pause  # type: ignore[method-assign]


@pytest.mark.parametrize("headers", [b"", CLOSE])
async def test_a_long_answer_is_written_as_the_client_reads(headers: bytes) -> None:
    server, body = Deaf(), bytes(range(256)) * 1000
    await server.receive(page("/a", headers) + (b"" if headers else page("/b")))
    server.answer(body)
    whole = b""
    while not whole.endswith(body):
        assert paths(server) == ["/a"], "the next request waits"
        piece = server.output()
        assert 0 < len(piece) < 1 << 16
        whole += piece
        if not whole.endswith(body):
            assert not server.line.is_ended
            server.connection.end_idle()  # which it is not
        server.connection.resume_writing()
    assert whole.startswith(b"HTTP/1.1 200 ")
    assert server.line.is_ended == bool(headers)
    await server.receive()
    assert paths(server) == (["/a"] if headers else ["/a", "/b"])
    server.connection.connection_lost(None)


async def test_a_half_closed_client_reads_a_long_answer_to_its_end() -> None:
    server = Deaf()
    await server.receive(page("/a"))
    server.connection.eof_received()
    server.answer(bytes(100_000))
    whole = server.output()
    for _ in range(4):
        server.connection.resume_writing()
        whole += server.output()
    assert whole.endswith(bytes(100_000))
    assert server.line.is_closed


async def test_a_client_that_reads_again_gets_the_rest_at_once() -> None:
    server = Deaf()
    await server.receive(page("/a") + page("/b"))
    server.answer(bytes(100_000))
    del server.line.write  # that of the class does not pause
    server.connection.resume_writing()
    assert server.output().endswith(bytes(100_000))
    await server.receive()
    assert paths(server) == ["/a", "/b"]
