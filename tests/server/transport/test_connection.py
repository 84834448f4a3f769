"""What a peer makes of the bytes that come. What it does on a line is in the integration tests."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from http import HTTPStatus

import pytest
from websockets.frames import Frame, Opcode
from websockets.protocol import State

from tests.server.connections import REQUEST, House, Line, make_peer
from ttt_protocol.codes import CloseCode
from ttt_server.endpoints.urls import HttpError, error_response
from ttt_server.transport.connection import Connection, Unheard
from ttt_server.transport.line import ConnectionLimits

PAGE = b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n"
TEXT = Frame(Opcode.TEXT, b"{}").serialize(mask=True)
CLOSE = Frame(Opcode.CLOSE, b"").serialize(mask=True)
PING = Frame(Opcode.PING, b"?").serialize(mask=True)
PONG = Frame(Opcode.PONG, b"").serialize(mask=True)
BINARY = Frame(Opcode.BINARY, b"12").serialize(mask=True)
LONG = Frame(Opcode.BINARY, bytes(999)).serialize(mask=True)


class Talk:
    """Counts."""

    def __init__(self) -> None:
        self.heard = 0
        self.ended = 0

    def hear(self) -> None:
        self.heard += 1

    def end(self) -> None:
        self.ended += 1


@pytest.fixture
def house() -> House:
    return House()


@pytest.fixture
async def line() -> Line:
    return Line()


LIMITS = ConnectionLimits(
    max_frame=999,
    frames_per_s=9,
    frame_burst=99,
    outbox=9,
    send_timeout_s=9,
)


@pytest.fixture
async def peer(house: House, line: Line) -> Connection:
    peer = make_peer(house, LIMITS)
    peer.connection_made(line)
    return peer


async def test_a_short_text_that_comes_alone_takes_the_lane(peer: Connection, house: House) -> None:
    peer.data_received(REQUEST)
    peer.data_received(TEXT)
    assert house.taken == [b"{}"]
    assert not peer.has_more


async def test_one_who_was_refused_does_not_ask_again(
    peer: Connection, house: House, line: Line
) -> None:
    house.refusal = error_response(HttpError(HTTPStatus.FORBIDDEN, "not you"))
    peer.data_received(REQUEST)
    assert line.written.startswith(b"HTTP/1.1 403 ")
    said, house.refusal = line.written, None
    peer.data_received(REQUEST)
    peer.data_received(b"x")
    assert house.asked == 1
    assert line.written == said


async def test_no_lane_is_opened_after_a_goodbye(peer: Connection, house: House) -> None:
    peer.data_received(REQUEST)
    peer.data_received(CLOSE)
    assert peer.state is State.CLOSING
    peer.open_lane(house.take)
    peer.data_received(TEXT)
    assert not house.taken


@pytest.mark.parametrize("part", [b"", b"\r\n\r\n"])
async def test_a_part_of_a_frame_behind_the_request_closes_the_lane(
    peer: Connection, house: House, part: bytes
) -> None:
    begin = b"\x82" + bytes([0x80 | len(part + TEXT)]) + bytes(4)  # its mask changes nothing
    peer.data_received(REQUEST + begin + part)
    peer.answer(None)
    assert peer.state is State.OPEN
    peer.data_received(TEXT)  # the rest of it
    assert not house.taken
    assert peer.take() == part + TEXT


async def test_one_who_cannot_be_let_in_for_a_fault_of_ours_is_cut(
    peer: Connection, house: House, line: Line, caplog: pytest.LogCaptureFixture
) -> None:
    house.failure = ValueError("never thought of")
    with caplog.at_level(logging.ERROR):
        peer.data_received(REQUEST)
    assert "never thought of" in caplog.text
    assert line.is_aborted


async def test_a_full_server_turns_away_whoever_comes(house: House, line: Line) -> None:
    make_peer(house, LIMITS, most=-99).connection_made(line)
    assert line.written.startswith(b"HTTP/1.1 503 ")
    assert line.is_closed


async def test_one_who_says_goodbye_is_told_no_more(peer: Connection, line: Line) -> None:
    peer.data_received(REQUEST)
    peer.data_received(CLOSE)
    line.written = b""
    peer.dismiss(CloseCode.RESTARTING)
    peer.presume_dead()
    assert not line.written
    assert not peer.is_dismissed


async def test_nothing_overtakes_what_was_posted(peer: Connection, line: Line) -> None:
    peer.data_received(REQUEST)
    line.written = b""
    peer._writes.add_frame((peer,), b"<1>", True)
    peer._writes.add_frame((peer,), b"<2>", True)
    assert line.written == b""
    await asyncio.sleep(0)
    assert line.written == b"<1><2>"
    peer._writes.add_frame((peer,), b"<3>", True)
    peer.post(b"<4>")
    assert line.written == b"<1><2><3><4>"
    peer._writes.add_frame((peer,), b"<5>", True)
    peer.dismiss(CloseCode.RESTARTING)
    assert line.written.startswith(b"<1><2><3><4><5>")
    said = line.written.removeprefix(b"<1><2><3><4><5>")
    assert b"goodbye" in said
    assert said.index(b"goodbye") < said.index(CloseCode.RESTARTING.to_bytes(2))
    await asyncio.sleep(0)
    assert line.written.endswith(said), "and no more"


@pytest.mark.parametrize(
    ("said", "answer"),
    [(PING, b"\x8a\x01?"), (CLOSE, b"\x88\x00")],
    ids=["a ping", "a close"],
)
async def test_what_was_posted_is_there_before_what_is_answered_at_once(
    peer: Connection, line: Line, said: bytes, answer: bytes
) -> None:
    peer.data_received(REQUEST)
    line.written = b""
    peer._writes.add_frame((peer,), b"<1>", True)
    peer.data_received(said)
    assert line.written == b"<1>" + answer
    assert peer._wire is None


async def test_what_was_posted_is_there_before_a_close_for_a_fault(
    peer: Connection, line: Line
) -> None:
    peer.data_received(REQUEST)
    line.written = b""
    peer._writes.add_frame((peer,), b"<1>", True)
    peer.data_received(b"\xff" + TEXT[1:])
    await asyncio.sleep(0)
    assert line.written.startswith(b"<1>")
    assert line.written[3:].startswith(b"\x88")
    peer._writes.add_frame((peer,), b"<2>", True)
    await asyncio.sleep(0)
    assert b"<2>" not in line.written


async def test_what_was_posted_is_there_before_the_end_of_a_flood(
    peer: Connection, line: Line
) -> None:
    peer.data_received(REQUEST)
    line.written = b""
    for count in range(3000):
        peer._writes.add_frame((peer,), b"<%d>" % count, True)
        peer.data_received(TEXT[:1] if count % 2 == 0 else TEXT[1:])
        if peer.state is not State.OPEN:
            break
    assert peer.state is not State.OPEN
    said = b"".join(b"<%d>" % each for each in range(count + 1))
    assert line.written.startswith(said)
    assert line.written.removeprefix(said).startswith(b"\x81"), "and then goodbye"


async def test_nothing_is_obeyed_of_one_who_was_given_up(peer: Connection, house: House) -> None:
    peer.data_received(REQUEST)
    peer.presume_dead()
    peer.data_received(TEXT)
    assert not house.taken


async def test_one_who_does_not_read_is_told_goodbye_too(peer: Connection, line: Line) -> None:
    peer.data_received(REQUEST)
    peer.pause_writing()
    peer.post(b"<1>")
    line.written = b""
    peer.dismiss(CloseCode.RESTARTING)
    assert peer.is_dismissed
    assert b"goodbye" in line.written
    assert b"<1>" not in line.written, "it is too late for that"


async def test_what_was_posted_is_there_before_one_is_given_up(
    peer: Connection, line: Line
) -> None:
    peer.data_received(REQUEST)
    line.written = b""
    peer._writes.add_frame((peer,), b"<1>", True)
    peer.presume_dead()
    assert line.written.startswith(b"<1>")
    assert b'"reason":"there was no answer to a ping"' in line.written


async def test_who_ends_their_side_with_a_request_is_answered_first(
    peer: Connection, line: Line
) -> None:
    peer.data_received(PAGE)
    assert peer.eof_received()
    assert not line.written
    peer.answer(None)
    assert line.written.startswith(b"HTTP/1.1 4")  # it asked for no socket
    assert line.is_closed


async def test_who_ends_their_side_after_the_answer_is_let_go(
    peer: Connection, house: House, line: Line
) -> None:
    house.refusal = error_response(HttpError(HTTPStatus.FORBIDDEN, "not you"))
    peer.data_received(REQUEST)
    assert line.is_ended
    assert not peer.eof_received()


async def test_who_ends_their_side_of_a_socket_is_let_go(peer: Connection) -> None:
    peer.data_received(REQUEST)
    assert not peer.eof_received()


async def test_who_asks_for_a_socket_and_ends_their_side_is_not_begun_with(
    peer: Connection, house: House, line: Line
) -> None:
    peer.data_received(REQUEST.replace(b"/ws/rooms/den", b"/ws/lobby"))
    assert peer.eof_received()
    peer.answer(None)
    assert line.written.startswith(b"HTTP/1.1 101 ")
    assert line.is_closed
    assert house.begun == 0


@pytest.mark.parametrize("behind", [b"\r\n", PAGE, CLOSE], ids=["a line", "another", "a close"])
async def test_what_comes_behind_a_request_and_makes_no_sense_is_answered_once(
    house: House, line: Line, behind: bytes
) -> None:
    peer = make_peer(house, replace(LIMITS, send_timeout_s=0))
    peer.connection_made(line)
    peer.data_received(PAGE + behind)
    assert len(house.attended) == 1
    said = line.written
    assert line.is_ended
    peer.answer(None)
    assert line.written == said
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert line.is_aborted, "nobody waits for it"


async def test_who_goes_before_the_answer_is_not_answered(peer: Connection, line: Line) -> None:
    peer.data_received(PAGE)
    peer.connection_lost(None)
    peer.answer(None)
    assert not line.written


async def test_what_a_secure_line_ends_with_is_its_end(peer: Connection, line: Line) -> None:
    line.is_tls = True
    peer.data_received(PAGE)
    assert not peer.eof_received(), "there it cannot be answered any more"
    assert line.is_closed


@pytest.mark.parametrize("asks", [True, False])
async def test_nobody_who_has_gone_is_waited_for(peer: Connection, asks: bool) -> None:
    assert peer in peer._silent
    if asks:
        peer.data_received(REQUEST)
        assert peer not in peer._silent
    peer.connection_lost(None)
    assert peer not in peer._silent


async def test_one_who_says_nothing_and_ends_is_let_go(peer: Connection, line: Line) -> None:
    assert not peer.eof_received()
    assert line.is_ended
    assert peer.state is State.CLOSED
    assert not line.written


async def test_there_is_nothing_of_the_library_for_what_is_plain(
    peer: Connection, house: House, line: Line
) -> None:
    peer.data_received(REQUEST)
    for frame in (TEXT, PING, PONG, TEXT):
        line.written = b""
        peer.buffer_updated(_into(peer, frame))
    assert house.taken == [b"{}", b"{}"], "the lane stays open"
    peer.data_received(PING)
    assert line.written == Frame(Opcode.PONG, b"?").serialize(mask=False)
    peer.data_received(CLOSE)
    assert peer._wire is None
    peer.data_received(CLOSE + TEXT)
    assert peer._wire is None, "what comes after it is not heard"


def _into(peer: Connection, data: bytes) -> int:
    """Puts what the loop has read where it puts it."""
    peer.get_buffer(-1)[: len(data)] = data
    return len(data)


@pytest.mark.parametrize("frame", [PING, TEXT[:1]], ids=["pings", "pieces"])
@pytest.mark.parametrize("state", list(State)[:3])
async def test_a_flood_ends(peer: Connection, line: Line, frame: bytes, state: State) -> None:
    if state is not State.CONNECTING:
        peer.data_received(REQUEST)
    if state is State.CLOSING:
        peer.data_received(CLOSE)
    assert peer.state is state
    line.written = b""
    for _ in range(2000):
        peer.data_received(frame)
    if state is State.CONNECTING:
        assert line.is_aborted
    else:
        assert peer.state is State.CLOSING
        assert not line.is_read, "to read it is the harm"
    assert (b"goodbye" in line.written) is (state is State.OPEN)


@pytest.mark.parametrize("flood", [PING, TEXT + TEXT, TEXT[:1]], ids=["pings", "texts", "pieces"])
@pytest.mark.parametrize("is_dismissed", [False, True])
async def test_a_flood_over_a_secure_line_is_not_read_to_its_end(
    peer: Connection, line: Line, flood: bytes, is_dismissed: bool
) -> None:
    line.is_tls = True
    peer.data_received(REQUEST)
    if is_dismissed:
        peer.dismiss(CloseCode.POLICY)
    for _ in range(2000):
        peer.data_received(flood)
    assert not line.is_read
    assert not line.is_closed, "to close it would be to read on"
    assert peer._deadline is not None


async def test_many_messages_that_nobody_hears_are_not_read(
    peer: Connection, house: House, line: Line
) -> None:
    peer.data_received(REQUEST)
    peer.data_received(16 * BINARY)
    assert line.is_read
    peer.data_received(BINARY)
    assert not line.is_read
    peer.data_received(PONG + PONG)
    for left in reversed(range(17)):
        assert line.is_read is (left < 4)
        assert peer.has_more
        assert peer.take() == b"12"
    assert line.is_read
    assert not house.taken


async def test_the_close_behind_many_messages_is_the_end_of_reading(
    peer: Connection, line: Line
) -> None:
    peer.data_received(REQUEST)
    peer.data_received(30 * BINARY + CLOSE)
    assert line.is_read, "or the end of the connection would not be seen"
    assert line.is_ended
    assert [peer.take() for _ in range(30)] == 30 * [b"12"], "what came before it is heard"
    assert not peer.has_more


def _dismiss(peer: Connection) -> None:
    peer.dismiss(CloseCode.RESTARTING)


@pytest.mark.parametrize("let_go", [_dismiss, Connection.presume_dead])
async def test_one_who_is_let_go_is_read_up_to_their_close(
    peer: Connection, line: Line, let_go: Callable[[Connection], None]
) -> None:
    talk = Talk()
    peer.data_received(REQUEST)
    peer.talk = talk
    peer.data_received(17 * BINARY)
    assert not line.is_read
    let_go(peer)
    assert line.is_read, "their own close may stand behind what waits"
    peer.data_received(30 * BINARY)
    assert line.is_read
    assert talk.heard == 1
    assert [peer.take() for _ in range(17)] == 17 * [b"12"]
    assert not peer.has_more, "what came since is of no use to anybody"
    peer.data_received(CLOSE)
    assert line.is_ended


async def test_one_who_is_let_go_and_floods_is_not_read(peer: Connection, line: Line) -> None:
    peer.data_received(REQUEST)
    peer.data_received(17 * BINARY)
    peer.dismiss(CloseCode.RESTARTING)
    peer.data_received(99 * BINARY)
    assert not line.is_read


async def test_who_is_to_hear_is_told_of_what_came(peer: Connection) -> None:
    talk = Talk()
    peer.data_received(REQUEST)
    peer.talk = talk
    peer.data_received(BINARY)
    assert talk.heard == 1
    peer.data_received(PONG + PONG)
    assert talk.heard == 2, "there is still something to hear"
    peer.connection_lost(None)
    assert talk.ended == 1
    assert peer.take() == b"12"


async def test_a_text_that_is_none_ends_it(peer: Connection, line: Line) -> None:
    peer.data_received(REQUEST)
    peer.data_received(2 * Frame(Opcode.TEXT, b"\xff").serialize(mask=True))
    line.written = b""
    peer._writes.add_frame((peer,), b"<1>", True)
    for _ in range(2):
        with pytest.raises(Unheard):
            peer.take()
    assert line.written.startswith(b"<1>")
    assert line.written.count(CloseCode.NOT_UTF8.to_bytes(2)) == 1
    assert peer.state is State.CLOSING


async def test_who_is_asked_for_a_sign_of_life_gives_one(peer: Connection, line: Line) -> None:
    peer.data_received(REQUEST)
    line.written = b""
    assert peer.ask()
    assert line.written == Frame(Opcode.PING, b"").serialize(mask=False)
    peer._heartbeat._asked.add(peer)
    peer.data_received(PONG)
    assert peer not in peer._heartbeat._asked
    peer._heartbeat._asked.add(peer)
    peer.data_received(PONG + PONG)
    assert peer not in peer._heartbeat._asked, "whoever reads it"
    peer.data_received(CLOSE)
    assert not peer.ask()


@pytest.mark.parametrize("unread", [0, 9])
async def test_one_who_ends_their_side_and_does_not_read_is_cut(
    house: House, line: Line, unread: int
) -> None:
    peer = make_peer(house, replace(LIMITS, send_timeout_s=0))
    peer.connection_made(line)
    peer.data_received(REQUEST)
    line.unread = unread
    assert not peer.eof_received()
    line.close()  # as the loop does then, when all is written
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert line.is_aborted is (unread > 0)


async def test_one_who_only_speaks_is_cut(peer: Connection, line: Line) -> None:
    peer.data_received(REQUEST)
    peer.pause_writing()
    for _ in range(100):
        peer.data_received(LONG)
    assert line.is_aborted


async def test_one_who_reads_now_and_then_may_speak_as_often(peer: Connection, line: Line) -> None:
    peer.data_received(REQUEST)
    for _ in range(2):
        peer.pause_writing()
        for _ in range(45):
            peer.data_received(LONG)
        peer.resume_writing()
    assert not line.is_aborted
