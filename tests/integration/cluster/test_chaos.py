"""Random kills, pauses and cuts under play, with a fixed seed, and a checker that trusts nothing.

The long run: `CHAOS_ROUNDS=30 CHAOS_GAMES=50 pytest -n 0 tests/integration/cluster/test_chaos.py`.
With `CHAOS_PROCESSES=2` each server has so many processes, and one of them may be killed alone.
"""

import asyncio
import os
import secrets
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from random import Random

import asyncpg
import pytest
from websockets.exceptions import WebSocketException

from tests.bench.server import descendants
from tests.integration.cluster.chaos import Told, faults
from tests.integration.cluster.conftest import StartCluster, children
from tests.integration.cluster.test_failures import seat_two
from tests.integration.programs import Dial, Message, ServerProcess, SimpleClient, StartServer
from tests.integration.proxy import FaultProxy
from tests.postgres import PostgresServer, free_port

ROUNDS = int(os.environ.get("CHAOS_ROUNDS", "4"))
GAMES = int(os.environ.get("CHAOS_GAMES", "8"))
SEED = int(os.environ.get("CHAOS_SEED", "7"))
PROCESSES = int(os.environ.get("CHAOS_PROCESSES", "1"))

FAULTS = (
    *("kill", "pause", "cut from PostgreSQL", "cut from the others"),
    *(("kill a process", "pause a process") if PROCESSES > 1 else ()),
)
LENGTHS_S = 0.5, 2.6
"""Of a pause or a cut: shorter than the lease, and longer."""

OWNS_ALL = """
from ttt_server.cluster.ownership import Ownership
async def mine(self, name, *, is_in_doubt=False): return None
Ownership.locate, Ownership.has = mine, lambda self, name: True
"""
"""Run before a server, this makes it believe that every room is its own."""


@dataclass
class Machine:
    """A server, and its lines."""

    server: ServerProcess
    to_database: FaultProxy
    to_others: FaultProxy
    """In front of the server, at the address that it advertises."""


class Player:
    """One player, who comes back through any server, and plays on; it notes all it is told."""

    def __init__(self, servers: list[ServerProcess], dial: Dial, room: str, *, vs_ai: bool) -> None:
        self.told: list[Told] = []
        self.refusals: list[str] = []
        self._servers = servers
        self._dial = dial
        self._room = room
        self._join: dict[str, object] = {"claim_key": secrets.token_urlsafe(16)}
        if vs_ai:
            self._join["settings"] = {"seats": {"O": {"strategy": "random"}}}
        self._random = Random(room)

    async def play(self, until: asyncio.Event) -> None:
        """Play games, one after the other."""
        while not until.is_set():
            with suppress(OSError, WebSocketException, TimeoutError):
                client = await self._dial(
                    self._random.choice(self._servers), self._room, open_timeout=2
                )
                self.told.append(Told(self._room))
                await client.send("join", **self._join)
                while not until.is_set():
                    await self._hear(client)
            await asyncio.sleep(0.05)

    async def _hear(self, client: SimpleClient) -> None:
        message = await client.receive(4)
        self.told[-1].messages.append(message)
        if message["type"] == "welcome":
            self._join = {"token": message["you"]["token"]}
            self._seat = message["you"]["seat"]
        if message["type"] == "refused":
            self.refusals.append(message["code"])
            if message["command"] == "join":
                raise TimeoutError
        room = message.get("room")
        if not isinstance(room, dict):
            return
        game = room["game"]
        if room["status"] == "finished":
            await client.send("offer", kind="rematch")
        elif room["status"] == "playing" and game["turn"] == self._seat:
            free = [cell for cell, mark in enumerate(game["board"]) if mark == "."]
            await asyncio.sleep(0.05)
            cell = self._random.choice(free)
            await client.send("play", game=game["number"], ply=game["ply"], cell=cell)


@asynccontextmanager
async def machines(
    start: StartCluster, postgres: PostgresServer, database: str
) -> AsyncIterator[list[Machine]]:
    """Three servers behind lines that can be cut."""
    async with AsyncExitStack() as lines:
        made = []
        for _ in range(3):
            port = free_port()
            to_others = await lines.enter_async_context(FaultProxy(f"ws://127.0.0.1:{port}"))
            to_database = await lines.enter_async_context(
                FaultProxy(f"tcp://127.0.0.1:{postgres.port}")
            )
            store = postgres.url(
                database.rpartition("/")[2], port=int(to_database.address.rpartition(":")[2])
            )
            options = "--port", str(port), "--processes", str(PROCESSES)
            (server,) = await start(1, *options, "--advertise", to_others.address, store=store)
            made.append(Machine(server, to_database, to_others))
        yield made


async def rage(made: list[Machine], random: Random) -> None:
    """One fault after the other; each kind comes once before any comes again."""
    faults: list[str] = []
    for _ in range(ROUNDS):
        faults = faults or random.sample(FAULTS, len(FAULTS))
        await suffer(faults.pop(), random.choice(made), random)
        await asyncio.sleep(random.uniform(0.3, 0.8))


async def suffer(fault: str, machine: Machine, random: Random) -> None:
    """Let one fault come and go."""
    server = machine.server
    match fault:
        case "kill":
            await server.kill()
            await server.log()
            await asyncio.sleep(random.uniform(0.2, 1.0))
            await server.start()
        case "pause":
            pids = [server.process.pid, *descendants(server.process.pid)]
            await pause(pids, random.choice(LENGTHS_S))
        case "kill a process":
            os.kill(random.choice(children(server)), signal.SIGKILL)
            await asyncio.sleep(random.uniform(0.2, 1.0))
        case "pause a process":
            await pause([random.choice(children(server))], random.choice(LENGTHS_S))
        case _:
            line = machine.to_database if "PostgreSQL" in fault else machine.to_others
            if random.random() < 0.5:
                line.cut()
            random.choice((line.blackhole, line.to_server.is_open.clear))()
            await asyncio.sleep(random.choice(LENGTHS_S))
            line.heal()


async def pause(pids: Sequence[int], seconds: float) -> None:
    """Hold processes for a while."""
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    await asyncio.sleep(seconds)
    for pid in pids:
        os.kill(pid, signal.SIGCONT)


async def run(made: list[Machine], dial: Dial) -> list[Player]:
    """Let all play while the faults happen."""
    over = asyncio.Event()
    servers = [machine.server for machine in made]
    players = [
        Player(servers, dial, f"room{number}", vs_ai=number % 3 == 0)
        for number in range(GAMES)
        for _ in range(1 if number % 3 == 0 else 2)
    ]
    playing = [asyncio.create_task(player.play(over)) for player in players]
    await asyncio.sleep(1.5)
    await rage(made, Random(SEED))
    await asyncio.sleep(1.5)
    over.set()
    await asyncio.gather(*playing)
    return players


@pytest.mark.heavy
async def test_nothing_that_was_told_is_lost(
    start_cluster: StartCluster, dial: Dial, postgres: PostgresServer, database: str
) -> None:
    async with machines(start_cluster, postgres, database) as made:
        players = await run(made, dial)
    told = [each for player in players for each in player.told]
    found = await faults(database, told)
    assert not found, found[:5]  # with all that was told it would take minutes to show
    assert sum(len(each.messages) for each in told) > 20 * GAMES
    assert not {code for player in players for code in player.refusals} & {"bad_token"}


async def test_the_checker_finds_a_broken_fence(database: str) -> None:
    """Without the primary key two events have the same number."""
    from ttt_server.storage.postgres.store import PostgresStore  # noqa: PLC0415

    await (await PostgresStore.open(database)).close()
    connection = await asyncpg.connect(database)
    await connection.execute("ALTER TABLE events DROP CONSTRAINT events_pkey")
    one = '{"type":"played","seq":1,"at":1,"game":1,"ply":0}'
    other = '{"type":"played","seq":1,"at":2,"game":1,"ply":0}'
    for event in (one, other):
        await connection.execute("INSERT INTO events VALUES ('den', 1, $1)", event)
    await connection.close()
    said = {"type": "played", "seq": 1, "at": 1, "game": 1, "ply": 0}
    told = Told("den", [{"events": [said], "room": {"seq": 2}}])
    found = await faults(database, [told])
    assert any("numbers" in fault for fault in found)
    assert any("made twice" in fault for fault in found)
    assert any("told otherwise" in fault for fault in found)
    assert any("state 2 was told" in fault for fault in found)


async def _move(client: SimpleClient) -> Message:
    """The update that tells of a move; those of the seats come before it."""
    while True:
        update = await client.until("update")
        if any(event["type"] == "played" for event in update["events"]):
            return update


@pytest.mark.parametrize("has_key", [True, False])
async def test_the_key_is_the_fence(
    start_server: StartServer, dial: Dial, database: str, has_key: bool
) -> None:
    """Two servers play in the same room, each as its owner, with the key and without it."""
    servers = [await start_server("--store", database, before=OWNS_ALL) for _ in range(2)]
    if not has_key:
        connection = await asyncpg.connect(database)
        await connection.execute("ALTER TABLE events DROP CONSTRAINT events_pkey")
        await connection.close()
    x, _, token, _ = await seat_two(dial, servers[0], servers[0], "den")
    twin = await dial(servers[1], "den")
    await twin.join(token=token)
    for client, cell in ((x, 0), (twin, 8)):
        await client.send("play", game=1, ply=0, cell=cell)
    told = [Told("den", [await _move(client)]) for client in (x, twin)]
    found = await faults(database, told)
    assert any("twice" in fault for fault in found) is not has_key, found
    assert bool(found) is not has_key, found
