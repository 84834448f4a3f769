"""How a database is opened, and each reason not to open it, in one line."""

import asyncio
import subprocess
import sys

import asyncpg
import pytest

from tests.postgres import PostgresServer
from ttt_server.storage import NO_ASYNCPG
from ttt_server.storage.base import CannotOpen
from ttt_server.storage.postgres.connecting import shown_url
from ttt_server.storage.postgres.store import PostgresStore

SECRET, ANOTHER = b"a secret of sixteen bytes", b"another secret, as long"


async def refused(url: str) -> str:
    """Why the database cannot be opened, in one line without the password."""
    with pytest.raises(CannotOpen) as caught:
        await PostgresStore.open(url)
    words = str(caught.value)
    assert "\n" not in words
    assert "hunter2" not in words
    assert words.startswith(f"{shown_url(url)}: ")
    return words.removeprefix(f"{shown_url(url)}: ")


async def test_many_servers_make_the_tables_once(empty_database: str) -> None:
    for store in await asyncio.gather(*(PostgresStore.open(empty_database) for _ in range(5))):
        await store.close()


async def test_a_newer_schema(database: str) -> None:
    await (await PostgresStore.open(database)).close()
    connection = await asyncpg.connect(database)
    await connection.execute("UPDATE meta SET value = '99' WHERE key = 'schema'")
    assert "newer server (schema 99" in await refused(database)
    assert await connection.fetchval("SELECT value FROM meta WHERE key = 'schema'") == "99"
    await connection.close()


async def test_the_schema_of_version_0_1(database: str) -> None:
    await (await PostgresStore.open(database)).close()
    connection = await asyncpg.connect(database)
    await connection.execute("UPDATE meta SET value = '1' WHERE key = 'schema'")
    words = await refused(database)
    assert words.startswith("it is of version 0.1; copy it to a new database: ttt-server copy ")
    assert shown_url(database) in words
    await connection.close()


@pytest.mark.parametrize("table", ["meta", "events"])
async def test_tables_of_another_program(empty_database: str, table: str) -> None:
    connection = await asyncpg.connect(empty_database)
    await connection.execute(f"CREATE TABLE {table} (key text, value text)")
    assert "another program" in await refused(empty_database)
    await connection.close()


async def test_there_is_no_such_database(postgres: PostgresServer) -> None:
    assert "does not exist" in await refused(postgres.url("nowhere"))


async def test_there_is_no_server(postgres: PostgresServer) -> None:
    words = await refused(postgres.url("ttt", port=1, password="hunter2"))
    assert "onnect" in words


async def test_a_url_that_makes_no_sense() -> None:
    await refused("postgresql://ttt@db:port/ttt")


async def test_a_wrong_password(postgres: PostgresServer, database: str) -> None:
    connection = await asyncpg.connect(database)
    user = f"guest{postgres.port}"
    await connection.execute(f"DROP ROLE IF EXISTS {user}")
    await connection.execute(f"CREATE ROLE {user} LOGIN PASSWORD 'right'")
    name = database.rpartition("/")[2]
    right = postgres.url(name, user=user, password="right")
    with postgres.asking_for_a_password(user):
        wrong = postgres.url(name, user=user, password="hunter2")
        assert "password authentication failed" in await refused(wrong)
        assert "permission denied" in await refused(right)
        await (await PostgresStore.open(database)).close()
        words = await refused(right)
        assert "permission denied" in words or "may not write" in words
    await connection.execute(f"DROP ROLE {user}")
    await connection.close()


async def test_a_user_without_all_rights(postgres: PostgresServer, database: str) -> None:
    await (await PostgresStore.open(database)).close()
    connection = await asyncpg.connect(database)
    user = f"poor{postgres.port}"
    await connection.execute(f"DROP ROLE IF EXISTS {user}")
    await connection.execute(f"CREATE ROLE {user} LOGIN")
    url = postgres.url(database.rpartition("/")[2], user=user)
    for rights, tables in (
        ("SELECT", "ALL TABLES IN SCHEMA public"),
        ("ALL", "events, rooms, servers, meta"),
    ):
        await connection.execute(f"GRANT {rights} ON {tables} TO {user}")
        words = await refused(url)
        assert "permission denied" in words or "may not write to the tables" in words
    await connection.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA public TO {user}")
    await (await PostgresStore.open(url)).close()
    await connection.execute(f"DROP OWNED BY {user}; DROP ROLE {user}")
    await connection.close()


@pytest.mark.slow
def test_the_extra_is_not_installed() -> None:
    code = (
        "import asyncio, sys; sys.modules['asyncpg'] = None\n"
        "from pathlib import Path\n"
        "from ttt_server.storage import open_store\n"
        "asyncio.run(open_store('postgresql://ttt@db/ttt', Path()))"
    )
    done = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=False)
    assert NO_ASYNCPG in done.stderr


async def kept(store: PostgresStore, given: bytes | None, *, accept_loss: bool = False) -> bytes:
    return await store.keep_secret(given, lambda: ANOTHER, accept_loss=accept_loss)


async def test_the_first_server_makes_the_secret(database: str) -> None:
    store = await PostgresStore.open(database)
    assert await kept(store, None) == ANOTHER
    assert await store.keep_secret(None, lambda: SECRET, accept_loss=False) == ANOTHER
    assert await kept(store, ANOTHER) == ANOTHER, "the operator may give it"
    with pytest.raises(CannotOpen, match="another secret"):
        await kept(store, SECRET)
    assert await kept(store, SECRET, accept_loss=True) == SECRET
    with pytest.raises(CannotOpen, match="does not keep"):
        await kept(store, None)
    await store.close()


async def test_a_secret_of_the_operator_is_not_kept(database: str) -> None:
    store = await PostgresStore.open(database)
    assert await kept(store, SECRET) == SECRET
    connection = await asyncpg.connect(database)
    values = await connection.fetch("SELECT value FROM meta")
    assert not any(SECRET.decode() in row[0] for row in values)
    with pytest.raises(CannotOpen, match="another secret"):
        await kept(store, ANOTHER)
    with pytest.raises(CannotOpen, match="does not keep"):
        await kept(store, None)
    await connection.close()
    await store.close()


async def test_tables_of_an_earlier_build_get_what_this_one_adds(database: str) -> None:
    await (await PostgresStore.open(database)).close()
    connection = await asyncpg.connect(database)
    await connection.execute("ALTER TABLE rooms DROP COLUMN listed, DROP COLUMN is_public")
    await connection.execute("ALTER TABLE servers DROP COLUMN listed")
    await (await PostgresStore.open(database)).close()
    await connection.execute("SELECT listed, is_public FROM rooms")
    await connection.execute("SELECT listed FROM servers")
    await connection.close()
