"""Floods and nonsense below the level of commands: each ends its own connection, and no game."""

import asyncio
import sys

import pytest

from tests.integration.hostile import (
    CLOSE,
    CONTINUED,
    PING,
    PONG,
    TEXT,
    RawClient,
    close_code,
    frame,
    messages,
    unharmed,
)
from tests.integration.programs import PATIENCE_S, Dial, ServerProcess, StartServer

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

FLOODS = {
    "pings": frame(PING) * 20_000,
    "long pings": frame(PING, b"x" * 125) * 20_000,
    "pongs": frame(PONG) * 20_000,
    "fragments": frame(TEXT, fin=False) + frame(CONTINUED, fin=False) * 20_000,
    "pings between fragments": frame(TEXT, fin=False)
    + (frame(PING) + frame(CONTINUED, fin=False)) * 10_000,
}


@pytest.mark.heavy
async def test_floods_of_frames(server: ServerProcess, dial: Dial) -> None:
    async with unharmed(server, dial) as canary:
        for flood in FLOODS.values():
            for joins in (False, True):
                peer = await RawClient.connect(server)
                assert await peer.upgrade(server, "flood") == 101
                peer.send(frame(TEXT, b'{"type":"join"}') if joins else b"")
                peer.send(flood)
                said = await peer.rest()
                assert messages(said)[-1]["type"] == "goodbye"
                assert close_code(said) == 1008
            await canary.sings_on(1)


@pytest.mark.heavy
async def test_twenty_floods_at_once(server: ServerProcess, dial: Dial) -> None:
    async with unharmed(server, dial) as canary:
        peers = [await RawClient.connect(server) for _ in range(20)]
        for peer in peers:
            assert await peer.upgrade(server, "flood") == 101
        for peer in peers:
            peer.send(FLOODS["pings"])
        await canary.sings_on()
        for said in await asyncio.gather(*(peer.rest() for peer in peers)):
            assert close_code(said) == 1008


BROKEN = [
    (frame(TEXT, b"x" * 4097), 1009),
    (frame(TEXT, b"x" * 4000, fin=False) + frame(CONTINUED, b"x" * 97), 1009),
    (frame(TEXT, fin=False) + frame(CONTINUED, b"x" * 50, fin=False) * 90, 1009),
    (b"\x81\xff" + (2**63 - 1).to_bytes(8, "big") + bytes(4), 1009),
    (frame(TEXT, b"\xff"), 1007),
    (frame(CONTINUED), 1002),
    (frame(TEXT, fin=False) + frame(TEXT), 1002),
    (b"\x81\x05hello", 1002),
    (b"\xf1\x80\0\0\0\0", 1002),
    (b"\x83\x80\0\0\0\0", 1002),
    (frame(PING, b"x" * 126), 1002),
]


async def test_frames_that_are_none(server: ServerProcess, dial: Dial) -> None:
    async with unharmed(server, dial):
        for frames, code in BROKEN:
            peer = await RawClient.connect(server)
            assert await peer.upgrade(server, "odd") == 101
            peer.send(frames)
            assert close_code(await peer.rest()) == code, frames[:20]


async def test_a_command_in_many_fragments_is_a_command(server: ServerProcess, dial: Dial) -> None:
    async with unharmed(server, dial):
        peer = await RawClient.connect(server)
        assert await peer.upgrade(server, "parts") == 101
        peer.send(frame(TEXT, fin=False))
        for byte in b'{"type":"join","name":"eve"}':
            peer.send(frame(PING) + frame(CONTINUED, bytes([byte]), fin=False))
        peer.send(frame(CONTINUED))
        async with asyncio.timeout(PATIENCE_S):
            await peer.reader.readuntil(b'"type":"welcome"')
        peer.cut()


REQUESTS = {
    b"GET /" + b"x" * 9000: 414,
    b"GET / HTTP/1.1\r\nX: " + b"x" * 9000: 431,
    b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 200: 431,
    b"POST /api/rooms HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}": 405,
    b"PUT /ws/lobby HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n": 405,
    b"DELETE /api/rooms HTTP/1.1\r\nHost: localhost\r\n\r\n": 405,
    b"GET /healthz HTTP/1.1\r\n\r\n": 400,
    b"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n": 400,
    b"GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n": 400,
    b"GET /healthz HTTP/1.0\r\n\r\n": 200,
    b"GET /healthz HTTP/1.1\n\n": 400,
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n": 405,
    b"GET //[/\\..%00 HTTP/1.1\r\nHost: localhost\r\n\r\n": 404,
}


async def test_every_request_is_answered(server: ServerProcess, dial: Dial) -> None:
    async with unharmed(server, dial):
        for request, status in REQUESTS.items():
            peer = await RawClient.connect(server)
            peer.send(request)
            answer = await peer.rest()
            assert answer.startswith(b"HTTP/1.1 %d " % status), (request[:40], answer[:80])
            assert b"xxxx" not in answer
            assert (b"\r\nAllow: GET, HEAD\r\n" in answer) == (status == 405)


async def test_one_who_leaves_and_speaks_on_is_not_waited_for(
    start_server: StartServer, dial: Dial
) -> None:
    server = await start_server("--send-timeout-s", "600")
    async with unharmed(server, dial):
        peer = await RawClient.connect(server)
        assert await peer.upgrade(server, "den") == 101
        commands = b'{"type":"join"}', b'{"type":"leave"}', *25 * (b'{"type":"say","text":"and"}',)
        peer.send(b"".join(frame(TEXT, command) for command in commands))
        async with asyncio.timeout(PATIENCE_S):
            await peer.reader.readuntil(b'"type":"goodbye"')
        peer.send(frame(CLOSE))
        await peer.rest()


@pytest.mark.parametrize(
    "before",
    [b"", frame(TEXT, b"{", fin=False) + frame(CONTINUED, b"}")],
    ids=["at once", "after fragments"],
)
async def test_one_who_says_goodbye_and_stays_is_cut(
    start_server: StartServer, dial: Dial, before: bytes
) -> None:
    server = await start_server("--send-timeout-s", "0.2")
    async with unharmed(server, dial):
        peer = await RawClient.connect(server)
        assert await peer.upgrade(server, "den") == 101
        peer.send(before + frame(CLOSE))
        assert (await peer.reader.read()).endswith(bytes([0x80 | CLOSE, 0]))  # the line stays open
    peer.cut()


async def test_requests_that_never_end_take_the_place_of_nobody(
    start_server: StartServer, dial: Dial
) -> None:
    server = await start_server("--max-connections-per-address", "4")
    async with unharmed(server, dial) as canary:
        slow = [await RawClient.connect(server) for _ in range(40)]
        async with asyncio.TaskGroup() as tasks:
            ends = [tasks.create_task(peer.rest()) for peer in slow]
            for byte in b"GET / HTTP/1.1\r\n":
                for peer, end in zip(slow, ends, strict=True):
                    if not end.done():
                        peer.send(bytes([byte]))
                await canary.sings_on(1)
            answers = [end.result() for end in ends if end.done()]
            assert len(answers) >= 10
            assert [answer for answer in answers if answer.startswith(b"HTTP/1.1 503 ")]
            await canary.visit(server, "others", local_addr=("127.0.0.2", 0))
            for peer in slow:
                peer.cut()
