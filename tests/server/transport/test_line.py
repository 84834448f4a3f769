"""What is said to a peer, read or not."""

import asyncio

import pytest
from websockets.protocol import State

from tests.server import connections as peers
from ttt_protocol.messages import Said
from ttt_protocol.state import Role
from ttt_server.limits.client_address import NO_PROXIES
from ttt_server.limits.connections import AddressLimits, ConnectionTable
from ttt_server.transport.broadcast import Broadcaster
from ttt_server.transport.frames import text_frame
from ttt_server.transport.line import ConnectionLimits, Line


@pytest.fixture
async def connections() -> ConnectionTable:
    limits = AddressLimits(9, 9, 9, 9, 9, 9, 9)
    return ConnectionTable(9, limits, asyncio.get_running_loop().time, NO_PROXIES)


@pytest.fixture
async def transport() -> peers.Line:
    return peers.Line()


@pytest.fixture
async def line(connections: ConnectionTable, transport: peers.Line) -> Line:
    line = Line(connections, Broadcaster(), ConnectionLimits(99, 9, 9, 2, 0))
    line.transport = transport
    line.state = State.OPEN
    return line


async def test_a_message_is_written_at_once(line: Line, transport: peers.Line) -> None:
    line.tell(Said(name="ada", role=Role.PLAYER, text="hello"))
    said = b'{"type":"said","name":"ada","role":"player","text":"hello"}'
    assert transport.written == text_frame(said)


@pytest.mark.parametrize("state", [State.CONNECTING, State.CLOSING, State.CLOSED])
async def test_nothing_is_said_to_one_who_is_not_there(
    line: Line, transport: peers.Line, state: State
) -> None:
    line.state = state
    line.post(b"<1>")
    assert not transport.written


async def test_what_is_not_read_waits_and_skips_to_the_newest_state(
    line: Line, transport: peers.Line
) -> None:
    line.pause_writing()
    for frame in (b"<1>", b"<2>", b"<3>"):
        line.post(frame, True)
    line.post(b"<hi>")
    line.resume_writing()
    assert transport.written == b"<3><hi>"


async def test_it_stops_where_the_peer_stops_again(
    line: Line, transport: peers.Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    line.pause_writing()
    line.post(b"<1>")
    line.post(b"<2>")

    def write_and_pause(data: bytes) -> None:
        transport.written += data
        line.pause_writing()

    monkeypatch.setattr(transport, "write", write_and_pause)
    line.resume_writing()
    assert transport.written == b"<1>"


async def test_one_who_does_not_read_in_time_is_cut(
    line: Line, transport: peers.Line, connections: ConnectionTable
) -> None:
    line.pause_writing()
    await a_round()
    assert transport.is_aborted
    assert connections.cuts == 1
    line.cut()
    assert connections.cuts == 1, "once"


async def test_one_who_reads_again_is_not(line: Line, transport: peers.Line) -> None:
    line.pause_writing()
    line.resume_writing()
    await a_round()
    assert not transport.is_aborted


async def test_one_who_is_let_go_is_cut_though_it_reads(line: Line, transport: peers.Line) -> None:
    line.pause_writing()
    line.state = State.CLOSING
    line.resume_writing()
    await a_round()
    assert transport.is_aborted


async def test_one_who_asks_for_nothing_is_given_up(
    line: Line, transport: peers.Line, connections: ConnectionTable
) -> None:
    line.give_up()
    assert transport.is_aborted
    assert connections.cuts == 0


@pytest.mark.parametrize("is_tls", [False, True])
async def test_the_end_is_said_once(line: Line, transport: peers.Line, is_tls: bool) -> None:
    transport.is_tls = is_tls
    line._end_output()
    assert (transport.is_ended, transport.is_closed) == (not is_tls, is_tls)
    transport.is_ended = transport.is_closed = False
    line._end_output()
    assert not transport.is_ended
    assert not transport.is_closed


async def a_round() -> None:
    """Until what was to come at once has come."""
    await asyncio.sleep(0)
    await asyncio.sleep(0)
