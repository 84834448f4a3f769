"""The numbered steps of the schema: each brings a database from one version to the next.

A step and its number are one transaction, so that a kill leaves the one version or the other. A
database goes through all steps after its own version as it is opened; what takes longer is left to
`indexing`, which goes on while the server runs.
"""

import logging
import sqlite3
from collections.abc import Callable

from ttt_server.storage.sqlite import indexing, snapshots
from ttt_server.storage.sqlite import lessons as lessons_table
from ttt_server.storage.sqlite.preflight import VERSION
from ttt_server.storage.sqlite.tables import JOURNAL

logger = logging.getLogger(__name__)

_LESSON = "ALTER TABLE journal ADD COLUMN lesson TEXT"
_JOURNAL_OF_3 = JOURNAL.replace(",\n    lesson TEXT", "")


def bring_up_to_date(database: sqlite3.Connection) -> None:
    """Take all steps after the version of the database.

    Raises:
        sqlite3.Error: if one failed; the database is as the last good step has left it.
    """
    (version,) = database.execute("PRAGMA user_version").fetchone()
    for number in range(version + 1, VERSION + 1):
        database.execute("BEGIN IMMEDIATE")
        try:
            _STEPS[number](database)
            database.execute(f"PRAGMA user_version = {number}")
            database.execute("COMMIT")
        finally:
            if database.in_transaction:
                database.execute("ROLLBACK")
        logger.info("the database was brought from version %s to %s", number - 1, number)


def _to_2(database: sqlite3.Connection) -> None:
    """Add the learner's memory, with the lessons of all games."""
    database.execute(lessons_table.SCHEMA)
    database.execute(lessons_table.BY_HOUR)  # which came with the step to 6
    lessons_table.relearn(database, {})


def _to_3(database: sqlite3.Connection) -> None:
    """Add the journal; from then on a row of `events` has one event or more."""
    database.execute(_JOURNAL_OF_3)


def _to_4(database: sqlite3.Connection) -> None:
    """Keep a game's lesson in the journal, beside its last event."""
    database.execute(_LESSON)


def _to_5(database: sqlite3.Connection) -> None:
    """Add snapshots and the starts of cut logs; the snapshots of old games are made later."""
    for statement in (*snapshots.TABLES, *indexing.TABLES):
        database.execute(statement)
    indexing.begin(database)


def _to_6(database: sqlite3.Connection) -> None:
    """Count lessons by the hour from now on."""
    database.execute(lessons_table.BY_HOUR)


_STEPS: dict[int, Callable[[sqlite3.Connection], None]] = {
    2: _to_2,
    3: _to_3,
    4: _to_4,
    5: _to_5,
    6: _to_6,
}
"""The steps, by the version that each leads to."""
