"""The list of many rooms: readers over HTTP and in the lobby, while a few rooms play."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Final

from websockets.asyncio.client import connect

from tests.bench.figures import percentile
from tests.bench.generator import Told, sleep_until
from tests.bench.plan import Plan
from tests.bench.rows import Row
from tests.bench.stage import Stage, stage

PLAYING: Final = 5
"""Rooms that play meanwhile, and so change on the list."""
THINK_S: Final = 0.01
EACH_S: Final = 1.0
"""How often a reader asks that keeps a list fresh."""


class Heard:
    """What readers were sent."""

    def __init__(self) -> None:
        self.times: list[float] = []
        """Seconds from each question to its answer."""
        self.size = 0
        """Bytes."""


Reader = Callable[[int, float, Heard], Awaitable[None]]
"""Read from a port until a time, and note what came."""


def room_list(plan: Plan) -> Iterator[Row]:
    """Many rooms are on the list, which is read while a few of them play."""
    with stage(plan) as its:
        its.load.do("wait", rooms=plan.listed_rooms)
        its.load.do("seat", rooms=PLAYING, think_s=THINK_S)
        for round_ in range(plan.rounds):
            for name, reader in READERS.items():
                yield _round(plan, its, name, reader, round_)


def _round(plan: Plan, its: Stage, name: str, reader: Reader | None, round_: int) -> Row:
    seconds = max(plan.seconds, 2 * EACH_S if plan.seconds >= 1 else 0)
    cpu_s, told, heard = asyncio.run(_read(plan, its, seconds, reader))
    own = told["times"].get("own", [])
    figures = {
        "own_p50_ms": percentile(own, 0.5) / 1000,
        "own_p99_ms": percentile(own, 0.99) / 1000,
        "own_worst_ms": percentile(own, 1) / 1000,
        "server_busy": cpu_s / seconds,
    }
    if heard.size:
        figures["kib_per_s"] = heard.size / 1024 / seconds
    if heard.times:
        figures["answers_per_s"] = len(heard.times) / seconds
        figures["answer_p50_ms"] = percentile(heard.times, 0.5) * 1000
    return Row("room-list", {"readers": name}, round_, figures, told["faults"])


async def _read(
    plan: Plan, its: Stage, seconds: float, reader: Reader | None
) -> tuple[float, Told, Heard]:
    """Let all readers read while the rooms play; return the CPU, and what both were told."""
    heard = Heard()
    begin = time.monotonic() + plan.warm_s
    its.load.begin("play", begin=begin, end=begin + seconds)
    await asyncio.to_thread(sleep_until, begin)
    before = its.server.cpu_s()
    if reader is not None:
        readers = (
            reader(its.server.port, begin + seconds, heard) for _ in range(plan.list_readers)
        )
        await asyncio.gather(*readers)
    await asyncio.to_thread(sleep_until, begin + seconds)
    cpu_s = its.server.cpu_s() - before
    return cpu_s, await asyncio.to_thread(its.load.told), heard


async def _ask_each_second(port: int, until: float, heard: Heard) -> None:
    while time.monotonic() < until:
        took_s = await _ask(port, heard)
        await asyncio.sleep(min(EACH_S - took_s, max(0, until - time.monotonic())))


async def _ask_without_a_pause(port: int, until: float, heard: Heard) -> None:
    while time.monotonic() < until:
        await _ask(port, heard)


async def _ask(port: int, heard: Heard) -> float:
    """Read the list over HTTP; return the seconds that it took."""
    began = time.monotonic()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(
        f"GET /api/rooms HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode()
    )
    answer = await reader.read(-1)
    heard.size += len(answer)
    writer.close()
    took_s = time.monotonic() - began
    heard.times.append(took_s)
    return took_s


async def _watch(port: int, until: float, heard: Heard) -> None:
    await _listen(f"ws://127.0.0.1:{port}/ws/lobby", until, heard)


async def _watch_changes(port: int, until: float, heard: Heard) -> None:
    await _listen(f"ws://127.0.0.1:{port}/ws/lobby?changes=1", until, heard)


async def _listen(url: str, until: float, heard: Heard) -> None:
    """Watch the lobby; what comes first is not counted."""
    async with connect(url, max_size=None) as socket:
        assert json.loads(await socket.recv())["type"] == "rooms"
        try:
            async with asyncio.timeout(max(0, until - time.monotonic())):
                while True:
                    message = await socket.recv(decode=False)
                    heard.size += len(message)
        except TimeoutError:
            return


READERS: Final[dict[str, Reader | None]] = {
    "none": None,
    "HTTP, once a second": _ask_each_second,
    "HTTP, without a pause": _ask_without_a_pause,
    "lobby": _watch,
    "lobby, changes": _watch_changes,
}
