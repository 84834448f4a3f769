"""What a client is sent, whether it reads or not."""

import asyncio

import pytest

from tests.server.connections import REQUEST, FakeGateway, FakeTransport, make_connection
from ttt_protocol.messages import Said
from ttt_protocol.state import Role
from ttt_server.limits.connections import ConnectionLimits
from ttt_server.transport.connection import Connection
from ttt_server.transport.frames import text_frame

LIMITS = ConnectionLimits(max_frame=99, frames_per_s=9, frame_burst=9, outbox=2, send_timeout_s=0)
CLOSE = b"\x88\x80" + bytes(4)


@pytest.fixture
async def transport() -> FakeTransport:
    return FakeTransport()


@pytest.fixture
async def silent(transport: FakeTransport) -> Connection:
    """A connection that has no WebSocket yet."""
    connection = make_connection(FakeGateway(), LIMITS)
    connection.connection_made(transport)
    return connection


@pytest.fixture
async def connection(silent: Connection, transport: FakeTransport) -> Connection:
    silent.data_received(REQUEST)
    transport.written = b""
    return silent


async def test_a_message_is_written_at_once(
    connection: Connection, transport: FakeTransport
) -> None:
    connection.tell(Said(name="ada", role=Role.PLAYER, text="hello"))
    said = b'{"type":"said","name":"ada","role":"player","text":"hello"}'
    assert transport.written == text_frame(said)


async def test_nothing_is_sent_before_there_is_a_websocket(
    silent: Connection, transport: FakeTransport
) -> None:
    silent.send(b"<1>")
    assert not transport.written


@pytest.mark.parametrize("is_gone", [True, False])
async def test_nothing_is_sent_after_a_close(
    connection: Connection, transport: FakeTransport, is_gone: bool
) -> None:
    if is_gone:
        connection.connection_lost(None)
    else:
        connection.data_received(CLOSE)
    transport.written = b""
    connection.send(b"<1>")
    assert not transport.written


async def test_unread_messages_wait_and_skip_to_the_newest_state(
    connection: Connection, transport: FakeTransport
) -> None:
    connection.pause_writing()
    for payload in (b"<1>", b"<2>", b"<3>"):
        connection.send(payload, is_state=True)
    connection.send(b"<hi>")
    connection.resume_writing()
    assert transport.written == text_frame(b"<3>") + text_frame(b"<hi>")


async def test_writing_stops_when_the_client_stops_reading_again(
    connection: Connection, transport: FakeTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection.pause_writing()
    connection.send(b"<1>")
    connection.send(b"<2>")

    def write_and_pause(data: bytes) -> None:
        transport.written += data
        connection.pause_writing()

    monkeypatch.setattr(transport, "write", write_and_pause)
    connection.resume_writing()
    assert transport.written == text_frame(b"<1>")


async def test_a_client_that_does_not_read_in_time_is_cut(
    connection: Connection, transport: FakeTransport
) -> None:
    connection.pause_writing()
    await a_tick()
    assert transport.is_aborted
    assert connection._context.table.cuts == 1
    connection.cut()
    assert connection._context.table.cuts == 1, "once"


async def test_a_client_that_reads_again_is_not_cut(
    connection: Connection, transport: FakeTransport
) -> None:
    connection.pause_writing()
    connection.resume_writing()
    await a_tick()
    assert not transport.is_aborted


async def test_a_client_that_closed_is_cut_though_it_reads(
    connection: Connection, transport: FakeTransport
) -> None:
    connection.pause_writing()
    connection.data_received(CLOSE)
    connection.resume_writing()
    await a_tick()
    assert transport.is_aborted


async def test_a_client_without_a_request_is_given_up(
    silent: Connection, transport: FakeTransport
) -> None:
    silent.give_up()
    assert transport.is_aborted
    assert silent._context.table.cuts == 0


@pytest.mark.parametrize("is_tls", [False, True])
async def test_the_servers_side_ends_once(
    connection: Connection, transport: FakeTransport, is_tls: bool
) -> None:
    transport.is_tls = is_tls
    connection.data_received(CLOSE)
    assert (transport.is_ended, transport.is_closed) == (not is_tls, is_tls)
    transport.is_ended = transport.is_closed = False
    connection.data_received(CLOSE)
    connection.presume_dead()
    assert not connection.eof_received()
    assert not transport.is_ended
    assert not transport.is_closed


async def a_tick() -> None:
    """Until what was to come at once has come."""
    await asyncio.sleep(0)
    await asyncio.sleep(0)
