"""Transactions, in the store's own thread, and the certainty about those that fail.

After a failed sync nobody knows what the disk holds: readers still see the events of the failed
transaction in the log, even a server started after `kill -9`, but a power cut may lose them.
Syncing again proves nothing, because the kernel may have dropped the dirty pages. So before
anything else is told or written, the log is rewritten and synced, and the database is closed and
opened again; it then shows what was kept.
"""

import ctypes
import logging
import sqlite3
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple, NoReturn

from ttt_protocol.state import RoomName
from ttt_server.storage.base import Append, Conflict, StorageFailed
from ttt_server.storage.fate import Doubt, NotKept, fate
from ttt_server.storage.sqlite.files import DatabaseFiles, FilesChanged
from ttt_server.storage.sqlite.opening import LOG_BYTES, lengthen_log, reopen_database
from ttt_server.storage.sqlite.preflight import Unfit, words
from ttt_server.storage.sqlite.tables import ODD, EventTables

logger = logging.getLogger(__name__)

_MEND_S = 0.5
"""The least time between two attempts to make the log certain."""

LOOK_S = 0.2
"""How often the files are looked at."""

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


def not_kept(_: EventTables) -> NoReturn:
    """Recheck work that a failed transaction leaves undone."""
    raise NotKept


class Writer:
    """Writes to the database at `path`, which is open as `tables`."""

    def __init__(self, path: Path, tables: EventTables, *, erase: bool) -> None:
        self._path = path
        self._erase = erase
        self._tables = tables
        self._files = DatabaseFiles(path, LOG_BYTES)
        self._files.note()
        self._is_open = True
        self._trouble: Exception | None = None
        """The fault that left the log uncertain, or the files in other hands."""
        self._tried_at = 0.0
        self._doubt = Doubt()
        self._look_at = 0.0
        self._erase_at: float | None = None
        """When the log is to be emptied; `None` if nothing was deleted since it was."""
        self._erased_at = -_ERASE_S

    @property
    def failure(self) -> StorageFailed | None:
        """The fault that keeps transactions from being begun, if there is one."""
        return None if self._trouble is None else _failed(self._trouble)

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
            self._settle()
        elif now >= self._look_at:
            self._look_at = now + LOOK_S
            try:
                self._files.look()
            except FilesChanged as error:
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
            lengthen_log(self._path, database)
        except sqlite3.Error as error:
            logger.warning("the write-ahead log keeps what was deleted: %s", error)
            if _leaves_doubt(error):
                self._is_mended_after(error)

    def close(self) -> None:
        """Settle the journal and close the database; after a fault, leave the files as they are."""
        if self._trouble is None:
            self._settle()
        else:
            self._is_mended_after(self._trouble)
        if self._trouble is None:
            self._tables.database.close()
        elif self._is_open:
            # To close the connection would write to the database and delete its log. So it stays
            # open: the next start finds the files as they are.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._tables.database))

    def _settle(self) -> None:
        error = self._tables.try_to_settle()
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
        except (FilesChanged, Unfit, OSError, sqlite3.Error) as error:
            if isinstance(error, FilesChanged):
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
        files.sync_folder()  # the log is deleted with the last connection
        self._tables.reopen(reopen_database(self._path, erase=self._erase))
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
            return fate(job, kept)
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


def transaction(tables: EventTables, jobs: list[Job]) -> list[Any]:
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


def _leaves_doubt(error: Exception) -> bool:
    """Return whether the log may hold the whole of a transaction that failed like this."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF == sqlite3.SQLITE_IOERR and code not in _BEFORE_THE_SYNC


def _failed(error: Exception) -> StorageFailed:
    if isinstance(error, FilesChanged):
        return StorageFailed(f"{error}; stop the server, and restore the data folder")
    return StorageFailed(f"the database: {words(error) or 'out of memory'}")
