"""Transactions that fail, and jobs with a bug."""

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.server.storage.appends import DEN, EVERY_KIND, LAIR, Written, append, events, load
from tests.server.storage.sqlite.stores import (
    Gate,
    handed_in,
    outcomes,
    waiting,
)
from ttt_protocol.codec import encode_log
from ttt_server.storage.base import Conflict, OutcomeUnknown, StorageFailed
from ttt_server.storage.sqlite import tables
from ttt_server.storage.sqlite.store import SqliteStore
from ttt_server.storage.sqlite.tables import EventTables


@pytest.mark.parametrize("failing", ["BEGIN", "COMMIT"])
async def test_a_transaction_that_fails_keeps_nothing_and_the_store_goes_on(
    path: Path, gate: Gate, failing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "_MOST", 3)  # values: each event has its statement
    store = SqliteStore(path)
    first = await gate.hold(store)
    tasks = [waiting(store, DEN, 1, 2), waiting(store, LAIR, 1, 1)]
    reader = asyncio.create_task(load(store, DEN))
    await handed_in()

    def authorize(action: int, argument: str | None, *_: str | None) -> int:
        fails = action == sqlite3.SQLITE_TRANSACTION and argument == failing
        return sqlite3.SQLITE_DENY if fails else sqlite3.SQLITE_OK

    def fail_the_second(database: sqlite3.Connection) -> None:
        database.set_authorizer(authorize if len(gate.batches) == 2 else None)

    gate.sabotage = fail_the_second
    gate.release()
    assert await outcomes(first, *tasks) == [None, *[StorageFailed] * 2]
    assert await reader == (), "to read goes on"
    assert gate.batches == [1, 3]
    assert await load(store, DEN) == ()
    await append(store, DEN, events(1, 2))
    assert await load(store, DEN) == events(1, 2)
    assert await load(store, LAIR) == ()
    await store.close()


class DoubtfulEnd:
    """Keeps each transaction and then fails; the statements of `failing` fail at once."""

    def __init__(self, database: sqlite3.Connection, *failing: str) -> None:
        self.database = database
        self.failing = failing

    @property
    def in_transaction(self) -> bool:
        return self.database.in_transaction

    def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
        if statement.startswith(self.failing):
            raise sqlite3.OperationalError("disk I/O error")
        cursor = self.database.execute(statement, *values)
        if not self.in_transaction and statement.startswith(("COMMIT", "INSERT")):
            raise sqlite3.OperationalError("disk I/O error")
        return cursor

    def executemany(self, *arguments: Any) -> sqlite3.Cursor:
        return self.database.executemany(*arguments)


async def test_what_was_kept_though_the_commit_failed_is_kept(path: Path, gate: Gate) -> None:
    store = SqliteStore(path)
    database = store._tables.database
    database.execute("INSERT INTO events VALUES ('lair', 1, '')")
    store._tables.database = DoubtfulEnd(database)  # type: ignore[assignment]
    first = await gate.hold(store)
    tasks = [
        waiting(store, DEN, 1, 2),
        asyncio.ensure_future(append(store, DEN, EVERY_KIND[:1])),
        asyncio.create_task(store.delete(LAIR)),
        asyncio.create_task(store.probe()),
    ]
    await handed_in()
    gate.release()
    assert await outcomes(first, *tasks) == [None, None, Conflict, None, StorageFailed]
    store._tables.database = database
    assert await load(store, DEN) == events(1, 2)
    await store.close()


async def test_what_was_kept_though_its_one_statement_failed(path: Path, gate: Gate) -> None:
    store = SqliteStore(path)
    database = store._tables.database
    store._tables.database = DoubtfulEnd(database)  # type: ignore[assignment]
    first = await gate.hold(store)
    tasks = [waiting(store, DEN, 1, 2), waiting(store, LAIR, 1, 1)]
    await handed_in()
    gate.release()
    assert await outcomes(first, *tasks) == [None] * 3
    store._tables.database = database
    assert await load(store, DEN) == events(1, 2)
    await store.close()


@pytest.mark.parametrize(
    ("failing", "outcome"), [("SELECT", OutcomeUnknown), ("ROLLBACK", StorageFailed)]
)
async def test_what_became_of_it_cannot_be_found_out(
    path: Path, gate: Gate, failing: str, outcome: type[StorageFailed]
) -> None:
    store = SqliteStore(path)
    database = store._tables.database
    first = await gate.hold(store)
    task = waiting(store, DEN, 1, 2)
    await handed_in()

    def break_it(database: sqlite3.Connection) -> None:
        if len(gate.batches) == 2:
            broken = ("INSERT", failing)
            store._tables.database = DoubtfulEnd(database, *broken)  # type: ignore[assignment]

    gate.sabotage = break_it
    gate.release()
    await first
    assert await outcomes(task) == [outcome]
    store._tables.database = database
    assert await load(store, DEN) == ()
    await append(store, DEN, events(1, 1))
    await store.close()


@pytest.mark.parametrize("goes_on", [True, False])
async def test_what_was_refused_is_not_kept_by_what_comes_later(
    path: Path, monkeypatch: pytest.MonkeyPatch, goes_on: bool
) -> None:
    monkeypatch.setattr(tables, "_MOST", 3)  # values: each event has its statement
    store = SqliteStore(path)
    database = store._tables.database
    store._tables.database = DoubtfulEnd(database, "COMMIT", "ROLLBACK")  # type: ignore[assignment]
    with pytest.raises(StorageFailed):
        await append(store, DEN, events(1, 2))
    store._tables.database = database
    if goes_on:
        await append(store, LAIR, events(1, 1))
    await store.close()
    store = SqliteStore(path)
    assert await load(store, DEN) == ()
    await store.close()


async def test_no_memory_for_a_statement(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SqliteStore(path)

    def full(*_: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(store._tables, "_flush", full)
        with pytest.raises(StorageFailed, match="out of memory"):
            await append(store, DEN, events(1, 2))
    await append(store, DEN, events(1, 2))
    assert await load(store, DEN) == events(1, 2)
    await store.close()


async def test_a_bug_in_a_job_is_raised_for_its_caller_alone(path: Path, gate: Gate) -> None:
    store = SqliteStore(path)

    def fault(logs: EventTables) -> None:
        logs.begin()
        logs.database.execute("INSERT INTO events VALUES ('den', 1, '')")
        raise ZeroDivisionError

    first = await gate.hold(store)
    tasks = [
        waiting(store, LAIR, 1, 1),
        store._perform(fault, fault),
        waiting(store, LAIR, 2, 2),
    ]
    await handed_in()
    gate.release()
    assert await outcomes(first, *tasks) == [None, None, ZeroDivisionError, None]
    assert await load(store, DEN) == ()
    assert await load(store, LAIR) == events(1, 2)
    await store.close()


async def test_a_callback_that_raises_stops_no_other(
    store: SqliteStore, caplog: pytest.LogCaptureFixture
) -> None:
    def fault(_: Exception | None) -> None:
        raise ZeroDivisionError

    store.append([Written(LAIR, 1, encode_log(events(1, 1)), None, fault)])
    await append(store, DEN, events(1, 1))
    await append(store, DEN, events(2, 2))
    assert await load(store, LAIR) == events(1, 1)
    assert "Exception in callback" in caplog.text
