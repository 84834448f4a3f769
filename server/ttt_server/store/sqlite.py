"""Logs in one SQLite file: the default store.

One connection, in one thread. Whatever waits when the thread is free is written as one transaction,
so that many rooms share one sync of the disk. `synchronous=FULL`: a committed move survives the
machine, not only the process. The file is locked for as long as the server runs.
"""

import asyncio
import os
import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from ttt_protocol.codec import InvalidWire, decode_event, encode_event
from ttt_protocol.events import Event
from ttt_protocol.state import RoomName
from ttt_server.store import CannotOpen, Conflict, StorageFailed

APPLICATION_ID = 0x74747431
"""`ttt1`, in the header of the file."""
VERSION = 1

_SCHEMA = f"""
BEGIN;
CREATE TABLE events (
    room TEXT NOT NULL,
    seq INTEGER NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (room, seq)
) WITHOUT ROWID;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {VERSION};
COMMIT;
"""

_HEADER_BYTES = 100
"""Of the file: the schema's cookie, the version and the application's id are in it."""

_BATCH = 1000
"""Jobs in one transaction at most, so that nobody waits for ever."""


@dataclass(frozen=True, slots=True)
class _Job:
    """What the thread is to run inside a transaction, and who waits for it."""

    work: Callable[[sqlite3.Connection], Any]
    waiter: asyncio.Future[Any]


_Answer = tuple[asyncio.Future[Any], Any]
"""Who waited, and what for: a result, or an exception to raise."""


class SqliteStore:
    """An `EventStore` in the file at `path`, which is made if it is not there.

    Raises:
        CannotOpen: with one line of words; the file is as it was.
    """

    def __init__(self, path: Path) -> None:
        self._loop = asyncio.get_running_loop()
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._database = _open(path)
        self._thread = threading.Thread(target=self._run, name="store", daemon=True)
        self._thread.start()

    async def append(self, room: RoomName, events: tuple[Event, ...]) -> None:
        rows = [(room, event.seq, encode_event(event).decode()) for event in events]

        def insert(database: sqlite3.Connection) -> None:
            # If a number is taken it is the first one, as a log has no gaps: nothing was inserted.
            database.executemany("INSERT INTO events VALUES (?, ?, ?)", rows)

        await self._submit(insert)

    async def load(self, room: RoomName) -> tuple[Event, ...]:
        def select(database: sqlite3.Connection) -> list[tuple[str]]:
            query = "SELECT event FROM events WHERE room = ? ORDER BY seq"
            return database.execute(query, (room,)).fetchall()

        rows: list[tuple[str]] = await self._submit(select)
        try:
            # In a thread, as the log of a long series takes a while.
            return await asyncio.to_thread(_events, rows) if rows else ()
        except InvalidWire as error:
            raise StorageFailed(f"the log of {room} cannot be read: {error}") from None

    async def delete(self, room: RoomName) -> None:
        def remove(database: sqlite3.Connection) -> None:
            database.execute("DELETE FROM events WHERE room = ?", (room,))

        await self._submit(remove)

    async def close(self) -> None:
        self._jobs.put(None)
        await asyncio.to_thread(self._thread.join)

    async def _submit(self, work: Callable[[sqlite3.Connection], Any]) -> Any:
        waiter = self._loop.create_future()
        self._jobs.put(_Job(work, waiter))
        return await waiter

    def _run(self) -> None:
        running = True
        while running:
            batch = [self._jobs.get()]
            while not self._jobs.empty() and len(batch) < _BATCH:
                batch.append(self._jobs.get())
            running = None not in batch
            answers = _transaction(self._database, [job for job in batch if job is not None])
            self._loop.call_soon_threadsafe(_tell, answers)
        self._database.close()


def _events(rows: list[tuple[str]]) -> tuple[Event, ...]:
    return tuple(decode_event(text) for (text,) in rows)


def _transaction(database: sqlite3.Connection, jobs: list[_Job]) -> list[_Answer]:
    """Runs all jobs and commits; if that fails, nothing of any job is kept."""
    answers: list[_Answer] = []
    try:
        database.execute("BEGIN IMMEDIATE")
        for job in jobs:
            try:
                answers.append((job.waiter, job.work(database)))
            except sqlite3.IntegrityError:
                answers.append((job.waiter, Conflict("another process wrote to this room")))
        database.execute("COMMIT")
    except sqlite3.Error as error:
        if database.in_transaction:
            with suppress(sqlite3.Error):  # what failed may have rolled back by itself
                database.execute("ROLLBACK")
        return [(job.waiter, StorageFailed(f"the database: {error}")) for job in jobs]
    return answers


def _tell(answers: list[_Answer]) -> None:
    for waiter, answer in answers:
        if waiter.done():  # whoever waited was cancelled
            continue
        if isinstance(answer, Exception):
            waiter.set_exception(answer)
        else:
            waiter.set_result(answer)


def _open(path: Path) -> sqlite3.Connection:
    try:
        _look_at_header(path)
        database = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=0)
    except (OSError, sqlite3.Error) as error:
        raise CannotOpen(f"{path}: {_words(error)}") from None
    try:
        _prepare(database, path)
    except sqlite3.Error as error:
        database.close()
        raise CannotOpen(f"{path}: {_words(error)}") from None
    except CannotOpen:
        database.close()
        raise
    return database


def _look_at_header(path: Path) -> None:
    """Makes the file if there is none; leaves one that is not ours before SQLite touches it.

    To open a database that was not closed is to finish what is in the log beside it.
    """
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        header = os.read(file, _HEADER_BYTES)
    finally:
        os.close(file)
    if header.startswith(b"SQLite format 3\0"):
        schema, version, application = (
            int.from_bytes(header[at : at + 4], "big") for at in (40, 60, 68)
        )
        _require_ours(path, application, version, is_new=application == schema == 0)


def _require_ours(path: Path, application: int, version: int, *, is_new: bool) -> None:
    if not is_new and application != APPLICATION_ID:
        raise CannotOpen(f"{path}: is a database of another program")
    if version > VERSION:
        raise CannotOpen(f"{path}: was written by a newer version of this server")


def _prepare(database: sqlite3.Connection, path: Path) -> None:
    # Exclusive: taken at the first access and kept, so that a second server finds it locked.
    database.execute("PRAGMA locking_mode = EXCLUSIVE")
    database.execute("BEGIN EXCLUSIVE")
    (application,) = database.execute("PRAGMA application_id").fetchone()
    (version,) = database.execute("PRAGMA user_version").fetchone()
    (tables,) = database.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    database.execute("COMMIT")
    is_new = tables == 0 and application == 0
    _require_ours(path, application, version, is_new=is_new)
    (verdict,) = database.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise CannotOpen(f"{path}: the database is damaged")
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    if is_new:
        database.executescript(_SCHEMA)


def _words(error: Exception) -> str:
    if isinstance(error, OSError):
        return (error.strerror or str(error)).lower()
    if "locked" in str(error):
        return "another server is using it"
    return str(error)
