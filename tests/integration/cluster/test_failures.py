"""Each row of the table of failures in docs/operating.md, with real processes.

More of it, by hand: `ROLLING_GAMES=200 PAUSE_S=10 pytest -n 0 -k "rolling or postgresql"`.
"""

import asyncio
import json
import os
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import pytest
from websockets.exceptions import ConnectionClosed, WebSocketException

from tests.integration.cluster.chaos import EVENTS
from tests.integration.cluster.conftest import ROOMY, StartCluster
from tests.integration.programs import (
    Dial,
    Message,
    ServerProcess,
    SimpleClient,
    StartServer,
    eventually,
    run_server,
)
from tests.integration.proxy import FaultProxy
from tests.postgres import PostgresServer, free_port, own_server
from ttt_server.cluster.lease import lock_of
from ttt_server.cluster.maintenance import TAKE_OVER_EVERY_S
from ttt_server.storage.postgres.store import PostgresStore

pytestmark = pytest.mark.heavy

LEASE_S = 2.0
"""As `conftest.QUICK` has it."""

PATIENT = "--lease-s", "60"
"""Longer than a test waits: what happens before its end did not wait for it."""

SETTLED_S = 1.2
"""A session must be a second old to judge that another's server is dead."""

ROLLING_GAMES = int(os.environ.get("ROLLING_GAMES", "12"))
PAUSE_S = float(os.environ.get("PAUSE_S", "0"))
"""How long PostgreSQL is held after the first refusal."""


@pytest.fixture(scope="module")
def fragile() -> Iterator[PostgresServer]:
    """A PostgreSQL for the tests that stop it."""
    with own_server() as server:
        yield server


async def back(
    dial: Dial, servers: list[ServerProcess], room: str, **join: Any
) -> tuple[SimpleClient, Message]:
    """Join through any server that lets us, as a client does that lost its own."""
    async with asyncio.timeout(20):
        while True:
            for server in servers:
                with suppress(OSError, WebSocketException, TimeoutError):
                    client = await dial(server, room, open_timeout=2)
                    await client.send("join", **join)
                    while (message := await client.receive(3))["type"] not in {
                        "welcome",
                        "refused",
                    }:
                        pass
                    if message["type"] == "welcome":
                        return client, message
            await asyncio.sleep(0.02)


async def log_of(database: str, room: str) -> list[str]:
    """The log of a room, which has no gap."""
    connection = await asyncpg.connect(database)
    rows = [row for row in await connection.fetch(EVENTS) if row["room"] == room]
    await connection.close()
    log: list[str] = []
    for row in rows:
        assert row["seq"] == len(log) + 1
        log += row["event"].splitlines()
    return log


async def seat_two(dial: Dial, x: ServerProcess, o: ServerProcess, room: str) -> list[Any]:
    """Two players, and their tokens."""
    one = await dial(x, room)
    token = (await one.join(name="Ada"))["you"]["token"]
    two = await dial(o, room)
    return [one, two, token, (await two.join(name="Bob"))["you"]["token"]]


async def test_a_kill_of_the_owner(start_cluster: StartCluster, dial: Dial, database: str) -> None:
    owner, *others = await start_cluster(3, *PATIENT)
    ada = await dial(owner, "ai")
    settings = {"seats": {"O": {"strategy": "rules"}}, "pace_s": 0.4}
    token = (await ada.join(settings=settings))["you"]["token"]
    x, o, x_token, o_token = await seat_two(dial, owner, others[0], "den")
    await asyncio.sleep(SETTLED_S)
    await x.play(0, 4)
    await ada.play(0, 0)  # the AI answers a little later
    await owner.kill()
    (x, welcome), (o, _) = await asyncio.gather(
        back(dial, others, "den", token=x_token), back(dial, others[::-1], "den", token=o_token)
    )
    assert welcome["room"]["game"]["ply"] == 1
    await o.play(1, 0)
    ada, welcome = await back(dial, others, "ai", token=token)
    if welcome["room"]["game"]["ply"] < 2:
        await ada.until_ply(2)
    assert sum('"played"' in event for event in await log_of(database, "ai")) == 2


async def test_a_kill_where_locks_exclude_nobody(
    start_cluster: StartCluster, dial: Dial, own_database: str
) -> None:
    """As behind a pooler of transactions: the lease alone decides."""
    connection = await asyncpg.connect(own_database)
    await connection.execute(
        "CREATE FUNCTION public.pg_try_advisory_lock(bigint) RETURNS boolean"
        " LANGUAGE sql AS 'SELECT true'"
    )
    await connection.close()
    owner, other = await start_cluster(2, store=f"{own_database}?search_path=public,pg_catalog")
    x, o, x_token, o_token = await seat_two(dial, owner, other, "den")
    await x.play(0, 4)
    await owner.kill()
    x, welcome = await back(dial, [other], "den", token=x_token)
    o, _ = await back(dial, [other], "den", token=o_token)
    assert welcome["room"]["game"]["ply"] == 1
    await o.play(1, 0)
    assert await other.stop() == 0
    assert "advisory locks do not exclude other sessions" in await other.log()


_END_SESSION = """
SELECT pg_terminate_backend(pid) FROM pg_locks
WHERE locktype = 'advisory' AND classid = $1 AND objid = $2 AND objsubid = 1"""


async def test_a_session_with_the_lock_that_ends(
    start_cluster: StartCluster, dial: Dial, own_database: str
) -> None:
    """The next renewal is far, and another server would take the rooms before it."""
    owner, other = await start_cluster(2, "--lease-s", "60", store=own_database)
    x, o, _, _ = await seat_two(dial, owner, other, "den")
    await x.play(0, 4)
    connection = await asyncpg.connect(own_database)
    asks = "SELECT owner FROM rooms WHERE name = 'den'"
    number = await connection.fetchval(asks)
    lock = lock_of(UUID(str(number)))
    assert await connection.fetchval(_END_SESSION, lock >> 32, lock & 0xFFFFFFFF)
    for ply, cell in ((1, 0), (2, 8)):
        await (x, o)[ply % 2].play(ply, cell)
    await asyncio.sleep(2 * TAKE_OVER_EVERY_S)
    await o.play(3, 1)
    assert await connection.fetchval(asks) == number
    await connection.close()
    assert await other.stop() == 0


async def test_what_nobody_joins_goes_on_after_a_kill(
    start_cluster: StartCluster, dial: Dial, database: str
) -> None:
    owner, _ = await start_cluster(2)
    ais = {"X": {"strategy": "rules"}, "O": {"strategy": "random"}}
    watcher = await dial(owner, "ais")
    await watcher.join(role="spectator", settings={"seats": ais, "pace_s": 0.1})
    clocked = await dial(owner, "clock")
    await clocked.join(settings={"clock": {"initial_s": 3}, "seats": {"O": {"strategy": "rules"}}})
    await clocked.play(0, 4)
    await asyncio.sleep(SETTLED_S)
    await owner.kill()

    async def are_over() -> bool:
        logs = [await log_of(database, room) for room in ("ais", "clock")]
        return all(any('"ended"' in event for event in log) for log in logs)

    await eventually(are_over)
    assert sum('"ended"' in event for event in await log_of(database, "clock")) == 1


COPY_EVENTS = """
INSERT INTO events (room, seq, event, last, game, saved)
SELECT room || '-' || number, seq, event, last, game, saved
FROM events, generate_series(1, $2::int) AS number WHERE room = $1
"""
COPY_ROOMS = """
INSERT INTO rooms (name, owner, summary, changed_at)
SELECT name || '-' || number, owner, summary, changed_at
FROM rooms, generate_series(1, $2::int) AS number WHERE name = $1
"""
ENDED = """
SELECT event FROM events WHERE room LIKE 'short-%' AND event LIKE '%"ended"%'
"""
SHORT_S = 4


@pytest.mark.parametrize(
    ("number", "late_s"), [(signal.SIGKILL, 2), (signal.SIGSTOP, LEASE_S + 2)], ids=["kill", "hang"]
)
async def test_the_flags_of_ten_thousand_orphans(
    start_cluster: StartCluster, dial: Dial, database: str, number: int, late_s: float
) -> None:
    """By a survivor that may open only ten rooms itself."""
    owner, _ = await start_cluster(2, "--max-rooms", "10")
    for room, initial_s in (("short", SHORT_S), ("long", 3000)):
        players = [await dial(owner, room) for _ in range(2)]
        for player in players:
            await player.join(settings={"clock": {"initial_s": initial_s}})
    connection = await asyncpg.connect(database)

    async def are_known() -> bool:
        known = "SELECT count(*) FROM rooms WHERE summary ->> 'left' IS NOT NULL"
        return bool(await connection.fetchval(known) == 2)

    await eventually(are_known)
    await asyncio.sleep(SETTLED_S)
    for room, count in (("short", 100), ("long", 9900)):
        for statement in (COPY_EVENTS, COPY_ROOMS):
            await connection.execute(statement, room, count)
    gone_at = time.time()
    owner.process.send_signal(number)
    ended: list[str] = []

    async def are_ended() -> bool:
        rows = await connection.fetch(ENDED)
        ended[:] = [line for (text,) in rows for line in text.split("\n") if '"ended"' in line]
        return len(ended) == 100

    await eventually(are_ended)
    fell_s = [json.loads(line)["at"] / 1000 - gone_at for line in ended]
    assert max(fell_s) <= SHORT_S + late_s
    if number == signal.SIGSTOP:
        await owner.kill()
    await connection.close()


OLDER = """
from ttt_protocol.codec import InvalidWire
from ttt_server.rooms import event_log
known = event_log.decode_event
def decode(line):
    if b'"renamed"' in line:
        raise InvalidWire("type: an older build does not know renamed")
    return known(line)
event_log.decode_event = decode
"""


async def test_a_room_that_only_a_newer_server_can_read(
    start_cluster: StartCluster, dial: Dial, database: str
) -> None:
    """As in a rolling upgrade: the older server leaves it to the others."""
    (older,) = await start_cluster(1, before=OLDER)
    newer, another = await start_cluster(2)
    ada = await dial(newer, "den")
    token = (await ada.join(settings={"seats": {"O": {"strategy": "rules"}}}))["you"]["token"]
    await ada.send("rename", name="Ada")
    await ada.until("update")
    await asyncio.sleep(SETTLED_S)
    await newer.kill()
    _, welcome = await back(dial, [older], "den", token=token)
    assert welcome["you"]["name"] == "Ada"
    connection = await asyncpg.connect(database)
    owner = "SELECT address FROM rooms JOIN servers ON id = owner WHERE name = 'den'"
    assert await connection.fetchval(owner) == another.address
    await another.stop()
    await asyncio.sleep(SETTLED_S)  # the older one has noticed
    client = await dial(older, "den")
    assert (await client.refusal("join", token=token))["code"] == "storage_failed"
    assert await connection.fetchval(owner) is None
    await connection.close()


async def test_an_old_primary_is_refused(start_server: StartServer, tmp_path: Path) -> None:
    """By a server that has seen the new one, or sees it among the hosts of its URL."""
    with own_server() as new, own_server() as old:
        seen, name = tmp_path / "seen", new.new_database()
        server = await start_server("--store", new.url(name), data=seen)
        assert await server.stop() == 0
        new.stop()
        old.kill()
        source, target = ((each.folder / "data").resolve() for each in (new, old))
        shutil.rmtree(target)
        copy = "cp", "-a", str(source), str(target)
        assert await (await asyncio.create_subprocess_exec(*copy)).wait() == 0
        (new.folder / "data" / "standby.signal").touch()
        new.start()
        new.psql("SELECT pg_promote()", "postgres")
        server = await start_server("--store", new.url(name), data=seen)
        assert await server.stop() == 0
        old.start()
        both = f"postgresql://ttt@127.0.0.1:{old.port},127.0.0.1:{new.port}/{name}"
        for url, data in ((old.url(name), seen), (both, tmp_path / "fresh")):
            status, out, err = await run_server("--store", url, "--data", str(data), "--port", "0")
            assert (status, out, err.count("\n")) == (1, "", 1)
            assert "this is an old primary, on timeline 1, and timeline 2 is known" in err


async def test_an_owner_that_hangs_wakes_up_late(
    start_cluster: StartCluster, dial: Dial, database: str
) -> None:
    owner, other = await start_cluster(2)
    x, o, x_token, o_token = await seat_two(dial, owner, owner, "den")
    await x.play(0, 4)
    owner.process.send_signal(signal.SIGSTOP)
    stopped = time.monotonic()
    await o.send("play", game=1, ply=1, cell=0)  # it waits in the kernel
    again, welcome = await back(dial, [other], "den", token=x_token)
    assert welcome["room"]["game"]["ply"] == 1
    rival, _ = await back(dial, [other], "den", token=o_token)
    await rival.play(1, 8)
    await asyncio.sleep(max(0.0, 2 * LEASE_S - (time.monotonic() - stopped)))
    owner.process.send_signal(signal.SIGCONT)
    told: list[Message] = []
    with suppress(ConnectionClosed, TimeoutError):
        while True:
            told.append(await o.receive(5))
    assert o.socket.close_code == 1012
    plies = [message["room"]["game"]["ply"] for message in told if message["type"] == "update"]
    assert all(ply <= 1 for ply in plies), "it tells nobody anything new"
    await again.play(2, 1)
    log = await log_of(database, "den")
    assert [event.count('"cell":8') for event in log if '"ply":1' in event] == [1]


async def test_clients_of_others_leave_an_owner_that_hangs(
    start_cluster: StartCluster, dial: Dial
) -> None:
    """It says nothing, and its lines stay open: the other server must find out by the lease."""
    owner, other = await start_cluster(2)
    _, o, _, token = await seat_two(dial, owner, other, "den")
    watcher = await dial(other, "den")
    await watcher.join(role="spectator")
    speaker = await dial(other, "den")
    await speaker.join(role="spectator")
    await speaker.send("say", text="a connection of its own")
    await speaker.until("said")
    with owner.suspended():
        for client in (o, watcher, speaker):
            assert await client.close_code() == 1012
        _, welcome = await back(dial, [other], "den", token=token)
        assert welcome["you"]["seat"] == "O"


async def test_a_stop_in_order(start_cluster: StartCluster, dial: Dial, database: str) -> None:
    owner, *others = await start_cluster(3, *PATIENT)
    x, o, x_token, o_token = await seat_two(dial, owner, others[0], "den")
    await x.play(0, 4)
    stopping = asyncio.create_task(owner.stop())
    assert await o.close_code() == 1012, "a relayed client is told, too"
    (x, _), (o, welcome) = await asyncio.gather(
        back(dial, others, "den", token=x_token), back(dial, others, "den", token=o_token)
    )
    assert welcome["room"]["game"]["ply"] == 1
    await o.play(1, 0)
    assert await stopping == 0
    connection = await asyncpg.connect(database)
    assert await connection.fetchval("SELECT count(*) FROM servers") == 2
    await connection.close()


@pytest.mark.parametrize("fault", ["restart", "kill", "pause"])
async def test_a_fault_of_postgresql(
    start_server: StartServer, dial: Dial, fragile: PostgresServer, fault: str
) -> None:
    url = fragile.url(fragile.new_database())
    # A write fails after half of the lease, and its player is told if the lease still holds then.
    server = await start_server("--store", url, "--lease-s", "8")
    x, o, x_token, _ = await seat_two(dial, server, server, "den")
    await x.play(0, 4)
    if fault == "pause":
        with fragile.paused():
            refused = await o.refusal("play", game=1, ply=1, cell=0)
            await asyncio.sleep(PAUSE_S)
    else:
        await asyncio.to_thread(fragile.kill if fault == "kill" else fragile.stop)
        refused = await o.refusal("play", game=1, ply=1, cell=0)
        assert (await server.get("/healthz"))[0] == 503
        await asyncio.to_thread(fragile.start)
    assert refused["code"] == "storage_failed"

    async def is_well() -> bool:
        return (await server.get("/healthz"))[0] == 200

    await eventually(is_well)
    again, welcome = await back(dial, [server], "den", token=x_token)
    assert welcome["room"]["game"]["ply"] >= 1, "what was told is kept"
    assert (await log_of(url, "den"))[4:]
    await again.socket.close()


@pytest.mark.parametrize("direction", ["to_server", "to_client"])
async def test_a_line_to_postgresql_that_stands_still(
    start_cluster: StartCluster,
    dial: Dial,
    postgres: PostgresServer,
    database: str,
    direction: str,
) -> None:
    async with FaultProxy(f"tcp://127.0.0.1:{postgres.port}") as proxy:
        name, port = database.rpartition("/")[2], int(proxy.address.rpartition(":")[2])
        (cut,) = await start_cluster(1, store=postgres.url(name, port=port))
        (well,) = await start_cluster(1)
        x, o, x_token, o_token = await seat_two(dial, cut, cut, "den")
        await x.play(0, 4)
        getattr(proxy, direction).is_open.clear()
        await o.send("play", game=1, ply=1, cell=0)
        assert await o.close_code() == 1012, "ownership is given up while nothing is heard"
        again, welcome = await back(dial, [well], "den", token=x_token)
        rival, welcome = await back(dial, [well], "den", token=o_token)
        if welcome["room"]["game"]["ply"] == 1:
            await rival.play(1, 8)
        await again.play(2, 1)
        proxy.heal()

        async def is_well() -> bool:
            return (await cut.get("/healthz"))[0] == 200

        await eventually(is_well)
        plies = [event for event in await log_of(database, "den") if '"played"' in event]
        assert len(plies) == 3


async def test_a_line_between_servers_that_is_cut(start_cluster: StartCluster, dial: Dial) -> None:
    port = free_port()
    async with FaultProxy(f"ws://127.0.0.1:{port}") as proxy:
        (owner,) = await start_cluster(1, "--port", str(port), "--advertise", proxy.address)
        (other,) = await start_cluster(1)
        x, o, _, o_token = await seat_two(dial, owner, other, "den")
        watcher = await dial(other, "den")
        await watcher.join(role="spectator")
        await x.play(0, 4)
        proxy.cut()
        assert await o.close_code() == 1012
        assert await watcher.close_code() == 1012
        again, _ = await back(dial, [owner], "den", token=o_token)
        await again.play(1, 0)


async def test_a_rolling_restart(start_cluster: StartCluster, dial: Dial, database: str) -> None:
    servers = await start_cluster(3, *ROOMY)
    rooms = [f"room{number}" for number in range(ROLLING_GAMES)]

    async def play(number: int) -> None:
        players: list[SimpleClient] = []
        tokens: list[str] = []
        for at in range(2):
            client, welcome = await back(
                dial, servers[(number + at) % 3 :] + servers, rooms[number]
            )
            players.append(client)
            tokens.append(welcome["you"]["token"])
        ply = 0
        for cell in (0, 3, 1, 4, 2):
            while True:
                turn = ply % 2
                try:
                    await players[turn].send("play", game=1, ply=ply, cell=cell)
                    async with asyncio.timeout(3):
                        await players[turn].until_ply(ply + 1)
                except (ConnectionClosed, TimeoutError):
                    players[turn], welcome = await back(
                        dial, servers, rooms[number], token=tokens[turn]
                    )
                    if welcome["room"]["game"]["ply"] <= ply:
                        continue
                break
            ply += 1
            await asyncio.sleep(0.25)

    games = asyncio.gather(*(play(number) for number in range(len(rooms))))
    for server in servers:
        await server.stop()
        await server.log()
        await server.start()
    await games
    for room in rooms:
        log = await log_of(database, room)
        assert '"ended"' in log[-1]


async def test_a_database_that_cannot_be_used(fragile: PostgresServer) -> None:
    """One line, exit status 1, and nothing has changed."""
    newer, foreign, bare = (fragile.new_database() for _ in range(3))
    await (await PostgresStore.open(fragile.url(newer))).close()
    fragile.psql("UPDATE meta SET value = '99' WHERE key = 'schema'", newer)
    fragile.psql("CREATE TABLE events (of_another int)", foreign)
    fragile.psql("CREATE ROLE guest LOGIN; CREATE ROLE known LOGIN PASSWORD 'right'", bare)
    before = [fragile.dump(name) for name in (newer, foreign, bare)]
    reasons = {
        fragile.url(newer): "newer server (schema 99",
        fragile.url(foreign): "another program",
        fragile.url(bare, user="guest"): "permission denied",
        fragile.url(bare, user="known", password="hunter2"): "password authentication failed",
        fragile.url("nowhere"): "does not exist",
        fragile.url(bare, port=free_port()): "onnect",
    }
    with fragile.asking_for_a_password("known"):
        starts = (run_server("--port", "0", "--store", url) for url in reasons)
        ended = await asyncio.gather(*starts)
    for (status, out, err), words in zip(ended, reasons.values(), strict=True):
        assert (status, out, err.count("\n")) == (1, "", 1), err
        assert words in err
        assert "hunter2" not in err
    assert [fragile.dump(name) for name in (newer, foreign, bare)] == before
