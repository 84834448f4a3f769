"""Logs in one SQLite file: the default store.

A single thread owns the only connection. Jobs that come while the loop is busy are gathered, and
all jobs that wait when the thread is free become one transaction, so that many rooms share one sync
of the disk. `synchronous=FULL`: a committed move survives a power cut, not only the process. The
file is locked as long as the server runs. `writer` has the thread's work.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from time import perf_counter
from typing import Any, NamedTuple

from ttt_engine.learning.memory import Lesson, Memory
from ttt_protocol.state import RoomName
from ttt_server.concurrency.guard import run_guarded
from ttt_server.storage.base import COMMIT_BOUNDS_S, Append, Excerpt, LastEvent, StorageFailed
from ttt_server.storage.sqlite import indexing
from ttt_server.storage.sqlite import lessons as lessons_table
from ttt_server.storage.sqlite.backup import copy_database
from ttt_server.storage.sqlite.chores import Chores
from ttt_server.storage.sqlite.indexing import Indexing
from ttt_server.storage.sqlite.preflight import VERSION
from ttt_server.storage.sqlite.schema import open_database
from ttt_server.storage.sqlite.tables import EventTables
from ttt_server.storage.sqlite.writer import Job, NotKept, Operation, Work, Writer, not_kept
from ttt_server.telemetry.histogram import Histogram

_BATCH = 1000
"""A transaction of this many jobs takes no more, so that its own jobs are not held up."""

_GATHER_S = 0.05
"""The longest time that jobs wait for others, and only while each round of the loop brings some.
With 16 rooms at a time made and joined, a commit for every two or three jobs was a fifth of the
cost."""


class _Batch(NamedTuple):
    """Jobs that the store was given at once."""

    jobs: Sequence[Job]
    began: float
    """When that was, by `perf_counter`."""


_END: list[_Batch] = []
"""Ends the thread, which is handed no batch after it."""

_WAKE: list[_Batch] = []
"""Lets the thread look for a backup to make."""


class _Backup(NamedTuple):
    """A backup to make between transactions."""

    waiter: asyncio.Future[None]
    file: Path
    secret: bytes | None
    on_progress: Callable[[int, int], None]


def answer(waiter: asyncio.Future[Any], outcome: Any) -> None:
    """Settle a future with a result, or with an exception to raise; not if it was cancelled."""
    if waiter.done():
        return
    if isinstance(outcome, Exception):
        waiter.set_exception(outcome)
    else:
        waiter.set_result(outcome)


class SqliteStore:
    """An `EventStore` in the file at `path`, which is made if it does not exist.

    With `relearn` the learner's memory is cleared, and counted again from the logs. With `erase`
    the disk has nothing of deleted events, soon after they were deleted. With `accept_loss` a
    damaged log is good for what is whole in it.

    Raises:
        CannotOpen: with one line for the operator; the file is as it was.
    """

    def __init__(
        self,
        path: Path,
        *,
        relearn: bool = False,
        erase: bool = False,
        accept_loss: bool = False,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self.commits = Histogram(COMMIT_BOUNDS_S)
        self._unanswered = 0
        """The number of jobs that were not called back, with those of the thread."""
        self._is_closing = False
        self._gathered: list[_Batch] = []
        """Batches that the thread has not been handed yet."""
        self._round: list[Job] = []
        """The jobs of the newest batch, which grows until this round of the loop is over."""
        self._batches: SimpleQueue[list[_Batch]] = SimpleQueue()
        """Batches for the thread."""
        self._backups: deque[_Backup] = deque()
        """Backups that the thread is to make."""
        self.memory = Memory()
        self._watchers: list[Callable[[StorageFailed], None]] = []
        database = open_database(
            path, self.memory, relearn=relearn, erase=erase, accept_loss=accept_loss
        )
        self._tables = EventTables(database)
        self._writer = Writer(path, self._tables, erase=erase)
        self._chores = Chores(self._writer, Indexing() if indexing.is_due(database) else None)
        self._erase = erase
        self._closed: asyncio.Future[None] = self._loop.create_future()
        self._thread = threading.Thread(target=self._run, name="store", daemon=True)
        self._thread.start()

    def append(self, appends: Sequence[Append]) -> None:
        self._hand_over(appends)

    async def teach(self, lessons: tuple[Lesson, ...]) -> None:
        def teach(tables: EventTables) -> None:
            tables.begin()
            lessons_table.learn(tables.database, lessons)

        def taught(outcome: Any) -> None:
            if outcome is None:  # also if the caller was cancelled
                for lesson in lessons:
                    self.memory.learn(lesson)
            answer(waiter, outcome)

        waiter = self._loop.create_future()
        self._hand_over([Operation(taught, teach, not_kept)])
        await waiter

    async def load(
        self, room: RoomName, after: int | None = None, most: int | None = None
    ) -> Excerpt:
        found: Excerpt = await self._look_up(lambda tables: tables.load(room, after, most), room)
        return found

    async def load_game(self, room: RoomName, number: int) -> Excerpt:
        found: Excerpt = await self._look_up(lambda tables: tables.load_game(room, number), room)
        return found

    async def browse(self, after: str, most: int) -> Sequence[LastEvent]:
        found: list[LastEvent] = await self._look_up(lambda tables: tables.browse(after, most))
        return found

    async def trim(self, room: RoomName, keep: int) -> bool:
        def trim(tables: EventTables) -> bool:
            is_shorter = tables.trim(room, keep)
            if is_shorter:
                self._deleted()
            return is_shorter

        is_shorter: bool = await self._perform(trim, not_kept, room)
        return is_shorter

    async def delete(self, room: RoomName) -> None:
        def delete(tables: EventTables) -> None:
            tables.delete(room)
            self._deleted()

        def recheck(tables: EventTables) -> None:
            if tables.lines(room):
                raise NotKept

        await self._perform(delete, recheck, room)

    def watch(self, on_failure: Callable[[StorageFailed], None]) -> None:
        self._watchers.append(on_failure)

    async def backup(
        self, file: Path, secret: bytes | None, on_progress: Callable[[int, int], None]
    ) -> None:
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
        self._loop.call_soon(self._answered, 0)  # after jobs that are begun and not handed over
        await asyncio.shield(self._closed)

    def _deleted(self) -> None:
        """Take note of it in the thread."""
        if self._erase:
            self._chores.note_deletion()

    def _look_up(self, look: Work, room: RoomName | None = None) -> asyncio.Future[Any]:
        return self._perform(look, look, room)

    def _perform(
        self, work: Work, recheck: Work, room: RoomName | None = None
    ) -> asyncio.Future[Any]:
        waiter = self._loop.create_future()
        self._hand_over([Operation(partial(answer, waiter), work, recheck, room)])
        return waiter

    def _hand_over(self, jobs: Sequence[Job]) -> None:
        self._unanswered += len(jobs)
        if not self._round:
            if not self._gathered:
                self._loop.call_soon(self._gather, 0)
            self._gathered.append(_Batch(self._round, perf_counter()))
        self._round += jobs

    def _gather(self, before: int) -> None:
        """Hand all batches to the thread, unless the last round of the loop brought some.

        Args:
            before: the number of batches a round ago.
        """
        self._round = []
        gathered = self._gathered
        if before < len(gathered) and perf_counter() - gathered[0].began < _GATHER_S:
            self._loop.call_soon(self._gather, len(gathered))
            return
        self._gathered = []
        self._batches.put(gathered)

    def _written(self, batches: list[_Batch], outcomes: list[Any]) -> None:
        """Count what was kept, and call back for every job.

        Args:
            batches: all of one transaction.
            outcomes: one for each job of these batches.
        """
        now = perf_counter()
        first = 0
        for jobs, began in batches:
            kept = outcomes[first : first + len(jobs)].count(None)
            first += len(jobs)
            if kept:
                self.commits.observe(now - began, kept)
        jobs_of_all = [job for batch in batches for job in batch.jobs]
        self._call_back(zip(jobs_of_all, outcomes, strict=True), len(outcomes))

    def _call_back(self, outcomes: Iterator[tuple[Job, Any]], count: int) -> None:
        """Learn what was kept, and call back for every job.

        The loop logs a callback that raises; the rest go on.
        """
        is_over = False
        try:
            for job, outcome in outcomes:
                if outcome is None and not isinstance(job, Operation) and job.lesson is not None:
                    self.memory.learn(job.lesson)
                job.then(outcome)
            is_over = True
        finally:
            if is_over:
                # A callback may have begun another job, which is handed over before this runs.
                self._loop.call_soon(self._answered, count)
            else:
                self._loop.call_soon(self._call_back, outcomes, count)

    def _answered(self, count: int) -> None:
        self._unanswered -= count
        if self._is_closing and not self._unanswered:
            self._batches.put(_END)

    def _run(self) -> None:
        """Write all batches, in the store's own thread."""
        while (batches := self._next(self._chores.patience_s)) is not _END:
            self._write(batches)
            if self._backups:
                self._back_up(self._backups.popleft())
        for backup in self._backups:
            self._loop.call_soon_threadsafe(answer, backup.waiter, _stopping())
        self._writer.close()
        self._loop.call_soon_threadsafe(answer, self._closed, None)

    def _write(self, batches: list[_Batch]) -> None:
        if batches:
            jobs = [job for batch in batches for job in batch.jobs]
            outcomes = self._writer.write(jobs)
            self._loop.call_soon_threadsafe(self._written, batches, outcomes)
            self._writer.settle_if_long()
        if failure := self._chores.run():
            self._loop.call_soon_threadsafe(self._fail, failure)

    def _back_up(self, backup: _Backup) -> None:
        """Make a backup, and go on writing meanwhile. This is the boundary of the thread."""

        def on_progress(done: int, total: int) -> None:
            self._loop.call_soon_threadsafe(backup.on_progress, done, total)

        def pause(seconds: float) -> None:
            end = perf_counter() + seconds
            while (left := end - perf_counter()) > 0:
                if (batches := self._next(left)) is _END:
                    self._batches.put(_END)
                    raise _stopping()
                self._write(batches)
            if backup.waiter.cancelled():
                raise StorageFailed("the backup was cancelled")
            if failure := self._writer.failure:
                raise failure

        copy = partial(
            copy_database,
            self._tables.database,
            backup.file,
            backup.secret,
            pause=pause,
            on_progress=on_progress,
        )
        outcome = run_guarded(copy)  # a bug is raised where the backup is awaited
        self._loop.call_soon_threadsafe(answer, backup.waiter, outcome)

    def _next(self, most_s: float) -> list[_Batch]:
        """Return batches as soon as there are some, and none after `most_s`."""
        try:
            batches = self._batches.get(timeout=most_s)
            # Newer batches need not wait until the loop has called back for the last transaction.
            while (
                batches is not _END
                and not self._batches.empty()
                and sum(len(batch.jobs) for batch in batches) < _BATCH
            ):
                if (more := self._batches.get()) is _END:
                    self._batches.put(_END)
                    break
                batches = [*batches, *more]
        except Empty:
            return []
        return batches

    def _fail(self, failure: StorageFailed) -> None:
        for on_failure in self._watchers:
            on_failure(failure)


def _stopping() -> StorageFailed:
    return StorageFailed("the server stops")
