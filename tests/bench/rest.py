"""What stays in memory after a crowd has gone and the server has rested.

    python -m tests.bench.rest [--only CASE ...] [--rooms 20000] [--rest 30]

For each case a server of its own: its memory before, at the most, and after a rest, in MB.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from tests.integration.programs import ServerProcess
from tests.integration.raw import TEXT, frame

BOUND: Final = 1.3
"""After a rest, to before."""

_OPTIONS: Final = (
    *("--max-rooms", "100000", "--max-rooms-per-address", "100000", "--room-idle-s", "1"),
    *("--max-connections-per-address", "10000", "--connects-per-10s-per-address", "1000000"),
    *("--max-frame", str(1 << 20)),
)
_AT_ONCE: Final = 50
_UNREAD: Final = 600
_LISTED: Final = 1000
"""Rooms in each unread answer."""

Crowd = Callable[[ServerProcess, int], Awaitable[None]]


async def _open(server: ServerProcess, *data: bytes) -> asyncio.StreamWriter:
    """Send bytes on a connection of their own, and read the beginning of the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port, limit=1 << 12)
    writer.write(b"".join(data))
    async with asyncio.timeout(20):
        await writer.drain()
        await reader.read(100)
    return writer


def _upgrade(server: ServerProcess, room: str) -> bytes:
    return (
        f"GET /ws/rooms/{room} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    ).encode()


def _join(name: str) -> bytes:
    return frame(TEXT, b'{"type":"join","name":"%b"}' % name.encode())


async def _sit(server: ServerProcess, room: str) -> tuple[asyncio.StreamWriter, ...]:
    """Return two players in a room, whose game has begun."""
    head = _upgrade(server, room)
    return tuple([await _open(server, head, _join(name)) for name in ("ada", "bob")])


async def _in_turns(count: int, each: Callable[[int], Awaitable[None]]) -> None:
    numbers = iter(range(count))

    async def work() -> None:
        for number in numbers:
            await each(number)

    await asyncio.gather(*(work() for _ in range(_AT_ONCE)))


async def rooms(server: ServerProcess, count: int) -> None:
    """Rooms of two players that come and go."""

    async def one(number: int) -> None:
        for writer in await _sit(server, f"r{number}"):
            writer.close()

    await _in_turns(count, one)


async def messages(server: ServerProcess, count: int) -> None:
    """A message of 1 MiB on each of many connections, which then close."""
    text = b"{%b}" % (b" " * ((1 << 20) - 100))
    large = b"\x81\xff" + len(text).to_bytes(8, "big") + bytes(4) + text

    async def one(_: int) -> None:
        with suppress(ConnectionError):  # one that the server has cut
            writer = await _open(server, _upgrade(server, "hall"), _join("eve"), large)
            await asyncio.sleep(0.05)
            writer.close()

    await _in_turns(count // 20, one)


async def lists(server: ServerProcess, count: int) -> None:
    """Answers with a thousand rooms that nobody reads."""
    del count
    kept = [await _sit(server, f"listed-{number:020}") for number in range(_LISTED)]
    await asyncio.sleep(1.5)
    request = f"GET /api/rooms HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode()
    unread = [await _open(server, request) for _ in range(_UNREAD)]
    await asyncio.sleep(2)
    for writer in unread:
        writer.transport.abort()
    for pair in kept:
        for writer in pair:
            writer.close()


CASES: Final[dict[str, Crowd]] = {"rooms": rooms, "messages": messages, "lists": lists}


async def _measure(crowd: Crowd, count: int, rest_s: float) -> tuple[float, float, float]:
    """Return MB before, at the most, and after a rest."""
    with tempfile.TemporaryDirectory() as folder:
        server = ServerProcess(Path(folder), *_OPTIONS)
        await server.start()
        await rooms(server, 200)
        await server.get("/api/rooms")
        await asyncio.sleep(5)
        before = server.memory()
        server.forget_peak()
        await crowd(server, count)
        peak = server.peak()
        await asyncio.sleep(rest_s)
        after = server.memory()
        await server.stop()
    return before / 1e6, peak / 1e6, after / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.rest", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=CASES, default=[*CASES], metavar="CASE")
    parser.add_argument("--rooms", type=int, default=20_000)
    parser.add_argument("--rest", type=float, default=30.0, help="seconds")
    options = parser.parse_args()
    for name in options.only:
        found = asyncio.run(_measure(CASES[name], options.rooms, options.rest))
        before, peak, after = found
        met = "met" if after <= BOUND * before else "NOT MET"
        print(
            f"{name:9} before {before:6.1f} MB  most {peak:6.1f}  rested {after:6.1f}"
            f"  {after / before:4.2f} x, at most {BOUND}: {met}",
            flush=True,
        )


if __name__ == "__main__":
    main()
