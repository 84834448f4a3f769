"""What a member makes of bytes. Nobody is connected."""

import asyncio
from typing import Any

import pytest
from websockets.frames import Frame, Opcode

from tests.bench.load import frames
from tests.bench.load.member import Member

HEAD = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"
LONG = b'{"type":"update"}'.ljust(900)
SHORT = b'{"type":"presence"}'


class Wire(asyncio.Transport):
    """Keeps what is written."""

    def __init__(self) -> None:
        super().__init__({"peername": ("127.0.0.1", 1234)})
        self.written: list[bytes] = []

    def write(self, data: Any) -> None:
        self.written.append(data)

    def close(self) -> None:
        """Nobody is there."""


class Heard:
    def __init__(self) -> None:
        self.messages: list[bytes] = []
        self.faults: list[str] = []
        self.wire = Wire()
        self.member = Member(
            "/ws/rooms/r", lambda _, payload: self.messages.append(payload), self.faults.append
        )
        self.member.connection_made(self.wire)


@pytest.fixture
async def heard() -> Heard:
    return Heard()


def told(payload: bytes, opcode: Opcode = Opcode.TEXT) -> bytes:
    return Frame(opcode, payload).serialize(mask=False)


def test_it_asks_for_its_room(heard: Heard) -> None:
    (request,) = heard.wire.written
    assert request.startswith(b"GET /ws/rooms/r HTTP/1.1\r\nHost: 127.0.0.1:1234\r\n")


@pytest.mark.parametrize("size", [1, 2, 3, 5, 64, 903, 904, 905, 10_000])
def test_messages_are_whole_however_they_come(heard: Heard, size: int) -> None:
    data = HEAD + told(LONG) + told(SHORT) + told(LONG)
    for at in range(0, len(data), size):
        heard.member.data_received(data[at : at + size])
    assert heard.messages == [LONG, SHORT, LONG]
    assert heard.member.is_open.done()
    assert heard.faults == []


def test_a_ping_is_answered(heard: Heard) -> None:
    heard.member.data_received(HEAD + told(b"hello", Opcode.PING))
    assert heard.wire.written[-1] == frames.frame(frames.PONG, b"hello")
    assert heard.messages == []


async def test_who_is_not_let_in_is_a_fault(heard: Heard) -> None:
    heard.member.data_received(b"HTTP/1.1 503 Service Unavailable\r\n\r\n")
    assert heard.faults == ["HTTP/1.1 503 Service Unavailable"]
    with pytest.raises(ConnectionError):
        await heard.member.is_open


def test_who_is_sent_away_is_a_fault_once(heard: Heard) -> None:
    heard.member.data_received(HEAD + told(b"\x03\xf0flood", Opcode.CLOSE))
    heard.member.connection_lost(None)
    assert heard.faults == ["closed: flood"]


def test_to_be_cut_off_is_a_fault(heard: Heard) -> None:
    heard.member.data_received(HEAD)
    heard.member.connection_lost(ConnectionResetError("reset"))
    assert heard.faults == ["connection lost: reset"]


def test_to_leave_is_none(heard: Heard) -> None:
    heard.member.data_received(HEAD)
    heard.member.leave()
    heard.member.connection_lost(None)
    assert heard.faults == []
