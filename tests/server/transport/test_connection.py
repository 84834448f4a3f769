"""What a connection does about input. `test_connection_protocol` has what it answers."""

import asyncio
import logging
from collections.abc import Callable
from http import HTTPStatus

import pytest
from websockets.frames import Frame, Opcode

from tests.server.connections import (
    REQUEST,
    FakeGateway,
    FakeTransport,
    RecordingHandler,
    make_connection,
)
from ttt_protocol.codes import CloseCode
from ttt_server.limits.connections import ConnectionLimits
from ttt_server.transport.connection import Connection
from ttt_server.transport.frames import parse_frames
from ttt_server.transport.responses import HttpError, error_response
from ttt_server.transport.states import State

PAGE = b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n"
TEXT = Frame(Opcode.TEXT, b"{}").serialize(mask=True)
BAD_TEXT = Frame(Opcode.TEXT, b"\xff").serialize(mask=True)
CLOSE = Frame(Opcode.CLOSE, b"").serialize(mask=True)
PING = Frame(Opcode.PING, b"?").serialize(mask=True)
PONG = Frame(Opcode.PONG, b"").serialize(mask=True)
BINARY = Frame(Opcode.BINARY, b"12").serialize(mask=True)
CONTINUATION = Frame(Opcode.CONT, b"").serialize(mask=True)
LONG = Frame(Opcode.BINARY, bytes(999)).serialize(mask=True)
REFUSAL = error_response(HttpError(HTTPStatus.FORBIDDEN, "not you"))
LIMITS = ConnectionLimits(max_frame=999, frames_per_s=9, frame_burst=99, outbox=9, send_timeout_s=9)


@pytest.fixture
def gateway() -> FakeGateway:
    return FakeGateway()


@pytest.fixture
async def transport() -> FakeTransport:
    return FakeTransport()


@pytest.fixture
async def connection(gateway: FakeGateway, transport: FakeTransport) -> Connection:
    connection = make_connection(gateway, LIMITS)
    connection.connection_made(transport)
    return connection


def state(connection: Connection) -> State:
    return connection.state


def opened(connection: Connection, transport: FakeTransport) -> None:
    """The WebSocket is open; what was written for that is forgotten."""
    connection.data_received(REQUEST)
    assert state(connection) is State.OPEN
    transport.written = b""


async def a_tick() -> None:
    """Until what was to come at once has come."""
    await asyncio.sleep(0)
    await asyncio.sleep(0)


# The request


async def test_a_request_has_one_answer(
    connection: Connection, gateway: FakeGateway, transport: FakeTransport
) -> None:
    gateway.refusal = REFUSAL
    connection.data_received(REQUEST)
    assert transport.written.startswith(b"HTTP/1.1 403 ")
    assert transport.is_ended
    written, gateway.refusal = transport.written, None
    connection.data_received(REQUEST)
    connection.data_received(b"x")
    assert len(gateway.requests) == 1
    assert transport.written == written


async def test_a_part_of_a_frame_may_stand_behind_the_request(
    connection: Connection, gateway: FakeGateway, transport: FakeTransport
) -> None:
    opened(connection, transport)
    first = gateway.handler
    second = make_connection(gateway, LIMITS)
    second.connection_made(transport)
    second.data_received(REQUEST + TEXT[:3])
    second.data_received(TEXT[3:])
    assert (first.messages, gateway.handlers[1].messages) == ([], [b"{}"])


async def test_a_message_behind_the_request_is_delivered(
    connection: Connection, gateway: FakeGateway
) -> None:
    connection.data_received(REQUEST + TEXT)
    await a_tick()
    assert gateway.handler.messages == [b"{}"]


async def test_an_error_of_the_gateway_ends_the_connection(
    connection: Connection,
    gateway: FakeGateway,
    transport: FakeTransport,
    caplog: pytest.LogCaptureFixture,
) -> None:
    gateway.failure = ValueError("never thought of")
    with caplog.at_level(logging.ERROR):
        connection.data_received(REQUEST)
    assert "never thought of" in caplog.text
    assert transport.is_aborted


async def test_a_full_server_turns_connections_away(
    gateway: FakeGateway, transport: FakeTransport
) -> None:
    connection = make_connection(gateway, LIMITS, most=-99)
    connection.connection_made(transport)
    assert transport.written.startswith(b"HTTP/1.1 503 ")
    assert transport.is_closed
    connection.data_received(REQUEST)
    assert not gateway.requests
    connection.connection_lost(None)
    assert not connection._context.table.all


async def test_the_end_behind_a_request_comes_before_its_answer(
    connection: Connection, transport: FakeTransport
) -> None:
    connection.data_received(PAGE)
    assert connection.eof_received(), "the connection goes on"
    assert not transport.written
    connection.accept()
    assert transport.written.startswith(b"HTTP/1.1 4")  # it asked for no WebSocket
    assert transport.is_closed


@pytest.mark.parametrize("has_eof", [True, False])
async def test_an_answer_in_preparation_is_given_up_with_its_client(
    connection: Connection, transport: FakeTransport, has_eof: bool
) -> None:
    given_up: list[bool] = []
    connection.data_received(PAGE)
    connection.on_departure(lambda: given_up.append(True))
    if has_eof:
        assert not connection.eof_received(), "nothing waits for the answer"
    connection.connection_lost(None)
    assert given_up == [True]
    assert not transport.written


async def test_a_sent_answer_is_not_given_up(connection: Connection) -> None:
    connection.data_received(PAGE)
    connection.on_departure(pytest.fail)
    connection.answer(error_response(HttpError(HTTPStatus.NOT_FOUND, "")))
    connection.connection_lost(None)


async def test_a_half_closed_connection_opens_no_websocket(
    connection: Connection, gateway: FakeGateway, transport: FakeTransport
) -> None:
    connection.data_received(PAGE.replace(b"/healthz", b"/wait"))
    connection = make_connection(gateway, LIMITS)
    connection.connection_made(transport)
    connection.data_received(REQUEST.replace(b"/ws/rooms/den", b"/wait"))
    assert connection.eof_received()
    assert not connection.accept()
    assert transport.written.startswith(b"HTTP/1.1 101 ")
    assert transport.is_closed


@pytest.mark.parametrize("refused", [True, False])
async def test_an_end_after_the_answer_ends_the_connection(
    connection: Connection, gateway: FakeGateway, transport: FakeTransport, refused: bool
) -> None:
    gateway.refusal = REFUSAL if refused else None
    connection.data_received(REQUEST)
    assert transport.is_ended is refused
    assert not connection.eof_received()


async def test_the_end_before_a_request(connection: Connection, transport: FakeTransport) -> None:
    assert not connection.eof_received()
    assert transport.is_ended
    assert state(connection) is State.CLOSED
    assert not transport.written


async def test_an_end_over_tls_ends_the_connection(
    connection: Connection, transport: FakeTransport
) -> None:
    transport.is_tls = True
    connection.data_received(PAGE)
    assert not connection.eof_received(), "the answer could not be sent any more"
    assert transport.is_closed


async def test_a_lost_connection_is_not_answered(
    connection: Connection, transport: FakeTransport
) -> None:
    connection.data_received(PAGE)
    connection.connection_lost(None)
    connection.answer(REFUSAL)
    assert not transport.written


@pytest.mark.parametrize("behind", [b"\r\n", PAGE, CLOSE], ids=["a line", "another", "a close"])
async def test_an_answered_client_that_stays_is_dropped(
    gateway: FakeGateway, transport: FakeTransport, behind: bytes
) -> None:
    connection = make_connection(gateway, LIMITS._replace(send_timeout_s=0))
    connection.connection_made(transport)
    connection.data_received(b"GET /ws/ HTTP/1.1\r\nUpgrade: websocket\r\n\r\n" + behind)
    assert transport.written.startswith(b"HTTP/1.1 426 ")
    assert transport.is_ended
    await a_tick()
    assert transport.is_aborted
    assert connection._context.table.cuts == 0, "it need not read"


@pytest.mark.parametrize("asks", [True, False])
async def test_a_lost_connection_is_not_waited_for(connection: Connection, asks: bool) -> None:
    assert connection in connection._context.silent
    if asks:
        connection.data_received(REQUEST)
        assert connection not in connection._context.silent
    connection.connection_lost(None)
    assert connection not in connection._context.silent
    assert not connection._context.table.all


async def test_a_client_is_counted_by_its_address(
    connection: Connection, transport: FakeTransport
) -> None:
    opened(connection, transport)
    account = connection.account
    assert connection.let_in([])
    assert connection.account is account
    connection.connection_lost(None)
    assert not connection.let_in([])


@pytest.mark.parametrize("has_tls", [False, True])
async def test_tls_on_the_plain_port_is_answered_with_an_alert(
    gateway: FakeGateway, caplog: pytest.LogCaptureFixture, has_tls: bool
) -> None:
    first = make_connection(gateway, LIMITS)
    for connection in (first, Connection(first._context)):
        transport = FakeTransport()
        transport.is_tls = has_tls
        connection.connection_made(transport)
        connection.data_received(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
        connection.data_received(b"and more\r\n")
        assert transport.written.startswith(
            b"HTTP/1.1 400 " if has_tls else b"\x15\x03\x01\0\x02\x02"
        )
        assert transport.is_closed if has_tls else transport.is_ended
    assert caplog.text.count("TLS on the plain port") == (0 if has_tls else 1), "not each time"


# Order


async def test_nothing_overtakes_a_broadcast(
    connection: Connection, transport: FakeTransport
) -> None:
    opened(connection, transport)
    add = connection._context.broadcaster.add
    add((connection,), b"<1>")
    add((connection,), b"<2>")
    assert transport.written == b""
    await asyncio.sleep(0)
    assert transport.written == frames(b"<1>", b"<2>")
    add((connection,), b"<3>")
    connection.send(b"<4>")
    assert transport.written == frames(b"<1>", b"<2>", b"<3>", b"<4>")
    add((connection,), b"<5>")
    connection.dismiss(CloseCode.RESTARTING)
    before = frames(b"<1>", b"<2>", b"<3>", b"<4>", b"<5>")
    assert transport.written.startswith(before)
    said = transport.written.removeprefix(before)
    assert b"goodbye" in said
    assert said.index(b"goodbye") < said.index(CloseCode.RESTARTING.to_bytes(2))
    add((connection,), b"<6>")
    await asyncio.sleep(0)
    assert transport.written.endswith(said), "and no more"


async def test_the_end_comes_after_a_broadcast(
    connection: Connection, transport: FakeTransport
) -> None:
    opened(connection, transport)
    connection._context.broadcaster.add((connection,), b"<1>")
    connection.eof_received()
    assert transport.written == frames(b"<1>")


@pytest.mark.parametrize(
    ("data", "answer"),
    [(PING, b"\x8a\x01?"), (CLOSE, b"\x88\x00"), (b"\xff" + TEXT[1:], b"\x88")],
    ids=["a ping", "a close", "a fault"],
)
async def test_an_answer_comes_after_a_broadcast(
    connection: Connection, transport: FakeTransport, data: bytes, answer: bytes
) -> None:
    opened(connection, transport)
    connection._context.broadcaster.add((connection,), b"<1>")
    connection.data_received(data)
    assert transport.written.startswith(frames(b"<1>") + answer)


async def test_the_end_of_a_flood_comes_after_a_broadcast(
    connection: Connection, transport: FakeTransport
) -> None:
    opened(connection, transport)
    sent = []
    for count in range(3000):
        sent.append(b"<%d>" % count)
        connection._context.broadcaster.add((connection,), sent[-1])
        connection.data_received(TEXT[:1] if count % 2 == 0 else TEXT[1:])
        if state(connection) is not State.OPEN:
            break
    assert state(connection) is State.FLOODED
    assert transport.written.startswith(frames(*sent))
    assert b"goodbye" in transport.written.removeprefix(frames(*sent))


def frames(*payloads: bytes) -> bytes:
    return b"".join(Frame(Opcode.TEXT, each).serialize(mask=False) for each in payloads)


# Delivery


async def test_messages_are_delivered_in_order(
    connection: Connection, gateway: FakeGateway, transport: FakeTransport
) -> None:
    opened(connection, transport)
    handler = gateway.handler
    connection.data_received(TEXT)
    assert handler.messages == [b"{}"]
    connection.data_received(TEXT + BINARY + TEXT)
    assert (handler.messages, handler.binaries) == (2 * [b"{}"], 0), "others have their turn"
    await a_tick()
    assert (len(handler.messages), handler.binaries) == (2, 1) or handler.binaries == 1
    await a_tick()
    assert (len(handler.messages), handler.binaries) == (3, 1)


async def test_a_long_read_is_parsed_in_pieces(
    connection: Connection, gateway: FakeGateway, transport: FakeTransport
) -> None:
    opened(connection, transport)
    count = 8000 // len(TEXT)
    with pytest.MonkeyPatch.context() as patch:
        sizes: list[int] = []

        def noted(data: bytes, max_size: int) -> list[tuple[Opcode, bytes]] | None:
            sizes.append(len(data))
            return parse_frames(data, max_size)

        patch.setattr("ttt_server.transport.connection.parse_frames", noted)
        connection.data_received(TEXT * count)
    assert sizes == [4096]
    assert gateway.handler.messages == [b"{}"]


@pytest.fixture
async def busy(
    connection: Connection, gateway: FakeGateway, transport: FakeTransport
) -> RecordingHandler:
    """A handler that is not done with its first message."""
    gateway.stops = True
    opened(connection, transport)
    connection.data_received(TEXT)
    assert gateway.handler.messages == [b"{}"]
    return gateway.handler


async def test_the_next_message_waits_for_the_handler(
    connection: Connection, busy: RecordingHandler
) -> None:
    connection.data_received(BINARY)
    await a_tick()
    assert busy.binaries == 0
    connection.receive_next()
    assert busy.binaries == 0, "others have their turn"
    await a_tick()
    assert busy.binaries == 1
    connection.receive_next()
    connection.data_received(TEXT)
    assert busy.messages == [b"{}", b"{}"]


async def test_a_short_text_waits_for_the_handler(
    connection: Connection, busy: RecordingHandler
) -> None:
    connection.data_received(TEXT)
    await a_tick()
    assert busy.messages == [b"{}"]
    connection.receive_next()
    await a_tick()
    assert busy.messages == [b"{}", b"{}"]


async def test_a_handler_is_told_of_the_end(connection: Connection, gateway: FakeGateway) -> None:
    connection.data_received(REQUEST)
    connection.connection_lost(None)
    assert gateway.handler.closed == 1


async def test_a_busy_handler_is_told_of_the_end(
    connection: Connection, busy: RecordingHandler
) -> None:
    connection.connection_lost(None)
    assert busy.closed == 1
    connection.receive_next()
    await a_tick()
    assert busy.closed == 1


@pytest.mark.parametrize("has_eof", [True, False])
async def test_messages_before_the_end_are_delivered_before_it(
    connection: Connection, busy: RecordingHandler, has_eof: bool
) -> None:
    connection.data_received(TEXT + TEXT + CLOSE)
    if has_eof:
        connection.eof_received()
    connection.connection_lost(None)
    for count in (2, 3):
        assert busy.closed == 0
        connection.receive_next()
        await a_tick()
        assert len(busy.messages) == count
    assert busy.closed == 1


@pytest.mark.parametrize("is_gone", [True, False])
async def test_nothing_is_delivered_after_a_goodbye(
    connection: Connection, busy: RecordingHandler, is_gone: bool
) -> None:
    connection.data_received(TEXT + TEXT)
    if is_gone:
        connection.connection_lost(None)
    connection.receive_next()
    connection.dismiss(CloseCode.BYE)
    connection.receive_next()
    await a_tick()
    assert connection.is_dismissed is not is_gone
    assert len(busy.messages) == 1
    assert busy.closed == 1
    if not is_gone:
        connection.connection_lost(None)
    assert busy.closed == 1


@pytest.mark.parametrize(
    "end", [lambda it: it.data_received(CLOSE), lambda it: it.dismiss(CloseCode.BYE)]
)
async def test_a_close_ends_the_handler_even_if_the_client_stays_connected(
    connection: Connection,
    gateway: FakeGateway,
    transport: FakeTransport,
    end: Callable[[Connection], None],
) -> None:
    opened(connection, transport)
    end(connection)
    assert gateway.handler.closed == 0, "others have their turn"
    await a_tick()
    assert gateway.handler.closed == 1
    assert not transport.is_closed
    connection.connection_lost(None)
    assert gateway.handler.closed == 1


FAULTS = pytest.mark.parametrize(
    ("fault", "code"),
    [
        (BAD_TEXT, 1007),
        (b"\xff" + TEXT[1:], 1002),
        (Frame(Opcode.CONT, b"").serialize(mask=True), 1002),
    ],
    ids=["no UTF-8", "reserved bits", "a continuation of nothing"],
)


@FAULTS
async def test_messages_before_a_fault_are_answered_first(
    connection: Connection,
    gateway: FakeGateway,
    transport: FakeTransport,
    fault: bytes,
    code: int,
) -> None:
    gateway.stops = True
    opened(connection, transport)
    handler = gateway.handler
    connection.data_received(TEXT + TEXT + fault + TEXT)
    connection.data_received(TEXT)
    for count in (1, 2):
        await a_tick()
        assert len(handler.messages) == count
        assert handler.closed == 0
        connection.send(b"<%d>" % count)
        connection.receive_next()
    await a_tick()
    answers = frames(b"<1>", b"<2>")
    assert transport.written.startswith(answers)
    assert code.to_bytes(2) in transport.written.removeprefix(answers)
    assert transport.is_ended
    assert len(handler.messages) == 2, "nothing behind the fault is heard"
    assert handler.closed == 1


@FAULTS
async def test_a_fault_waits_for_the_answer_of_a_busy_handler(
    connection: Connection,
    busy: RecordingHandler,
    transport: FakeTransport,
    fault: bytes,
    code: int,
) -> None:
    connection.data_received(fault)
    await a_tick()
    assert not transport.written
    connection.receive_next()
    await a_tick()
    assert code.to_bytes(2) in transport.written
    assert busy.closed == 1


@FAULTS
async def test_a_goodbye_does_not_wait_for_a_fault(
    connection: Connection,
    busy: RecordingHandler,
    transport: FakeTransport,
    fault: bytes,
    code: int,
) -> None:
    connection.data_received(TEXT + fault)
    connection.dismiss(CloseCode.RESTARTING)
    assert code.to_bytes(2) in transport.written
    await a_tick()
    assert (len(busy.messages), busy.closed) == (1, 1)


async def test_an_error_of_the_handler_ends_the_connection(
    connection: Connection,
    gateway: FakeGateway,
    transport: FakeTransport,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(text: bytes) -> None:
        raise ValueError(text)

    opened(connection, transport)
    monkeypatch.setattr(gateway.handler, "on_message", fail)
    connection.data_received(TEXT)
    assert "a connection failed" in caplog.text
    assert CloseCode.SERVER_FAULT.to_bytes(2) in transport.written


async def test_a_text_that_is_not_utf_8_ends_it(
    connection: Connection, gateway: FakeGateway, transport: FakeTransport
) -> None:
    opened(connection, transport)
    connection.data_received(2 * BAD_TEXT)
    assert transport.written.count(CloseCode.NOT_UTF8.to_bytes(2)) == 1
    assert transport.is_ended
    assert not gateway.handler.messages


# Keepalive


async def test_a_client_that_is_pinged_answers(
    connection: Connection, transport: FakeTransport
) -> None:
    opened(connection, transport)
    assert connection.ping()
    assert transport.written == Frame(Opcode.PING, b"").serialize(mask=False)
    pinged = connection._context.keepalive._pinged
    for answer in (PONG, PONG + PONG, PONG[:1] + PONG[1:]):
        pinged.add(connection)
        connection.data_received(answer)
        assert connection not in pinged
    connection.data_received(CLOSE)
    assert not connection.ping()


async def test_a_client_presumed_dead_is_not_read(
    connection: Connection, gateway: FakeGateway, transport: FakeTransport
) -> None:
    opened(connection, transport)
    connection._context.broadcaster.add((connection,), b"<1>")
    connection.presume_dead()
    assert transport.written.startswith(frames(b"<1>"))
    assert b'"reason":"there was no answer to a ping"' in transport.written
    connection.data_received(TEXT)
    assert not gateway.handler.messages


# Reading


@pytest.mark.parametrize("piece", [PING, TEXT[:1]], ids=["pings", "pieces"])
@pytest.mark.parametrize("begin", [State.READING_REQUEST, State.OPEN, State.CLOSING])
async def test_a_flood_ends(
    connection: Connection, transport: FakeTransport, piece: bytes, begin: State
) -> None:
    if begin is not State.READING_REQUEST:
        connection.data_received(REQUEST)
    if begin is State.CLOSING:
        connection.data_received(CLOSE)
    assert state(connection) is begin
    transport.written = b""
    for _ in range(2000):
        connection.data_received(piece)
    if begin is State.READING_REQUEST:
        assert transport.is_aborted
    else:
        assert state(connection) is State.FLOODED
        assert not transport.is_read, "to read it is the harm"
    assert (b"goodbye" in transport.written) is (begin is State.OPEN)


@pytest.mark.parametrize("flood", [PING, TEXT + TEXT, TEXT[:1]], ids=["pings", "texts", "pieces"])
@pytest.mark.parametrize("is_dismissed", [False, True])
async def test_a_flood_over_tls_is_not_read_to_its_end(
    connection: Connection, transport: FakeTransport, flood: bytes, is_dismissed: bool
) -> None:
    transport.is_tls = True
    connection.data_received(REQUEST)
    if is_dismissed:
        connection.dismiss(CloseCode.POLICY)
    for _ in range(2000):
        connection.data_received(flood)
    assert not transport.is_read
    assert not transport.is_closed, "to close it would be to read on"
    assert connection in connection._context.unread


async def test_reading_stops_while_many_messages_wait(
    connection: Connection, busy: RecordingHandler, transport: FakeTransport
) -> None:
    connection.data_received(16 * BINARY)
    assert transport.is_read
    connection.data_received(BINARY)
    assert not transport.is_read
    connection.data_received(PONG + PONG)
    for left in reversed(range(17)):
        connection.receive_next()
        await a_tick()
        assert len(connection._received) == left
        assert transport.is_read is (left <= 4)
    assert busy.binaries == 17


async def test_a_long_read_waits_while_many_messages_wait(
    connection: Connection, busy: RecordingHandler, transport: FakeTransport
) -> None:
    connection.data_received(30 * LONG)
    assert 16 < len(connection._received) < 24
    assert not transport.is_read
    connection.data_received(LONG)  # what the loop had read already
    for _ in range(60):
        connection.receive_next()
        await a_tick()
    assert busy.binaries == 31
    assert transport.is_read


async def test_a_close_in_a_long_read_is_read_after_a_goodbye(
    connection: Connection,
    busy: RecordingHandler,  # noqa: ARG001 - so that messages wait
    transport: FakeTransport,
) -> None:
    connection.data_received(30 * LONG + CLOSE)
    assert not transport.is_ended
    connection.dismiss(CloseCode.RESTARTING)
    await a_tick()
    assert transport.is_ended


async def test_a_close_behind_many_messages_is_read(
    connection: Connection, busy: RecordingHandler, transport: FakeTransport
) -> None:
    connection.data_received(30 * BINARY + CLOSE)
    assert transport.is_read, "or the end of the connection would not be seen"
    assert transport.is_ended
    for _ in range(30):
        connection.receive_next()
        await a_tick()
    assert busy.binaries == 30, "what came before it is heard"


def _dismiss(connection: Connection) -> None:
    connection.dismiss(CloseCode.RESTARTING)


@pytest.mark.parametrize(("end", "is_heard"), [(_dismiss, False), (Connection.presume_dead, True)])
async def test_a_dismissed_client_is_read_up_to_its_close(
    connection: Connection,
    busy: RecordingHandler,
    transport: FakeTransport,
    end: Callable[[Connection], None],
    is_heard: bool,
) -> None:
    connection.data_received(17 * BINARY)
    assert not transport.is_read
    end(connection)
    assert transport.is_read, "its own close may stand behind what waits"
    connection.data_received(30 * BINARY)
    assert transport.is_read
    for _ in range(50):
        connection.receive_next()
        await a_tick()
    assert busy.binaries == (17 if is_heard else 0), "what came since is of no use"
    connection.data_received(CLOSE)
    assert transport.is_ended


async def test_a_dismissed_client_that_floods_is_not_read(
    connection: Connection, transport: FakeTransport
) -> None:
    opened(connection, transport)
    connection.data_received(17 * BINARY)
    connection.dismiss(CloseCode.RESTARTING)
    connection.data_received(99 * BINARY)
    assert not transport.is_read


# Its end


async def test_nothing_is_sent_to_a_client_that_closed(
    connection: Connection, transport: FakeTransport
) -> None:
    opened(connection, transport)
    connection.data_received(CLOSE)
    transport.written = b""
    connection.dismiss(CloseCode.RESTARTING)
    connection.presume_dead()
    connection.send(b"<1>")
    assert not transport.written
    assert not connection.is_dismissed


async def test_a_client_without_a_request_is_cut(
    connection: Connection, transport: FakeTransport
) -> None:
    connection.dismiss(CloseCode.RESTARTING)
    assert transport.is_aborted
    assert connection._context.table.cuts == 1


async def test_a_client_with_a_request_is_answered(
    connection: Connection, transport: FakeTransport
) -> None:
    connection.data_received(PAGE)
    connection.dismiss(CloseCode.RESTARTING)
    assert not transport.is_aborted
    connection.answer(REFUSAL)
    assert transport.written.startswith(b"HTTP/1.1 403 ")


async def test_a_client_that_does_not_read_is_told_goodbye(
    connection: Connection, transport: FakeTransport
) -> None:
    opened(connection, transport)
    connection.pause_writing()
    connection.send(b"<1>")
    connection.dismiss(CloseCode.RESTARTING)
    assert connection.is_dismissed
    assert b"goodbye" in transport.written
    assert b"<1>" not in transport.written, "it is too late for that"


@pytest.mark.parametrize("unread", [0, 9])
async def test_a_client_that_ends_its_side_and_does_not_read_is_cut(
    gateway: FakeGateway, transport: FakeTransport, unread: int
) -> None:
    connection = make_connection(gateway, LIMITS._replace(send_timeout_s=0))
    connection.connection_made(transport)
    connection.data_received(REQUEST)
    transport.unread = unread
    assert not connection.eof_received()
    transport.close()  # as the loop does then, when all is written
    await a_tick()
    assert transport.is_aborted is (unread > 0)


async def test_a_client_that_only_sends_is_cut(
    connection: Connection, transport: FakeTransport
) -> None:
    opened(connection, transport)
    connection.pause_writing()
    for _ in range(100):
        connection.data_received(LONG)
    assert transport.is_aborted


async def test_a_client_that_reads_now_and_then_may_send(
    connection: Connection, transport: FakeTransport
) -> None:
    opened(connection, transport)
    for _ in range(2):
        connection.pause_writing()
        for _ in range(45):
            connection.data_received(LONG)
        connection.resume_writing()
    assert not transport.is_aborted
