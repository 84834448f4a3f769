"""The tables of people, in every store."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import asyncpg
import pytest

from tests.server.examples import log_of_two_games
from tests.server.storage.appends import DEN, append, events, load
from ttt_server.cli.check import check
from ttt_server.cli.copying.command import copy
from ttt_server.storage import DATABASE
from ttt_server.storage.base import CannotOpen, Conflict, EventStore, StorageFailed
from ttt_server.storage.people import DDL, RELATIONS, TABLES, Row, Statement
from ttt_server.storage.postgres.store import PostgresStore
from ttt_server.storage.sqlite.backup import unpack
from ttt_server.storage.sqlite.opening import has_events, opened
from ttt_server.storage.sqlite.store import SqliteStore

KEEP = "INSERT INTO persons VALUES ($1, $2, $2, $3, $3, 0, NULL, 0, 0, '{}')"
LINK = "INSERT INTO person_links VALUES ($1, $2, $3)"
NAMES = "SELECT name FROM persons ORDER BY name"


def keep(number: int, name: str) -> Statement:
    return Statement(KEEP, (f"p{number}", name, 1_800_000_000_000 + number))


async def names(store: EventStore) -> list[Row]:
    (found,) = await store.people.transact([Statement(NAMES)])
    return list(found)


@pytest.fixture
def store(each_store: EventStore) -> EventStore:
    return each_store


def test_each_statement_makes_one_relation() -> None:
    assert len(RELATIONS) == len(DDL)
    assert TABLES[0] == "persons"


async def test_rows_come_back_as_they_were_written(store: EventStore) -> None:
    kept, rows = await store.people.transact(
        [keep(1, "Ann"), Statement("SELECT * FROM persons WHERE id = $1", ("p1",))]
    )
    assert list(kept) == []
    at = 1_800_000_000_001
    assert list(rows) == [("p1", "Ann", "Ann", at, at, 0, None, 0, 0, "{}")]


async def test_a_statement_returns_what_it_changed(store: EventStore) -> None:
    await store.people.transact([keep(1, "Ann"), keep(2, "Bob")])
    raised = Statement("UPDATE persons SET epoch = epoch + $1 WHERE id = $2 RETURNING epoch")
    for epoch in (2, 4):
        (rows,) = await store.people.transact([raised._replace(values=(2, "p1"))])
        assert list(rows) == [(epoch,)]
    (rows,) = await store.people.transact([raised._replace(values=(2, "nobody"))])
    assert list(rows) == []


async def test_text_is_ordered_by_code_points(store: EventStore) -> None:
    await store.people.transact([keep(at, name) for at, name in enumerate("aéBÅz b"[::-1])])
    assert [name for (name,) in await names(store)] == sorted("aéBÅz b")


async def test_a_transaction_is_kept_whole_or_not_at_all(store: EventStore) -> None:
    await store.people.transact([keep(1, "Ann")])
    with pytest.raises(Conflict):
        await store.people.transact([keep(2, "Bob"), keep(3, "Ann")])
    assert await names(store) == [("Ann",)]
    await store.people.transact([keep(2, "Bob")])
    assert await names(store) == [("Ann",), ("Bob",)]


async def test_of_many_at_once_one_gets_the_name(store: EventStore) -> None:
    asked = (store.people.transact([keep(number, "Ann")]) for number in range(8))
    results = await asyncio.gather(*asked, return_exceptions=True)
    assert sum(isinstance(result, Conflict) for result in results) == 7
    assert await names(store) == [("Ann",)]


async def test_moves_of_the_same_transaction_are_kept(store: EventStore) -> None:
    await store.people.transact([keep(1, "Ann")])
    kept, refused = await asyncio.gather(
        append(store, DEN, events(1, 3)),
        store.people.transact([keep(2, "Ann")]),
        return_exceptions=True,
    )
    assert kept is None
    assert isinstance(refused, Conflict)
    assert await load(store, DEN) == events(1, 3)


async def test_they_outlive_the_server(tmp_path: Path) -> None:
    for number, name in enumerate(("Ann", "Bob")):
        store = SqliteStore(tmp_path / DATABASE)
        await store.people.transact([keep(number, name)])
        await store.close()
    with opened(tmp_path / DATABASE) as tables:
        assert tables.database.execute(NAMES).fetchall() == [("Ann",), ("Bob",)]


async def test_they_are_added_to_the_file_of_an_earlier_version(tmp_path: Path) -> None:
    path = tmp_path / DATABASE
    store = SqliteStore(path)
    await append(store, DEN, log_of_two_games())
    await store.close()
    with closing(sqlite3.connect(path)) as database:
        for table in TABLES:
            database.execute(f"DROP TABLE {table}")
    with opened(path) as tables:
        assert check(tables) == 0
    store = SqliteStore(path)
    await store.people.transact([keep(1, "Ann")])
    assert await load(store, DEN) == tuple(log_of_two_games())
    await store.close()


async def test_they_are_added_to_the_database_of_an_earlier_version(database: str) -> None:
    await (await PostgresStore.open(database)).close()
    connection = await asyncpg.connect(database)
    await connection.execute(f"DROP TABLE {', '.join(TABLES)}")
    await connection.close()
    store = await PostgresStore.open(database)
    await store.people.transact([keep(1, "Ann")])
    await store.close()


async def test_a_backup_has_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = SqliteStore(tmp_path / DATABASE)
    await store.people.transact([keep(1, "Ann")])
    await store.backup(tmp_path / "backup", b"secret", lambda _done, _all: None)
    await store.close()
    assert unpack(tmp_path / "backup", tmp_path / "restored") == b"secret"
    with opened(tmp_path / "restored") as tables:
        assert tables.database.execute(NAMES).fetchall() == [("Ann",)]
        assert check(tables) == 0
    assert "1 person, nothing wrong" in capsys.readouterr().out


async def test_persons_without_a_room_need_their_secret_too(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / DATABASE)
    await store.people.transact([keep(1, "Ann")])
    await store.close()
    assert has_events(tmp_path / DATABASE)


async def test_a_copy_has_them_there_and_back(tmp_path: Path, empty_database: str) -> None:
    store = SqliteStore(tmp_path / DATABASE)
    link = Statement(LINK, ("code", "p7", 5))
    await store.people.transact([link, *(keep(number, f"n{number:04}") for number in range(1500))])
    await store.close()
    here, back = (f"sqlite://{tmp_path / name}" for name in (DATABASE, "back.sqlite3"))
    there = await asyncio.to_thread(copy, here, empty_database)
    assert there.people == 1500
    assert (await asyncio.to_thread(copy, empty_database, back)).is_same_as(there)
    with opened(tmp_path / "back.sqlite3") as tables:
        assert tables.database.execute("SELECT * FROM person_links").fetchall() == [link.values]
        assert tables.database.execute("SELECT count(*) FROM persons").fetchone() == (1500,)
    for target in (here, empty_database):
        with pytest.raises(CannotOpen, match=r"not empty: it has (rooms or )?persons"):
            await asyncio.to_thread(copy, back, target)


async def test_rows_that_differ_are_no_copy(tmp_path: Path) -> None:
    path = tmp_path / DATABASE
    store = SqliteStore(path)
    await store.people.transact([keep(1, "Ann")])
    await store.close()
    one = copy(f"sqlite://{path}", f"sqlite://{tmp_path / 'one.sqlite3'}")
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE persons SET epoch = 1")
    other = copy(f"sqlite://{path}", f"sqlite://{tmp_path / 'other.sqlite3'}")
    assert not one.is_same_as(other)


async def test_a_failed_write_is_told(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / DATABASE)
    await store.people.transact([keep(1, "Ann")])
    with pytest.raises(StorageFailed):
        await store.people.transact([keep(2, "Bob"), Statement("INSERT INTO nowhere VALUES (1)")])
    assert await names(store) == [("Ann",)]
    await store.close()
