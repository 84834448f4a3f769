"""An installation in a data folder: `ttt.sqlite3`, and `secret` beside it."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from ttt_engine.learning.memory import Memory
from ttt_server.cli.copying.ends import Rest, Whole
from ttt_server.cli.data import remove_database
from ttt_server.rooms.tokens import read_secret, write_secret
from ttt_server.storage.base import CannotOpen, Snapshot
from ttt_server.storage.lessons import read_log
from ttt_server.storage.people import TableRows
from ttt_server.storage.sqlite import preflight
from ttt_server.storage.sqlite.opening import has_events, one_line, open_database
from ttt_server.storage.sqlite.people import read_tables, write_rows
from ttt_server.storage.sqlite.tables import EventTables

_SECRET: Final = "secret"  # noqa: S105 - the name of the file

_VIEWS_OF_0_1: Final = """
CREATE TEMP VIEW snapshots AS
    SELECT room, game, seq, saved, 0 AS is_start FROM main.snapshots
    UNION ALL SELECT room, game, seq, saved, 1 FROM main.starts;
CREATE TEMP VIEW lessons AS
    SELECT cells || winner AS lesson, hour, games FROM main.lessons_by_hour
    UNION ALL
    SELECT cells || winner, 0, games - coalesce((
        SELECT sum(games) FROM main.lessons_by_hour AS dated
        WHERE dated.cells = counted.cells AND dated.winner = counted.winner
    ), 0) FROM main.lessons AS counted
    UNION ALL
    SELECT lesson, CAST(substr(event, instr(event, '"at":') + 5) AS INTEGER) / 3600000, 1
    FROM main.journal WHERE lesson IS NOT NULL;
"""
"""Make the tables of version 0.1 look like today's."""

_AT_ONCE: Final = 1000
"""Rows of people that are read at once."""

_ALL: Final = -1
"""No limit of rows."""

_IS_BACKUP: Final = "SELECT 1 FROM main.sqlite_schema WHERE name = 'backup'"
_LESSONS: Final = "SELECT lesson, hour, sum(games) FROM lessons GROUP BY lesson, hour"


class SqliteSource:
    """The logs of a data folder on which no server runs."""

    def __init__(self, path: Path, database: sqlite3.Connection, *, is_of_0_1: bool) -> None:
        self._path = path
        self._database = database
        self._is_of_0_1 = is_of_0_1
        if is_of_0_1:
            database.executescript(_VIEWS_OF_0_1)
        self._tables = EventTables(database)

    def count(self) -> int:
        return len(self._tables.rooms())

    def rooms(self) -> Iterator[Whole]:
        for room in self._tables.rooms():
            numbered = list(self._tables.numbered(room))
            lines = tuple(line for _, line in numbered)
            snaps = tuple(self._tables.snapshots(room))
            if self._is_of_0_1:
                start = snaps[0].saved if snaps and snaps[0].is_start else None
                mark = read_log(room, 0, lines, (), start).mark
            else:
                mark = self._tables.marks((room,))[room]
            yield Whole(room, numbered[0][0], lines, snaps, mark)

    def people(self) -> Iterator[TableRows]:
        yield from read_tables(self._database, _AT_ONCE)

    def rest(self) -> Rest:
        rows = self._database.execute(_LESSONS)
        lessons = {(lesson, hour): games for lesson, hour, games in rows if games > 0}
        if self._database.execute(_IS_BACKUP).fetchone():
            (secret,) = self._database.execute("SELECT secret FROM backup").fetchone()
        else:
            secret = read_secret(self._path.with_name(_SECRET))
        deadlines = () if self._is_of_0_1 else self._tables.deadlines(_ALL)
        return Rest(lessons, secret, deadlines=deadlines)


@contextmanager
def sqlite_source(path: Path) -> Iterator[SqliteSource]:
    """Open a database file to copy it, and leave it as it is.

    Raises:
        CannotOpen: with one line for the operator.
    """
    with one_line(path):
        if not path.exists():
            raise preflight.Unfit(preflight.NO_FILE)
        is_of_0_1 = preflight.version_of(path) == preflight.VERSION_OF_0_1
        version = preflight.VERSION_OF_0_1 if is_of_0_1 else preflight.VERSION
        preflight.look(path, version=version)
        with _unchanged(path) as database:
            yield SqliteSource(path, database, is_of_0_1=is_of_0_1)


@contextmanager
def _unchanged(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a database that no server uses, without a change to its files.

    Closing a database merges its write-ahead log into the file, so open a copy of both.
    """
    log = preflight.write_ahead_log(path)
    if not log.exists():
        with closing(preflight.read_only(path)) as database:
            yield database
        return
    with TemporaryDirectory(prefix="ttt-server-copy-") as folder:
        copied = Path(folder, path.name)
        for file, copy in ((path, copied), (log, preflight.write_ahead_log(copied))):
            shutil.copyfile(file, copy)
        with closing(sqlite3.connect(copied, isolation_level=None)) as database:
            yield database


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
                self._insert("snapshots", room, snap.game, snap.seq, snap.saved, 1)
        tables.append(room, whole.first, whole.lines)
        for snap in whole.snapshots:
            if not snap.is_start:
                tables.add_snapshot(room, snap.seq, Snapshot(snap.game, snap.saved))
        if whole.mark:
            self._insert("learned", room, whole.mark)
        tables.commit()
        if tables.is_long:
            tables.settle()
            tables.commit()

    def add_people(self, some: TableRows) -> None:
        self._tables.begin()
        write_rows(self._database, some)
        self._tables.commit()

    def finish(self, rest: Rest) -> None:
        """Put the database in its place, and the secret beside it."""
        self._tables.settle()
        for (lesson, hour), games in rest.lessons.items():
            self._insert("lessons", lesson, hour, games)
        for room, at in rest.deadlines:
            self._insert("deadlines", room, at)
        self._tables.commit()
        self._database.close()
        if rest.secret is not None:
            write_secret(self._path.with_name(_SECRET), rest.secret)
        self._partial.replace(self._path)

    def _insert(self, table: str, *values: str | bytes | int) -> None:
        places = ", ".join("?" * len(values))
        self._tables.begin()
        self._database.execute(f"INSERT INTO {table} VALUES ({places})", values)  # noqa: S608 - ours

    def drop(self) -> None:
        """Leave nothing behind, if it was not finished."""
        self._database.close()
        remove_database(self._partial)


@contextmanager
def sqlite_target(path: Path) -> Iterator[SqliteTarget]:
    """Make a database file to fill; nothing of it stays unless it is finished.

    Raises:
        CannotOpen: if there are rooms already, or it cannot be made.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if has_events(path):
            raise CannotOpen(f"{path}: it is not empty: it has rooms or persons")
        remove_database(path.with_name(f"{path.name}.partial"))  # of a copy that was killed
        target = SqliteTarget(path)
    except OSError as error:
        raise CannotOpen(f"{error.filename}: {error.strerror}") from None
    try:
        yield target
    except sqlite3.Error as error:
        raise CannotOpen(f"{path}: {preflight.words(error)}") from None
    finally:
        target.drop()
