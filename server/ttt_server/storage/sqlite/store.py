"""Logs in one SQLite file: the default store.

A single thread owns the only connection. Whatever is appended while it works is its next
transaction, so that many rooms share one sync of the disk. There is no other stage that gathers:
the loop hands jobs over at the end of a round, or when the last transaction is told, so the thread
is woken once for each transaction, and while it sleeps no job costs more than a list's `append`.
`synchronous=FULL`: a committed move survives a power cut, not only the process. The file is locked
as long as the server runs. `writer` has the thread's work.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from time import perf_counter, time_ns
from typing import Any, NamedTuple, TypeVar

from ttt_engine.learning.memory import Lesson, Memory
from ttt_protocol.state import RoomName
from ttt_server.concurrency.guard import run_guarded
from ttt_server.core.lessons import Taught
from ttt_server.storage.base import COMMIT_BOUNDS_S, Excerpt, LastEvent, StorageFailed
from ttt_server.storage.fate import NotKept
from ttt_server.storage.sqlite.backup import copy_database
from ttt_server.storage.sqlite.opening import open_database
from ttt_server.storage.sqlite.preflight import VERSION
from ttt_server.storage.sqlite.tables import EventTables, Learned
from ttt_server.storage.sqlite.writer import LOOK_S, Job, Operation, Work, Writer, not_kept
from ttt_server.telemetry.histogram import Histogram

T = TypeVar("T")

_BATCH = 1000
"""The most jobs of one transaction, so that the first of them are not held up."""

_IDLE_S = 2 * LOOK_S
"""How long the thread sleeps while nothing is to be written."""

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

    `relearn` clears the learner's memory and counts it again from the logs. `erase` overwrites
    deleted events on the disk, soon after they were deleted. `accept_loss` keeps what is intact of
    a damaged log.

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
        self._waiting: _Jobs = [], []
        """Jobs that the thread has not been handed yet."""
        self._is_busy = False
        """Whether a transaction is about to be handed over, is written, or is being told."""
        self._is_closing = False
        self._batches: SimpleQueue[_Jobs] = SimpleQueue()
        """The transaction for the thread."""
        self._backups: deque[_Backup] = deque()
        """Backups that the thread is to make."""
        self.memory = Memory()
        self._watchers: list[Callable[[StorageFailed], None]] = []
        database = open_database(
            path, self.memory, relearn=relearn, erase=erase, accept_loss=accept_loss
        )
        self._tables = EventTables(database)
        self._writer = Writer(path, self._tables, erase=erase)
        self._closed: asyncio.Future[None] = self._loop.create_future()
        self._thread = threading.Thread(target=self._run, name="store", daemon=True)
        self._thread.start()

    def append(self, appends: Sequence[Job]) -> None:
        jobs, began = self._waiting
        jobs.extend(appends)
        began.extend([perf_counter()] * len(appends))
        if not self._is_busy:
            self._is_busy = True
            self._loop.call_soon(self._hand_over)

    async def learn(self, rooms: Mapping[RoomName, Collection[int]]) -> None:
        learned: Learned | None = None

        def learn(tables: EventTables) -> list[Taught]:
            nonlocal learned
            learned = tables.learn(rooms)
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
        return await self._look_up(lambda tables: tables.load(room, after, most), room)

    async def load_game(self, room: RoomName, number: int) -> Excerpt:
        return await self._look_up(lambda tables: tables.load_game(room, number), room)

    async def browse(self, after: str, most: int) -> Sequence[LastEvent]:
        return await self._look_up(lambda tables: tables.browse(after, most))

    async def trim(self, room: RoomName, keep: int) -> bool:
        def trim(tables: EventTables) -> bool:
            is_shorter = tables.trim(room, keep)
            if is_shorter:
                self._writer.note_deletion()
            return is_shorter

        await self.learn({room: ()})
        return await self._perform(trim, not_kept, room)

    async def delete(self, room: RoomName) -> None:
        taught: list[Taught] = []

        def delete(tables: EventTables) -> list[Taught]:
            nonlocal taught
            taught = tables.delete(room)
            self._writer.note_deletion()
            return taught

        def recheck(tables: EventTables) -> list[Taught]:
            if tables.lines(room):
                raise NotKept
            return taught

        await self._teaching(delete, recheck, room)

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
        self.append(())  # after jobs that are given in this round of the loop
        await asyncio.shield(self._closed)

    # Jobs, in the loop

    async def _look_up(self, look: Callable[[EventTables], T], room: RoomName | None = None) -> T:
        return await self._perform(look, look, room)

    def _teaching(
        self, work: Work, recheck: Work, room: RoomName | None = None
    ) -> asyncio.Future[Any]:
        """Do work that counts lessons and returns them, and learn them."""
        waiter = self._loop.create_future()

        def then(outcome: Any) -> None:
            if isinstance(outcome, list):  # also if the caller was cancelled
                for taught in outcome:
                    self.memory.learn(taught.lesson)
            answer(waiter, outcome)

        self.append((Operation(then, work, recheck, room),))
        return waiter

    def _perform(
        self,
        work: Callable[[EventTables], T],
        recheck: Callable[[EventTables], T],
        room: RoomName | None = None,
    ) -> asyncio.Future[T]:
        waiter: asyncio.Future[T] = self._loop.create_future()
        self.append((Operation(partial(answer, waiter), work, recheck, room),))
        return waiter

    def _hand_over(self) -> None:
        """Hand the next transaction to the thread, if any job waits."""
        jobs, began = self._waiting
        if jobs:
            self._batches.put((jobs[:_BATCH], began[:_BATCH]))
            del jobs[:_BATCH], began[:_BATCH]
            return
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
            self._loop.call_soon(self._hand_over)
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

    def _next(self, most_s: float) -> _Jobs:
        """Return the next transaction as soon as there is one, and none after `most_s`."""
        try:
            return self._batches.get(timeout=most_s)
        except Empty:
            return _WAKE


def _stopping() -> StorageFailed:
    return StorageFailed("the server stops")
