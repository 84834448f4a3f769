"""The logs of a database that no server has open: for checks and exports."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from ttt_protocol.state import RoomName
from ttt_server.storage.base import CannotOpen
from ttt_server.storage.sqlite import snapshots
from ttt_server.storage.sqlite.preflight import NO_FILE, Unfit, look, words

_BREAK = b"\n"

_ROOMS = "SELECT room FROM events UNION SELECT room FROM journal ORDER BY room"
_ROOMS_WITHOUT_JOURNAL = "SELECT DISTINCT room FROM events ORDER BY room"
_LOG = "SELECT seq, CAST(event AS BLOB) FROM events WHERE room = ? ORDER BY seq"
_SNAPSHOTS = "SELECT seq, saved FROM snapshots WHERE room = ? ORDER BY game, seq"
_RECENT = "SELECT seq, CAST(event AS BLOB) FROM temp.recent WHERE room = ? ORDER BY row"

Numbered = tuple[int, bytes]
"""A number and bytes: of an event, its place in the database and its line."""


class Logs:
    """The logs in a database."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self.database = database
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_schema")}
        self._has_journal = "journal" in tables
        self._has_snapshots = "snapshots" in tables
        if self._has_journal:  # a room's events lie among those of all others
            database.execute("CREATE TEMP TABLE recent AS SELECT rowid AS row, * FROM journal")
            database.execute("CREATE INDEX temp.recent_room ON recent (room)")

    def rooms(self) -> list[RoomName]:
        """Return the names of all rooms, in order."""
        rows = self.database.execute(_ROOMS if self._has_journal else _ROOMS_WITHOUT_JOURNAL)
        return [RoomName(room) for (room,) in rows]

    def log(self, room: RoomName) -> Iterator[Numbered]:
        """Yield the events of a room in order, with the numbers that the database gives them."""
        for statement in (_LOG, _RECENT) if self._has_journal else (_LOG,):
            for seq, lines in self.database.execute(statement, (room,)):
                yield from enumerate(lines.split(_BREAK), seq)

    def start(self, room: RoomName) -> bytes | None:
        """Return the saved room before the first event; `None` if that is event 1."""
        return snapshots.start(self.database, room).saved if self._has_snapshots else None

    def snapshots(self, room: RoomName) -> Iterator[Numbered]:
        """Yield the saved rooms between the events, each with the number of the last event."""
        if self._has_snapshots:
            yield from self.database.execute(_SNAPSHOTS, (room,))

    def cut(self, room: RoomName, keep: int) -> int:
        """Return the number of the last event before the last `keep` games; 0 if there is none."""
        if not self._has_snapshots:
            return 0
        games = snapshots.newest(self.database, room).game - keep
        seq = snapshots.before(self.database, room, games + 1).seq
        return 0 if seq == snapshots.start(self.database, room).seq else seq

    def free_bytes(self) -> int:
        """Return the size of the pages that hold nothing."""
        (pages,) = self.database.execute("PRAGMA freelist_count").fetchone()
        (size,) = self.database.execute("PRAGMA page_size").fetchone()
        return int(pages * size)

    def damage(self) -> str | None:
        """Return what SQLite finds wrong with the file, if anything."""
        (verdict,) = self.database.execute("PRAGMA integrity_check(1)").fetchone()
        return None if verdict == "ok" else str(verdict)


@contextmanager
def opened(path: Path) -> Iterator[Logs]:
    """Open the database at `path` to read it; no server may start on it meanwhile.

    Raises:
        CannotOpen: with one line for the operator.
    """
    try:
        if not path.exists():
            raise Unfit(NO_FILE)
        look(path)
        with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as database:
            database.execute("PRAGMA temp_store = MEMORY")
            try:
                database.execute("BEGIN IMMEDIATE")  # keeps a server from starting
                logs = Logs(database)
            except sqlite3.Error as error:
                raise Unfit(words(error)) from None
            yield logs
    except Unfit as unfit:
        raise CannotOpen(f"{path}: {unfit}") from None
