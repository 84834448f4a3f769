"""Compaction: drop what need not be kept, while no server runs on the file."""

import sys
from collections.abc import Callable, Collection
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from ttt_engine.learning.memory import Memory
from ttt_protocol.state import RoomName
from ttt_protocol.text import counted
from ttt_server.storage.retention import Retention, is_silent
from ttt_server.storage.sqlite.opening import one_line, open_database, opened
from ttt_server.storage.sqlite.tables import EventTables

_EVENT_BYTES = """
SELECT coalesce(sum(length(CAST(event AS BLOB))), 0)
FROM (SELECT event FROM events UNION ALL SELECT event FROM journal)
"""


class Compaction(NamedTuple):
    """Drops what need not be kept of the database in a file."""

    path: Path
    retention: Retention
    """What is kept."""
    now: int
    """Unix ms."""
    on_progress: Callable[[int, int], None]
    """Takes the number of rooms that are done, and of all."""
    also: Collection[RoomName]
    """Logs to delete besides those of silent rooms."""

    def survey(self) -> str:
        """Estimate what `run` would free, by a compaction that is undone; return it in words.

        Raises:
            CannotOpen: with one line for the operator.
        """
        with opened(self.path) as tables:
            free = _number(tables, "PRAGMA freelist_count") * _number(tables, "PRAGMA page_size")
            size = _number(tables, _EVENT_BYTES)
            gone = self._drop(tables, keep=lambda: None)
            return _freed(*gone, free + size - _number(tables, _EVENT_BYTES))

    def run(self) -> str:
        """Drop what need not be kept, and make the file as short as it can be.

        A kill leaves rooms and games intact; the next compaction continues.

        Raises:
            CannotOpen: with one line for the operator, also for a disk that is full.
        """
        path, size = self.path, self.path.stat().st_size
        with one_line(path), closing(open_database(path, Memory(), erase=True)) as database:
            tables = EventTables(database)
            gone = self._drop(tables, keep=tables.commit)
            database.execute("VACUUM")
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return _freed(*gone, size - path.stat().st_size)

    def _drop(self, tables: EventTables, keep: Callable[[], None]) -> tuple[int, int]:
        """Drop what need not be kept; return the numbers of rooms deleted and of logs cut."""
        forgotten = shortened = 0
        tables.settle()
        tables.learn_all()
        keep()
        before, most = self.retention.silent_before(self.now), self.retention.keep_games
        rooms = tables.browse("", sys.maxsize)
        for done, last in enumerate(rooms, 1):
            is_shorter = False
            if last.room in self.also or (before is not None and is_silent(last, before)):
                tables.delete(last.room)
                forgotten += 1
            else:
                while most is not None and tables.trim(last.room, most):
                    is_shorter = True
                    keep()
                shortened += is_shorter
            keep()
            self.on_progress(done, len(rooms))
        return forgotten, shortened


def _number(tables: EventTables, statement: str) -> int:
    (number,) = tables.database.execute(statement).fetchone()
    return int(number)


def _freed(rooms: int, logs: int, size: int) -> str:
    """Return how many rooms were deleted, how many others lost some games, and the bytes."""
    return f"{counted(rooms, 'room')}, games of {counted(logs, 'other')}, {counted(size, 'byte')}"
