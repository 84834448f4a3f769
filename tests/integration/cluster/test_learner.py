"""Of servers that share a database each game is learned from once, whatever happens to them."""

import asyncio
import json
from random import Random

import asyncpg
import pytest

from tests.integration.cluster.conftest import ROOMY, StartCluster
from tests.integration.programs import Dial, eventually, run_server
from tests.integration.test_learner import NO_LIMIT, SERIES, lessons_in

ROOMS = 8


@pytest.mark.heavy
async def test_games_are_counted_once_over_kills_of_servers(
    start_cluster: StartCluster, dial: Dial, database: str
) -> None:
    random = Random()
    servers = await start_cluster(2, *ROOMY, before=NO_LIMIT)
    for round_ in range(3):
        for number in range(ROOMS):
            server = servers[(number + round_) % 2]
            eve = await dial(server, f"series{number}")
            await eve.join(role="spectator", settings=SERIES)
        await asyncio.sleep(random.uniform(0.5, 1.5))
        await servers[round_ % 2].restart_after_kill()

    async def is_all_counted() -> bool:
        return await counted(database) == await played(database)

    # The rooms of the killed servers are taken over, and their games go on.
    await asyncio.sleep(1)
    for server in servers:
        assert await server.stop() == 0
    await eventually(is_all_counted)
    assert await played(database) > 10
    status, out, err = await run_server("learner", "--json", "--store", database)
    assert (status, err) == (0, "")
    assert json.loads(out)["games"] == await played(database)


async def played(database: str) -> int:
    connection = await asyncpg.connect(database)
    rows = await connection.fetch("SELECT event FROM events ORDER BY room, seq")
    await connection.close()
    return lessons_in([json.loads(line) for (event,) in rows for line in event.splitlines()])


async def counted(database: str) -> int:
    connection = await asyncpg.connect(database)
    rows = await connection.fetch("SELECT games FROM lessons")
    await connection.close()
    return sum(int(part.partition(":")[2]) for (games,) in rows for part in games.split())
