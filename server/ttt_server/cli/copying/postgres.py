"""An installation in PostgreSQL. The copy is one transaction, on either side."""

import asyncio
from base64 import b64decode, b64encode
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final
from uuid import uuid4

from ttt_engine.learning.memory import Lesson
from ttt_protocol.state import RoomName
from ttt_server.cli.copying.ends import Rest, Whole
from ttt_server.storage import lessons
from ttt_server.storage.base import CannotOpen
from ttt_server.storage.people import TABLES, TableRows
from ttt_server.storage.postgres import schema, statements
from ttt_server.storage.postgres.connecting import Connection, DatabaseUrl
from ttt_server.storage.postgres.rows import lines_of, rows_of
from ttt_server.storage.postgres.statements import VERSION, VERSION_OF_0_1
from ttt_server.storage.sqlite.tables import Snap

_AT_ONCE: Final = 1000
"""How many rows to write in one statement."""


class PostgresSource:
    """All rooms at one moment; servers may keep running."""

    def __init__(self, runner: asyncio.Runner, connection: Connection, version: int) -> None:
        self._ask = runner.run
        self._connection = connection
        self._is_of_0_1 = version == VERSION_OF_0_1

    def count(self) -> int:
        return len(self._names())

    def rooms(self) -> Iterator[Whole]:
        marks = {} if self._is_of_0_1 else dict(self._fetch(statements.ALL_MARKS))
        for name in self._names():
            if self._is_of_0_1:
                yield self._room_of_0_1(name)
                continue
            rows = self._fetch(statements.ALL_EVENTS, name)
            snaps = tuple(
                Snap(row["last"], row["game"], row["saved"], not row["event"])
                for row in rows
                if row["saved"] is not None
            )
            kept = [row for row in rows if row["event"]]
            lines = tuple(line for row in kept for line in lines_of(row["event"]))
            first = kept[0]["seq"] if kept else snaps[0].seq + 1
            yield Whole(name, first, lines, snaps, marks.get(name, 0))

    def _room_of_0_1(self, room: RoomName) -> Whole:
        rows = self._fetch(statements.EVENTS_OF_0_1, room)
        lines = tuple(row["event"].encode() for row in rows)
        snaps = tuple(Snap(*row) for row in self._fetch(statements.SNAPSHOTS_OF_0_1, room))
        start = snaps[0].saved if snaps and snaps[0].is_start else None
        mark = lessons.read_log(room, 0, lines, (), start).mark
        return Whole(room, rows[0]["seq"], lines, snaps, mark)

    def _names(self) -> list[RoomName]:
        rows = self._fetch(statements.ROOMS_OF_0_1 if self._is_of_0_1 else statements.ROOMS)
        return [RoomName(name) for (name,) in rows]

    def people(self) -> Iterator[TableRows]:
        for table in () if self._is_of_0_1 else TABLES:
            if self._ask(self._connection.fetchval(statements.LACKS, (table,))):
                continue  # an earlier version made the database
            cursor = self._ask(self._cursor(statements.ALL_ROWS.format(table=table)))
            while rows := self._ask(cursor.fetch(_AT_ONCE)):
                yield TableRows(table, tuple(rows[0].keys()), [tuple(row) for row in rows])

    async def _cursor(self, statement: str) -> Any:
        return await self._connection.cursor(statement)

    def rest(self) -> Rest:
        found: Counter[tuple[str, int]] = Counter()
        of_0_1 = statements.LESSONS_OF_0_1
        for hour, games in self._fetch(of_0_1 if self._is_of_0_1 else statements.ALL_LESSONS):
            for lesson, times in lessons.parse_tallied(games):
                found[lessons.lesson_text(lesson), hour] += times
        meta = dict(self._fetch(statements.ALL_META))
        secret = b64decode(meta[schema.SECRET]) if schema.SECRET in meta else None
        waiting = [(name, summary) for name, summary in self._fetch(statements.ALL_IN_MEMORY)]
        deadlines = () if self._is_of_0_1 else self._fetch(statements.ALL_DEADLINES)
        return Rest(dict(found), secret, meta.get(schema.FINGERPRINT), waiting, deadlines)

    def _fetch(self, statement: str, *values: object) -> list[Any]:
        return self._ask(self._connection.fetch(statement, *values))


class PostgresTarget:
    """A database without rooms, filled in a transaction."""

    def __init__(self, runner: asyncio.Runner, connection: Connection) -> None:
        self._ask = runner.run
        self._connection = connection
        self._events: list[tuple[object, ...]] = []
        self._marks: list[tuple[object, ...]] = []
        self.is_finished = False

    def add(self, whole: Whole) -> None:
        snaps = ((snap.seq, snap.game, snap.saved) for snap in whole.snapshots)
        rows = list(rows_of(whole.first, whole.lines, snaps))
        self._events += ((whole.room, *row) for row in rows)
        if len(self._events) >= _AT_ONCE:
            self._write_events()
        if whole.mark:
            row_seq = max((row.seq for row in rows if row.seq <= whole.mark), default=0)
            self._marks.append((whole.room, whole.mark, row_seq, 0))

    def add_people(self, some: TableRows) -> None:
        self._write(some.table, some.columns, some.rows)

    def finish(self, rest: Rest) -> None:
        """Add the rest; the caller commits."""
        self._write_events()
        self._write("learned", ("room", "seq", "row_seq", "seq_before"), self._marks)
        self._write("deadlines", ("room", "at"), rest.deadlines)
        hours: defaultdict[int, list[tuple[Lesson, int]]] = defaultdict(list)
        for (text, hour), times in rest.lessons.items():
            hours[hour].append((lessons.parse_lesson(text), times))
        for hour, counts in hours.items():
            self._execute(statements.TEACH, uuid4(), hour, lessons.tallied_text(counts))
        mark = rest.fingerprint if rest.secret is None else schema.fingerprint(rest.secret)
        if mark is not None:
            self._execute(statements.SET_META, schema.FINGERPRINT, mark)
        if rest.secret is not None:
            self._execute(statements.SET_META, schema.SECRET, b64encode(rest.secret).decode())
        for name, summary in rest.waiting:
            self._execute(statements.ADD_WAITING, name, summary)
        self.is_finished = True

    def _write_events(self) -> None:
        rows, self._events = self._events, []
        self._write("events", ("room", "seq", "event", "last", "game", "saved"), rows)

    def _write(
        self, table: str, columns: tuple[str, ...], rows: Sequence[tuple[object, ...]]
    ) -> None:
        self._ask(self._connection.copy_records_to_table(table, records=rows, columns=columns))

    def _execute(self, statement: str, *values: object) -> None:
        self._ask(self._connection.execute(statement, *values))


@contextmanager
def postgres_source(url: str) -> Iterator[PostgresSource]:
    """Open a database to copy it.

    Raises:
        CannotOpen: with one line for the operator.
    """
    with _connected(url) as (_, runner, connection):
        version = runner.run(schema.version_of(connection))
        if version is None:
            raise CannotOpen("there are no rooms")
        if version not in {VERSION, VERSION_OF_0_1}:
            raise schema.newer(version)
        transaction = connection.transaction(isolation="repeatable_read", readonly=True)
        runner.run(transaction.start())
        yield PostgresSource(runner, connection, version)


@contextmanager
def postgres_target(url: str) -> Iterator[PostgresTarget]:
    """Open a database to fill it; nothing of it stays unless it is finished.

    Raises:
        CannotOpen: if there are rooms already, or servers run on it, or it cannot be written.
    """
    with _connected(url) as (target, runner, connection):
        runner.run(schema.prepare(target, connection))
        if runner.run(connection.fetchval(statements.HAS_EVENTS)):
            raise CannotOpen("it is not empty: it has rooms")
        if runner.run(connection.fetchval(statements.HAS_PERSONS)):
            raise CannotOpen("it is not empty: it has persons")
        if runner.run(connection.fetchval(statements.COUNT_ALIVE)):
            raise CannotOpen("servers run on it: stop them first")
        transaction = connection.transaction()
        runner.run(transaction.start())
        filled = PostgresTarget(runner, connection)
        yield filled
        if filled.is_finished:
            runner.run(transaction.commit())


@contextmanager
def _connected(url: str) -> Iterator[tuple[DatabaseUrl, asyncio.Runner, Connection]]:
    target = DatabaseUrl(url)
    with target.one_line(), asyncio.Runner() as runner:
        connection = runner.run(target.connect())
        try:
            yield target, runner, connection
        finally:
            connection.terminate()
            runner.run(asyncio.sleep(0))
