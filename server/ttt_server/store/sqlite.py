"""Logs in one SQLite file: the default store.

One connection, in one thread. Whatever waits when the thread is free is written as one transaction,
so that many rooms share one sync of the disk. `synchronous=FULL`: a committed move survives the
machine, not only the process. The file is locked for as long as the server runs.
"""

import asyncio
import logging
import sqlite3
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

from ttt_engine.memory import Lesson, Memory
from ttt_protocol.state import RoomName
from ttt_server.store import Conflict, Lines, StorageFailed, Then, answer, learned
from ttt_server.store.database import open_database
from ttt_server.store.logs import CONFLICT, ODD, Logs
from ttt_server.store.look import VERSION

logger = logging.getLogger(__name__)

_BATCH = 1000
"""With so many jobs a transaction takes no more, so that nobody waits for ever."""

_Work = Callable[[Logs], Any]


class _Errand(NamedTuple):
    """What the thread is to do inside a transaction, and who waits for it."""

    then: Callable[[Any], None]
    work: _Work
    look_back: _Work
    """Finds out what became of it when the transaction failed: what `work` gives, or an error."""
    lessons: tuple[Lesson, ...] = ()
    """What the memory learns, if it goes well."""


class _Append(NamedTuple):
    """The job that nearly all are."""

    then: Then
    room: RoomName
    seq: int
    lines: Lines
    lessons: tuple[Lesson, ...]
    """One or none; an errand has several."""

    def work(self, logs: Logs) -> None:
        _, room, seq, lines, lessons = self
        logs.append(room, seq, lines, lessons[0] if lessons else None)

    def look_back(self, logs: Logs) -> None:
        kept = logs.find(self.room, self.seq)
        if kept is None:
            raise _NotKept
        if kept != self.lines[0]:
            raise Conflict(CONFLICT)


_Job = _Append | _Errand
_Answer = tuple[_Job, Any]
"""What came of it: a result, or an exception to raise."""


class SqliteStore:
    """An `EventStore` in the file at `path`, which is made if it is not there.

    With `relearn` the memory forgets all, and learns it again from the logs.

    Raises:
        CannotOpen: with one line of words; the file is as it was.
    """

    def __init__(self, path: Path, *, relearn: bool = False) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: list[_Job] = []
        """Since this round of the loop began."""
        self._unanswered = 0
        """Jobs, those that the thread has among them."""
        self._is_closing = False
        self._batches: SimpleQueue[list[_Job]] = SimpleQueue()
        """What the thread is to do; an empty one ends it."""
        self.memory = Memory()
        self._logs = Logs(open_database(path, self.memory, relearn=relearn))
        self._closed: asyncio.Future[None] = self._loop.create_future()
        self._thread = threading.Thread(target=self._run, name="store", daemon=True)
        self._thread.start()

    def append(
        self, room: RoomName, seq: int, lines: Lines, lesson: Lesson | None, then: Then
    ) -> None:
        lessons = () if lesson is None else (lesson,)
        self._submit(_Append(then, room, seq, lines, lessons))

    async def teach(self, lessons: tuple[Lesson, ...]) -> None:
        def teach(logs: Logs) -> None:
            logs.begin()
            learned.learn(logs.database, lessons)

        await self._run_errand(teach, _not_kept, lessons)

    async def load(self, room: RoomName) -> Lines:
        def load(logs: Logs) -> Lines:
            return tuple(logs.load(room).values())

        lines: Lines = await self._run_errand(load, load)
        return lines

    async def delete(self, room: RoomName) -> None:
        def delete(logs: Logs) -> None:
            logs.delete(room)

        def look_back(logs: Logs) -> None:
            if logs.load(room):
                raise _NotKept

        await self._run_errand(delete, look_back)

    async def probe(self) -> None:
        def write_the_same(logs: Logs) -> None:
            logs.begin()
            logs.database.execute(f"PRAGMA user_version = {VERSION}")

        await self._run_errand(write_the_same, _not_kept)

    async def close(self) -> None:
        self._is_closing = True
        if not self._unanswered:
            self._batches.put([])
        await asyncio.shield(self._closed)

    def _run_errand(
        self, work: _Work, look_back: _Work, lessons: tuple[Lesson, ...] = ()
    ) -> asyncio.Future[Any]:
        waiter = self._loop.create_future()
        self._submit(_Errand(partial(answer, waiter), work, look_back, lessons))
        return waiter

    def _submit(self, job: _Job) -> None:
        self._unanswered += 1
        if not self._waiting:
            # What else comes in this round of the loop goes with it.
            self._loop.call_soon(self._hand_over)
        self._waiting.append(job)

    def _hand_over(self) -> None:
        """Gives the thread all that waits: it is woken once for a round, not for each job."""
        batch, self._waiting = self._waiting, []
        self._batches.put(batch)

    def _written(self, answers: list[_Answer]) -> None:
        for job, given in answers:
            if job.lessons and not isinstance(given, Exception):
                self._learn(job.lessons)  # also when whoever waited was cancelled
            try:
                job.then(given)
            except Exception:  # a fault of ours: who else waits is told all the same
                logger.exception("what follows from a write failed")
        self._unanswered -= len(answers)
        if self._is_closing and not self._unanswered:
            self._batches.put([])

    def _learn(self, lessons: tuple[Lesson, ...]) -> None:
        for lesson in lessons:
            self.memory.learn(lesson)

    def _run(self) -> None:
        logs, batches = self._logs, self._batches
        while batch := batches.get():
            # What came meanwhile is not to wait until the loop has told of the last one.
            while len(batch) < _BATCH and not batches.empty():
                batch += batches.get()
            answers = _transaction(logs, batch)
            self._loop.call_soon_threadsafe(self._written, answers)
            if logs.is_long:
                logs.try_to_settle()
        logs.try_to_settle()
        logs.database.close()
        self._loop.call_soon_threadsafe(answer, self._closed, None)


class _NotKept(Exception):
    """The transaction's failure was this job's too."""


def _not_kept(_: Logs) -> None:
    raise _NotKept


def _transaction(logs: Logs, jobs: list[_Job]) -> list[_Answer]:
    """Runs all jobs and commits. If that fails, each is told what became of it."""
    try:
        if logs.is_unfinished:  # the last was neither committed nor rolled back
            logs.roll_back()
        answers = [(job, _attempt(job, logs)) for job in jobs]
        logs.commit()
    except (sqlite3.Error, MemoryError) as error:
        logs.try_to_roll_back()
        return [(job, _fate(job, logs, error)) for job in jobs]
    except Exception as error:  # noqa: BLE001 - a fault of ours, which is raised where it is waited for
        logs.try_to_roll_back()
        if len(jobs) == 1:
            return [(jobs[0], error)]
        # Nobody else is to suffer by it.
        return [given for job in jobs for given in _transaction(logs, [job])]
    return answers


def _attempt(job: _Job, logs: Logs) -> Any:
    try:
        return job.work(logs)
    except Conflict as conflict:
        return conflict


def _fate(job: _Job, logs: Logs, error: Exception) -> Any:
    """What became of a job whose transaction failed with `error`: it may have been kept."""
    try:
        if logs.is_unfinished:
            logs.roll_back()
        return job.look_back(logs)
    except Conflict as conflict:
        return conflict
    except (_NotKept, sqlite3.Error, MemoryError, *ODD):
        return StorageFailed(f"the database: {str(error) or 'out of memory'}")
