"""The tables of the logs: the journal takes new events, and settles them into `events`.

A room's events lie together in `events`, where they are read. Writing each one there at once would
write a page a move, as its neighbours are the events of other rooms. So they are appended to
`journal` first, some forty to a page. Every 20 000 events the journal is settled: a room's events
become few rows. `snapshots` has the places at which a reader may begin.
"""

import logging
import sqlite3
from collections.abc import Iterable
from contextlib import suppress
from operator import itemgetter
from typing import Any

from ttt_engine.learning.memory import Lesson
from ttt_protocol.codec import EncodedEvents
from ttt_protocol.state import RoomName
from ttt_server.storage.base import Conflict, Excerpt, LastEvent, Snapshot
from ttt_server.storage.lessons import lesson_text
from ttt_server.storage.sqlite import lessons as lessons_table
from ttt_server.storage.sqlite import snapshots
from ttt_server.storage.sqlite.snapshots import Saved

logger = logging.getLogger(__name__)

EVENTS = """
CREATE TABLE events (
    room TEXT NOT NULL,
    seq INTEGER NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (room, seq)
) WITHOUT ROWID;
"""
"""`event`: one event or more, one a line; `seq`: the number of the first."""

JOURNAL = """
CREATE TABLE journal (
    room TEXT NOT NULL,
    seq INTEGER NOT NULL,
    event TEXT NOT NULL,
    lesson TEXT
);
"""

ODD = ValueError, TypeError, AttributeError
"""Errors from rows that no server has written, in a file that is whole for SQLite."""

_LONG = 20_000
"""Rows of the journal before it is settled, in 60 to 90 ms. Deleting a room reads them all."""

_ROW = 64
"""Events in one row of `events`, so that few are read beside those that are wanted."""

_MOST_CUT = 30
"""Snapshots that one cut of a log passes over: some 2000 events, which takes a few ms."""

_MOST = 20_480
"""Values in one statement that inserts; SQLite allows 32 766. With the four values of a row of the
journal it is a multiple of `_STEP` rows."""

_FEW, _STEP = 64, 32
"""Rows for the journal at once: exact up to a few, and beyond that rounded up to a multiple with
rows of no event, which are ignored. The connection keeps its last 128 statements prepared; to
prepare one takes 1.3 us a row, twice as long as to run it."""

_BREAK = b"\n"
"""Separates events, whose own text has it escaped."""

CONFLICT = "the room has events of these numbers already"

# Read as bytes: an event that is no text fails for its reader, and not for the whole batch.
_EVENTS = "SELECT seq, CAST(event AS BLOB) FROM events WHERE room = ?1"
_LAST = _EVENTS + " AND seq <= ?2 ORDER BY seq DESC LIMIT 1"
_BETWEEN = _EVENTS + (  # noqa: S608 - constants of ours
    " AND seq <= ?3 AND seq >="
    " coalesce((SELECT max(seq) FROM events WHERE room = ?1 AND seq <= ?2), 0) ORDER BY seq"
)
_NEXT_ROOM = "SELECT room FROM events WHERE room > ? ORDER BY room LIMIT 1"
_NO_END = 1 << 61
"""More than the number of any event."""
_READ_JOURNAL = (
    "SELECT room, seq, CAST(event AS BLOB), lesson IS NOT NULL FROM journal ORDER BY rowid"
)
_TO_JOURNAL = "(?,?,?,nullif(?,''))"
_NO_LESSON = ""
"""To bind `None` takes 0.2 us more than a text: `sqlite3` looks for an adapter of its type."""
_NO_EVENT = "", 0, None, _NO_LESSON
_TO_EVENTS = "(?,?,CAST(? AS TEXT))"


class _Recent:
    """The events of one room in the journal."""

    __slots__ = ("lines", "seq", "teaches")

    def __init__(self, seq: int) -> None:
        self.seq = seq
        """The number of the first."""
        self.lines: list[bytes] = []
        self.teaches = False
        """Whether one of them has a lesson beside it."""

    @property
    def head(self) -> int:
        """The number of the last."""
        return self.seq + len(self.lines) - 1

    def extend(self, lines: EncodedEvents, teaches: bool) -> None:
        """Add events. `teaches`: whether a lesson is beside one of them."""
        self.lines += lines
        if teaches:
            self.teaches = True


class EventTables:
    """`journal`, `events` and `snapshots`. The changes between two commits are one transaction."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self.database = database
        self._values: list[RoomName | int | str | None] = []
        """The values of rows that were appended and not yet written, one row after the other."""
        self._snapshots: list[tuple[RoomName, int, int, bytes]] = []
        """Rows of snapshots that were not yet written."""
        self._recent: dict[RoomName, _Recent] | None = None
        """The journal with these rows in it; `None` if it has to be read."""
        self._settled: dict[RoomName, int] = {}
        """The last number of each room in the last settled journal; 0 for a new room. For these the
        database need not be asked."""
        self._length = 0
        """Rows in the journal."""
        self._due = _LONG

    def reopen(self, database: sqlite3.Connection) -> None:
        """Go on with another connection, and with the tables as it finds them."""
        self.database = database
        self._values.clear()
        self._snapshots.clear()
        self._recent, self._settled, self._length = None, {}, 0

    @property
    def is_long(self) -> bool:
        """Whether it is time to `settle`."""
        return self._length >= self._due

    @property
    def is_unfinished(self) -> bool:
        """Whether there is something to `commit` or to `roll_back`."""
        return bool(self._values) or self.database.in_transaction

    def look_for(self, rooms: Iterable[RoomName]) -> None:
        """Find out which of these rooms are new, with one query for all.

        Each query releases the interpreter's lock, and waits for it again: some 5 % of a join.
        """
        journal, settled = self._journal(), self._settled
        unknown = [room for room in rooms if room not in journal and room not in settled]
        if unknown:  # as seldom as rooms are made
            settled.update(dict.fromkeys(snapshots.without_log(self.database, unknown), 0))

    def append(
        self,
        room: RoomName,
        seq: int,
        lines: EncodedEvents,
        lesson: Lesson | None = None,
        snapshot: Snapshot | None = None,
    ) -> None:
        """Add events from the number `seq` on, with the lesson and the snapshot after them.

        Raises:
            Conflict: if a number is taken. Then the first is taken, as a log has no gaps.
        """
        journal = self._journal()
        recent = journal.get(room)
        if seq <= (self._last_settled(room) if recent is None else recent.head):
            raise Conflict(CONFLICT)
        if recent is None:
            recent = journal[room] = _Recent(seq)
        recent.extend(lines, lesson is not None)
        values = self._values
        for number, line in enumerate(lines, seq):
            values += (room, number, line.decode(), _NO_LESSON)
        if lesson is not None:
            values[-1] = lesson_text(lesson)
        if snapshot is not None:
            self.add_snapshot(room, seq + len(lines) - 1, snapshot)

    def add_snapshot(self, room: RoomName, seq: int, snapshot: Snapshot) -> None:
        """Add the snapshot after the event number `seq`."""
        self._snapshots.append((room, snapshot.game, seq, snapshot.saved))

    def begin(self) -> None:
        """Begin a transaction, unless one is open."""
        if not self.database.in_transaction:
            self.database.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Write all changes to the disk."""
        # A statement is a transaction by itself. BEGIN and COMMIT would each release the
        # interpreter's lock and wait for it again, for milliseconds in a busy server.
        if len(self._values) > _MOST or self._snapshots:
            self.begin()
        self._flush()
        if self.database.in_transaction:
            self.database.execute("COMMIT")

    def roll_back(self) -> None:
        """Undo the changes since the last `commit`."""
        self._values.clear()
        self._snapshots.clear()
        self._recent, self._settled = None, {}
        if self.database.in_transaction:  # SQLite itself rolls some failures back
            self.database.execute("ROLLBACK")

    def load(self, room: RoomName, after: int | None, most: int | None = None) -> Excerpt:
        """Return the end of a log, as the store's `load`."""
        most = _NO_END if most is None else most
        if after is None:
            start = snapshots.newest(self.database, room)
        else:
            start = snapshots.start(self.database, room)
            if start.seq <= after:
                return Excerpt(None, self.lines(room, after, after + most))
        return self._excerpt(room, start, start.seq + most)

    def load_game(self, room: RoomName, number: int) -> Excerpt:
        """Return events with all of a game, as the store's `load_game`."""
        start = snapshots.start(self.database, room)
        if number <= start.game:
            return Excerpt(start.saved, ())
        start = snapshots.before(self.database, room, number)
        return self._excerpt(room, start, snapshots.behind(self.database, room, number))

    def lines(self, room: RoomName, after: int = 0, last: int = _NO_END) -> EncodedEvents:
        """Return the events of a room in order, those after one number up to another."""
        found: list[bytes] = []
        for seq, lines in self.database.execute(_BETWEEN, (room, after + 1, last)):
            found += lines.split(_BREAK)[max(0, after + 1 - seq) :]
        if recent := self._journal().get(room):
            found += recent.lines[max(0, after + 1 - recent.seq) :]
        return tuple(found[: last - after])

    def find(self, room: RoomName, seq: int) -> bytes | None:
        """Return one event, if it is on disk.

        Nothing may be unfinished, as what was appended counts as kept; and the number may not be
        that of an event which `trim` has dropped.
        """
        recent = self._journal().get(room)
        if recent is not None and seq > recent.head:
            return None
        found = self.lines(room, seq - 1, seq)
        return found[0] if found else None

    def browse(self, after: str, most: int) -> list[LastEvent]:
        """Return the last events of rooms, as the store's `browse`."""
        recent = sorted(room for room in self._journal() if room > after)[:most]
        settled: list[RoomName] = []
        while len(settled) < most:
            row = self.database.execute(_NEXT_ROOM, (settled[-1] if settled else after,)).fetchone()
            if row is None:
                break
            settled.append(row[0])
        rooms = sorted({*settled, *recent})[:most]
        return [LastEvent(room, self._last_line(room)) for room in rooms]

    def trim(self, room: RoomName, keep: int) -> bool:
        """Drop events of old games, as the store's `trim`."""
        self.begin()
        self._flush()
        recent = self._journal().get(room)
        start = snapshots.cut(
            self.database,
            room,
            games=snapshots.newest(self.database, room).game - keep,
            before_seq=_NO_END if recent is None else recent.seq,
            most=_MOST_CUT,
        )
        if start is None:
            return False
        seq, lines = self.database.execute(_LAST, (room, start.seq)).fetchone()
        self.database.execute("DELETE FROM events WHERE room = ? AND seq <= ?", (room, start.seq))
        if rest := lines.split(_BREAK)[start.seq + 1 - seq :]:
            self._insert("INTO events", _TO_EVENTS, [room, start.seq + 1, _BREAK.join(rest)])
        return True

    def shorten_row(self, room: RoomName, seq: int) -> bool:
        """Split the row of an event, if an older version has made it long; tell whether it was."""
        row = self.database.execute(_LAST, (room, seq)).fetchone()
        if row is None or row[1].count(_BREAK) < 2 * _ROW:
            return False
        first, lines = row
        self.database.execute("DELETE FROM events WHERE room = ? AND seq = ?", (room, first))
        self._insert("INTO events", _TO_EVENTS, _rows(room, first, lines.split(_BREAK)))
        return True

    def delete(self, room: RoomName) -> None:
        """Delete all events of a room, also those that were just appended; keep its lessons."""
        self.begin()
        self._flush()
        self.database.execute("DELETE FROM events WHERE room = ?", (room,))
        snapshots.delete(self.database, room)
        self._settled.pop(room, None)
        if recent := self._journal().pop(room, None):
            if recent.teaches:
                lessons_table.count(self.database, room)
            self.database.execute("DELETE FROM journal WHERE room = ?", (room,))
            self._length -= len(recent.lines)

    def settle(self) -> None:
        """Move the events of the journal to `events`."""
        self.begin()
        self._flush()
        journal = self._journal()
        values: list[Any] = []
        for room, recent in sorted(journal.items(), key=itemgetter(0)):
            values += _rows(room, recent.seq, recent.lines)
        self._insert("INTO events", _TO_EVENTS, values)
        lessons_table.count(self.database)
        self.database.execute("DELETE FROM journal")
        self._settled = {room: recent.head for room, recent in journal.items()}
        self._recent, self._length, self._due = {}, 0, _LONG

    def try_to_settle(self) -> Exception | None:
        """Settle the journal, and return the error if it could not be settled.

        After a failure the journal stays as it is, and is due when it has `_LONG` rows more.
        """
        length = self._length  # `settle` clears it, also if the commit fails after it
        try:
            if self.is_unfinished:
                self.roll_back()
            self.settle()
            self.commit()
        except (sqlite3.Error, MemoryError, *ODD) as error:
            logger.warning("the journal stays: %s", error)
            self.try_to_roll_back()
            self._due = max(length, self._length) + _LONG
            return error
        return None

    def try_to_roll_back(self) -> None:
        """Roll back; after a failure the next transaction has to do it first."""
        with suppress(sqlite3.Error, MemoryError, *ODD):
            self.roll_back()

    def _excerpt(self, room: RoomName, start: Saved, last: int | None = None) -> Excerpt:
        last = _NO_END if last is None else last
        return Excerpt(start.saved, self.lines(room, start.seq, last))

    def _last_line(self, room: RoomName) -> bytes:
        if recent := self._journal().get(room):
            return recent.lines[-1]
        _, lines = self.database.execute(_LAST, (room, _NO_END)).fetchone()
        return bytes(lines.rpartition(_BREAK)[2])

    def _flush(self) -> None:
        if self._snapshots:
            rows, self._snapshots = self._snapshots, []
            snapshots.write(self.database, rows)
        values, self._values = self._values, []
        count = len(values) // len(_NO_EVENT)
        if count > _FEW:
            values += _NO_EVENT * (-count % _STEP)
        self._insert("OR IGNORE INTO journal", _TO_JOURNAL, values)
        self._length += count

    def _insert(self, into: str, row: str, values: list[Any]) -> None:
        columns = row.count("?")
        most = _MOST - _MOST % columns
        for first in range(0, len(values), most):
            some = values[first : first + most]
            rows = ",".join([row] * (len(some) // columns))
            self.database.execute(f"INSERT {into} VALUES {rows}", some)  # noqa: S608 - constants of ours

    def _journal(self) -> dict[RoomName, _Recent]:
        if self._recent is None:
            journal: dict[RoomName, _Recent] = {}
            for room, seq, line, teaches in self.database.execute(_READ_JOURNAL):
                recent = journal.get(room) or journal.setdefault(room, _Recent(seq))
                recent.extend((line,), bool(teaches))
            self._recent = journal
            self._length = sum(len(recent.lines) for recent in journal.values())
        return self._recent

    def _last_settled(self, room: RoomName) -> int:
        if (known := self._settled.get(room)) is not None:
            return known
        for seq, lines in self.database.execute(_LAST, (room, _NO_END)):
            return int(seq + lines.count(_BREAK))
        return snapshots.start(self.database, room).seq


def _rows(room: RoomName, first: int, lines: list[bytes]) -> list[Any]:
    """Return the values of the rows with these events, one row after the other."""
    values: list[Any] = []
    for at in range(0, len(lines), _ROW):
        values += (room, first + at, _BREAK.join(lines[at : at + _ROW]))
    return values
