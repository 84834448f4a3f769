"""The database file: made if it is not there, or an older one brought up to date."""

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
"""What the write-ahead log is cut back to, should one batch have made it longer."""
_LOG_PAGES = 1100
"""What it comes to by itself: after some thousand SQLite begins at its beginning again."""
_PAGE_BYTES = 4096
_MUCH_ROOM = 1 << 28
"""Bytes that are free on the disk; with less the log takes none before it needs them."""
_FEW_PAGES, _USUAL_PAGES = 100, -2000
"""In memory. SQLite's own value is negative, and counts KiB."""


def open_database(path: Path, memory: Memory, *, relearn: bool) -> sqlite3.Connection:
    """The database at `path`, made or brought up to date; `memory` recalls what is in it.

    Raises:
        CannotOpen: with one line of words; the file is as it was.
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


def _recall(database: sqlite3.Connection, memory: Memory) -> None:
    try:
        lessons_table.recall(database, memory)
    except ODD as error:
        raise Unfit(f"it is damaged: {error}") from None


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
        return
    logs = EventTables(database)
    logs.begin()
    if version < WITH_LESSONS:
        database.execute(lessons_table.SCHEMA)
    if version < WITH_JOURNAL:
        database.execute(JOURNAL)
    elif version < WITH_LESSONS_BESIDE:
        database.execute(LESSON)
    if version < VERSION:
        database.execute(f"PRAGMA user_version = {VERSION}")
    if relearn or version < WITH_LESSONS:
        logs.settle()
        lessons_table.relearn(database)
    logs.commit()
    logs.try_to_settle()  # what a server that was killed has left


def _lengthen_log(path: Path, database: sqlite3.Connection) -> None:
    """Makes the write-ahead log as long as it will be; where there is little place, it stays short.

    To sync what makes a file longer takes half as long again as to sync what is written over, and
    moves that come meanwhile stay together: with 500 rooms a move took twice as long.
    """
    if shutil.disk_usage(path.parent).free < _MUCH_ROOM:
        return
    nothing = (_LOG_PAGES + _FEW_PAGES) * _PAGE_BYTES
    database.execute(f"PRAGMA cache_size = {_FEW_PAGES}")
    database.execute("BEGIN IMMEDIATE")
    try:
        # What of a transaction has no room in memory goes to the log before it ends.
        database.execute("INSERT INTO journal VALUES ('', 0, zeroblob(?), NULL)", (nothing,))
        database.execute("ROLLBACK")
    except sqlite3.Error:  # of the file system's limits there are more than the one we asked for
        if database.in_transaction:
            database.execute("ROLLBACK")
        with suppress(sqlite3.Error):
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # others want the place
    database.execute(f"PRAGMA cache_size = {_USUAL_PAGES}")
