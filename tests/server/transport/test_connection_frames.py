"""Frames are to a connection what they are to the library's own, usual or not.

The cases are those of the library's own tests of a server's side (RFC 6455, sections 5 to 7), and
frames at random, in whatever pieces they come.
"""

import asyncio
import logging
from contextlib import suppress
from random import Random
from typing import NamedTuple, cast

import pytest
from websockets.asyncio.server import Server, ServerConnection
from websockets.client import ClientProtocol
from websockets.exceptions import ConnectionClosed
from websockets.frames import Close, Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import State as LibraryState
from websockets.server import ServerProtocol
from websockets.uri import parse_uri
from websockets.utils import apply_mask

from tests.server.connections import REQUEST, FakeGateway, FakeTransport, make_connection
from ttt_server.limits.connections import ConnectionLimits
from ttt_server.transport.connection import Connection
from ttt_server.transport.states import State

MOST = 150
"""Bytes of a message: more than a frame's first length can tell, which is 125."""


def sent(opcode: int, data: bytes = b"", *, fin: bool = True, reserved: int = 0) -> bytes:
    """A masked frame, also one that may not be."""
    length, mask = len(data), b"\x01\x02\x03\x04"
    short = bytes([0x80 | length]) if length < 126 else b"\xfe" + length.to_bytes(2)
    return bytes([fin << 7 | reserved << 4 | opcode]) + short + mask + apply_mask(data, mask)


def close(code: int, reason: str = "") -> bytes:
    return sent(Opcode.CLOSE, Close(code, reason).serialize())


TEXT, BINARY, CONT = Opcode.TEXT, Opcode.BINARY, Opcode.CONT
PING, PONG, CLOSE = Opcode.PING, Opcode.PONG, Opcode.CLOSE
SMILE = "😀".encode()

CASES = {
    "masked": [b"\x81\x84\x00\xff\x00\xff\x53\x8f\x61\x92"],
    "unmasked": [b"\x81\x04Spam"],
    "text": [sent(TEXT, SMILE)],
    "texts": [sent(TEXT, b"one"), sent(TEXT, b"two"), sent(TEXT), sent(TEXT, b"x" * 125)],
    "texts at once": [sent(TEXT, b"one") + sent(TEXT, b"two")],
    "a longer text": [sent(TEXT, b"x" * 126), sent(TEXT, b"after")],
    "text of the full length": [sent(TEXT, b"x" * MOST)],
    "text over the limit": [sent(TEXT, b"x" * (MOST + 1))],
    "text far over the limit": [b"\x81\xff" + (2**63 - 1).to_bytes(8) + bytes(4)],
    "text that is none": [sent(TEXT, SMILE[:2]), sent(TEXT, b"after")],
    "fragmented text": [
        sent(TEXT, SMILE[:2], fin=False),
        sent(CONT, SMILE[2:] + SMILE[:2], fin=False),
        sent(CONT, SMILE[2:]),
        sent(TEXT, b"after"),
    ],
    "fragmented text over the limit": [
        sent(TEXT, b"x" * MOST, fin=False),
        sent(CONT, b"x"),
    ],
    "fragmented text that is none": [sent(TEXT, SMILE[:2], fin=False), sent(CONT, b"x")],
    "empty fragments": [
        sent(TEXT, fin=False),
        sent(CONT, fin=False),
        sent(CONT),
        sent(TEXT, b"after"),
    ],
    "unexpected text": [sent(TEXT, fin=False), sent(TEXT)],
    "text after close": [close(1001), sent(TEXT, b"late")],
    "binary": [sent(BINARY, b"\x01\x02\xfe\xff"), sent(TEXT, b"after")],
    "binary over the limit": [sent(BINARY, b"x" * (MOST + 1))],
    "fragmented binary": [sent(BINARY, b"\x01", fin=False), sent(CONT, b"\xfe")],
    "fragmented binary over the limit": [
        sent(BINARY, b"x" * MOST, fin=False),
        sent(CONT, b"x"),
    ],
    "unexpected binary": [sent(BINARY, fin=False), sent(BINARY)],
    "binary after close": [close(1001), sent(BINARY, b"late")],
    "unexpected continuation": [sent(CONT)],
    "continuation after close": [close(1001), sent(CONT)],
    "continuation after a whole text": [sent(TEXT, b"whole"), sent(CONT)],
    "close": [sent(CLOSE)],
    "close, bye": [close(1000)],
    "close, going away": [close(1001)],
    "close with words": [close(1000, "OK")],
    "close of an application": [close(4999, "its own")],
    "text after close, when two frames came at once": [
        sent(PONG) + sent(PONG),
        close(1001),
        sent(TEXT, b"late"),
    ],
    "close after a text": [sent(TEXT, b"last"), close(1000)],
    "close together with a text": [sent(TEXT, b"last") + close(1000)],
    "close, twice": [close(1000), close(1001)],
    "close, truncated": [sent(CLOSE, b"\x03")],
    "close with a code that is none": [sent(CLOSE, b"\x00\x00")],
    "close with a code that is never sent": [sent(CLOSE, (1006).to_bytes(2))],
    "close with words that are none": [sent(CLOSE, b"\x03\xe8\xff\xff")],
    "close over the limit of a control frame": [sent(CLOSE, bytes(126))],
    "close in fragments": [sent(CLOSE, b"\x03\xe8", fin=False)],
    "close in a fragmented text": [sent(TEXT, fin=False), close(1001)],
    "ping": [sent(PING), sent(PING, SMILE), sent(TEXT, b"after")],
    "ping with a text": [sent(PING) + sent(TEXT, b"together"), sent(TEXT, b"after")],
    "ping in fragments": [sent(PING, fin=False)],
    "ping over the limit of a control frame": [sent(PING, bytes(126))],
    "ping in a fragmented text": [
        sent(TEXT, b"a", fin=False),
        sent(PING, b"?"),
        sent(CONT, b"b"),
    ],
    "ping after close": [close(1001), sent(PING)],
    "pong": [sent(PONG), sent(PONG, SMILE), sent(TEXT, b"after")],
    "pong in fragments": [sent(PONG, fin=False)],
    "pong after close": [close(1001), sent(PONG)],
    "opcode that is none": [sent(3)],
    "control opcode that is none": [sent(11)],
    "reserved bits": [sent(TEXT, b"x", reserved=4)],
    "reserved bits of a close": [sent(CLOSE, reserved=7)],
    "length in more bytes than it needs": [b"\x81\xfe\x00\x01" + bytes(4) + b"x"],
    "half a frame": [sent(TEXT, b"never whole")[:-1]],
    "half a header": [sent(TEXT, b"never whole")[:1]],
    "nothing": [],
}


class Seen(NamedTuple):
    """All that shows of a connection."""

    messages: list[str | bytes]
    written: bytes
    is_ended: bool
    """Whether this side has ended what it says."""
    state: LibraryState


class Hall:
    """The library's server."""

    def __init__(self) -> None:
        self.logger = logging.getLogger("websockets.server")
        self.handler_tasks: set[asyncio.Task[None]] = set()

    def is_serving(self) -> bool:
        return True

    async def handler(self, connection: ServerConnection) -> None:
        await connection.handshake()


class RecordingGateway(FakeGateway):
    """Opens the WebSocket, and records its messages in order."""

    def __init__(self) -> None:
        super().__init__()
        self.received: list[str | bytes] = []
        self.connection: Connection

    def on_request(self, connection: Connection, request: Request) -> None:  # noqa: ARG002
        self.connection = connection
        assert connection.accept()
        connection.attach(self)

    def on_message(self, text: bytes) -> None:
        self.received.append(text.decode())
        self.connection.receive_next()

    def on_binary(self) -> None:
        self.received.append(b"")  # what is in it is not handed on
        self.connection.receive_next()

    def on_close(self) -> None:
        pass


STATES = {
    State.OPEN: LibraryState.OPEN,
    State.CLOSE_SENT: LibraryState.CLOSING,
    State.CLOSING: LibraryState.CLOSING,
    State.CLOSED: LibraryState.CLOSED,
}


async def ticks() -> None:
    for _ in range(20):  # a message each
        await asyncio.sleep(0)


async def by_the_library(pieces: list[bytes], *, eof: bool) -> Seen:
    hall, line = Hall(), FakeTransport()
    protocol = ServerProtocol(max_size=MOST)
    there = ServerConnection(protocol, cast("Server", hall), ping_interval=None, max_queue=None)
    messages: list[str | bytes] = []

    async def listen() -> None:
        with suppress(ConnectionClosed):
            while True:
                message = await there.recv()
                messages.append(message if isinstance(message, str) else b"")

    there.connection_made(line)
    there.data_received(REQUEST)
    await asyncio.gather(*hall.handler_tasks)
    listening = asyncio.create_task(listen())
    seen = await _seen(there, line, pieces, messages, eof=eof)
    await listening
    return seen


async def by_a_connection(pieces: list[bytes], *, eof: bool, is_usual: bool) -> Seen:
    gateway, line = RecordingGateway(), FakeTransport()
    connection = make_connection(gateway, ConnectionLimits(MOST, 1e6, 10**6, 9, 9))
    connection.connection_made(line)
    for piece in [REQUEST] if is_usual else [REQUEST[:9], REQUEST[9:]]:
        connection.data_received(piece)
    return await _seen(connection, line, pieces, gateway.received, eof=eof)


async def _seen(
    connection: ServerConnection | Connection,
    line: FakeTransport,
    pieces: list[bytes],
    messages: list[str | bytes],
    *,
    eof: bool,
) -> Seen:
    assert line.written.startswith(b"HTTP/1.1 101 ")
    line.written = b""
    for piece in pieces:
        connection.data_received(piece)
        await ticks()
    if eof:
        connection.eof_received()
        connection.connection_lost(None)
        await ticks()
    state = STATES[connection.state] if isinstance(connection, Connection) else connection.state
    if not eof:
        connection.connection_lost(None)
        await ticks()
    return Seen(messages, _without_goodbye(line.written), line.is_ended, state)


def _without_goodbye(written: bytes) -> bytes:
    """All that a server sends but its goodbye."""
    client = ClientProtocol(parse_uri("ws://here/"), state=LibraryState.OPEN)
    client.receive_data(written)
    said = [event for event in client.events_received() if isinstance(event, Frame)]
    return b"".join(
        frame.serialize(mask=False)
        for frame in said
        if frame.opcode is not TEXT or b'"goodbye"' not in frame.data
    )


async def compare(pieces: list[bytes], *, eof: bool) -> None:
    theirs = await by_the_library(pieces, eof=eof)
    for is_usual in (True, False):
        ours = await by_a_connection(pieces, eof=eof, is_usual=is_usual)
        assert ours == theirs, is_usual


@pytest.mark.parametrize("eof", [False, True])
@pytest.mark.parametrize("frames", CASES.values(), ids=CASES.keys())
async def test_frames_have_the_same_effect_as_with_the_library(
    frames: list[bytes], eof: bool
) -> None:
    together = b"".join(frames)
    await compare(frames, eof=eof)
    await compare([together] if together else [], eof=eof)
    await compare([together[at : at + 1] for at in range(len(together))], eof=eof)


@pytest.mark.parametrize("seed", range(60))
async def test_random_frames_have_the_same_effect_as_with_the_library(seed: int) -> None:
    random = Random(seed)
    harmless = [CASES[name] for name in ("text", "fragmented text", "ping with a text", "pong")]
    frames = [frame for _ in range(random.randint(0, 4)) for frame in random.choice(harmless)]
    frames += random.choice(list(CASES.values()))
    pieces, data, longest = [], b"".join(frames), random.choice([2, 9, 60])
    while data:
        length = random.randint(1, longest)
        pieces.append(data[:length])
        data = data[length:]
    await compare(pieces, eof=random.random() < 0.5)
