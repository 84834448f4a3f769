"""Logs in one SQLite file: the default store.

One connection, in one thread. Whatever waits when the thread is free is written as one transaction,
so that many rooms share one sync of the disk. `synchronous=FULL`: a committed move survives the
machine, not only the process. The file is locked for as long as the server runs.
"""

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from functools import partial
from itertools import chain
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

from ttt_engine.memory import Lesson, Memory
from ttt_protocol.codec import InvalidWire, decode_event, encode_event
from ttt_protocol.events import Event
from ttt_protocol.state import RoomName
from ttt_server.store import CannotOpen, Conflict, StorageFailed, learned
from ttt_server.store.look import APPLICATION_ID, VERSION, Unfit, look, require_ours, words

_CONFLICT = "another process wrote to this room"

_SCHEMA = f"""
BEGIN;
CREATE TABLE events (
    room TEXT NOT NULL,
    seq INTEGER NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (room, seq)
) WITHOUT ROWID;
{learned.SCHEMA}
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {VERSION};
COMMIT;
"""

_BATCH = 1000
"""Jobs in one transaction at most, so that nobody waits for ever."""

_ROWS = 5000
"""In one statement at most: SQLite takes 32 766 values."""

_LOG_BYTES = 1 << 24
"""What the write-ahead log is cut back to, should one batch have made it longer."""

_Work = Callable[[sqlite3.Connection], Any]


_Row = tuple[RoomName, int, str]
"""Of the table `events`."""


class _Job(NamedTuple):
    """What the thread is to do inside a transaction, and who waits for it."""

    waiter: asyncio.Future[Any]
    look_back: _Work
    """Finds out what became of it when the transaction failed: what `work` gives, or an error."""
    work: _Work
    rows: tuple[_Row, ...] = ()
    """To insert before `work`. If a number is taken it is the first one, as a log has no gaps."""


_Answer = tuple[asyncio.Future[Any], Any]
"""Who waited, and what for: a result, or an exception to raise."""


class SqliteStore:
    """An `EventStore` in the file at `path`, which is made if it is not there.

    With `relearn` the memory forgets all, and learns it again from the logs.

    Raises:
        CannotOpen: with one line of words; the file is as it was.
    """

    def __init__(self, path: Path, *, relearn: bool = False) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: list[_Job] = []
        self._is_writing = False
        self._is_closing = False
        self._batches: SimpleQueue[list[_Job] | None] = SimpleQueue()
        self.memory = Memory()
        self._database = _open(path, self.memory, relearn=relearn)
        self._closed: asyncio.Future[None] = self._loop.create_future()
        self._thread = threading.Thread(target=self._run, name="store", daemon=True)
        self._thread.start()

    def append(
        self, room: RoomName, events: tuple[Event, ...], lesson: Lesson | None = None
    ) -> asyncio.Future[None]:
        rows = tuple((room, event.seq, encode_event(event).decode()) for event in events)
        look_back = partial(_look_back, rows[0])
        if lesson is None:
            return self._submit(_nothing_more, look_back, rows)
        learn = partial(learned.learn, lessons=(lesson,))
        return self._learned(self._submit(learn, look_back, rows), (lesson,))

    async def teach(self, lessons: tuple[Lesson, ...]) -> None:
        learn = partial(learned.learn, lessons=lessons)
        await self._learned(self._submit(learn, _not_kept), lessons)

    async def load(self, room: RoomName) -> tuple[Event, ...]:
        def select(database: sqlite3.Connection) -> list[tuple[bytes]]:
            # As bytes: what is no text is found out below, and fails nobody else of the batch.
            query = "SELECT CAST(event AS BLOB) FROM events WHERE room = ? ORDER BY seq"
            return database.execute(query, (room,)).fetchall()

        rows: list[tuple[bytes]] = await self._submit(select, select)
        try:
            # In a thread, as the log of a long series takes a while.
            return await asyncio.to_thread(_events, rows) if rows else ()
        except InvalidWire as error:
            raise StorageFailed(f"the log of {room} cannot be read: {error}") from None

    async def delete(self, room: RoomName) -> None:
        def remove(database: sqlite3.Connection) -> None:
            database.execute("DELETE FROM events WHERE room = ?", (room,))

        def look_back(database: sqlite3.Connection) -> None:
            if database.execute("SELECT 1 FROM events WHERE room = ?", (room,)).fetchone():
                raise _NotKept

        await self._submit(remove, look_back)

    async def probe(self) -> None:
        def write_the_same(database: sqlite3.Connection) -> None:
            database.execute(f"PRAGMA user_version = {VERSION}")

        await self._submit(write_the_same, _not_kept)

    async def close(self) -> None:
        self._is_closing = True
        if not self._is_writing:
            self._batches.put(None)
        await asyncio.shield(self._closed)

    def _submit(
        self, work: _Work, look_back: _Work, rows: tuple[_Row, ...] = ()
    ) -> asyncio.Future[Any]:
        waiter = self._loop.create_future()
        self._waiting.append(_Job(waiter, look_back, work, rows))
        if not self._is_writing:
            self._is_writing = True
            # What else comes in this round of the loop goes with it.
            self._loop.call_soon(self._hand_over)
        return waiter

    def _hand_over(self) -> None:
        """Gives the thread all that waits: it is woken once for a batch, not for each job."""
        batch, self._waiting = self._waiting[:_BATCH], self._waiting[_BATCH:]
        self._batches.put(batch)

    def _written(self, answers: list[_Answer]) -> None:
        _tell(answers)
        if self._waiting:
            self._hand_over()
        else:
            self._is_writing = False
            if self._is_closing:
                self._batches.put(None)

    def _learned(
        self, waiter: asyncio.Future[Any], lessons: tuple[Lesson, ...]
    ) -> asyncio.Future[Any]:
        """Learns when they are on disk: also when whoever waits for that is cancelled."""

        def learn(kept: asyncio.Future[Any]) -> None:
            if kept.exception() is None:
                for lesson in lessons:
                    self.memory.learn(lesson)

        waiter.add_done_callback(learn)
        return asyncio.shield(waiter)

    def _run(self) -> None:
        while (batch := self._batches.get()) is not None:
            answers = _transaction(self._database, batch)
            self._loop.call_soon_threadsafe(self._written, answers)
        self._database.close()
        self._loop.call_soon_threadsafe(_tell, [(self._closed, None)])


class _NotKept(Exception):
    """The transaction's failure was this job's too."""


def _nothing_more(_: sqlite3.Connection) -> None:
    """The rows were all."""


def _look_back(row: _Row, database: sqlite3.Connection) -> None:
    query = "SELECT room, seq, event FROM events WHERE room = ? AND seq = ?"
    kept = database.execute(query, row[:2]).fetchone()
    if kept is None:
        raise _NotKept
    if kept != row:
        raise Conflict(_CONFLICT)


def _not_kept(_: sqlite3.Connection) -> None:
    raise _NotKept


def _events(rows: list[tuple[bytes]]) -> tuple[Event, ...]:
    return tuple(decode_event(text) for (text,) in rows)


def _transaction(database: sqlite3.Connection, jobs: list[_Job]) -> list[_Answer]:
    """Runs all jobs and commits. If that fails, each is told what became of it."""
    try:
        _roll_back(database)  # should the last one have been neither committed nor rolled back
        database.execute("BEGIN IMMEDIATE")
        inserted = _insert(database, [row for job in jobs for row in job.rows])
        answers = [(job.waiter, _attempt(job, database, inserted=inserted)) for job in jobs]
        database.execute("COMMIT")
    except sqlite3.Error as error:
        return [(job.waiter, _fate(job, database, error)) for job in jobs]
    except Exception as error:  # noqa: BLE001 - a fault of ours, which is raised where it is waited for
        if len(jobs) == 1:
            return [(jobs[0].waiter, error)]
        # Nobody else is to suffer by it.
        return [answer for job in jobs for answer in _transaction(database, [job])]
    return answers


def _insert(database: sqlite3.Connection, rows: list[_Row]) -> bool:
    """Inserts the rows of all jobs in one statement, or none: false if a number is taken.

    A statement a job would let go of the interpreter, and wait for its turn again, for each.
    """
    if len(rows) > _ROWS:
        return False
    if rows:
        values = ",".join(["(?,?,?)"] * len(rows))
        try:
            database.execute(f"INSERT INTO events VALUES {values}", [*chain.from_iterable(rows)])  # noqa: S608 - no text of anybody's
        except sqlite3.IntegrityError:
            return False
    return True


def _attempt(job: _Job, database: sqlite3.Connection, *, inserted: bool) -> Any:
    try:
        if job.rows and not inserted:
            database.executemany("INSERT INTO events VALUES (?, ?, ?)", job.rows)
        return job.work(database)
    except sqlite3.IntegrityError:
        return Conflict(_CONFLICT)


def _fate(job: _Job, database: sqlite3.Connection, error: sqlite3.Error) -> Any:
    """What became of a job whose transaction failed with `error`: it may have been kept."""
    try:
        _roll_back(database)
        return job.look_back(database)
    except Conflict as conflict:
        return conflict
    except (_NotKept, sqlite3.Error):
        return StorageFailed(f"the database: {error}")


def _roll_back(database: sqlite3.Connection) -> None:
    if database.in_transaction:  # what failed may have rolled back by itself
        database.execute("ROLLBACK")


def _tell(answers: list[_Answer]) -> None:
    for waiter, answer in answers:
        if waiter.done():  # whoever waited was cancelled
            continue
        if isinstance(answer, Exception):
            waiter.set_exception(answer)
        else:
            waiter.set_result(answer)


def _open(path: Path, memory: Memory, *, relearn: bool) -> sqlite3.Connection:
    try:
        look(path)
        database = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=0)
        try:
            _prepare(database, relearn=relearn)
            learned.recall(database, memory)
        except BaseException:
            database.close()
            raise
    except Unfit as unfit:
        raise CannotOpen(f"{path}: {unfit}") from None
    except sqlite3.Error as error:
        raise CannotOpen(f"{path}: {words(error)}") from None
    return database


def _prepare(database: sqlite3.Connection, *, relearn: bool) -> None:
    # Exclusive: taken at the first access and kept, so that a second server finds it locked.
    database.execute("PRAGMA locking_mode = EXCLUSIVE")
    database.execute("BEGIN EXCLUSIVE")
    is_new = require_ours(database)
    (version,) = database.execute("PRAGMA user_version").fetchone()
    database.execute("COMMIT")
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.execute(f"PRAGMA journal_size_limit = {_LOG_BYTES}")
    if is_new:
        database.executescript(_SCHEMA)
    elif relearn or version < VERSION:
        _relearn(database, version)


def _relearn(database: sqlite3.Connection, version: int) -> None:
    database.execute("BEGIN IMMEDIATE")
    if version < VERSION:
        database.execute(learned.SCHEMA)
        database.execute(f"PRAGMA user_version = {VERSION}")
    learned.relearn(database)
    database.execute("COMMIT")
