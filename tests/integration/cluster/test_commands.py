"""`ttt-server cluster` and `ttt-server copy`."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import pytest

from tests.integration.cluster.conftest import StartCluster
from tests.integration.programs import Dial, StartServer, eventually, program, run_server
from tests.integration.tools import found
from tests.postgres import PostgresServer, free_port
from ttt_server.storage.postgres.store import PostgresStore

FSYNC = "fsync is off in the database: moves that were told may be lost when it crashes"


async def test_the_servers_are_shown(start_cluster: StartCluster, empty_database: str) -> None:
    assert await run_server("cluster", "--store", "memory:") == (
        *(2, ""),
        "ttt-server cluster: --store: must be postgresql://USER@HOST/DATABASE\n",
    )
    none = (0, "no server runs on this database\n", "")
    assert await run_server("cluster", "--store", empty_database) == none
    servers = await start_cluster(2, store=empty_database)
    status, out, err = await run_server("cluster", "--store", empty_database)
    assert (status, err) == (0, "")
    assert [line.split()[1] for line in out.splitlines()[1:]] == [each.address for each in servers]
    status, out, _ = await run_server("cluster", "--store", empty_database, "--json")
    assert [row["alive"] for row in json.loads(out)["servers"]] == [True, True]


async def test_settings_that_may_lose_moves_are_told(
    start_cluster: StartCluster, postgres: PostgresServer, own_database: str
) -> None:
    name = own_database.rpartition("/")[2]
    postgres.psql(f"ALTER DATABASE {name} SET synchronous_commit = off", "postgres")
    (server,) = await start_cluster(1)
    words = FSYNC, FSYNC.replace("fsync", "synchronous_commit")
    _, out, err = await run_server("cluster", "--store", own_database, "--json")
    assert json.loads(out)["warnings"] == list(words)
    assert err == f"ttt-server cluster: {words[1]}\n"
    assert await server.stop() == 0
    log = await server.log()
    assert [each in log for each in words] == [True, True]


PGBOUNCER = """
[databases]
* = host=127.0.0.1 port={port} user={user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {own}
pool_mode = {mode}
auth_type = any
user = nobody
"""


@asynccontextmanager
async def pgbouncer(folder: Path, database: str, mode: str) -> AsyncIterator[str]:
    """Debian's pooler in front of the database; its URL."""
    own, parts = free_port(), urlsplit(database)
    config = PGBOUNCER.format(port=parts.port, user=parts.username, own=own, mode=mode)
    (folder / "pgbouncer.ini").write_text(config)
    process = await asyncio.create_subprocess_exec(
        found("pgbouncer"),
        *("-u", "nobody") if os.geteuid() == 0 else (),
        str(folder / "pgbouncer.ini"),
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:

        async def listens() -> bool:
            with suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", own)
                writer.close()
                return True
            return False

        await eventually(listens)
        yield f"postgresql://ttt@127.0.0.1:{own}{parts.path}"
    finally:
        process.terminate()
        await process.wait()


async def test_a_pooler_of_transactions_is_refused(own_database: str, tmp_path: Path) -> None:
    async with pgbouncer(tmp_path, own_database, "transaction") as url:
        status, out, err = await run_server("--store", url, "--port", "0")
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "pool_mode = session" in err


async def test_a_pooler_of_sessions_works(
    start_cluster: StartCluster, dial: Dial, own_database: str, tmp_path: Path
) -> None:
    async with pgbouncer(tmp_path, own_database, "session") as url:
        owner, other = await start_cluster(2, store=url)
        ada, bob = await dial(owner, "den"), await dial(other, "den")
        await ada.join()
        await bob.join()
        await ada.play(0, 4)
        await bob.until_ply(1)
        assert await owner.stop() == 0
        assert await other.stop() == 0
        assert "advisory locks" not in await owner.log()


async def test_an_installation_goes_to_postgresql_and_back(
    start_server: StartServer, dial: Dial, empty_database: str, tmp_path: Path
) -> None:
    server = await start_server(data=tmp_path / "old")
    tokens = {}
    for number in range(3):
        player = await dial(server, f"den{number}")
        settings = {"seats": {"O": {"strategy": "perfect"}}}
        tokens[number] = (await player.join(settings=settings))["you"]["token"]
        await player.play(0, 4)
        await player.send("resign", game=1)
        await player.until_over()
    assert await server.stop() == 0
    old, new = f"sqlite://{tmp_path}/old/ttt.sqlite3", f"sqlite://{tmp_path}/new/ttt.sqlite3"
    status, out, err = await run_server("copy", old, empty_database)
    assert (status, err) == (0, "")
    assert out.startswith("3 rooms, ")
    assert await run_server("copy", empty_database, new) == (0, out, "")
    for target in (empty_database, new):
        status, out, err = await run_server("copy", old, target)
        assert (status, out) == (1, "")
        assert "not empty" in err
    for options in (("--store", empty_database), ()):
        again = await start_server(*options, data=tmp_path / "new")
        player = await dial(again, "den1")
        welcome = await player.join(token=tokens[1])
        assert welcome["you"]["seat"] == "X"
        assert welcome["room"]["score"]["O"] == 1
        assert await again.stop() == 0
        if options:
            status, _, err = await run_server("learner", "--json", "--store", empty_database)
            assert status == 0, err


async def test_each_command_works_on_its_store_or_refuses_it(
    start_cluster: StartCluster,
    start_server: StartServer,
    dial: Dial,
    database: str,
    tmp_path: Path,
) -> None:
    local = await start_server(data=tmp_path / "local")
    assert await local.stop() == 0
    (server,) = await start_cluster(1)
    ada, bob = await dial(server, "den"), await dial(server, "den")
    await ada.join()
    await bob.join()
    await ada.play(0, 4)
    kept = {file.name: file.read_bytes() for file in (tmp_path / "local").iterdir()}
    variables: dict[str, Any] = {"TTT_STORE": database, "TTT_DATA": str(tmp_path / "local")}
    file = str(tmp_path / "file")
    for command in (("backup", file), ("restore", file), ("compact", "--keep-games", "1")):
        status, out, err = await run_server(*command, **variables)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert err.startswith(f"ttt-server {command[0]}: --store: this works on a data folder; ")
    assert not (tmp_path / "file").exists()
    status, out, err = await run_server("check", **variables)
    assert (status, out.split(",")[0], err) == (0, "1 room", "")
    connection = await asyncpg.connect(database)
    await connection.execute("UPDATE events SET event = replace(event, '\"cell\":4', '\"cell\":9')")
    await connection.close()
    status, out, err = await run_server("check", **variables)
    assert (status, out) == (1, "")
    assert "room den: " in err
    assert {file.name: file.read_bytes() for file in (tmp_path / "local").iterdir()} == kept


async def test_a_copy_that_is_interrupted_leaves_nothing(
    start_server: StartServer, dial: Dial, database: str, tmp_path: Path
) -> None:
    server = await start_server(data=tmp_path / "old")
    player = await dial(server, "den")
    await player.join()
    assert await server.stop() == 0
    connection = await asyncpg.connect(database)
    await (await PostgresStore.open(database)).close()
    async with connection.transaction():  # the copy waits for the table
        await connection.execute("LOCK TABLE events IN SHARE MODE")
        copying = await asyncio.create_subprocess_exec(
            *(program("ttt-server"), "copy", f"sqlite://{tmp_path}/old/ttt.sqlite3", database),
            stderr=asyncio.subprocess.PIPE,
        )
        await asyncio.sleep(1.5)
        copying.send_signal(signal.SIGINT)
        await copying.communicate()
        assert copying.returncode != 0
    assert await connection.fetchval("SELECT count(*) FROM events") == 0
    await connection.close()


@pytest.mark.parametrize("url", ["memory:", "sqlite:", "ttt.sqlite3"])
async def test_what_is_no_store_to_copy(url: str, database: str) -> None:
    status, _, err = await run_server("copy", url, database)
    assert status == 2
    assert "must be sqlite:///PATH" in err
