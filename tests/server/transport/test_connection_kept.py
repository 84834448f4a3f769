"""What a connection does between plain requests."""

import asyncio
from http import HTTPStatus

import pytest

from tests.server.connections import (
    REQUEST,
    FakeGateway,
    FakeTransport,
    make_connection,
)
from ttt_protocol.codes import CloseCode
from ttt_server.limits.connections import ConnectionLimits
from ttt_server.transport.connection import Connection
from ttt_server.transport.responses import (
    Document,
    HttpError,
    document_response,
    error_response,
)
from ttt_server.transport.states import State

PAGE = b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n"
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


def answer(connection: Connection, gateway: FakeGateway, body: bytes = b"yes") -> None:
    connection.let_in(())
    connection.answer(document_response(Document.of(body), gateway.requests[-1]))


def ask(connection: Connection, gateway: FakeGateway) -> None:
    """Ask, and be answered: the connection is idle."""
    connection.data_received(PAGE)
    answer(connection, gateway)
    assert state(connection) is State.IDLE


def state(connection: Connection) -> State:
    return connection.state


def waits_for(connection: Connection) -> list[str]:
    context = connection._context
    kinds = {"silent": context.silent, "idle": context.idle, "keepalive": context.keepalive._idle}
    return [kind for kind, deadlines in kinds.items() if connection in deadlines]


async def a_tick() -> None:
    """Until what was to come at once has come."""
    await asyncio.sleep(0)
    await asyncio.sleep(0)


async def test_waiting_for_a_request_and_for_its_rest_have_separate_limits(
    connection: Connection, gateway: FakeGateway
) -> None:
    assert waits_for(connection) == ["silent"]
    ask(connection, gateway)
    assert waits_for(connection) == ["idle"]
    connection.data_received(b"\r\n")
    assert waits_for(connection) == ["idle"], "nothing has begun"
    connection.data_received(PAGE[:1])
    assert waits_for(connection) == ["silent"], "a slow request has the time of a first one"
    connection.data_received(PAGE[1:])
    assert waits_for(connection) == []
    answer(connection, gateway)
    assert waits_for(connection) == ["idle"]
    connection.data_received(REQUEST)
    assert waits_for(connection) == ["keepalive"]
    connection.connection_lost(None)
    assert waits_for(connection) == []


async def test_requests_that_came_at_once_are_answered_in_turn(
    connection: Connection, gateway: FakeGateway, transport: FakeTransport
) -> None:
    connection.data_received(PAGE + PAGE + REQUEST)
    for count in (1, 2):
        assert len(gateway.requests) == count
        answer(connection, gateway, b"%d" % count)
        await a_tick()
    assert state(connection) is State.OPEN
    first, second, third = transport.written.split(b"HTTP/1.1 ")[1:]
    assert (first[-1:], second[-1:], third[:3]) == (b"1", b"2", b"101")
    assert waits_for(connection) == ["keepalive"]


async def test_an_idle_connection_is_closed_in_time(
    connection: Connection, gateway: FakeGateway, transport: FakeTransport
) -> None:
    ask(connection, gateway)
    connection.end_idle()
    assert transport.is_closed
    assert not transport.is_aborted
    assert state(connection) is State.ANSWERED
    connection.data_received(PAGE)
    assert len(gateway.requests) == 1, "it crossed the end"


async def test_a_client_that_still_reads_its_answer_is_not_idle(
    connection: Connection, gateway: FakeGateway, transport: FakeTransport
) -> None:
    ask(connection, gateway)
    transport.unread = 1
    connection.end_idle()
    assert not transport.is_closed
    assert waits_for(connection) == ["idle"], "it has its time again"


async def test_no_request_is_answered_before_the_last_answer_is_read(
    connection: Connection, gateway: FakeGateway, transport: FakeTransport
) -> None:
    connection.data_received(PAGE + PAGE)
    connection.answer(document_response(Document.of(b"long"), gateway.requests[0]))
    connection.pause_writing()
    assert not transport.is_read, "a client that floods fills its own buffers"
    await a_tick()
    assert len(gateway.requests) == 1
    connection.resume_writing()
    assert transport.is_read
    assert len(gateway.requests) == 2
    assert connection not in connection._context.unread, "it has read in time"


async def test_a_client_that_does_not_read_its_answer_is_ended(
    gateway: FakeGateway, transport: FakeTransport
) -> None:
    connection = make_connection(gateway, LIMITS._replace(send_timeout_s=0))
    connection.connection_made(transport)
    ask(connection, gateway)
    connection.pause_writing()
    await a_tick()
    assert transport.is_aborted
    assert connection._context.table.cuts == 0, "it need not read"


async def test_a_stop_closes_idle_connections_at_once(
    connection: Connection, gateway: FakeGateway, transport: FakeTransport
) -> None:
    ask(connection, gateway)
    connection.dismiss(CloseCode.RESTARTING)
    assert transport.is_closed
    assert not transport.is_aborted, "what the client has not read yet still comes"
    assert waits_for(connection) == []


async def test_a_stop_leaves_a_request_its_answer(
    connection: Connection, gateway: FakeGateway, transport: FakeTransport
) -> None:
    connection.data_received(PAGE + PAGE)
    connection.dismiss(CloseCode.RESTARTING)
    assert not transport.is_closed
    answer(connection, gateway)
    await a_tick()
    assert state(connection) is State.ANSWERED
    assert b"\r\nConnection: close\r\n" in transport.written
    assert len(gateway.requests) == 1


async def test_a_stop_cuts_a_request_that_is_not_whole(
    connection: Connection, gateway: FakeGateway, transport: FakeTransport
) -> None:
    ask(connection, gateway)
    connection.data_received(PAGE[:5])
    connection.dismiss(CloseCode.RESTARTING)
    assert transport.is_aborted


async def test_an_idle_connection_does_not_count_towards_the_limit(
    connection: Connection, gateway: FakeGateway
) -> None:
    connection.data_received(PAGE)
    assert connection.let_in(())
    assert connection.account.let_in == 1
    answer(connection, gateway)
    assert connection.account.let_in == 0
    connection.data_received(PAGE)
    assert connection.let_in(())
    assert connection.account.let_in == 1


async def test_no_connection_is_kept_when_the_server_is_nearly_full(
    gateway: FakeGateway, transport: FakeTransport
) -> None:
    connection = make_connection(gateway, LIMITS, most=1)
    connection.connection_made(transport)
    connection.data_received(PAGE)
    answer(connection, gateway)
    assert state(connection) is State.ANSWERED
    assert b"\r\nConnection: close\r\n" in transport.written


async def test_an_error_ends_the_connection(
    connection: Connection, gateway: FakeGateway, transport: FakeTransport
) -> None:
    ask(connection, gateway)
    gateway.refusal = error_response(HttpError(HTTPStatus.NOT_FOUND, "there is nothing here"))
    connection.data_received(PAGE)
    assert state(connection) is State.ANSWERED
    assert transport.is_ended


async def test_a_flood_between_requests_is_cut(
    connection: Connection, gateway: FakeGateway, transport: FakeTransport
) -> None:
    ask(connection, gateway)
    for _ in range(2000):
        connection.data_received(b"\r\n")
    assert transport.is_aborted
