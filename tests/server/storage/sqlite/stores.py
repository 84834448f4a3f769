"""SQLite stores for tests: held, crashed, damaged."""

import asyncio
import sqlite3
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.server.storage.appends import DEN, LAIR, append, events, load
from ttt_protocol.state import RoomName
from ttt_server.storage.base import CannotOpen
from ttt_server.storage.sqlite import store as module
from ttt_server.storage.sqlite.store import SqliteStore
from ttt_server.storage.sqlite.tables import EventTables


class Gate:
    """Holds the writing thread, so that the jobs that come meanwhile are one batch."""

    def __init__(self) -> None:
        self.batches: list[int] = []
        self.sabotage: Callable[[sqlite3.Connection], None] | None = None
        self._entered = threading.Event()
        self._open = threading.Event()
        self._transaction = module.transaction

    def transaction(self, tables: EventTables, jobs: list[Any]) -> list[Any]:
        self._entered.set()
        assert self._open.wait(10)
        self.batches.append(len(jobs))
        if self.sabotage is not None:
            self.sabotage(tables.database)
        return self._transaction(tables, jobs)

    async def hold(self, store: SqliteStore) -> asyncio.Task[Any]:
        """Let the thread begin a job, and stop there."""
        first = asyncio.create_task(load(store, RoomName("other")))
        await asyncio.to_thread(self._entered.wait, 10)
        return first

    def release(self) -> None:
        self._open.set()


def waiting(store: SqliteStore, room: RoomName, first: int, last: int) -> asyncio.Task[None]:
    return asyncio.ensure_future(append(store, room, events(first, last)))


async def handed_in() -> None:
    """Wait until the tasks that were just created have put their jobs into the queue.

    They hand them in in one round of the loop, and the store hands them on in the next.
    """
    await asyncio.sleep(0)
    await asyncio.sleep(0)


async def outcomes(*tasks: asyncio.Future[Any]) -> list[type[BaseException] | None]:
    results = await asyncio.gather(*tasks, return_exceptions=True)
    return [type(result) if isinstance(result, BaseException) else None for result in results]


def snapshot(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def leave_unfinished(path: Path, *statements: str) -> None:
    """Make a database as after a crash: these statements are in the write-ahead log alone."""
    with closing(sqlite3.connect(path)) as database:
        for statement in statements:
            database.execute(statement)
        files = snapshot(path.parent)
    for name in (path.name, f"{path.name}-wal"):
        assert files[name]
        fill(path.with_name(name), files[name])


def fill(path: Path, content: bytes) -> None:
    path.write_bytes(content)


async def run(program: str, path: Path) -> tuple[int | None, str]:
    """Run a Python program on the file in another process; return its status and its errors."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, path, stderr=asyncio.subprocess.PIPE
    )
    _, complaint = await process.communicate()
    return process.returncode, complaint.decode()


async def refused(path: Path) -> str:
    """Return why the file cannot be opened; nothing in its folder has changed."""
    before = snapshot(path.parent)
    with pytest.raises(CannotOpen) as caught:
        SqliteStore(path)
    assert snapshot(path.parent) == before
    words = str(caught.value)
    assert words.startswith(f"{path}: ")
    assert "\n" not in words
    return words.removeprefix(f"{path}: ")


async def crashed(path: Path) -> None:
    """Make a database as a crash leaves it: half of it is in the write-ahead log."""
    store = SqliteStore(path)
    await append(store, DEN, events(1, 300))

    def truncate(tables: EventTables) -> None:
        tables.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        store._writer._files.forget_log()

    await store._perform(truncate, truncate)  # in its thread, which looks after its files
    await append(store, LAIR, events(1, 30))
    files = snapshot(path.parent)
    await store.close()
    for name, content in files.items():
        fill(path.with_name(name), content)
