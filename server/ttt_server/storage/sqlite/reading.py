"""The logs of a database that no server has open: for checks and exports."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from ttt_protocol.state import RoomName
from ttt_server.storage.base import CannotOpen
from ttt_server.storage.sqlite.preflight import NO_FILE, Unfit, look, words

_BREAK = b"\n"

_ROOMS = "SELECT room FROM events UNION SELECT room FROM journal ORDER BY room"
_LOG = "SELECT seq, CAST(event AS BLOB) FROM events WHERE room = ? ORDER BY seq"
_RECENT = "SELECT seq, CAST(event AS BLOB) FROM temp.recent WHERE room = ? ORDER BY row"
_SNAPSHOTS = "SELECT seq, game, saved, is_start FROM snapshots WHERE room = ? ORDER BY game, seq"

Numbered = tuple[int, bytes]
"""The number of an event, by its place in the database, and its line."""


class Snap(NamedTuple):
    """A saved room after the event number `seq`; `is_start` where no event before is kept."""

    seq: int
    game: int
    saved: bytes
    is_start: bool


class Logs:
    """The logs in a database."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self.database = database
        # A room's events are scattered among those of all others in the journal.
        database.execute("CREATE TEMP TABLE recent AS SELECT rowid AS row, * FROM journal")
        database.execute("CREATE INDEX temp.recent_room ON recent (room)")

    def rooms(self) -> list[RoomName]:
        """Return the names of all rooms, in order."""
        return [RoomName(room) for (room,) in self.database.execute(_ROOMS)]

    def log(self, room: RoomName) -> Iterator[Numbered]:
        """Yield the events of a room in order, with the numbers that the database gives them."""
        for statement in (_LOG, _RECENT):
            for seq, lines in self.database.execute(statement, (room,)):
                yield from enumerate(lines.split(_BREAK), seq)

    def start(self, room: RoomName) -> bytes | None:
        """Return the saved room before the first event; `None` if that is event 1."""
        return next((snap.saved for snap in self.snapshots(room) if snap.is_start), None)

    def snapshots(self, room: RoomName) -> Iterator[Snap]:
        """Yield the snapshots of a room in order."""
        for seq, game, saved, is_start in self.database.execute(_SNAPSHOTS, (room,)):
            yield Snap(seq, game, saved, bool(is_start))

    def cut(self, room: RoomName, keep: int) -> int:
        """Return the number of the last event before the last `keep` games; 0 if there is none."""
        snaps = list(self.snapshots(room))
        newest = snaps[-1].game if snaps else 0
        return max((s.seq for s in snaps if s.game <= newest - keep and not s.is_start), default=0)

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
