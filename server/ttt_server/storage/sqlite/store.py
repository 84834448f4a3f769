"""Logs in one SQLite file: the default store.

A single thread owns the only connection. Whatever is appended while it works is its next
transaction, so that many rooms share one sync of the disk. There is no other stage that gathers.
The loop hands jobs over when a round brings no more of them, or after 50 ms, so the thread is woken
once for each transaction, and until then a job costs no more than a list's `append`. Waiting for
such a round saves 7 % of the CPU of a move with 500 busy rooms, and costs a quiet server one round.
`synchronous=FULL`: a committed move survives a power cut, not only the process. The file is locked
as long as the server runs.

After a failed sync nobody knows what the disk holds: readers still see the events of the failed
transaction in the log, even a server started after `kill -9`, but a power cut may lose them.
Syncing again proves nothing, because the kernel may have dropped the dirty pages. So before
anything else is told or written, the log is rewritten and synced, and the database is closed and
opened again; it then shows what was kept.
"""

import asyncio
import ctypes
import logging
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from math import inf
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic, perf_counter, time_ns
from typing import Any, NamedTuple, NoReturn, TypeVar

from ttt_engine.learning.memory import Lesson, Memory
from ttt_protocol.state import RoomName
from ttt_server.concurrency.guard import run_guarded
from ttt_server.core.archive.anonymous import Rewrite
from ttt_server.core.lessons import Ignored, Known, Taught
from ttt_server.storage import base
from ttt_server.storage.base import Append, Conflict, Doubt, Excerpt, LastEvent, StorageFailed
from ttt_server.storage.people import Row, Statement
from ttt_server.storage.sqlite import opening, people
from ttt_server.storage.sqlite.backup import copy_database
from ttt_server.storage.sqlite.preflight import VERSION, Unfit, words
from ttt_server.storage.sqlite.tables import ODD, EventTables, Learned
from ttt_server.telemetry.histogram import Histogram

logger = logging.getLogger(__name__)

T = TypeVar("T")

_BATCH = 1000
"""The most jobs of one transaction, so that the first of them are not held up."""

_GATHER_S = 0.05
"""The longest time for which jobs are gathered while each round of the loop brings more."""

_MEND_S = 0.5
"""The least time between two attempts to make the log certain."""

_LOOK_S = 0.2
"""How often the files are looked at."""

_REST_S = 10.0
"""After how long without a job the thread gives memory back."""

_ERASE_S = 60.0
"""The least time between two times that the write-ahead log is emptied."""

_BEFORE_THE_SYNC = {
    sqlite3.SQLITE_IOERR_READ,
    sqlite3.SQLITE_IOERR_SHORT_READ,
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_NOMEM,
}
"""Input and output errors after which the log has no end of the transaction: its last frame was not
written."""

_IDLE_S = 2 * _LOOK_S
"""How long the thread sleeps while nothing is to be written."""


class NotKept(Exception):
    """Nothing of a failed write is kept."""


Work = Callable[[EventTables], Any]


class Operation(NamedTuple):
    """Work for the thread in a transaction, and the callback for its result."""

    then: Callable[[Any], None]
    work: Work
    recheck: Work
    """Finds out, after a failed transaction, what `work` has achieved: its result, or an error."""
    room: RoomName | None = None
    """The room that it is about, if it is about one."""


Job = Append | Operation


_Jobs = tuple[list[Job], list[float]]
"""Jobs, and when each was given to the store, by `perf_counter`."""

_END: _Jobs = [], []
"""Ends the thread, which is handed nothing after it."""

_WAKE: _Jobs = [], []
"""Lets the thread look for a backup to make."""


class _Backup(NamedTuple):
    """A backup to make between transactions."""

    waiter: asyncio.Future[None]
    file: Path
    secret: bytes | None
    on_progress: base.OnProgress


def answer(waiter: asyncio.Future[Any], outcome: Any) -> None:
    """Settle a future with a result, or with an exception to raise; not if it was cancelled."""
    if waiter.done():
        return
    if isinstance(outcome, Exception):
        waiter.set_exception(outcome)
    else:
        waiter.set_result(outcome)


class TableStore(base.EventStore):
    """What a store does by operations on the tables of SQLite; its subclasses say how."""

    def __init__(self) -> None:
        self.memory = Memory()
        self.commits = Histogram(base.COMMIT_BOUNDS_S)

    def note_deadline(self, room: RoomName, at: int | None) -> None:
        self._note(room, lambda tables: tables.note_deadline(room, at))

    def note_unread(self, room: RoomName, at: int) -> None:
        self._note(room, lambda tables: tables.note_unread(room, at))

    async def deadlines(self, most: int) -> Sequence[tuple[RoomName, int]]:
        return await self._perform(lambda tables: tables.deadlines(most))

    async def learn(self, rooms: Ignored, known: Known | None = None) -> None:
        learned: Learned | None = None

        def learn(tables: EventTables) -> list[Taught]:
            nonlocal learned
            learned = tables.learn(rooms, known or {})
            return learned.lessons

        def recheck(tables: EventTables) -> list[Taught]:
            if learned is None or tables.marks(learned.marks) != learned.marks:
                raise NotKept
            return learned.lessons

        await self._teaching(learn, recheck)

    async def teach(self, lessons: tuple[Lesson, ...]) -> None:
        now = time_ns() // 1_000_000
        taught = [Taught(lesson, now) for lesson in lessons]

        def teach(tables: EventTables) -> list[Taught]:
            tables.teach(taught)
            return taught

        await self._teaching(teach, not_kept)

    async def load(
        self, room: RoomName, after: int | None = None, most: int | None = None
    ) -> Excerpt:
        return await self._perform(lambda tables: tables.load(room, after, most), room=room)

    async def load_game(self, room: RoomName, number: int) -> Excerpt:
        return await self._perform(lambda tables: tables.load_game(room, number), room=room)

    async def browse(self, after: str, most: int) -> Sequence[LastEvent]:
        return await self._perform(lambda tables: tables.browse(after, most))

    async def trim(self, room: RoomName, keep: int) -> bool:
        def trim(tables: EventTables) -> bool:
            is_shorter = tables.trim(room, keep)
            if is_shorter:
                self._note_deletion()
            return is_shorter

        await self.learn({room: ()})
        return await self._perform(trim, not_kept, room)

    async def delete(self, room: RoomName) -> None:
        taught: list[Taught] = []

        def delete(tables: EventTables) -> list[Taught]:
            nonlocal taught
            taught = tables.delete(room)
            self._note_deletion()
            return taught

        def recheck(tables: EventTables) -> list[Taught]:
            if tables.lines(room):
                raise NotKept
            return taught

        await self._teaching(delete, recheck, room)

    async def rewrite(self, room: RoomName, rewrite: Rewrite) -> None:
        def write(tables: EventTables) -> None:
            tables.rewrite(room, rewrite)
            self._note_deletion()

        await self._perform(write, not_kept, room)

    async def transact(self, statements: Sequence[Statement]) -> Sequence[Sequence[Row]]:
        """Run statements on the tables of people, as a part of the next transaction."""

        def read(tables: EventTables) -> Sequence[Sequence[Row]]:
            return people.run(tables.database, statements)

        def write(tables: EventTables) -> Sequence[Sequence[Row]]:
            tables.begin()
            self._note_deletion()  # an update leaves old bytes, too
            return read(tables)

        if all(statement.only_reads for statement in statements):
            return await self._perform(read)
        return await self._perform(write, not_kept)

    # Operations

    def _do(self, operation: Operation) -> None:
        """Begin an operation, whose callback takes the outcome."""
        raise NotImplementedError

    def _note_deletion(self) -> None:
        """Note, within an operation, that the files have what was deleted."""

    def _note(self, room: RoomName, work: Work) -> None:
        """Do work that is made good by the next append of its room, if it fails."""
        self._do(Operation(lambda _: None, work, not_kept, room))

    def _teaching(
        self, work: Work, recheck: Work, room: RoomName | None = None
    ) -> asyncio.Future[Any]:
        """Do work that counts lessons and returns them, and learn them."""
        waiter = asyncio.get_running_loop().create_future()

        def then(outcome: Any) -> None:
            if isinstance(outcome, list):  # also if the caller was cancelled
                for taught in outcome:
                    self.memory.learn(taught.lesson)
            answer(waiter, outcome)

        self._do(Operation(then, work, recheck, room))
        return waiter

    def _perform(
        self,
        work: Callable[[EventTables], T],
        recheck: Callable[[EventTables], T] | None = None,
        room: RoomName | None = None,
    ) -> asyncio.Future[T]:
        """Do work and return its result. Without `recheck` it only reads, and can be repeated."""
        waiter: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._do(Operation(partial(answer, waiter), work, recheck or work, room))
        return waiter


class SqliteStore(TableStore):
    """An `EventStore` in the file at `path`, which is made if it does not exist.

    `relearn` clears the learner's memory and counts it again from the logs. `erase` overwrites
    deleted events on the disk, soon after they were deleted. `accept_loss` keeps what is intact of
    a damaged log.

    Raises:
        CannotOpen: with one line for the operator; the file is as it was.
    """

    def __init__(
        self, path: Path, *, relearn: bool = False, erase: bool = False, accept_loss: bool = False
    ) -> None:
        super().__init__()
        self._loop = asyncio.get_running_loop()
        self._waiting: _Jobs = [], []
        """Jobs that the thread has not been handed yet."""
        self._is_busy = False
        """Whether a transaction is about to be handed over, is written, or is being told."""
        self._is_closing = False
        self._batches: SimpleQueue[_Jobs] = SimpleQueue()
        """The transaction for the thread."""
        self._backups: deque[_Backup] = deque()
        """Backups that the thread is to make."""
        self._watchers: list[Callable[[StorageFailed], None]] = []
        database = opening.open_database(
            path, self.memory, relearn=relearn, erase=erase, accept_loss=accept_loss
        )
        self._tables = EventTables(database)
        self._writer = _Writer(path, self._tables, erase=erase)
        self._closed: asyncio.Future[None] = self._loop.create_future()
        self._thread = threading.Thread(target=self._run, name="store", daemon=True)
        self._thread.start()

    def append(self, appends: Sequence[Job]) -> None:
        jobs, began = self._waiting
        jobs.extend(appends)
        began.extend([perf_counter()] * len(appends))
        if not self._is_busy:
            self._is_busy = True
            self._loop.call_soon(self._hand_over, 0)

    def watch(self, on_failure: Callable[[StorageFailed], None]) -> None:
        self._watchers.append(on_failure)

    async def backup(self, file: Path, secret: bytes | None, on_progress: base.OnProgress) -> None:
        waiter = self._loop.create_future()
        self._backups.append(_Backup(waiter, file, secret, on_progress))
        self._batches.put(_WAKE)
        await waiter

    async def probe(self) -> None:
        def write_the_same(tables: EventTables) -> None:
            tables.begin()
            tables.database.execute(f"PRAGMA user_version = {VERSION}")

        await self._perform(write_the_same, not_kept)

    async def close(self) -> None:
        self._is_closing = True
        self.append(())  # after jobs that are given in this round of the loop
        await asyncio.shield(self._closed)

    # Jobs, in the loop

    def _do(self, operation: Operation) -> None:
        self.append((operation,))

    def _note_deletion(self) -> None:
        self._writer.note_deletion()

    def _hand_over(self, before: int) -> None:
        """Hand the next transaction to the thread, if any job waits.

        Wait for another round of the loop if the last one brought more jobs than `before`.
        """
        jobs, began = self._waiting
        count = len(jobs)
        if count > before and perf_counter() - began[0] < _GATHER_S:
            self._loop.call_soon(self._hand_over, count)
        elif count > _BATCH:
            self._batches.put((jobs[:_BATCH], began[:_BATCH]))
            del jobs[:_BATCH], began[:_BATCH]
        elif count:
            self._batches.put(self._waiting)
            self._waiting = [], []
        else:
            self._is_busy = False
            if self._is_closing:
                self._batches.put(_END)

    def _written(self, outcomes: Iterator[tuple[Job, float, Any]]) -> None:
        """Count what was kept, and call back for every job; then begin the next transaction.

        The loop logs a callback that raises; the rest go on.
        """
        now = perf_counter()
        try:
            for job, began, outcome in outcomes:
                if outcome is None:
                    self.commits.observe(now - began)
                job.then(outcome)
        except Exception:
            self._loop.call_soon(self._written, outcomes)
            raise
        if self._waiting[0] or self._is_closing:
            self._loop.call_soon(self._hand_over, 0)
        else:
            self._is_busy = False

    def _fail(self, failure: StorageFailed) -> None:
        for on_failure in self._watchers:
            on_failure(failure)

    # The thread

    def _run(self) -> None:
        """Write what is handed over, in the store's own thread."""
        while (batch := self._next(_IDLE_S)) is not _END:
            self._write(batch)
            if self._backups:
                self._back_up(self._backups.popleft())
        for backup in self._backups:
            self._loop.call_soon_threadsafe(answer, backup.waiter, _stopping())
        self._writer.close()
        self._loop.call_soon_threadsafe(answer, self._closed, None)

    def _write(self, batch: _Jobs) -> None:
        jobs, began = batch
        if jobs:
            outcomes = zip(jobs, began, self._writer.write(jobs), strict=True)
            self._loop.call_soon_threadsafe(self._written, outcomes)
        if failure := self._writer.tend():
            self._loop.call_soon_threadsafe(self._fail, failure)

    def _back_up(self, backup: _Backup) -> None:
        """Make a backup, and keep writing meanwhile. This is the boundary of the thread."""

        def on_progress(done: int, total: int) -> None:
            self._loop.call_soon_threadsafe(backup.on_progress, done, total)

        def pause(seconds: float) -> None:
            end = perf_counter() + seconds
            while (left := end - perf_counter()) > 0:
                if (batch := self._next(left)) is _END:
                    self._batches.put(_END)
                    raise _stopping()
                self._write(batch)
            if backup.waiter.cancelled():
                raise StorageFailed("the backup was cancelled")
            if failure := self._writer.failure:
                raise failure

        outcome = run_guarded(  # a bug is raised where the backup is awaited
            copy_database, self._tables.database, backup.file, backup.secret, pause, on_progress
        )
        self._loop.call_soon_threadsafe(answer, backup.waiter, outcome)

    def _next(self, most_s: float) -> _Jobs:
        """Return the next transaction as soon as there is one, and none after `most_s`."""
        try:
            return self._batches.get(timeout=most_s)
        except Empty:
            self._writer.rest(self.commits.sum)
            return _WAKE


def _stopping() -> StorageFailed:
    return StorageFailed("the server stops")


class _Writer:
    """Writes to the database at `path`, which is open as `tables`."""

    def __init__(self, path: Path, tables: EventTables, *, erase: bool) -> None:
        self._path = path
        self._erase = erase
        self._tables = tables
        self._files = opening.DatabaseFiles(path, opening.LOG_BYTES)
        self._files.note()
        self._is_open = True
        self._trouble: Exception | None = None
        """The fault that left the log uncertain, or the files in other hands."""
        self._tried_at = 0.0
        self._doubt = Doubt()
        self._look_at = 0.0
        self._work = 0.0
        """As `rest` was told last."""
        self._rests_at = inf
        """When to give memory back."""
        self._erase_at: float | None = None
        """When the log is to be emptied; `None` if nothing was deleted since it was."""
        self._erased_at = -_ERASE_S

    @property
    def failure(self) -> StorageFailed | None:
        """The fault that keeps transactions from being begun, if there is one."""
        return None if self._trouble is None else _failed(self._trouble)

    def rest(self, work: float) -> None:
        """Give back the memory that a crowd has left, once nothing is written for a while.

        `work`: a number that is another one after each write.
        """
        if work != self._work:
            self._work, self._rests_at = work, monotonic() + _REST_S
        if monotonic() < self._rests_at:
            return
        self._rests_at = inf
        if self._trouble is None:
            self._mend_after(self._tables.rest())
        if self._trouble is None:
            with suppress(sqlite3.Error):
                self._tables.database.execute("PRAGMA shrink_memory")
        release_memory()

    def write(self, jobs: list[Job]) -> list[Any]:
        """Run all jobs and commit; return for each job a result, or an exception to raise.

        This is the boundary of the thread: an unexpected exception is a bug in a job, and is raised
        where that job is awaited instead of ending the thread.
        """
        if self._trouble is not None and not self._is_mended():
            return [self._refused(job, self._trouble) for job in jobs]
        try:
            return transaction(self._tables, jobs)
        except (sqlite3.Error, MemoryError) as error:
            self._tables.try_to_roll_back()
            if _leaves_doubt(error) and not self._is_mended_after(error):
                return [self._left_in_doubt(job, error) for job in jobs]
            return [self._fate(job, error) for job in jobs]
        except Exception as error:  # noqa: BLE001 - the boundary of the thread
            self._tables.try_to_roll_back()
            if len(jobs) == 1:
                return [error]
            # The other jobs must not fail with it.
            return [outcome for job in jobs for outcome in self.write([job])]

    def note_deletion(self) -> None:
        """Note that the log has what was deleted: it is emptied soon, if bytes are to be erased."""
        if self._erase and self._erase_at is None:
            self._erase_at = max(monotonic() + 1, self._erased_at + _ERASE_S)

    def tend(self) -> StorageFailed | None:
        """Do what is due between transactions; return a fault found while no caller waited."""
        if self._trouble is not None:
            return None
        now = monotonic()
        if self._tables.is_long:
            self._mend_after(self._tables.try_to_settle())
        elif now >= self._look_at:
            self._look_at = now + _LOOK_S
            try:
                self._files.look()
            except opening.FilesChanged as error:
                self._trouble = error
                return _failed(error)
        elif self._erase_at is not None and now >= self._erase_at:
            self._empty_log()
            self._erase_at, self._erased_at = None, now
        return None

    def _empty_log(self) -> None:
        """Bring the write-ahead log into the database and empty it."""
        database = self._tables.database
        try:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._files.forget_log()
            opening.lengthen_log(self._path, database)
        except sqlite3.Error as error:
            logger.warning(
                "could not empty the write-ahead log; deleted data is still in it: %s", error
            )
            self._mend_after(error)

    def close(self) -> None:
        """Settle the journal and close the database; after a fault, leave the files as they are."""
        if self._trouble is None:
            self._mend_after(self._tables.try_to_settle())
        else:
            self._is_mended_after(self._trouble)
        if self._trouble is None:
            self._tables.database.close()
        elif self._is_open:
            # To close the connection would write to the database and delete its log. So it stays
            # open: the next start finds the files as they are.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._tables.database))

    def _mend_after(self, error: Exception | None) -> None:
        """Try to make the log certain after an error, if that leaves doubt."""
        if error is not None and _leaves_doubt(error):
            self._is_mended_after(error)

    def _is_mended_after(self, error: Exception) -> bool:
        self._trouble, self._tried_at = error, 0.0
        return self._is_mended()

    def _is_mended(self) -> bool:
        """Try to make the log certain, if it is time to; return whether it is."""
        now = monotonic()
        if now - self._tried_at < _MEND_S:
            return False
        self._tried_at = now
        try:
            self._reopen()
        except (opening.FilesChanged, Unfit, OSError, sqlite3.Error) as error:
            if isinstance(error, opening.FilesChanged):
                self._trouble = error
            return False
        logger.warning("the database was opened again after a fault: %s", self._trouble)
        self._trouble = None
        self._doubt.clear()
        return True

    def _reopen(self) -> None:
        files = self._files
        if self._is_open:
            files.look()
            files.rewrite_log()
            self._is_open = False
            self._tables.database.close()
            files.forget_log()
        opening.sync_folder(self._path.parent)  # the log is deleted with the last connection
        self._tables.reopen(opening.reopen_database(self._path, erase=self._erase))
        self._is_open = True
        files.note()

    def _fate(self, job: Job, error: Exception) -> Any:
        """Find the outcome of a job whose transaction failed with `error`: it may be kept."""
        tables = self._tables
        try:
            if tables.is_unfinished:
                tables.roll_back()
            if isinstance(job, Operation):
                return job.recheck(tables)
            if (kept := tables.find(job.room, job.seq)) is None:
                raise NotKept
            return None if kept == job.lines[0] else Conflict()
        except NotKept:
            return _failed(error)
        except (sqlite3.Error, MemoryError, *ODD):
            self._trouble = error
            return self._left_in_doubt(job, error)

    def _left_in_doubt(self, job: Job, error: Exception) -> StorageFailed:
        """Return the outcome of a job whose transaction may be kept."""
        if isinstance(job, Operation) and job.work is job.recheck:  # it reads
            return self._refused(job, error)
        return self._doubt.leave(job.room, _failed(error))

    def _refused(self, job: Job, error: Exception) -> StorageFailed:
        """Return the outcome of a job that was not begun."""
        return self._doubt.refused(job.room, _failed(error))


def transaction(tables: EventTables, jobs: Sequence[Job]) -> list[Any]:
    """Run all jobs and commit; return the outcome of each.

    Raises:
        sqlite3.Error, MemoryError: if the transaction failed, or may have failed.
    """
    if tables.is_unfinished:  # the last transaction was neither committed nor rolled back
        tables.roll_back()
    if new := [job.room for job in jobs if not isinstance(job, Operation) and job.seq == 1]:
        tables.look_for(new)
    outcomes: list[Any] = []
    for job in jobs:
        outcome = None
        try:
            if isinstance(job, Operation):
                outcome = job.work(tables)
            else:
                tables.append(job.room, job.seq, job.lines, job.snapshot)
        except Conflict as conflict:
            outcome = conflict
        outcomes.append(outcome)
    tables.commit()
    return outcomes


def release_memory() -> None:
    """Give pages that the C library keeps for later back to the system, where it can do that.

    It takes some milliseconds, without the interpreter's lock.
    """
    with suppress(AttributeError, OSError, TypeError):  # not with glibc
        ctypes.CDLL(None).malloc_trim(0)


def _leaves_doubt(error: Exception) -> bool:
    """Return whether the log may hold the whole of a transaction that failed like this."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF == sqlite3.SQLITE_IOERR and code not in _BEFORE_THE_SYNC


def _failed(error: Exception) -> StorageFailed:
    if isinstance(error, opening.FilesChanged):
        return StorageFailed(f"{error}; stop the server, and restore the data folder")
    return StorageFailed(f"the database: {words(error) or 'out of memory'}")


def not_kept(_: EventTables) -> NoReturn:
    """Recheck work that a failed transaction leaves undone."""
    raise NotKept
