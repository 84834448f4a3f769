"""Snapshots for old logs: made step by step, and a kill costs a step at most."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.bench.history import series
from tests.server.storage.appends import DEN, LAIR
from ttt_engine.learning.memory import Memory
from ttt_protocol.state import RoomName
from ttt_server.storage.sqlite import indexing, tables
from ttt_server.storage.sqlite.indexing import Indexing
from ttt_server.storage.sqlite.schema import open_database
from ttt_server.storage.sqlite.store import SqliteStore
from ttt_server.storage.sqlite.tables import EventTables

Row = tuple[str, int, int, bytes]


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "_EVENTS_A_STEP", 50)


@pytest.fixture
def database(path: Path) -> sqlite3.Connection:
    """Two rooms, each log in one row as an older version made it, and no snapshots."""
    database = open_database(path, Memory())
    written = EventTables(database)
    for name, games in ((DEN, 60), (LAIR, 3)):
        seq = 1
        for lines, _ in series(games):
            written.append(name, seq, lines)
            seq += len(lines)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "_ROW", 100_000)
        written.settle()
    indexing.begin(database)
    written.commit()
    return database


def expected() -> list[Row]:
    rows: list[Row] = []
    for name, games in ((DEN, 60), (LAIR, 3)):
        seq = 0
        for lines, snapshot in series(games):
            seq += len(lines)
            if snapshot is not None:
                rows.append((name, snapshot.game, seq, snapshot.saved))
    return rows


def found(database: sqlite3.Connection) -> list[Row]:
    return database.execute("SELECT * FROM snapshots ORDER BY room, game, seq").fetchall()


def test_all_snapshots_are_made(database: sqlite3.Connection) -> None:
    work, written = Indexing(), EventTables(database)
    before = {room: written.lines(room) for room in (DEN, LAIR)}
    steps = 1
    while not work.step(written):
        steps += 1
        written.commit()
    written.commit()
    assert found(database) == expected() != []
    assert (work.rooms, work.events) == (2, sum(map(len, before.values())))
    assert steps > 8
    assert not indexing.is_due(database)
    assert {room: written.lines(room) for room in before} == before
    (longest,) = database.execute("SELECT max(length(event)) FROM events").fetchone()
    assert longest < 100 * 2 * tables._ROW


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("steps", [3, 4, 5])
def test_a_kill_loses_nothing(database: sqlite3.Connection, steps: int, kept: bool) -> None:
    """Each process does a few steps, and is killed before or after the last commit."""
    for _ in range(100):
        work, written = Indexing(), EventTables(database)
        for _ in range(steps):
            if is_over := work.step(written):
                break
            written.commit()
        work.step(written)
        written.commit() if kept or is_over else written.roll_back()
        if is_over:
            break
    assert is_over
    assert found(database) == expected()


def test_a_log_that_makes_no_sense_costs_the_others_nothing(
    database: sqlite3.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    statement = "UPDATE events SET event = replace(event, ?, ?) WHERE room = 'den'"
    database.execute(statement, ('"seq":90,', '"seq":91,'))
    work, written = Indexing(), EventTables(database)
    while not work.step(written):
        written.commit()
    written.commit()
    assert "room den: event 90" in caplog.text
    assert {row[0] for row in found(database)} == {"den"}, "those before it"
    assert max(row[2] for row in found(database)) < 90


async def test_the_store_does_it_beside_its_work(
    database: sqlite3.Connection, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    database.close()
    store = SqliteStore(path)
    with caplog.at_level("INFO"):
        while store._chores._indexing is not None:
            assert (await store.load(RoomName("other"))).lines == ()
    await store.close()
    assert "all logs of an older version are indexed: 2 rooms" in caplog.text
    with closing(sqlite3.connect(path)) as closed:
        assert found(closed) == expected()
