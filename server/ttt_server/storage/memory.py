"""The store in memory, `--store memory:`, whose logs end with the process."""

import asyncio
import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Self

from ttt_engine.learning.memory import Lesson, Memory
from ttt_protocol.state import RoomName
from ttt_server.core.archive.anonymous import Rewrite
from ttt_server.core.lessons import KnownEnds, Taught
from ttt_server.storage.base import COMMIT_BOUNDS_S, Append, Excerpt, LastEvent, StorageFailed
from ttt_server.storage.people import Row, Statement
from ttt_server.storage.sqlite import people
from ttt_server.storage.sqlite.store import transaction
from ttt_server.storage.sqlite.tables import SCHEMA, EventTables
from ttt_server.telemetry.histogram import Histogram


class MemoryStore:
    """An `EventStore` that keeps nothing on disk: the tables of SQLite, in memory."""

    def __init__(self) -> None:
        self.memory = Memory()
        self.commits = Histogram(COMMIT_BOUNDS_S)
        database = sqlite3.connect(":memory:", isolation_level=None)
        database.executescript(SCHEMA)
        self._tables = EventTables(database)
        self._has_people = False

    @property
    def people(self) -> Self:
        return self

    def append(self, appends: Sequence[Append]) -> None:
        loop = asyncio.get_running_loop()
        outcomes = transaction(self._tables, appends)
        for append, outcome in zip(appends, outcomes, strict=True):
            if outcome is None:
                self.commits.observe(0)
            loop.call_soon(append.then, outcome)
        if self._tables.is_long:
            self._tables.try_to_settle()

    def note_deadline(self, room: RoomName, at: int | None) -> None:
        self._tables.note_deadline(room, at)
        self._tables.commit()

    def note_unread(self, room: RoomName, at: int) -> None:
        """Do nothing: with the process goes what could be read."""

    async def deadlines(self, most: int) -> Sequence[tuple[RoomName, int]]:
        return self._tables.deadlines(most)

    async def learn(
        self,
        rooms: Mapping[RoomName, Collection[int]],
        known: Mapping[RoomName, KnownEnds] | None = None,
    ) -> None:
        self._remember(self._tables.learn(rooms, known or {}).lessons)

    async def teach(self, lessons: tuple[Lesson, ...]) -> None:
        self._remember([Taught(lesson, 0) for lesson in lessons])

    async def load(
        self, room: RoomName, after: int | None = None, most: int | None = None
    ) -> Excerpt:
        return self._tables.load(room, after, most)

    async def load_game(self, room: RoomName, number: int) -> Excerpt:
        return self._tables.load_game(room, number)

    async def browse(self, after: str, most: int) -> Sequence[LastEvent]:
        return self._tables.browse(after, most)

    async def trim(self, room: RoomName, keep: int) -> bool:
        await self.learn({room: ()})
        self._make_people()
        self._tables.settle()  # nothing is cut from the journal
        is_shorter = self._tables.trim(room, keep)
        self._tables.commit()
        return is_shorter

    async def delete(self, room: RoomName) -> None:
        self._make_people()
        self._remember(self._tables.delete(room))

    async def rewrite(self, room: RoomName, rewrite: Rewrite) -> None:
        self._tables.rewrite(room, rewrite)
        self._tables.commit()

    def watch(self, on_failure: Callable[[StorageFailed], None]) -> None:
        """Do nothing: it does not fail."""

    async def backup(
        self,
        file: Path,  # noqa: ARG002 - as in every store; so the next two
        secret: bytes | None,  # noqa: ARG002
        on_progress: Callable[[int, int], None],  # noqa: ARG002
    ) -> None:
        raise StorageFailed("the server keeps nothing on disk")

    async def probe(self) -> None:
        """Do nothing: it does not fail."""

    async def close(self) -> None:
        self._tables.database.close()

    async def transact(self, statements: Sequence[Statement]) -> Sequence[Sequence[Row]]:
        """Run statements on the tables of people."""
        self._make_people()
        return people.run(self._tables.database, statements)

    def _make_people(self) -> None:
        """Make the tables of people, which most processes with this store never need."""
        if not self._has_people:
            people.make_tables(self._tables.database)
            self._has_people = True

    def _remember(self, taught: Sequence[Taught]) -> None:
        self._tables.commit()
        for each in taught:
            self.memory.learn(each.lesson)
