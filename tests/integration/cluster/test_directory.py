"""A server beside a hundred thousand rooms of another: what it costs, and what its lobby shows."""

import asyncio
import os
from pathlib import Path
from uuid import uuid4

import asyncpg
import pytest

from tests.integration.cluster.conftest import StartCluster
from tests.integration.programs import PATIENCE_S, Dial, ServerProcess
from ttt_server.cluster.lease import lock_of

pytestmark = [pytest.mark.slow, pytest.mark.heavy]

MANY = 100_000
MEASURED_S = 8
LATER = "/api/rooms?limit=200&after=room-" + 24 * "0" + "500"
JOIN = """
INSERT INTO servers
VALUES ($1, 'ws://192.0.2.9:1', now(), now() + interval '1 day', $2, $2, $2)
"""
FILL = """
INSERT INTO rooms (name, owner, summary, changed_at, listed, is_public)
SELECT name, $1, '{"runs": true, "left": 60000}', now(), format(
    '{"name":"%s","status":"playing","rules":{"columns":3,"rows":3,"in_a_row":3,"gravity":false},'
    '"seats":{"X":"a player with a name","O":"another, as long"},"ply":4,"spectators":12,'
    '"locked":false,"changed_at":1764184800000}', name
), true
FROM (SELECT format('room-%s', lpad(number::text, 27, '0')) AS name
      FROM generate_series(1, $2::int) AS number) AS names
"""


def cpu_s(server: ServerProcess) -> float:
    """Seconds of processors that the server has used."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def test_beside_a_hundred_thousand_rooms_of_others(
    start_cluster: StartCluster, dial: Dial, database: str
) -> None:
    (server,) = await start_cluster(1)
    await asyncio.sleep(2)
    alone = server.memory()
    connection = await asyncpg.connect(database)
    other = uuid4()
    await connection.execute("SELECT pg_advisory_lock($1)", lock_of(other))
    await connection.execute(JOIN, other, MANY)
    await connection.execute(FILL, other, MANY)
    await asyncio.sleep(2)  # it has met the other
    before = cpu_s(server)
    await asyncio.sleep(MEASURED_S)
    assert cpu_s(server) - before <= 0.02 * MEASURED_S
    assert server.memory() - alone <= 20 << 20

    lobby = await dial(server, "/ws/lobby?changes=1")
    first = await lobby.socket.recv()
    assert len(first) <= 50_000
    await (await dial(server, "a-room-of-this-server")).join()
    told = await lobby.until("rooms_changed")
    assert [room["name"] for room in told["rooms"]] == ["a-room-of-this-server"]
    assert told["total"] == MANY + 1
    status, page = await server.get(LATER)
    async with asyncio.timeout(PATIENCE_S):
        while status == 503:  # the database is still busy with so many new rooms
            status, page = await server.get(LATER)
    assert status == 200, page
    assert (len(page["rooms"]), page["total"]) == (200, MANY + 1)
    assert page["rooms"][0]["name"].endswith("00501")
    before = cpu_s(server)
    await asyncio.sleep(MEASURED_S)
    assert cpu_s(server) - before <= 0.04 * MEASURED_S, "while somebody watches the list"
    assert server.memory() - alone <= 20 << 20
    await connection.close()
