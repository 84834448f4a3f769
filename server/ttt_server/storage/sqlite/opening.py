"""Open the database file: make, check and lock it, watch over it, and recall what was learned."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from ttt_engine.learning.memory import Memory
from ttt_server.storage.base import CannotOpen
from ttt_server.storage.people import DDL
from ttt_server.storage.sqlite import preflight
from ttt_server.storage.sqlite.people import make_tables
from ttt_server.storage.sqlite.preflight import words
from ttt_server.storage.sqlite.tables import ODD, SCHEMA, EventTables

LOG_BYTES = 1 << 24
"""The write-ahead log is cut back to this length after a batch that made it longer."""
_CHECKPOINT_PAGES = 1000
"""The write-ahead log starts over after this number of pages."""
_LOG_PAGES = 1100
"""The usual length of the write-ahead log."""
_PAGE_BYTES = 4096
_MUCH_SPACE = 1 << 28
"""Free bytes on the disk; with less, the log takes no space in advance."""
_FEW_PAGES, _USUAL_PAGES = 100, -2000
"""Sizes of the cache. SQLite's default is negative, which counts KiB."""

_CHUNK = 1 << 20
_ALL = 1 << 62
_LOG_HEADER_BYTES = 32


def open_database(
    path: Path,
    memory: Memory,
    *,
    relearn: bool = False,
    erase: bool = False,
    accept_loss: bool = False,
) -> sqlite3.Connection:
    """Open or make the database at `path`, and recall its lessons.

    Args:
        path: the file.
        memory: an empty memory of the learner.
        relearn: whether to forget the lessons first, and count them again from the logs.
        erase: whether to overwrite deleted bytes.
        accept_loss: whether to keep what is intact of a damaged log.

    Raises:
        CannotOpen: with one line for the operator; the file is as it was.
    """
    with one_line(path):
        preflight.look(path, accept_loss=accept_loss)
        database = _connect(path)
        try:
            _prepare(path, database, relearn=relearn, erase=erase)
            EventTables(database).recall(memory)
            lengthen_log(path, database)
        except BaseException as error:
            database.close()
            if isinstance(error, ODD):
                raise preflight.Unfit(f"it is damaged: {error}") from None
            raise
    return database


def reopen_database(path: Path, *, erase: bool) -> sqlite3.Connection:
    """Open the database at `path` again, after this process has closed it.

    Raises:
        sqlite3.Error: if it cannot be opened.
        Unfit: if it is no longer the same database.
    """
    database = _connect(path)
    try:
        if _lock(path, database, erase=erase):
            raise preflight.Unfit("the database is empty")
        lengthen_log(path, database)
    except BaseException:
        database.close()
        raise
    return database


def has_events(path: Path, *, accept_loss: bool = False) -> bool:
    """Return whether there is a database at `path` with any event or person. Change nothing.

    `accept_loss`: as that of `open_database`.

    Raises:
        CannotOpen: with one line for the operator.
    """
    with one_line(path):
        return path.exists() and preflight.look(path, accept_loss=accept_loss)


@contextmanager
def one_line(path: Path) -> Iterator[None]:
    """Tell what is wrong with the database at `path` in one line.

    Raises:
        CannotOpen: in place of `Unfit`, `OSError` and `sqlite3.Error`.
    """
    try:
        yield
    except (preflight.Unfit, OSError, sqlite3.Error) as error:
        raise CannotOpen(f"{path}: {words(error)}") from None


@contextmanager
def opened(path: Path) -> Iterator[EventTables]:
    """Open the database at `path` to read it; no server may start on it meanwhile.

    Raises:
        CannotOpen: with one line for the operator.
    """
    with one_line(path):
        if not path.exists():
            raise preflight.Unfit(preflight.NO_FILE)
        preflight.look(path)
        with closing(_connect(path)) as database:
            database.execute("BEGIN IMMEDIATE")  # keeps a server from starting
            yield EventTables(database)


def forget_since(path: Path, hour: int, *, dry: bool) -> int:
    """Forget the lessons since an hour of Unix time; return their number. `dry`: only count them.

    Raises:
        CannotOpen: with one line for the operator, also if a server runs.
    """
    if not path.exists():
        raise CannotOpen(f"{path}: there is no database")
    with one_line(path), closing(open_database(path, Memory())) as database:
        tables = EventTables(database)
        games = tables.forget_since(hour, dry=dry)
        tables.commit()
    return games


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=0)


def _lock(path: Path, database: sqlite3.Connection, *, erase: bool) -> bool:
    """Lock the database for this process and set its modes; return whether it is new."""
    # The lock is taken at the first access and kept, so that a second server finds it.
    database.execute("PRAGMA locking_mode = EXCLUSIVE")
    database.execute("BEGIN EXCLUSIVE")
    is_new = preflight.require_ours(path, database)
    database.execute("COMMIT")
    DatabaseFiles(path, LOG_BYTES).rewrite_log()  # a server may have ended with a sync that failed
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.execute(f"PRAGMA secure_delete = {'ON' if erase else 'OFF'}")
    database.execute(f"PRAGMA journal_size_limit = {LOG_BYTES}")
    database.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
    return is_new


def _prepare(path: Path, database: sqlite3.Connection, *, relearn: bool, erase: bool) -> None:
    if _lock(path, database, erase=erase):
        marks = f"PRAGMA application_id = {preflight.APPLICATION_ID};"
        marks += f" PRAGMA user_version = {preflight.VERSION};"
        people = ";".join(DDL)
        database.executescript(f"BEGIN; {SCHEMA} {people}; {marks} COMMIT;")
        return
    tables = EventTables(database)
    tables.begin()
    make_tables(database)
    tables.commit()
    if relearn:
        tables.relearn()
        tables.commit()
    tables.try_to_settle()  # a server that was killed has left its journal


def lengthen_log(path: Path, database: sqlite3.Connection) -> None:
    """Give the write-ahead log its usual length, unless the disk has little space.

    Syncing a write that lengthens a file takes 1.5 times as long as syncing one that overwrites,
    and the moves of a batch wait together: with 500 rooms a move took twice as long.
    """
    if shutil.disk_usage(path.parent).free < _MUCH_SPACE:
        return
    nothing = (_LOG_PAGES + _FEW_PAGES) * _PAGE_BYTES
    database.execute(f"PRAGMA cache_size = {_FEW_PAGES}")
    database.execute("BEGIN IMMEDIATE")
    try:
        # The part of a transaction that does not fit into the cache goes to the log at once.
        database.execute("INSERT INTO journal VALUES ('', 0, zeroblob(?))", (nothing,))
        database.execute("ROLLBACK")
    except sqlite3.Error:  # the file system may have a quota, which free space does not show
        if database.in_transaction:
            database.execute("ROLLBACK")
        with suppress(sqlite3.Error):
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # give the space back
    database.execute(f"PRAGMA cache_size = {_USUAL_PAGES}")


class FilesChanged(Exception):
    """Another program removed, replaced or cut a file of the database."""


class DatabaseFiles:
    """The database at `path` and its write-ahead log, which one connection writes to.

    SQLite keeps its files open, and does not notice if another program removes, replaces or cuts
    one. So this watches over them, and rewrites the log as a last resort.
    """

    def __init__(self, path: Path, usual_log: int) -> None:
        """`usual_log`: the length to which SQLite itself cuts a longer log, in bytes."""
        self.path = path
        self._log_path = path.with_name(f"{path.name}-wal")
        self._usual_log = usual_log
        self._database: os.stat_result | None = None
        self._log: os.stat_result | None = None
        self._log_has_header = False

    def note(self) -> None:
        """Remember the files as they are now, just after the connection was opened.

        Raises:
            FilesChanged: if the database is missing.
        """
        self._database = _seen(self.path)
        self.forget_log()
        self.look()

    def forget_log(self) -> None:
        """Expect any log or none: closing the connection has deleted it."""
        self._log, self._log_has_header = None, False

    def look(self) -> None:
        """Compare the files with the last look.

        Raises:
            FilesChanged: if another program removed, replaced or cut one.
        """
        database, log = _seen(self.path), _seen(self._log_path)
        if database is None:
            raise FilesChanged("the database was removed")
        self._database = _same("the database", self._database, database, _ALL)
        if log is None:
            if self._log is not None:
                raise FilesChanged("the database's log was removed")
            return
        self._log = _same("the database's log", self._log, log, self._usual_log)
        if (header := self._log_header()) is not None:
            if self._log_has_header and not any(header):
                raise FilesChanged("the database's log was truncated")
            self._log_has_header = any(header)

    def rewrite_log(self) -> None:
        """Write the bytes of the log once more, and sync them.

        After a failed sync the system may have dropped changes that it still shows to readers. Then
        another sync succeeds, and proves nothing: no change waits for it. Written again, the bytes
        do. A crash in between leaves each block as it was or as it is.

        Raises:
            OSError: if a write or the sync failed.
        """
        try:
            log = os.open(self._log_path, os.O_RDWR)
        except FileNotFoundError:
            return
        try:
            at = 0
            while chunk := os.pread(log, _CHUNK, at):
                at += os.pwrite(log, chunk, at)
            os.fdatasync(log)
        finally:
            os.close(log)

    def _log_header(self) -> bytes | None:
        """Return the first bytes of the log; `None` if they cannot be read, which proves nothing.

        All descriptors may be in use. To close a descriptor of the database itself would release
        SQLite's locks on it, so it is never opened here; the log has none.
        """
        with suppress(OSError):
            log = os.open(self._log_path, os.O_RDONLY)
            try:
                return os.pread(log, _LOG_HEADER_BYTES, 0)
            finally:
                os.close(log)
        return None


def sync_folder(folder: Path) -> None:
    """Make certain which files are in the folder.

    Raises:
        OSError: if the sync failed.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _seen(path: Path) -> os.stat_result | None:
    """Return the file at `path`; `None` if there is none.

    Raises:
        FilesChanged: if that cannot be told.
    """
    try:
        return path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise FilesChanged(f"{path}: {words(error)}") from None


def _same(
    name: str, before: os.stat_result | None, now: os.stat_result, most: int
) -> os.stat_result:
    """Return `now`, if it can be the file that was seen before.

    Args:
        name: the file's name for the operator.
        before: the file at the last look, if there was one.
        now: the file of the same path.
        most: the bytes that the file's own writer leaves in any case.

    Raises:
        FilesChanged: if it is another file, or was cut.
    """
    if before is not None:
        if not os.path.samestat(before, now):
            raise FilesChanged(f"{name} was replaced")
        if now.st_size < min(before.st_size, most):
            raise FilesChanged(f"{name} was truncated")
    return now
