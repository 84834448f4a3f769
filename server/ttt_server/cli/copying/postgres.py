"""An installation in PostgreSQL. The copy is one transaction, on either side."""

import asyncio
from base64 import b64decode, b64encode
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar
from uuid import uuid4

from ttt_engine.learning.memory import Lesson
from ttt_protocol.state import RoomName
from ttt_server.cli.copying.ends import Snap, Whole
from ttt_server.storage.base import CannotOpen
from ttt_server.storage.lessons import parse_lesson, parse_tallied, tallied_text
from ttt_server.storage.postgres import connecting, statements
from ttt_server.storage.postgres.connecting import Connection
from ttt_server.storage.postgres.schema import fingerprint, prepare

_AT_ONCE: Final = 1000
"""Rows that are read or written at once."""

T = TypeVar("T")


class _End:
    """A connection, and a loop of its own that runs while it is asked."""

    def __init__(self, runner: asyncio.Runner, connection: Connection) -> None:
        self._runner = runner
        self.connection = connection

    def ask(self, question: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(question)


class PostgresSource(_End):
    """All rooms as they are at one moment, while servers may go on."""

    @property
    def secret(self) -> bytes | None:
        kept = self.ask(self.connection.fetchval(statements.GET_META, "secret"))
        return None if kept is None else b64decode(kept)

    def count(self) -> int:
        return len(self.ask(self.connection.fetch(statements.ROOMS)))

    def rooms(self) -> Iterator[Whole]:
        names = [RoomName(row[0]) for row in self.ask(self.connection.fetch(statements.ROOMS))]
        for room in names:
            rows = self.ask(self.connection.fetch(statements.ALL_EVENTS, room))
            snaps = self.ask(self.connection.fetch(statements.ALL_SNAPSHOTS, room))
            lines = tuple(row["event"].encode() for row in rows)
            yield Whole(room, rows[0]["seq"], lines, tuple(Snap(*row) for row in snaps))

    def lessons(self) -> list[tuple[Lesson, int]]:
        found: dict[Lesson, int] = {}
        for text, times in self.ask(self.connection.fetch(statements.RECALL)):
            found[parse_lesson(text)] = times
        for (games,) in self.ask(self.connection.fetch(statements.RECALL_TAUGHT)):
            for lesson, times in parse_tallied(games):
                found[lesson] = found.get(lesson, 0) + times
        return list(found.items())


class PostgresTarget(_End):
    """A database without rooms, filled in a transaction."""

    def __init__(self, runner: asyncio.Runner, connection: Connection) -> None:
        super().__init__(runner, connection)
        self._events: list[tuple[str, int, str]] = []
        self.is_finished = False

    def add(self, whole: Whole) -> None:
        self._events += (
            (whole.room, seq, line.decode()) for seq, line in enumerate(whole.lines, whole.first)
        )
        if len(self._events) >= _AT_ONCE:
            self._write()
        if whole.snapshots:
            rows = [(whole.room, *snap) for snap in whole.snapshots]
            columns = ["room", "seq", "game", "saved", "is_start"]
            self.ask(
                self.connection.copy_records_to_table("snapshots", records=rows, columns=columns)
            )

    def finish(self, lessons: list[tuple[Lesson, int]], secret: bytes | None) -> None:
        """Add the rest; the caller commits."""
        self._write()
        if lessons:
            games = tallied_text(lessons)
            self.ask(self.connection.execute(statements.TEACH_AT, uuid4(), games, 0.0))
        if secret is not None:
            for key, value in (
                ("secret", b64encode(secret).decode()),
                ("secret_fingerprint", fingerprint(secret)),
            ):
                self.ask(self.connection.execute(statements.SET_META, key, value))
        self.is_finished = True

    def _write(self) -> None:
        rows, self._events = self._events, []
        columns = ["room", "seq", "event"]
        self.ask(self.connection.copy_records_to_table("events", records=rows, columns=columns))


@contextmanager
def postgres_source(url: str) -> Iterator[PostgresSource]:
    """Open a database to copy it.

    Raises:
        CannotOpen: with one line for the operator.
    """
    with _connected(url) as (runner, connection):
        if not runner.run(connection.fetchval(statements.HAS_META)):
            raise CannotOpen(f"{connecting.shown_url(url)}: there are no rooms")
        transaction = connection.transaction(isolation="repeatable_read", readonly=True)
        runner.run(transaction.start())
        yield PostgresSource(runner, connection)


@contextmanager
def postgres_target(url: str) -> Iterator[PostgresTarget]:
    """Open a database to fill it; nothing of it stays unless it is finished.

    Raises:
        CannotOpen: if there are rooms already, or servers run on it, or it cannot be written.
    """
    with _connected(url) as (runner, connection):
        runner.run(prepare(connection))
        if runner.run(connection.fetchval(statements.HAS_EVENTS)):
            raise CannotOpen("it is not empty: it has rooms")
        if runner.run(connection.fetchval(statements.COUNT_ALIVE)):
            raise CannotOpen("servers run on it: stop them first")
        transaction = connection.transaction()
        runner.run(transaction.start())
        target = PostgresTarget(runner, connection)
        yield target
        if target.is_finished:
            runner.run(transaction.commit())


@contextmanager
def _connected(url: str) -> Iterator[tuple[asyncio.Runner, Connection]]:
    target = connecting.Target(url)
    with target.one_line(), asyncio.Runner() as runner:
        connection = runner.run(target.connect())
        try:
            yield runner, connection
        finally:
            connection.terminate()
            runner.run(asyncio.sleep(0))
