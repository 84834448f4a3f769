"""A client of the library and a connection, joined in memory."""

import asyncio
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
from websockets.protocol import State as ClientState
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from tests.server.connections import FakeGateway, FakeTransport, RecordingHandler, make_connection
from ttt_protocol.codes import CloseCode
from ttt_server.limits.connections import ConnectionLimits
from ttt_server.transport.connection import MOST_BEHIND, Connection
from ttt_server.transport.responses import Document, document_response
from ttt_server.transport.states import TRANSITIONS, State

HOST = b"Host: here\r\n"
UPGRADE_8 = (
    b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 8\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)
PAGE = b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n"
MAX_SIZE = 200
ROOM = "ws://here/ws/rooms/den"


class PatientGateway(FakeGateway):
    """Leaves each request to the test."""

    def on_request(self, connection: Connection, request: Request) -> None:  # noqa: ARG002
        self.requests.append(request)


class Server:
    """A connection, and what it has heard and sent."""

    def __init__(self, frames: int = 100) -> None:
        """Hardly any time passes, so `frames` is all that may come."""
        self.gateway, self.line = PatientGateway(), FakeTransport()
        limits = ConnectionLimits(MAX_SIZE, 1e-6, frames, 9, 9)
        self.connection = make_connection(self.gateway, limits)
        self.connection.connection_made(self.line)
        self.handler = RecordingHandler(self.connection)

    def at(self, state: State) -> bool:
        return self.connection.state is state

    @property
    def heard(self) -> list[bytes]:
        """The messages since the last time."""
        heard, self.handler.messages = self.handler.messages, []
        return heard

    def output(self) -> bytes:
        """All that was written since the last time."""
        written, self.line.written = self.line.written, b""
        return written

    async def receive(self, *pieces: bytes) -> None:
        for piece in pieces:
            self.connection.data_received(piece)
        for _ in range(20):  # a message each
            await asyncio.sleep(0)

    def accept(self) -> bool:
        is_open = self.connection.accept()
        if is_open:
            self.connection.attach(self.handler)
        return is_open

    def answer(self, body: bytes) -> None:
        request = self.gateway.requests[-1]
        self.connection.answer(document_response(Document.of(body), request))


def sent(opcode: Opcode, data: bytes = b"", *, fin: bool = True) -> bytes:
    return Frame(opcode, data, fin).serialize(mask=True)


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
    """A client of the library and a server, with nothing but bytes between them."""

    def __init__(self, *, frames: int = 100, subprotocols: tuple[str, ...] = ()) -> None:
        offered = [Subprotocol(each) for each in subprotocols] or None
        self.server = Server(frames)
        self.client = ClientProtocol(parse_uri(ROOM), subprotocols=offered)
        self.client.send_request(self.client.connect())
        self.request = b"".join(self.client.data_to_send())

    def to_client(self) -> list[Frame | Response]:
        output = self.server.output()
        if output:
            self.client.receive_data(output)
        if self.server.line.is_ended and self.client.state is not ClientState.CLOSED:
            self.client.receive_eof()
        events = self.client.events_received()
        return [event for event in events if isinstance(event, (Frame, Response))]

    async def to_server(self) -> None:
        for data in self.client.data_to_send():
            if data:
                await self.server.receive(data)
            else:
                self.server.connection.eof_received()


async def opened(*, by_library: bool = False, frames: int = 100) -> Pair:
    """Open a WebSocket; `by_library`: a frame came that the library reads all others for."""
    pair = Pair(frames=frames + by_library)
    await pair.server.receive(pair.request)
    assert pair.server.accept()
    pair.to_client()
    assert pair.client.handshake_exc is None
    if by_library:
        await pair.server.receive(*(bytes([byte]) for byte in sent(Opcode.PONG)))
    assert (pair.server.connection._library is not None) is by_library
    return pair


BOTH = pytest.mark.parametrize("by_library", [False, True], ids=["usual", "by the library"])


# The states


def test_each_state_has_its_transitions() -> None:
    assert set(TRANSITIONS) == set(State)
    assert not TRANSITIONS[State.CLOSED]
    assert all(State.CLOSED in after for state, after in TRANSITIONS.items() if after)
    reached = set().union(*TRANSITIONS.values())
    assert reached == set(State)


async def test_no_other_transition_is_possible() -> None:
    connection = Server().connection
    for state, next_ in product(State, State):
        connection.state = state
        if next_ in TRANSITIONS[state]:
            connection._enter(next_)
            assert connection.state is next_
        else:
            with pytest.raises(RuntimeError, match="cannot go from"):
                connection._enter(next_)
            assert connection.state is state


# The opening handshake


@pytest.mark.parametrize("subprotocols", [(), ("ttt.v1",), ("chat", "ttt.v1")])
@pytest.mark.parametrize("size", [1, 30, 1000])
async def test_a_websocket_is_opened(subprotocols: tuple[str, ...], size: int) -> None:
    pair, data = Pair(subprotocols=subprotocols), b""
    for data in (pair.request[at : at + size] for at in range(0, len(pair.request), size)):
        assert pair.server.at(State.READING_REQUEST)
        await pair.server.receive(data)
    assert pair.server.gateway.requests[0].path == "/ws/rooms/den"
    assert pair.server.at(State.ANSWERING)
    assert pair.server.accept()
    assert pair.server.at(State.OPEN)
    pair.to_client()
    assert pair.client.handshake_exc is None
    assert pair.client.subprotocol == ("ttt.v1" if subprotocols else None)
    assert not pair.server.accept(), "once"


async def test_a_client_with_other_subprotocols_is_told_ours() -> None:
    pair = Pair(subprotocols=("zzzyyy",))
    await pair.server.receive(pair.request)
    assert not pair.server.accept()
    assert pair.server.at(State.ANSWERED)
    (response,) = pair.to_client()
    assert isinstance(response, Response)
    assert response.status_code == 400
    assert response.body == b"this server speaks ttt.v1\n"


async def test_a_request_is_refused() -> None:
    pair = Pair()
    await pair.server.receive(pair.request)
    pair.server.answer(b"no")
    assert pair.server.at(State.ANSWERED)
    (response,) = pair.to_client()
    assert isinstance(response, Response)
    assert response.body == b"no"
    assert isinstance(pair.client.handshake_exc, InvalidStatus)
    await pair.server.receive(sent(Opcode.TEXT))
    assert not pair.server.accept()
    pair.server.answer(b"again")
    assert pair.server.output() == b"", "a request has one answer"


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
async def test_an_invalid_handshake_is_refused(
    method: bytes, headers: bytes, status: int, allow: int
) -> None:
    server = Server()
    await server.receive(method + b" /ws/lobby HTTP/1.1\r\n" + HOST + headers + b"\r\n")
    assert not server.accept()
    assert server.at(State.ANSWERED)
    head, _, body = server.output().partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status)
    assert head.count(b"\r\nAllow: ") == allow
    assert head.count(b"\r\nSec-WebSocket-Version: 13") == 1 - allow
    assert b"\r\nX-Content-Type-Options: nosniff" in head
    assert len(body) < 80
    assert b"zzzyyy" not in body


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 1001\r\n\r\n", 413),
        (b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: +2\r\n\r\n{}", 400),
        (b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 2, 2\r\n\r\n{}", 400),
        (b"POST / HTTP/1.1\r\n" + HOST + b"X: " + b"x" * 9000, 431),
        (b"POST / HTTP/1.1\r\nno colon\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 2\n\n{}", 400),
        (b"PUT / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 405),
        (b"GET / HTTP/1.1\r\n" + HOST + b"Content-Length: 2\r\n\r\n{}", 400),
        (b"GET /\r\n\r\n", 400),
        (b"GET / HTTP/2.0\r\n\r\n", 400),
        (b"GET /\xff HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\n\n", 400),
        (b"GET / HTTP/1.1\r\nno colon\r\n\r\n", 400),
        (b"\xff\xfe \r\n", 400),
        (b"GET /" + b"x" * 9000, 414),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * 9000, 431),
        (b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 200, 431),
    ],
)
async def test_every_request_has_an_answer(request_: bytes, status: int) -> None:
    for pieces in ([request_], [request_[i : i + 1] for i in range(len(request_))]):
        server = Server(1000)
        await server.receive(*pieces)
        assert not server.gateway.requests
        assert server.at(State.ANSWERED)
        answer = server.output()
        assert answer.startswith(b"HTTP/1.1 %d " % status)
        assert answer.count(b"HTTP/1.1") == 1
        assert (b"\r\nAllow: GET, HEAD\r\n" in answer) == (status == 405)
        assert b"xxx" not in answer
        assert server.line.is_ended


@pytest.mark.parametrize("size", [3, 1000])
async def test_messages_may_come_before_the_answer(size: int) -> None:
    pair, text = Pair(), sent(Opcode.TEXT, b"early")
    await pair.server.receive(pair.request + text[:size], text[size:])
    assert pair.server.accept()
    pair.to_client()
    await pair.server.receive()
    assert pair.server.heard == [b"early"]
    await pair.server.receive(sent(Opcode.TEXT, b"next"))
    assert pair.server.heard == [b"next"]


async def test_a_request_may_be_refused_though_a_message_came_behind_it() -> None:
    pair = Pair()
    await pair.server.receive(pair.request + sent(Opcode.TEXT, b"early"))
    pair.server.answer(b"no")
    assert pair.server.at(State.ANSWERED)
    assert pair.server.output().endswith(b"no")


# Its end before there is a WebSocket


async def test_the_end_in_the_middle_of_a_request() -> None:
    server = Server()
    await server.receive(b"GET / HT")
    assert not server.connection.eof_received()
    assert server.output().startswith(b"HTTP/1.1 400 ")
    assert server.at(State.CLOSED)


async def test_the_end_behind_a_request_comes_before_its_answer() -> None:
    pair = Pair()
    await pair.server.receive(pair.request)
    assert pair.server.connection.eof_received()
    assert pair.server.at(State.HALF_CLOSED)
    assert pair.server.output() == b""
    assert not pair.server.accept(), "a WebSocket of which one half is gone is none"
    assert pair.server.at(State.ANSWERED)
    assert pair.server.output().startswith(b"HTTP/1.1 101 ")


async def test_the_end_behind_a_request_may_be_the_end_of_the_connection() -> None:
    pair = Pair()
    pair.server.line.is_tls = True
    await pair.server.receive(pair.request)
    assert not pair.server.connection.eof_received()
    assert pair.server.at(State.CLOSED)
    assert pair.server.line.is_closed
    assert not pair.server.accept()
    assert pair.server.output() == b""


async def test_the_end_after_the_answer() -> None:
    pair = Pair()
    await pair.server.receive(pair.request)
    pair.server.answer(b"no")
    pair.server.output()
    pair.server.connection.eof_received()
    assert pair.server.at(State.CLOSED)
    assert pair.server.output() == b""


# Messages


@BOTH
async def test_a_client_is_heard(by_library: bool) -> None:
    pair = await opened(by_library=by_library)
    pair.client.send_text("😀".encode())
    pair.client.send_binary(b"\xff")
    pair.client.send_ping(b"?")
    pair.client.send_pong(b"!")
    await pair.to_server()
    assert pair.server.heard == ["😀".encode()]
    assert pair.server.handler.binaries == 1
    (pong,) = pair.to_client()
    assert isinstance(pong, Frame)
    assert (pong.opcode, pong.data) == (Opcode.PONG, b"?")


@BOTH
async def test_fragments_become_a_message(by_library: bool) -> None:
    pair = await opened(by_library=by_library)
    pair.client.send_text(b"one ", fin=False)
    pair.client.send_ping(b"?")
    pair.client.send_continuation(b"\xf0\x9f\x98", fin=False)
    pair.client.send_continuation(b"\x80", fin=True)
    pair.client.send_binary(b"\xff", fin=False)
    pair.client.send_continuation(b"", fin=True)
    pair.client.send_text(b"next")
    await pair.to_server()
    assert pair.server.heard == ["one 😀".encode(), b"next"]
    assert pair.server.handler.binaries == 1


async def test_usual_frames_need_nothing_of_the_library() -> None:
    pair = await opened()
    for payload in (b"", b"x" * MAX_SIZE, "é".encode()):
        await pair.server.receive(sent(Opcode.TEXT, payload))
        await pair.server.receive(sent(Opcode.PING) + sent(Opcode.PONG))
    assert pair.server.connection._library is None


@BOTH
async def test_a_text_that_is_not_utf_8_fails_the_connection(by_library: bool) -> None:
    pair = await opened(by_library=by_library)
    bad = sent(Opcode.TEXT, b"before") + 2 * sent(Opcode.TEXT, b"ab\xff")
    await pair.server.receive(bad, sent(Opcode.TEXT, b"after"))
    assert pair.server.heard == [b"before"]
    assert pair.server.at(State.CLOSING)
    pair.to_client()
    expected = CloseFrame(CloseCode.NOT_UTF8, "invalid start byte at position 2")
    assert pair.client.close_rcvd == expected


@pytest.mark.parametrize(
    "frames",
    [
        sent(Opcode.TEXT, b"x" * (MAX_SIZE + 1)),
        sent(Opcode.TEXT, b"x" * (MAX_SIZE - 4), fin=False) + sent(Opcode.CONT, b"x" * 5),
    ],
    ids=["one frame", "fragments"],
)
async def test_before_the_close_the_client_is_told_why(frames: bytes) -> None:
    pair = await opened()
    await pair.server.receive(frames)
    assert pair.server.heard == []
    assert pair.server.at(State.CLOSING)
    assert goodbye(pair.server.output())["code"] == 1009


async def test_a_fault_with_a_code_of_rfc_6455_only_has_no_goodbye() -> None:
    pair = await opened()
    await pair.server.receive(b"\xff\xff")
    assert pair.server.at(State.CLOSING)
    answer = pair.server.output()
    assert messages(answer) == []
    assert (1002).to_bytes(2) in answer


# Floods


@BOTH
@pytest.mark.parametrize("opcode", [Opcode.PING, Opcode.PONG, Opcode.TEXT])
async def test_frames_over_the_limit_are_a_flood(by_library: bool, opcode: Opcode) -> None:
    pair = await opened(by_library=by_library, frames=3)
    await pair.server.receive(sent(opcode) * 3)
    assert len(pair.server.heard) == (3 if opcode is Opcode.TEXT else 0)
    assert pair.server.at(State.OPEN)
    assert messages(pair.server.output()) == []
    await pair.server.receive(sent(opcode) * 9)
    assert pair.server.at(State.FLOODED)
    answer = pair.server.output()
    assert goodbye(answer)["code"] == CloseCode.POLICY
    assert CloseCode.POLICY.to_bytes(2) in answer
    await pair.server.receive(sent(opcode) * 9)
    assert pair.server.heard == []
    assert pair.server.output() == b""


async def test_empty_fragments_are_frames() -> None:
    pair = await opened(frames=3)
    await pair.server.receive(sent(Opcode.TEXT, fin=False) + sent(Opcode.CONT, fin=False) * 9)
    assert pair.server.at(State.FLOODED)
    assert goodbye(pair.server.output())["code"] == CloseCode.POLICY


async def _reads_request(server: Server) -> None:
    pass


async def _answers(server: Server) -> None:
    await server.receive(PAGE)


async def _has_answered(server: Server) -> None:
    await server.receive(PAGE)
    server.answer(b"")


@pytest.mark.parametrize("begin", [_reads_request, _answers, _has_answered])
async def test_a_flood_of_pieces_before_a_websocket(begin: Any) -> None:
    server = Server(frames=3)
    await begin(server)
    server.output()
    await server.receive(*40 * [b"G"])
    assert server.at(State.FLOODED)
    assert server.output() == b""
    assert server.line.is_aborted


async def test_a_flood_of_frames_behind_a_request() -> None:
    pair = Pair(frames=3)
    await pair.server.receive(pair.request + bytes(MOST_BEHIND + 1))
    assert pair.server.gateway.requests == []
    assert pair.server.at(State.FLOODED)


@pytest.mark.parametrize("is_client_first", [True, False])
@pytest.mark.parametrize("flood", [40 * [b"\x81"], [40 * sent(Opcode.TEXT)]])
async def test_a_flood_after_a_close(is_client_first: bool, flood: list[bytes]) -> None:
    pair = await opened(frames=3)
    if is_client_first:
        await pair.server.receive(sent(Opcode.CLOSE))
    else:
        pair.server.connection.dismiss(CloseCode.BYE)
    pair.server.output()
    await pair.server.receive(*flood)
    is_discarded = is_client_first and len(flood) == 1
    assert pair.server.at(State.CLOSING if is_discarded else State.FLOODED)
    assert messages(pair.server.output()) == []


async def test_input_after_the_end_is_not_a_flood() -> None:
    pair = await opened(frames=3)
    pair.server.connection.connection_lost(None)
    await pair.server.receive(*40 * [b"\x81"])
    assert pair.server.at(State.CLOSED)


# The closing handshake


@BOTH
@pytest.mark.parametrize("code", [None, 1000, 1001, 4999])
async def test_a_client_closes(by_library: bool, code: int | None) -> None:
    pair = await opened(by_library=by_library)
    pair.client.send_text(b"last")
    pair.client.send_close(code)
    await pair.to_server()
    assert pair.server.heard == [b"last"]
    assert pair.server.at(State.CLOSING)
    pair.to_client()
    assert pair.client.close_rcvd == pair.client.close_sent
    await pair.server.receive(sent(Opcode.TEXT, b"late"))
    assert pair.server.heard == []
    await pair.to_server()
    assert pair.server.at(State.CLOSED)


@BOTH
async def test_a_server_closes(by_library: bool) -> None:
    pair = await opened(by_library=by_library)
    server = pair.server
    server.connection.dismiss(CloseCode.RESTARTING, retry_after_s=3)
    assert server.at(State.CLOSE_SENT)
    answer = server.output()
    assert goodbye(answer)["retry_after_s"] == 3
    assert not server.line.is_ended, "the client has the time to answer"
    pair.client.send_text(b"on its way")
    late = pair.client.data_to_send()
    pair.client.receive_data(answer)
    await server.receive(*late)
    assert server.heard == []
    await pair.to_server()
    assert server.at(State.CLOSING)
    assert server.line.is_ended
    server.connection.dismiss(CloseCode.BYE)
    assert server.output() == b""


@BOTH
async def test_a_server_closes_for_a_reason_of_its_own(by_library: bool) -> None:
    pair = await opened(by_library=by_library)
    pair.server.connection.dismiss(CloseCode.POLICY, words="no join came within 10 s")
    answer = pair.server.output()
    assert goodbye(answer)["reason"] == "no join came within 10 s"
    pair.client.receive_data(answer)
    assert pair.client.close_rcvd is not None
    assert pair.client.close_rcvd.reason == "no join came within 10 s"


async def test_a_fault_after_the_servers_close_ends_its_side() -> None:
    pair = await opened()
    pair.server.connection.dismiss(CloseCode.BYE)
    pair.server.output()
    await pair.server.receive(b"\xff\xff")
    assert pair.server.at(State.CLOSING)
    assert pair.server.output() == b"", "the close was sent"
    assert pair.server.line.is_ended


@BOTH
async def test_a_client_that_is_presumed_dead(by_library: bool) -> None:
    pair = await opened(by_library=by_library)
    connection = pair.server.connection
    assert connection.ping()
    (ping,) = pair.to_client()
    assert isinstance(ping, Frame)
    assert ping.opcode is Opcode.PING
    connection.presume_dead()
    assert pair.server.at(State.CLOSING)
    assert goodbye(pair.server.output())["reason"] == "there was no answer to a ping"
    assert not connection.ping()
    connection.presume_dead()
    assert pair.server.output() == b""


@BOTH
async def test_the_end_without_a_close(by_library: bool) -> None:
    pair = await opened(by_library=by_library)
    assert not pair.server.connection.eof_received()
    assert pair.server.at(State.CLOSED)
    assert pair.server.line.is_ended
    assert pair.server.output() == b""
    pair.server.connection.connection_lost(None)


async def test_a_connection_that_is_gone_leaves_no_garbage() -> None:
    pair = await opened(by_library=True)
    await pair.server.receive(sent(Opcode.CLOSE))
    pair.server.connection.connection_lost(None)
    assert pair.server.connection._library is not None
    library = weakref.ref(pair.server.connection._library)
    gc.disable()
    try:
        pair.server.connection._library = None
        assert library() is None
    finally:
        gc.enable()
