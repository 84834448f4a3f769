"""What a peer makes of the bytes that come. What it does on a line is in the integration tests."""

import asyncio
import logging
from http import HTTPStatus

import pytest
from websockets.frames import Frame, Opcode
from websockets.protocol import State

from tests.server.peers import REQUEST, House, Line, make_peer
from ttt_protocol.codes import CloseCode
from ttt_server.http import Rejected, rejection
from ttt_server.line import PeerLimits
from ttt_server.peer import Peer

TEXT = Frame(Opcode.TEXT, b"{}").serialize(mask=True)
CLOSE = Frame(Opcode.CLOSE, b"").serialize(mask=True)


@pytest.fixture
def house() -> House:
    return House()


@pytest.fixture
async def line() -> Line:
    return Line()


@pytest.fixture
async def peer(house: House, line: Line) -> Peer:
    limits = PeerLimits(
        max_frame=999,
        frames_per_s=9,
        frame_burst=99,
        outbox=9,
        send_timeout_s=9,
        fast_lane=True,
    )
    peer = make_peer(house, limits)
    peer.connection_made(line)
    return peer


async def test_a_short_text_that_comes_alone_takes_the_lane(peer: Peer, house: House) -> None:
    peer.data_received(REQUEST)
    peer.data_received(TEXT)
    assert house.taken == [b"{}"]
    assert not peer.has_more


async def test_one_who_was_refused_does_not_ask_again(peer: Peer, house: House, line: Line) -> None:
    house.refusal = rejection(Rejected(HTTPStatus.FORBIDDEN, "not you"))
    peer.data_received(REQUEST)
    assert line.written.startswith(b"HTTP/1.1 403 ")
    said, house.refusal = line.written, None
    peer.data_received(REQUEST)
    peer.data_received(b"x")
    assert house.asked == 1
    assert line.written == said


async def test_no_lane_is_opened_after_a_goodbye(peer: Peer, house: House) -> None:
    peer.data_received(REQUEST)
    peer.data_received(CLOSE)
    assert peer.state is State.CLOSING
    peer.open_lane(house.take)
    peer.data_received(TEXT)
    assert not house.taken


@pytest.mark.parametrize("part", [b"", b"\r\n\r\n"])
async def test_a_part_of_a_frame_behind_the_request_closes_the_lane(
    peer: Peer, house: House, part: bytes
) -> None:
    begin = b"\x82" + bytes([0x80 | len(part + TEXT)]) + bytes(4)  # its mask changes nothing
    peer.data_received(REQUEST + begin + part)
    peer.answer(None)
    assert peer.state is State.OPEN
    peer.data_received(TEXT)  # the rest of it
    assert not house.taken
    assert peer.take() == part + TEXT


async def test_one_who_cannot_be_let_in_for_a_fault_of_ours_is_cut(
    peer: Peer, house: House, line: Line, caplog: pytest.LogCaptureFixture
) -> None:
    house.failure = ValueError("never thought of")
    with caplog.at_level(logging.ERROR):
        peer.data_received(REQUEST)
    assert "never thought of" in caplog.text
    assert line.is_aborted


async def test_nothing_overtakes_what_was_posted(peer: Peer, line: Line) -> None:
    peer.data_received(REQUEST)
    line.written = b""
    peer.post_soon(b"<1>")
    peer.post_soon(b"<2>", True)
    assert line.written == b""
    await asyncio.sleep(0)
    assert line.written == b"<1><2>"
    peer.post_soon(b"<3>")
    peer.post(b"<4>")
    assert line.written == b"<1><2><3><4>"
    peer.post_soon(b"<5>")
    peer.dismiss(CloseCode.RESTARTING)
    assert line.written.startswith(b"<1><2><3><4><5>")
    said = line.written.removeprefix(b"<1><2><3><4><5>")
    assert b"goodbye" in said
    assert said.index(b"goodbye") < said.index(CloseCode.RESTARTING.to_bytes(2))
    await asyncio.sleep(0)
    assert line.written.endswith(said), "and no more"


async def test_what_was_posted_is_there_before_a_close_for_a_fault(peer: Peer, line: Line) -> None:
    peer.data_received(REQUEST)
    line.written = b""
    peer.post_soon(b"<1>")
    peer.data_received(b"\xff" + TEXT[1:])
    await asyncio.sleep(0)
    assert line.written.startswith(b"<1>")
    assert line.written[3:].startswith(b"\x88")
    peer.post_soon(b"<2>")
    await asyncio.sleep(0)
    assert b"<2>" not in line.written


async def test_what_was_posted_is_there_before_the_end_of_a_flood(peer: Peer, line: Line) -> None:
    peer.data_received(REQUEST)
    line.written = b""
    for count in range(3000):
        peer.post_soon(b"<%d>" % count)
        peer.data_received(TEXT[:1] if count % 2 == 0 else TEXT[1:])
        if peer.state is not State.OPEN:
            break
    assert peer.state is not State.OPEN
    said = b"".join(b"<%d>" % each for each in range(count + 1))
    assert line.written.startswith(said)
    assert line.written.removeprefix(said).startswith(b"\x81"), "and then goodbye"


async def test_nothing_is_obeyed_of_one_who_was_given_up(peer: Peer, house: House) -> None:
    peer.data_received(REQUEST)
    peer.presume_dead()
    peer.data_received(TEXT)
    assert not house.taken


async def test_one_who_does_not_read_is_told_goodbye_too(peer: Peer, line: Line) -> None:
    peer.data_received(REQUEST)
    peer.pause_writing()
    peer.post(b"<1>")
    line.written = b""
    peer.dismiss(CloseCode.RESTARTING)
    assert b"goodbye" in line.written
    assert b"<1>" not in line.written, "it is too late for that"


async def test_what_was_posted_is_there_before_one_is_given_up(peer: Peer, line: Line) -> None:
    peer.data_received(REQUEST)
    line.written = b""
    peer.post_soon(b"<1>")
    peer.presume_dead()
    assert line.written.startswith(b"<1>")
    assert b'"reason":"there was no answer to a ping"' in line.written


async def test_who_ends_their_side_with_a_request_is_answered_first(peer: Peer, line: Line) -> None:
    peer.data_received(b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n")
    assert peer.eof_received()
    assert not line.written
    peer.answer(None)
    assert line.written.startswith(b"HTTP/1.1 4")  # it asked for no socket
    assert line.is_closed


async def test_who_ends_their_side_after_the_answer_is_let_go(
    peer: Peer, house: House, line: Line
) -> None:
    house.refusal = rejection(Rejected(HTTPStatus.FORBIDDEN, "not you"))
    peer.data_received(REQUEST)
    assert line.is_ended
    assert not peer.eof_received()


async def test_who_ends_their_side_of_a_socket_is_let_go(peer: Peer) -> None:
    peer.data_received(REQUEST)
    assert not peer.eof_received()
