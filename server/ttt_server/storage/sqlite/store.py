"""Logs in one SQLite file: the default store.

One connection, in one thread. What comes while the loop is busy is gathered, and whatever waits
when the thread is free is written as one transaction, so that many rooms share one sync of the
disk. `synchronous=FULL`: a committed move survives the machine, not only the process. The file is
locked for as long as the server runs.
"""

import asyncio
import logging
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from time import perf_counter
from typing import Any, NamedTuple

from ttt_engine.learning.memory import Lesson, Memory
from ttt_protocol.codec import EncodedEvents
from ttt_protocol.state import RoomName
from ttt_server.storage.base import COMMIT_BOUNDS_S, Append, Conflict, StorageFailed, answer
from ttt_server.storage.sqlite import lessons as lessons_table
from ttt_server.storage.sqlite.preflight import VERSION
from ttt_server.storage.sqlite.schema import open_database
from ttt_server.storage.sqlite.tables import CONFLICT, ODD, EventTables
from ttt_server.telemetry.histogram import Histogram

logger = logging.getLogger(__name__)

_BATCH = 1000
"""With so many jobs a transaction takes no more of what waits, so that nobody waits for ever."""

_GATHER_S = 0.05
"""So long jobs wait for others at most, and only while each round of the loop brings some. It pays
where the loop is busy: with 16 rooms at a time made and joined, a commit for every two or three of
the jobs was a fifth of the cost."""

_Work = Callable[[EventTables], Any]


class _Errand(NamedTuple):
    """What the thread is to do inside a transaction, and who waits for it."""

    then: Callable[[Any], None]
    work: _Work
    look_back: _Work
    """Finds out what became of it when the transaction failed: what `work` gives, or an error."""


_Job = Append | _Errand


class _Batch(NamedTuple):
    """What was given to the store at once."""

    jobs: Sequence[_Job]
    began: float
    """When that was, by `perf_counter`."""


_END: list[_Batch] = []
"""Ends the thread; nothing is handed to it then."""


class SqliteStore:
    """An `EventStore` in the file at `path`, which is made if it is not there.

    With `relearn` the memory forgets all, and learns it again from the logs.

    Raises:
        CannotOpen: with one line of words; the file is as it was.
    """

    def __init__(self, path: Path, *, relearn: bool = False) -> None:
        self._loop = asyncio.get_running_loop()
        self.commits = Histogram(COMMIT_BOUNDS_S)
        self._unanswered = 0
        """Jobs, those that the thread has among them."""
        self._is_closing = False
        self._gathered: list[_Batch] = []
        """What the thread is to do, and has not been handed yet."""
        self._batches: SimpleQueue[list[_Batch]] = SimpleQueue()
        """Handed to the thread."""
        self.memory = Memory()
        self._logs = EventTables(open_database(path, self.memory, relearn=relearn))
        self._closed: asyncio.Future[None] = self._loop.create_future()
        self._thread = threading.Thread(target=self._run, name="store", daemon=True)
        self._thread.start()

    def append(self, appends: Sequence[Append]) -> None:
        self._hand_over(appends)

    async def teach(self, lessons: tuple[Lesson, ...]) -> None:
        def teach(logs: EventTables) -> None:
            logs.begin()
            lessons_table.learn(logs.database, lessons)

        def taught(given: Any) -> None:
            if given is None:  # also when whoever waited was cancelled
                for lesson in lessons:
                    self.memory.learn(lesson)
            answer(waiter, given)

        waiter = self._loop.create_future()
        self._hand_over([_Errand(taught, teach, _not_kept)])
        await waiter

    async def load(self, room: RoomName) -> EncodedEvents:
        def load(logs: EventTables) -> EncodedEvents:
            return tuple(logs.load(room).values())

        lines: EncodedEvents = await self._run_errand(load, load)
        return lines

    async def delete(self, room: RoomName) -> None:
        def delete(logs: EventTables) -> None:
            logs.delete(room)

        def look_back(logs: EventTables) -> None:
            if logs.load(room):
                raise _NotKept

        await self._run_errand(delete, look_back)

    async def probe(self) -> None:
        def write_the_same(logs: EventTables) -> None:
            logs.begin()
            logs.database.execute(f"PRAGMA user_version = {VERSION}")

        await self._run_errand(write_the_same, _not_kept)

    async def close(self) -> None:
        self._is_closing = True
        self._loop.call_soon(self._answered, 0)  # behind what is begun, and not handed over yet
        await asyncio.shield(self._closed)

    def _run_errand(self, work: _Work, look_back: _Work) -> asyncio.Future[Any]:
        waiter = self._loop.create_future()
        self._hand_over([_Errand(partial(answer, waiter), work, look_back)])
        return waiter

    def _hand_over(self, jobs: Sequence[_Job]) -> None:
        self._unanswered += len(jobs)
        if not self._gathered:
            self._loop.call_soon(self._gather, 0)
        self._gathered.append(_Batch(jobs, perf_counter()))

    def _gather(self, so_far: int) -> None:
        """Hands all to the thread, unless more has come since there was `so_far`: a round ago."""
        gathered = self._gathered
        if so_far < len(gathered) and perf_counter() - gathered[0].began < _GATHER_S:
            self._loop.call_soon(self._gather, len(gathered))
            return
        self._gathered = []
        self._batches.put(gathered)

    def _written(self, batches: list[_Batch], answers: Iterator[Any]) -> None:
        """Tells all whose jobs these were. `answers`: what came of each, of all batches."""
        now = perf_counter()
        for jobs, began in batches:
            kept = 0
            for job, given in zip(jobs, answers, strict=False):  # the rest is the next batch's
                try:
                    if given is None and not isinstance(job, _Errand):
                        kept += 1
                        if job.lesson is not None:
                            self.memory.learn(job.lesson)  # also when whoever waited has gone
                    job.then(given)
                except Exception:  # a fault of ours: who else waits is told all the same
                    logger.exception("what follows from a write failed")
            if kept:
                self.commits.observe(now - began, kept)
            # What follows may have begun more, which is handed over before this is called.
            self._loop.call_soon(self._answered, len(jobs))

    def _answered(self, count: int) -> None:
        self._unanswered -= count
        if self._is_closing and not self._unanswered:
            self._batches.put(_END)

    def _run(self) -> None:
        logs = self._logs
        while (batches := self._batches.get()) is not _END:
            # What came meanwhile is not to wait until the loop has told of the last one.
            while not self._batches.empty() and sum(len(batch.jobs) for batch in batches) < _BATCH:
                batches += self._batches.get()
            jobs = [job for batch in batches for job in batch.jobs]
            answers = iter(_transaction(logs, jobs))
            self._loop.call_soon_threadsafe(self._written, batches, answers)
            if logs.is_long:
                logs.try_to_settle()
        logs.try_to_settle()
        logs.database.close()
        self._loop.call_soon_threadsafe(answer, self._closed, None)


class _NotKept(Exception):
    """The transaction's failure was this job's too."""


def _not_kept(_: EventTables) -> None:
    raise _NotKept


def _transaction(logs: EventTables, jobs: list[_Job]) -> list[Any]:
    """Runs all jobs and commits; what came of each, a result or an exception to raise."""
    try:
        if logs.is_unfinished:  # the last was neither committed nor rolled back
            logs.roll_back()
        answers = [_attempt(job, logs) for job in jobs]
        logs.commit()
    except (sqlite3.Error, MemoryError) as error:
        logs.try_to_roll_back()
        return [_fate(job, logs, error) for job in jobs]
    except Exception as error:  # noqa: BLE001 - a fault of ours, which is raised where it is waited for
        logs.try_to_roll_back()
        if len(jobs) == 1:
            return [error]
        # Nobody else is to suffer by it.
        return [given for job in jobs for given in _transaction(logs, [job])]
    return answers


def _attempt(job: _Job, logs: EventTables) -> Any:
    try:
        if isinstance(job, _Errand):
            return job.work(logs)
        logs.append(job.room, job.seq, job.lines, job.lesson)
    except Conflict as conflict:
        return conflict
    return None


def _fate(job: _Job, logs: EventTables, error: Exception) -> Any:
    """What became of a job whose transaction failed with `error`: it may have been kept."""
    try:
        if logs.is_unfinished:
            logs.roll_back()
        if isinstance(job, _Errand):
            return job.look_back(logs)
        kept = logs.find(job.room, job.seq)
        if kept is None:
            raise _NotKept
        if kept != job.lines[0]:
            raise Conflict(CONFLICT)
    except Conflict as conflict:
        return conflict
    except (_NotKept, sqlite3.Error, MemoryError, *ODD):
        return StorageFailed(f"the database: {str(error) or 'out of memory'}")
    return None
