"""A client and the owner of its room, with a pipe between them."""

import asyncio
from typing import Any

import pytest

from tests.server.connections import (
    REQUEST,
    FakeGateway,
    FakeTransport,
    RecordingHandler,
    make_connection,
)
from ttt_server.cluster.relay import OwnerEnd, Pipe
from ttt_server.limits.connections import ConnectionLimits
from ttt_server.transport.frames import text_frame

LIMITS = ConnectionLimits(max_frame=999, frames_per_s=9, frame_burst=99, outbox=9, send_timeout_s=9)
HEAD = b"GET /ws/rooms/den HTTP/1.1\r\n\r\n"
ANSWER = b"HTTP/1.1 101 Switching Protocols\r\n\r\n"
TEXT = text_frame(b"hello")


class Line(FakeTransport):
    """A transport that takes another protocol."""

    protocol: Any = None

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self.protocol = protocol


class Ends:
    """All that is on either side of a pipe."""

    def __init__(self) -> None:
        self.line, self.owner_line = Line(), FakeTransport()
        self.connection = make_connection(FakeGateway(), LIMITS)
        self.connection.connection_made(self.line)
        self.connection.data_received(REQUEST)
        self.line.written = b""
        self.over: list[Pipe] = []
        self.lost: list[bool] = []
        """For each time that the owner ended it."""
        self.pipe = Pipe(
            self.connection,
            on_over=self.over.append,
            on_lost=lambda: self.lost.append(True),
        )
        self.owner = OwnerEnd()
        self.owner.connection_made(self.owner_line)

    def answered(self, behind: bytes = b"") -> None:
        self.owner.begin(self.pipe, HEAD)
        self.owner.data_received(ANSWER + behind)

    @property
    def is_dismissed(self) -> bool:
        return b'"code":1012' in self.line.written


@pytest.fixture
async def ends() -> Ends:
    return Ends()


async def test_bytes_of_the_client_wait_for_the_owners_answer(ends: Ends) -> None:
    ends.line.protocol.data_received(b"early")
    ends.owner.begin(ends.pipe, HEAD)
    assert ends.owner_line.written == HEAD
    ends.owner.data_received(ANSWER[:20])
    ends.line.protocol.data_received(b", too")
    ends.owner.data_received(ANSWER[20:] + TEXT[:3])
    assert ends.owner_line.written == HEAD + b"early, too"
    ends.line.protocol.data_received(b"; late")
    ends.owner.data_received(TEXT[3:])
    assert ends.owner_line.written.endswith(b"early, too; late")
    assert ends.line.written == TEXT


async def test_a_client_that_sends_too_much_before_the_answer_is_not_read(ends: Ends) -> None:
    ends.line.protocol.data_received(bytes(1 << 16))
    assert ends.line.is_read
    ends.line.protocol.data_received(b"x")
    assert not ends.line.is_read
    ends.answered()
    assert ends.line.is_read
    assert ends.owner_line.written == HEAD + bytes(1 << 16) + b"x"


@pytest.mark.parametrize("answer", [b"HTTP/1.1 503 ", b"HTTP/1.1 101 " + bytes(1 << 15)])
async def test_another_answer_ends_the_line(ends: Ends, answer: bytes) -> None:
    ends.owner.begin(ends.pipe, HEAD)
    ends.owner.data_received(answer)
    assert ends.owner_line.is_aborted
    ends.owner.connection_lost(None)
    assert ends.is_dismissed
    assert ends.over == [ends.pipe]


@pytest.mark.parametrize(
    ("sent", "is_told"), [(TEXT, True), (TEXT[:4], False)], ids=["whole", "in a frame"]
)
async def test_the_relay_says_goodbye_between_frames(
    ends: Ends, sent: bytes, is_told: bool
) -> None:
    ends.answered(sent)
    ends.owner.connection_lost(None)
    assert ends.is_dismissed is is_told
    assert ends.line.is_aborted is not is_told
    assert ends.line.protocol is ends.connection


async def test_the_goodbye_of_the_owner_is_passed_on(ends: Ends) -> None:
    ends.answered(b"\x88\x02\x03\xe8")
    ends.owner.connection_lost(None)
    assert ends.line.written == b"\x88\x02\x03\xe8"
    assert ends.line.is_aborted


@pytest.mark.parametrize("error", [None, ConnectionResetError()])
async def test_a_client_that_goes_ends_both(ends: Ends, error: Exception | None) -> None:
    ends.answered()
    ends.line.protocol.connection_lost(error)
    assert ends.owner_line.is_closed is (error is None)
    assert ends.owner_line.is_aborted is (error is not None)
    assert ends.over == [ends.pipe]
    ends.owner.data_received(TEXT)
    ends.owner.connection_lost(None)
    assert ends.line.written == b""
    assert not ends.lost


async def test_a_client_that_goes_before_there_is_an_owner(ends: Ends) -> None:
    ends.line.protocol.connection_lost(None)
    ends.owner.begin(ends.pipe, HEAD)
    assert ends.owner_line.is_aborted
    assert ends.owner_line.written == b""


async def test_an_owner_that_is_gone_already(ends: Ends) -> None:
    ends.owner.connection_lost(None)
    ends.owner_line.close()
    ends.owner.begin(ends.pipe, HEAD)
    assert ends.is_dismissed
    assert ends.lost


async def test_each_side_waits_for_the_other(ends: Ends) -> None:
    ends.answered()
    ends.line.protocol.pause_writing()
    assert not ends.owner_line.is_read
    ends.line.protocol.resume_writing()
    assert ends.owner_line.is_read
    ends.owner.pause_writing()
    assert not ends.line.is_read
    ends.owner.resume_writing()
    assert ends.line.is_read


async def test_what_the_client_has_sent_may_be_read_here_after_all(ends: Ends) -> None:
    text = b"\x81\x85\0\0\0\0hello"
    ends.line.protocol.data_received(text)
    handler = RecordingHandler(ends.connection)
    ends.connection.attach(handler)
    ends.connection.take_back(ends.pipe.stop_reading())
    assert handler.messages == [b"hello"]
    assert ends.line.protocol is ends.connection
