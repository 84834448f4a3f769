"""An installation in a data folder: `ttt.sqlite3`, and `secret` beside it."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from ttt_engine.learning.memory import Lesson, Memory
from ttt_protocol.state import RoomName
from ttt_server.cli.copying.ends import Snap, Whole
from ttt_server.rooms.tokens import read_secret, write_secret
from ttt_server.storage.base import CannotOpen, Snapshot
from ttt_server.storage.lessons import parse_lesson
from ttt_server.storage.sqlite.preflight import words
from ttt_server.storage.sqlite.reading import Logs, opened
from ttt_server.storage.sqlite.schema import has_events, open_database
from ttt_server.storage.sqlite.tables import EventTables

_SECRET: Final = "secret"  # noqa: S105 - the name of the file
_LESSONS: Final = "SELECT cells || winner, games FROM lessons"
_WAITING: Final = (
    "SELECT lesson, count(*) FROM temp.recent WHERE lesson IS NOT NULL GROUP BY lesson"
)
_SNAPSHOTS: Final = "SELECT seq, game, saved FROM snapshots WHERE room = ? ORDER BY seq"
_START: Final = "SELECT seq, game, saved FROM starts WHERE room = ?"
_ADD_START: Final = "INSERT INTO starts (room, game, seq, saved) VALUES (?, ?, ?, ?)"
_TEACH: Final = "INSERT INTO lessons (cells, winner, games) VALUES (?, ?, ?)"


class SqliteSource:
    """The logs of a data folder on which no server runs."""

    def __init__(self, path: Path, database: sqlite3.Connection, logs: Logs) -> None:
        self.secret = read_secret(path.with_name(_SECRET))
        self._database = database
        self._logs = logs

    def count(self) -> int:
        return len(self._logs.rooms())

    def rooms(self) -> Iterator[Whole]:
        for room in self._logs.rooms():
            numbered = list(self._logs.log(room))
            snapshots = [
                *(Snap(*row, is_start=True) for row in self._rows(_START, room)),
                *(Snap(*row, is_start=False) for row in self._rows(_SNAPSHOTS, room)),
            ]
            lines = tuple(line for _, line in numbered)
            yield Whole(room, numbered[0][0], lines, tuple(snapshots))

    def lessons(self) -> list[tuple[Lesson, int]]:
        rows = [*self._database.execute(_LESSONS), *self._database.execute(_WAITING)]
        return [(parse_lesson(text), times) for text, times in rows]

    def _rows(self, statement: str, room: RoomName) -> list[tuple[int, int, bytes]]:
        return self._database.execute(statement, (room,)).fetchall()


@contextmanager
def sqlite_source(path: Path) -> Iterator[SqliteSource]:
    """Open a database file to copy it.

    Raises:
        CannotOpen: with one line for the operator.
    """
    with opened(path) as logs:
        yield SqliteSource(path, logs.database, logs)


class SqliteTarget:
    """A database file that is made beside its place, and put there at the end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._partial = path.with_name(f"{path.name}.partial")
        self._database = open_database(self._partial, Memory())
        self._tables = EventTables(self._database)
        self._tables.begin()

    def add(self, whole: Whole) -> None:
        room, tables = whole.room, self._tables
        for snap in whole.snapshots:
            if snap.is_start:
                row = room, snap.game, snap.seq, snap.saved
                self._database.execute(_ADD_START, row)
        tables.append(room, whole.first, whole.lines)
        for snap in whole.snapshots:
            if not snap.is_start:
                tables.add_snapshot(room, snap.seq, Snapshot(snap.game, snap.saved))
        tables.commit()
        if tables.is_long:
            tables.settle()
            tables.commit()

    def finish(self, lessons: list[tuple[Lesson, int]], secret: bytes | None) -> None:
        """Put the database in its place, and the secret beside it."""
        self._tables.settle()
        for lesson, times in lessons:
            cells = "".join(map(str, lesson.cells))
            self._database.execute(_TEACH, (cells, lesson.winner or "", times))
        self._tables.commit()
        self._database.close()
        if secret is not None:
            write_secret(self._path.with_name(_SECRET), secret)
        self._partial.replace(self._path)

    def drop(self) -> None:
        """Leave nothing behind, if it was not finished."""
        self._database.close()
        for name in ("", "-wal", "-shm", "-journal"):
            self._partial.with_name(self._partial.name + name).unlink(missing_ok=True)


@contextmanager
def sqlite_target(path: Path) -> Iterator[SqliteTarget]:
    """Make a database file to fill; nothing of it stays unless it is finished.

    Raises:
        CannotOpen: if there are rooms already, or it cannot be made.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if has_events(path):
            raise CannotOpen(f"{path}: it is not empty: it has rooms")
        for name in ("", "-wal", "-shm", "-journal"):  # of a copy that was killed
            path.with_name(f"{path.name}.partial{name}").unlink(missing_ok=True)
        target = SqliteTarget(path)
    except OSError as error:
        raise CannotOpen(f"{error.filename}: {error.strerror}") from None
    try:
        yield target
    except sqlite3.Error as error:
        raise CannotOpen(f"{path}: {words(error)}") from None
    finally:
        target.drop()
