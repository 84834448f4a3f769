"""The journal, and its settlement."""

import _sqlite3
import asyncio
import ctypes
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.server.storage.appends import DEN, LAIR, append, events, load
from tests.server.storage.sqlite.stores import (
    Gate,
    fill,
    handed_in,
    outcomes,
    snapshot,
    waiting,
)
from ttt_protocol.codec import encode_event
from ttt_protocol.state import RoomName
from ttt_server.storage.base import Conflict, StorageFailed
from ttt_server.storage.sqlite import tables
from ttt_server.storage.sqlite.store import SqliteStore


async def test_a_room_with_odd_rows_harms_no_other(path: Path) -> None:
    await SqliteStore(path).close()
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("INSERT INTO journal VALUES ('den', 'one', '{}'), (x'ff', 1, '')")
    store = SqliteStore(path)
    await append(store, LAIR, events(1, 2))
    with pytest.raises(TypeError):
        await append(store, DEN, events(1, 2))
    await append(store, LAIR, events(3, 3))
    assert await load(store, LAIR) == events(1, 3)
    await store.close()


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """A journal that is moved after every third event."""
    monkeypatch.setattr(tables, "_LONG", 3)


@pytest.mark.usefixtures("short")
async def test_a_log_goes_on_where_it_was_moved_to(store: SqliteStore) -> None:
    for seq in range(1, 12):
        await append(store, DEN, events(seq, seq))
        await append(store, LAIR, events(seq, seq))
        assert await load(store, DEN) == events(1, seq)
    with pytest.raises(Conflict):
        await append(store, DEN, events(11, 12))
    await store.delete(LAIR)
    assert await load(store, LAIR) == ()
    await append(store, LAIR, events(1, 1))
    assert await load(store, DEN) == events(1, 11)


@pytest.mark.usefixtures("short")
async def test_a_journal_that_is_moved_in_more_than_one_statement(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "_MOST", 6)  # values: two rows
    rooms = [RoomName(f"room{number}") for number in range(9)]
    store = SqliteStore(path)
    for first in (1, 3):
        await asyncio.gather(*(append(store, room, events(first, first + 1)) for room in rooms))
    await store.close()
    store = SqliteStore(path)
    for room in rooms:
        assert await load(store, room) == events(1, 4)
        with pytest.raises(Conflict):
            await append(store, room, events(4, 4))
        await append(store, room, events(5, 5))
    await store.close()


@pytest.mark.usefixtures("short")
async def test_a_journal_that_cannot_be_moved_stays(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = SqliteStore(path)
    store._tables.database.execute(
        "CREATE TEMP TRIGGER full BEFORE INSERT ON main.events "
        "BEGIN SELECT json('the disk is full'); END"
    )
    await append(store, DEN, events(1, 4))
    await append(store, DEN, events(5, 6))
    assert await load(store, DEN) == events(1, 6)
    assert "could not settle the journal" in caplog.text
    store._tables.database.execute("DROP TRIGGER full")
    await append(store, DEN, events(7, 7))
    await store.close()
    with closing(sqlite3.connect(path)) as database:
        ((seq, lines),) = database.execute("SELECT seq, event FROM events")
        assert (seq, lines.count("\n")) == (1, 6)
        assert database.execute("SELECT count(*) FROM journal").fetchone() == (0,)


@pytest.mark.usefixtures("short")
async def test_a_move_of_the_journal_that_fails_in_the_end_is_not_tried_each_time(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def authorize(action: int, argument: str | None, *_: str | None) -> int:
        fails = action == sqlite3.SQLITE_TRANSACTION and argument == "COMMIT"
        return sqlite3.SQLITE_DENY if fails else sqlite3.SQLITE_OK

    store = SqliteStore(path)
    store._tables.database.set_authorizer(authorize)
    for seq in range(1, 9):
        await append(store, DEN, events(seq, seq))
    assert await load(store, DEN) == events(1, 8)
    assert caplog.text.count("could not settle the journal") == 2, (
        "after three, and after three more"
    )
    store._tables.database.set_authorizer(None)
    await store.close()
    store = SqliteStore(path)
    assert await load(store, DEN) == events(1, 8)
    await store.close()


@pytest.mark.usefixtures("short")
async def test_events_that_were_deleted_make_no_journal_long(store: SqliteStore) -> None:
    await append(store, DEN, events(1, 2))
    await store.delete(DEN)
    await append(store, LAIR, events(1, 2))
    database = store._tables.database
    assert database.execute("SELECT count(*) FROM journal").fetchone() == (2,), "not yet settled"
    await append(store, LAIR, events(3, 3))
    assert await load(store, LAIR) == events(1, 3)
    assert database.execute("SELECT count(*) FROM journal").fetchone() == (0,)


def test_a_rest_gives_back_what_a_crowd_has_left() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        database.executescript(tables.SCHEMA)
        kept = tables.EventTables(database)
        rooms = [RoomName(f"r{number}") for number in range(2_001)]
        kept.look_for(rooms)
        for room in rooms[1:]:
            kept.append(room, 1, (b"{}",))
        kept.commit()
        assert kept.rest() is None
        assert len(kept._journal()) == 2_000, "of slow games, which stay together"
        assert not kept._settled, "there were more new rooms"
        kept.append(rooms[0], 1, (b"{}",))
        kept.commit()
        assert kept.rest() is None
        assert not kept._journal()
        assert not kept._settled
        assert database.execute("SELECT count(*) FROM events").fetchone() == (2_001,)
        with pytest.raises(Conflict):
            kept.append(rooms[5], 1, (b"{}",))
        kept.append(rooms[5], 2, (b"[]",))
        assert kept.lines(rooms[5]) == (b"{}", b"[]")


def test_a_rest_gives_back_the_statements_of_a_crowd() -> None:
    used = ctypes.CDLL(_sqlite3.__file__).sqlite3_memory_used
    used.restype = ctypes.c_longlong
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        database.executescript(tables.SCHEMA)
        kept = tables.EventTables(database)
        for size in range(20, 60):  # each with a statement of its own
            for number in range(size):
                kept.append(RoomName(f"r{size}-{number}"), 1, (b"{}",))
            kept.commit()
        crowd = used()
        kept.rest()
        assert crowd - used() > 40 * 10_000


async def test_a_batch_of_more_than_one_statement(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "_MOST", 3 * 3)
    await append(store, DEN, events(1, 10))
    assert await load(store, DEN) == events(1, 10)


@pytest.mark.parametrize("count", [1, 64, 65, 96, 97, 640, 641])
async def test_a_batch_of_any_size_is_written_as_it_is(store: SqliteStore, count: int) -> None:
    database, statements = store._tables.database, list[str]()
    database.set_trace_callback(statements.append)
    await append(store, DEN, events(1, count))
    written = [each for each in statements if each.startswith("INSERT OR IGNORE INTO journal")]
    assert len(written) == (1 if count <= 640 else 2)
    assert ("BEGIN IMMEDIATE" in statements) is (len(written) > 1)
    rows = database.execute("SELECT seq, event FROM journal ORDER BY rowid").fetchall()
    assert rows == [(event.seq, encode_event(event).decode()) for event in events(1, count)]


async def test_a_write_that_fails_halfway_keeps_nothing(store: SqliteStore) -> None:
    store._tables.database.execute(
        "CREATE TEMP TRIGGER full BEFORE INSERT ON main.journal WHEN new.seq = 3 "
        "BEGIN SELECT json('the disk is full'); END"
    )
    with pytest.raises(StorageFailed, match="the database: "):
        await append(store, DEN, events(1, 4))
    assert await load(store, DEN) == ()
    await append(store, DEN, events(1, 2))
    assert await load(store, DEN) == events(1, 2)


async def test_what_is_deleted_together_with_its_last_events_is_gone(
    path: Path, gate: Gate
) -> None:
    store = SqliteStore(path)
    first = await gate.hold(store)
    tasks = [waiting(store, DEN, 1, 2), asyncio.create_task(store.delete(DEN))]
    await handed_in()
    gate.release()
    assert await outcomes(first, *tasks) == [None] * 3
    assert gate.batches == [1, 2]
    files = snapshot(path.parent)
    await store.close()
    for name, content in files.items():  # as a crash would have left them
        fill(path.with_name(name), content)
    store = SqliteStore(path)
    assert await load(store, DEN) == ()
    await store.close()
