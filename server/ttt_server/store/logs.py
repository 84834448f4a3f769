"""The logs in the database, and how they come there.

A room's events lie together in `events`, where they are read. To put each one there as it happens
would write a page a move, for its neighbours are the events of other rooms; so they are appended
to `journal` first, some forty to a page, and moved by the thousand.
"""

import sqlite3

from ttt_engine.memory import Lesson
from ttt_protocol.state import RoomName
from ttt_server.store import Conflict, Lines, learned

EVENTS = """
CREATE TABLE events (
    room TEXT NOT NULL,
    seq INTEGER NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (room, seq)
) WITHOUT ROWID;
"""

JOURNAL = """
CREATE TABLE journal (
    room TEXT NOT NULL,
    seq INTEGER NOT NULL,
    event TEXT NOT NULL,
    lesson TEXT
);
"""

LESSON = "ALTER TABLE journal ADD COLUMN lesson TEXT"
"""What a journal from before that needs."""

_LONG = 5000
"""Rows of the journal, before they are moved: that takes some 50 ms."""

_COLUMNS = 4
_MOST = 5000 * _COLUMNS
"""Values in one statement: SQLite takes 32 766."""

CONFLICT = "another process wrote to this room"

# As bytes: what is no text is found out by the reader, and fails nobody else of the batch.
_EVENTS_OF = "SELECT seq, CAST(event AS BLOB) FROM events WHERE room = ? ORDER BY seq"
_TO_EVENTS = "INSERT INTO events SELECT room, seq, event FROM journal ORDER BY room, seq"
_JOURNAL_OF = "SELECT seq, CAST(event AS BLOB) FROM journal WHERE room = ? ORDER BY rowid"


class Logs:
    """The two tables. What is done between two calls of `commit` is one transaction."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self.database = database
        self._values: list[RoomName | int | str | None] = []
        """Of the rows that were appended and are not written yet, one after the other."""
        self._heads: dict[RoomName, int] | None = None
        """The last number of each room that is in the journal; null if it has to be read."""
        self._settled: dict[RoomName, int] = {}
        """The same of the journal that was moved last: rooms that play on are not asked for."""
        self._length = 0
        """Of the journal, as it was read last."""
        self._due = _LONG

    @property
    def is_long(self) -> bool:
        """Whether it is time to `settle`."""
        return self._length >= self._due

    @property
    def is_unfinished(self) -> bool:
        """Whether there is something to `commit` or to `roll_back`."""
        return bool(self._values) or self.database.in_transaction

    def append(self, room: RoomName, seq: int, lines: Lines, lesson: Lesson | None) -> None:
        """Adds events, the first of them with the number `seq`, and what the last one teaches.

        Raises:
            Conflict: if a number is taken. It is the first one then, as a log has no gaps.
        """
        heads = self._known_heads()
        head = heads.get(room)
        if head is None:
            head = self._last_settled(room)
        if seq <= head:
            raise Conflict(CONFLICT)
        heads[room] = seq + len(lines) - 1
        for number, line in enumerate(lines, seq):
            self._values += (room, number, line.decode(), None)
        if lesson is not None:
            self._values[-1] = learned.written(lesson)

    def begin(self) -> None:
        """Before anything is written: what follows is kept together, or not at all."""
        if not self.database.in_transaction:
            self.database.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Now it is on disk."""
        # One statement is a transaction by itself. Each of BEGIN and COMMIT would let go of the
        # interpreter and wait for its turn again, for milliseconds where the server is busy.
        if len(self._values) > _MOST:
            self.begin()
        self._flush()
        if self.database.in_transaction:
            self.database.execute("COMMIT")

    def roll_back(self) -> None:
        """Forgets what was done since the last `commit`; what is on disk stays."""
        self._values.clear()
        self._heads, self._settled = None, {}
        if self.database.in_transaction:  # what failed may have rolled back by itself
            self.database.execute("ROLLBACK")

    def load(self, room: RoomName) -> dict[int, bytes]:
        """The events of a room by number, in order."""
        if self._values:
            self.begin()
            self._flush()
        events = dict(self.database.execute(_EVENTS_OF, (room,)))
        if room in self._known_heads():
            events.update(self.database.execute(_JOURNAL_OF, (room,)))
        return events

    def find(self, room: RoomName, seq: int) -> bytes | None:
        """One event, if it is on disk."""
        head = self._known_heads().get(room)
        if head is not None and seq > head:
            return None
        return self.load(room).get(seq)

    def delete(self, room: RoomName) -> None:
        self.begin()
        self._flush()
        self.database.execute("DELETE FROM events WHERE room = ?", (room,))
        self._settled.pop(room, None)
        if self._known_heads().pop(room, None):
            learned.count(self.database, room)
            self.database.execute("DELETE FROM journal WHERE room = ?", (room,))

    def settle(self) -> None:
        """Moves the journal to the place where it is read."""
        self.begin()
        self._flush()
        self.database.execute(_TO_EVENTS)
        learned.count(self.database)
        self.database.execute("DELETE FROM journal")
        self._settled = self._known_heads()
        self._heads, self._length, self._due = {}, 0, _LONG

    def put_off(self) -> None:
        """It could not be settled: not again before it has grown as much once more."""
        self._due = self._length + _LONG

    def _flush(self) -> None:
        values, self._values = self._values, []
        for first in range(0, len(values), _MOST):
            some = values[first : first + _MOST]
            rows = ",".join(["(?,?,?,?)"] * (len(some) // _COLUMNS))
            self.database.execute(f"INSERT INTO journal VALUES {rows}", some)  # noqa: S608 - no text of anybody's
        self._length += len(values) // _COLUMNS

    def _known_heads(self) -> dict[RoomName, int]:
        if self._heads is None:
            query = "SELECT room, max(seq), count(*) FROM journal GROUP BY room"
            rooms = self.database.execute(query).fetchall()
            self._heads = {room: seq for room, seq, _ in rooms}
            self._length = sum(count for _, _, count in rooms)
        return self._heads

    def _last_settled(self, room: RoomName) -> int:
        if (known := self._settled.get(room)) is not None:
            return known
        query = "SELECT max(seq) FROM events WHERE room = ?"
        (seq,) = self.database.execute(query, (room,)).fetchone()
        return seq or 0
