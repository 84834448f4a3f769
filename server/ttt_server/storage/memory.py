"""The store in memory, `--store memory:`, whose logs end with the process."""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

from ttt_protocol.state import RoomName
from ttt_server.storage.base import Append, OnProgress, StorageFailed
from ttt_server.storage.people import Row, Statement
from ttt_server.storage.sqlite.people import make_tables
from ttt_server.storage.sqlite.store import Operation, TableStore, transaction
from ttt_server.storage.sqlite.tables import SCHEMA, EventTables


class MemoryStore(TableStore):
    """An `EventStore` that keeps nothing on disk: the tables of SQLite, in memory."""

    def __init__(self) -> None:
        super().__init__()
        database = sqlite3.connect(":memory:", isolation_level=None)
        database.executescript(SCHEMA)
        self._tables = EventTables(database)
        self._has_people = False

    def append(self, appends: Sequence[Append]) -> None:
        loop = asyncio.get_running_loop()
        outcomes = transaction(self._tables, appends)
        for append, outcome in zip(appends, outcomes, strict=True):
            if outcome is None:
                self.commits.observe(0)
            loop.call_soon(append.then, outcome)
        if self._tables.is_long:
            self._tables.try_to_settle()

    def note_unread(self, room: RoomName, at: int) -> None:
        """Do nothing: with the process goes what could be read."""

    async def trim(self, room: RoomName, keep: int) -> bool:
        self._make_people()
        self._tables.try_to_settle()  # nothing is cut from the journal
        return await super().trim(room, keep)

    async def delete(self, room: RoomName) -> None:
        self._make_people()
        await super().delete(room)

    async def transact(self, statements: Sequence[Statement]) -> Sequence[Sequence[Row]]:
        self._make_people()
        return await super().transact(statements)

    def watch(self, on_failure: Callable[[StorageFailed], None]) -> None:
        """Do nothing: it does not fail."""

    async def backup(self, file: Path, secret: bytes | None, on_progress: OnProgress) -> None:  # noqa: ARG002 - as in every store
        raise StorageFailed("the server keeps nothing on disk")

    async def probe(self) -> None:
        """Do nothing: it does not fail."""

    async def close(self) -> None:
        self._tables.database.close()

    def _do(self, operation: Operation) -> None:
        """Do it at once."""
        (outcome,) = transaction(self._tables, (operation,))
        operation.then(outcome)

    def _make_people(self) -> None:
        """Make the tables of people, which most processes with this store never need."""
        if not self._has_people:
            make_tables(self._tables.database)
            self._has_people = True
