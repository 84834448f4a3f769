"""Random kills, pauses and cuts under play, with a fixed seed, and a checker that trusts nothing.

The long run: `CHAOS_ROUNDS=30 CHAOS_GAMES=50 pytest -n 0 tests/integration/cluster/test_chaos.py`.
"""

import asyncio
import os
import signal
from contextlib import suppress
from random import Random

import asyncpg
from websockets.exceptions import WebSocketException

from tests.integration.cluster.chaos import Told, faults
from tests.integration.cluster.conftest import StartCluster
from tests.integration.programs import Dial, ServerProcess, SimpleClient

ROUNDS = int(os.environ.get("CHAOS_ROUNDS", "2"))
GAMES = int(os.environ.get("CHAOS_GAMES", "8"))
SEED = int(os.environ.get("CHAOS_SEED", "7"))


class Player:
    """One player, who comes back through any server, and plays on; it notes all it is told."""

    def __init__(self, servers: list[ServerProcess], dial: Dial, room: str, *, vs_ai: bool) -> None:
        self.told: list[Told] = []
        self.refusals: list[str] = []
        self._servers = servers
        self._dial = dial
        self._room = room
        self._join: dict[str, object] = {}
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


async def rage(servers: list[ServerProcess], random: Random) -> None:
    """One fault after the other."""
    for _ in range(ROUNDS):
        server = random.choice(servers)
        if random.random() < 0.5:
            await server.kill()
            await server.log()
            await asyncio.sleep(random.uniform(0.2, 1.0))
            await server.start()
        else:
            server.process.send_signal(signal.SIGSTOP)
            await asyncio.sleep(random.choice((0.5, 3.0)))
            server.process.send_signal(signal.SIGCONT)
        await asyncio.sleep(random.uniform(0.5, 1.5))


async def run(servers: list[ServerProcess], dial: Dial) -> list[Player]:
    """Let all play while the faults happen."""
    over = asyncio.Event()
    players = [
        Player(servers, dial, f"room{number}", vs_ai=number % 3 == 0)
        for number in range(GAMES)
        for _ in range(1 if number % 3 == 0 else 2)
    ]
    playing = [asyncio.create_task(player.play(over)) for player in players]
    await asyncio.sleep(1.5)
    await rage(servers, Random(SEED))
    await asyncio.sleep(1.5)
    over.set()
    await asyncio.gather(*playing)
    return players


async def test_nothing_that_was_told_is_lost(
    start_cluster: StartCluster, dial: Dial, database: str
) -> None:
    players = await run(await start_cluster(3), dial)
    told = [each for player in players for each in player.told]
    assert sum(len(each.messages) for each in told) > 20 * GAMES
    assert not {code for player in players for code in player.refusals} & {"bad_token"}
    assert await faults(database, told) == []


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
