"""Peers that do not read: they are cut off within the deadline, and nobody else notices.

`SPECTATORS=1000 DEAF=100 pytest -s tests/integration/test_slow_peers.py -k
spectators` is the long form of the first test; it says what a move took before and after.
"""

import asyncio
import os
import statistics
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress

import pytest

from tests.integration.hostile import unharmed
from tests.integration.programs import (
    PATIENCE_S,
    Dial,
    Message,
    ServerProcess,
    SimpleClient,
    StartServer,
    eventually,
)
from tests.integration.raw import PING, TEXT, RawPeer

pytestmark = pytest.mark.heavy

SPECTATORS = int(os.environ.get("SPECTATORS", "60"))
DEAF = int(os.environ.get("DEAF", "20"))
SEND_TIMEOUT_S = 1.0

PATIENT = (
    *("--commands-per-10s", "1000000", "--command-burst", "100000"),
    *("--max-connections-per-address", "5000", "--send-timeout-s", str(SEND_TIMEOUT_S)),
)
BIG = {"columns": 19, "rows": 19, "in_a_row": 19}
MOST = 300
"""Cells are played in order; move 343 would make a line."""
JOIN = b'{"type":"join","role":"spectator"}'

Watch = Callable[..., Awaitable[RawPeer]]


@pytest.fixture
async def server(start_server: StartServer) -> ServerProcess:
    return await start_server(*PATIENT)


@pytest.fixture
async def watch() -> AsyncIterator[Watch]:
    """Connects spectators that read nothing by themselves."""
    peers: list[RawPeer] = []

    async def join(server: ServerProcess, room: str = "room42") -> RawPeer:
        peer = await RawPeer.connect(server, room)
        peers.append(peer)
        await peer.send(TEXT, JOIN)
        return peer

    yield join
    for peer in peers:
        peer.close()


class Pair:
    """Two players in a long game."""

    def __init__(self, ada: SimpleClient, bob: SimpleClient) -> None:
        self.players = ada, bob
        self.ply = 0

    @classmethod
    async def sit(cls, dial: Dial, server: ServerProcess) -> "Pair":
        pair = cls(await dial(server, "room42"), await dial(server, "room42"))
        for player in pair.players:
            await player.join(settings={"rules": BIG})
        await pair.players[0].until("update")
        return pair

    async def move(self) -> float:
        """One move; the seconds until its mover had the update."""
        mover, other = self.players[self.ply % 2], self.players[1 - self.ply % 2]
        began = asyncio.get_running_loop().time()
        await mover.play(self.ply, self.ply)
        took = asyncio.get_running_loop().time() - began
        self.ply += 1
        await other.until_ply(self.ply)
        return took


async def watched_by(server: ServerProcess, spectators: int) -> None:
    """Waits until so many are in the room."""

    async def is_so() -> bool:
        _, room = await server.get("/api/rooms/room42")
        return bool(room["spectators"] == spectators)

    await eventually(is_so, 3 * PATIENCE_S)


@pytest.mark.timeout(300)
async def test_deaf_spectators_are_cut_and_nobody_else_notices(
    server: ServerProcess, dial: Dial, watch: Watch
) -> None:
    pair = await Pair.sit(dial, server)
    readers = [await watch(server) for _ in range(SPECTATORS - DEAF)]
    reading = [asyncio.create_task(peer.listen()) for peer in readers]
    before = [await pair.move() for _ in range(40)]
    deaf = [await watch(server) for _ in range(DEAF)]
    await watched_by(server, SPECTATORS)
    memory = server.memory()

    cut = [asyncio.create_task(peer.is_cut(4 * PATIENCE_S)) for peer in deaf]
    during = []
    while not all(task.done() for task in cut) and pair.ply < MOST:
        during.append(await pair.move())
    await asyncio.gather(*cut)
    grown = server.memory() - memory
    await watched_by(server, SPECTATORS - DEAF)
    assert not any(task.done() for task in reading), "who reads is not cut"
    assert grown < 64 << 20
    after = [await pair.move() for _ in range(40)]
    medians = [statistics.median(each) * 1000 for each in (before, during, after)]
    sys.stdout.write(
        f"\n{SPECTATORS} spectators: a move took {medians[0]:.1f} ms, {medians[1]:.1f} ms while"
        f" {DEAF} of them were deaf, {medians[2]:.1f} ms after that;"
        f" memory grew by {grown / 1e6:.1f} MB\n"
    )
    assert await server.stop() == 0
    assert {last["type"] for last in await asyncio.gather(*reading)} == {"goodbye"}


@pytest.mark.parametrize(
    ("opcode", "payload"),
    [
        (PING, b"p" * 125),
        (TEXT, b'{"type":"play","game":7,"ply":0,"cell":0}'),
        (TEXT, b"no JSON"),
        (TEXT, b'{"type":"say","text":"' + b"x" * 200 + b'"}'),
    ],
)
async def test_who_floods_and_reads_nothing_is_cut_before_it_costs_memory(
    start_server: StartServer, dial: Dial, watch: Watch, opcode: int, payload: bytes
) -> None:
    server = await start_server(*PATIENT[:-1], "30")  # the deadline alone would be too late
    ada = await dial(server, "room42")
    await ada.join()
    async with unharmed(server, dial):
        peer = await watch(server)
        memory = server.memory()
        server.forget_peak()
        sent = 0
        with suppress(ConnectionError):
            async with asyncio.timeout(PATIENCE_S):
                while sent < 64 << 20:
                    for _ in range(100):
                        await peer.send(opcode, payload)
                    sent += 100 * len(payload)
        await peer.is_cut()
        assert server.peak() - memory < 16 << 20, "what it gave back when it cut it off counts"
        await watched_by(server, 0)


async def test_one_who_reads_late_skips_to_the_newest_state(
    start_server: StartServer, dial: Dial, watch: Watch
) -> None:
    server = await start_server(*PATIENT[:-1], "60")
    pair = await Pair.sit(dial, server)
    peer = await watch(server)
    for _ in range(200):  # more than the buffers hold, and than the outbox
        await pair.move()
    seqs: list[int] = []

    def hear(message: Message) -> None:
        if message["type"] == "update":
            seqs.append(message["room"]["seq"])

    reading = asyncio.create_task(peer.listen(hear))

    async def has_the_newest() -> bool:
        return bool(seqs) and seqs[-1] == pair.ply + 4

    await eventually(has_the_newest)
    reading.cancel()
    assert seqs == sorted(set(seqs)), "in order"
    assert len(seqs) < pair.ply, "with some left out"
