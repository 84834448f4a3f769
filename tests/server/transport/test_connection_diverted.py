"""A connection whose bytes another protocol reads for a while."""

import asyncio
from unittest.mock import Mock

import pytest
from websockets.frames import Frame, Opcode

from tests.server.connections import REQUEST, FakeGateway, FakeTransport, make_connection
from ttt_protocol.codes import CloseCode
from ttt_server.limits.connections import ConnectionLimits
from ttt_server.transport.connection import Connection

LIMITS = ConnectionLimits(max_frame=999, frames_per_s=9, frame_burst=99, outbox=9, send_timeout_s=9)
TEXT = Frame(Opcode.TEXT, b"{}").serialize(mask=True)


@pytest.fixture
async def gateway() -> FakeGateway:
    return FakeGateway()


@pytest.fixture
async def transport() -> FakeTransport:
    return FakeTransport()


@pytest.fixture
async def connection(gateway: FakeGateway, transport: FakeTransport) -> Connection:
    connection = make_connection(gateway, LIMITS)
    connection.connection_made(transport)
    connection.data_received(REQUEST)
    transport.written = b""
    return connection


async def test_bytes_of_the_meantime_are_read(
    connection: Connection, gateway: FakeGateway, transport: FakeTransport
) -> None:
    assert connection.divert(asyncio.Protocol(), lambda: True) is transport
    connection.take_back(b"")
    connection.take_back(TEXT)
    assert gateway.handler.messages == [b"{}"]


async def test_bytes_behind_the_request_are_handed_over(
    gateway: FakeGateway, transport: FakeTransport
) -> None:
    handed = Mock(spec=asyncio.Protocol)
    connection = make_connection(gateway, LIMITS)
    connection.connection_made(transport)
    connection.data_received(REQUEST + TEXT)
    connection.divert(handed, lambda: True)
    await asyncio.sleep(0)
    handed.data_received.assert_called_once_with(TEXT)
    assert gateway.handler.messages == []


async def test_a_closed_connection_reads_no_more(
    connection: Connection, gateway: FakeGateway
) -> None:
    connection.divert(asyncio.Protocol(), lambda: True)
    connection.connection_lost(None)
    connection.take_back(TEXT)
    assert gateway.handler.messages == []


@pytest.mark.parametrize("is_whole", [True, False])
async def test_a_goodbye_comes_only_between_frames(
    connection: Connection, transport: FakeTransport, is_whole: bool
) -> None:
    stopped: list[bool] = []

    def stop() -> bool:
        stopped.append(is_whole)
        return is_whole

    connection.divert(asyncio.Protocol(), stop)
    connection.dismiss(CloseCode.RESTARTING)
    assert stopped == [is_whole]
    assert (b"goodbye" in transport.written) is is_whole
    assert transport.is_aborted is not is_whole
