"""The database file: makes a new one, and brings an older one up to date."""

import shutil
import sqlite3
from contextlib import suppress
from pathlib import Path

from ttt_engine.learning.memory import Memory
from ttt_server.storage.base import CannotOpen
from ttt_server.storage.sqlite import lessons as lessons_table
from ttt_server.storage.sqlite.preflight import (
    APPLICATION_ID,
    VERSION,
    WITH_JOURNAL,
    WITH_LESSONS,
    WITH_LESSONS_BESIDE,
    Unfit,
    look,
    require_ours,
    words,
)
from ttt_server.storage.sqlite.tables import EVENTS, JOURNAL, LESSON, ODD, EventTables

_SCHEMA = f"""
BEGIN;
{EVENTS}
{JOURNAL}
{lessons_table.SCHEMA}
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {VERSION};
COMMIT;
"""

_LOG_BYTES = 1 << 24
"""The write-ahead log is cut back to this length after a batch that made it longer."""
_LOG_PAGES = 1100
"""The usual length of the write-ahead log: SQLite starts over after 1 000 pages."""
_PAGE_BYTES = 4096
_MUCH_SPACE = 1 << 28
"""Free bytes on the disk; with less, the log takes no space in advance."""
_FEW_PAGES, _USUAL_PAGES = 100, -2000
"""Sizes of the cache. SQLite's default is negative, which counts KiB."""


def open_database(path: Path, memory: Memory, *, relearn: bool) -> sqlite3.Connection:
    """Open the database at `path`, and recall its lessons into `memory`.

    A missing database is made, and one of an older version is brought up to date.

    Args:
        path: the file.
        memory: an empty memory of the learner.
        relearn: whether to forget the lessons first, and count them again from the logs.

    Raises:
        CannotOpen: with one line for the operator; the file is as it was.
    """
    try:
        look(path)
        database = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=0)
        try:
            _prepare(database, relearn=relearn)
            _recall(database, memory)
            _lengthen_log(path, database)
        except BaseException:
            database.close()
            raise
    except Unfit as unfit:
        raise CannotOpen(f"{path}: {unfit}") from None
    except sqlite3.Error as error:
        raise CannotOpen(f"{path}: {words(error)}") from None
    return database


def has_events(path: Path) -> bool:
    """Tell whether there is a database at `path` with any event; change nothing.

    Raises:
        CannotOpen: with one line for the operator.
    """
    try:
        return path.exists() and look(path)
    except Unfit as unfit:
        raise CannotOpen(f"{path}: {unfit}") from None


def _recall(database: sqlite3.Connection, memory: Memory) -> None:
    try:
        lessons_table.recall(database, memory)
    except ODD as error:
        raise Unfit(f"it is damaged: {error}") from None


def _prepare(database: sqlite3.Connection, *, relearn: bool) -> None:
    # The lock is taken at the first access and kept, so that a second server finds it.
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
        return
    tables = EventTables(database)
    tables.begin()
    if version < WITH_LESSONS:
        database.execute(lessons_table.SCHEMA)
    if version < WITH_JOURNAL:
        database.execute(JOURNAL)
    elif version < WITH_LESSONS_BESIDE:
        database.execute(LESSON)
    if version < VERSION:
        database.execute(f"PRAGMA user_version = {VERSION}")
    if relearn or version < WITH_LESSONS:
        tables.settle()
        lessons_table.relearn(database)
    tables.commit()
    tables.try_to_settle()  # a server that was killed has left its journal


def _lengthen_log(path: Path, database: sqlite3.Connection) -> None:
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
        database.execute("INSERT INTO journal VALUES ('', 0, zeroblob(?), NULL)", (nothing,))
        database.execute("ROLLBACK")
    except sqlite3.Error:  # the file system may have a quota, which free space does not show
        if database.in_transaction:
            database.execute("ROLLBACK")
        with suppress(sqlite3.Error):
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # give the space back
    database.execute(f"PRAGMA cache_size = {_USUAL_PAGES}")
