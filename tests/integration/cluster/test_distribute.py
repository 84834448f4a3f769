"""`ttt-server cluster distribute`. What needs Citus runs where `TTT_TEST_POSTGRES` names one."""

from collections.abc import Callable, Iterator

import pytest

from tests.integration.programs import Dial, StartServer, run_server
from tests.postgres import GivenServer, PostgresServer

AWAY = "postgresql://ttt@127.0.0.1:1/ttt"

Sql = Callable[[str], str]
"""Runs SQL in the test's schema; returns what comes out."""


async def distribute(url: str) -> tuple[int | None, str]:
    """The exit status, and the one line."""
    status, out, err = await run_server("cluster", "distribute", "--store", url)
    assert (out + err).count("\n") == 1
    return status, out + err


async def test_where_it_cannot_be(postgres: PostgresServer, empty_database: str) -> None:
    status, _, err = await run_server("cluster", "distribute", "--json", "--store", empty_database)
    assert (status, err.count("\n")) == (2, 1)
    status, words = await distribute(AWAY)
    assert status == 1
    assert words.startswith(f"ttt-server cluster: {AWAY}: Connect")
    if not isinstance(postgres, GivenServer):
        status, words = await distribute(empty_database)
        assert status == 1
        assert words.startswith(
            f"ttt-server cluster: {empty_database}: this database has no Citus: "
        )
        name = empty_database.rpartition("/")[2]
        assert postgres.psql("SELECT to_regclass('meta') IS NULL", name).stdout == "t\n"


@pytest.fixture
def citus(postgres: PostgresServer) -> PostgresServer:
    if not isinstance(postgres, GivenServer):
        pytest.skip("there is no Citus")
    return postgres


@pytest.fixture
def sql(citus: PostgresServer, database: str) -> Iterator[Sql]:
    """For a schema without tables."""
    name = f"{database.rpartition('%3D')[2]}_bare"
    citus.psql(f"CREATE SCHEMA {name}", name)
    yield lambda text: citus.psql(text, name).stdout.strip()
    citus.drop(name)


@pytest.fixture
def bare(citus: PostgresServer, sql: Sql) -> str:
    """The URL of a schema without tables."""
    return citus.url(sql("SELECT current_schema"))


async def test_games_go_on_where_they_are_spread(
    start_server: StartServer, dial: Dial, bare: str, sql: Sql
) -> None:
    server = await start_server("--store", bare)
    ada, bob = await dial(server, "den"), await dial(server, "den")
    token = (await ada.join())["you"]["token"]
    await bob.join()
    await ada.play(0, 4)
    await bob.until_ply(1)
    assert (await distribute(bare))[1].endswith("servers run on it: stop them first\n")
    assert await server.stop() == 0
    for _ in range(2):
        status, words = await distribute(bare)
        assert status == 0
        assert words.startswith("the logs are spread by room: ")
    assert sql("SELECT count(*) FROM ONLY events WHERE room = 'den'") != "0"
    assert sql("SELECT pg_relation_size('events')") == "0"
    server = await start_server("--store", bare)
    ada = await dial(server, "den")
    assert (await ada.join(token=token))["room"]["game"]["moves"] == [4]


async def refused(url: str) -> str:
    """Why neither the command nor a server takes this database."""
    status, words = await distribute(url)
    assert status == 1
    started, out, err = await run_server("--store", url, "--port", "0")
    assert (started, out, err) == (1, "", words.replace("ttt-server cluster:", "ttt-server:"))
    return words


@pytest.mark.parametrize(
    ("table", "by_hand", "words"),
    [
        ("events", "create_distributed_table('events', 'seq')", "in another way than by room"),
        ("learned", "create_reference_table('learned')", "in another way than by room"),
        ("rooms", "create_reference_table('rooms')", "must stay on the coordinator"),
        ("persons", "create_reference_table('persons')", "must stay on the coordinator"),
    ],
)
async def test_what_was_spread_by_hand(
    bare: str, sql: Sql, table: str, by_hand: str, words: str
) -> None:
    assert (await distribute(bare))[0] == 0
    if table in {"events", "learned"}:
        sql(f"SELECT undistribute_table('{table}')")
    sql(f"SELECT {by_hand}")
    assert f"the table {table} " in (told := await refused(bare))
    assert words in told


async def test_who_has_no_right(citus: PostgresServer, bare: str, sql: Sql) -> None:
    schema = sql("SELECT current_schema")
    guest = f"guest_{schema}"
    url = citus.url(schema, user=guest)
    sql(f"CREATE ROLE {guest} LOGIN; GRANT USAGE ON SCHEMA {schema} TO {guest}")
    try:
        assert "permission denied for schema" in await refused(url)
        assert (await distribute(bare))[0] == 0
        sql("SELECT undistribute_table('events')")
        sql(f"GRANT ALL ON ALL TABLES IN SCHEMA {schema} TO {guest}")
        status, words = await distribute(url)
        assert (status, "must be owner of table" in words) == (1, True)
    finally:
        sql(f"DROP OWNED BY {guest}; DROP ROLE {guest}")


async def test_a_worker_is_no_place_for_servers(citus: PostgresServer, sql: Sql) -> None:
    port = int(sql("SELECT nodeport FROM pg_dist_node WHERE groupid > 0 LIMIT 1"))
    url = citus.url(sql("SELECT current_schema"), port=port)
    assert "this is a worker of Citus" in await refused(url)
