"""The tables of the database, and the statements that read and write them.

A room's events lie together in `events`, where they are read. Writing each one there at once would
write a page a move, as its neighbours are the events of other rooms. So they are appended to
`journal` first, some forty to a page. Every 20 000 events the journal is settled: a room's events
become few rows. `snapshots` has the places at which a reader may begin.
"""

import logging
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from importlib.resources import files
from json import dumps, loads
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple

from ttt_engine.learning.memory import Memory
from ttt_protocol.codec import EncodedEvents
from ttt_protocol.state import RoomName
from ttt_server.core.archive.anonymous import Rewrite
from ttt_server.core.lessons import NO_LESSONS, Ignored, Known, Taught
from ttt_server.storage.base import Conflict, Excerpt, LastEvent, Snapshot
from ttt_server.storage.lessons import HOUR_MS, lesson_text, parse_lesson, read_log
from ttt_server.storage.people import DROP_GAMES, DROP_ROOM, NOTE_UNREAD, Statement
from ttt_server.storage.sqlite.people import run

logger = logging.getLogger(__name__)

SCHEMA = files("ttt_server.storage.sqlite").joinpath("schema.sql").read_text("utf-8")

ODD = ValueError, TypeError, AttributeError
"""Errors caused by rows that no server wrote, in a file that SQLite finds intact."""

_LONG = 20_000
"""Rows of the journal before it is settled, in 60 to 90 ms. Deleting a room reads them all."""

_CROWD = 2_000
"""Rows of the journal, or rooms of the last, that a resting server gives back: 0.5 MB. A shorter
journal stays, so that the moves of slow games do not become a row of `events` each."""

_ROW = 64
"""Events in one row of `events`, so that few are read beside those that are wanted."""

_MOST_CUT = 30
"""Snapshots that one cut of a log passes over: some 2000 events, which takes a few ms."""

_PREPARED = 128
"""Statements that a connection keeps prepared."""

_MOST = 1_920
"""Values in one statement that inserts, a multiple of `_STEP` rows. The connection keeps statements
prepared, which takes some 300 bytes a row."""

_FEW, _STEP = 64, 32
"""Rows for the journal at once: exact up to a few, and beyond that rounded up to a multiple with
rows of no event, which are ignored. The connection keeps its last 128 statements prepared; to
prepare one takes 1.3 us a row, twice as long as to run it."""

_AT_ONCE = 8
"""Rooms that one query looks for."""

_BREAK = b"\n"
"""Separates events, whose own text has it escaped."""

_NO_END = 1 << 61
"""More than the number of any event."""

_TO_JOURNAL, _TO_EVENTS = "(?,?,?)", "(?,?,CAST(? AS TEXT))"
_NO_EVENT = "", 0, None
_COLUMNS = 3
"""Of `journal` and of `events`."""

# Read as bytes: an event that is no text fails for its reader, and not for the whole batch.
_EVENTS = "SELECT seq, CAST(event AS BLOB) FROM events WHERE room = ?1"
_LAST = _EVENTS + " AND seq <= ?2 ORDER BY seq DESC LIMIT 1"
_BETWEEN = _EVENTS + (  # noqa: S608 - constants of ours
    " AND seq <= ?3 AND seq >="
    " coalesce((SELECT max(seq) FROM events WHERE room = ?1 AND seq <= ?2), 0) ORDER BY seq"
)
_ROOMS = "SELECT room FROM events UNION SELECT room FROM journal ORDER BY room"
_SNAPSHOTS = "SELECT seq, game, saved, is_start FROM snapshots WHERE room = ? ORDER BY game, seq"
_NEXT_ROOM = "SELECT room FROM events WHERE room > ? ORDER BY room LIMIT 1"
_READ_JOURNAL = "SELECT room, seq, CAST(event AS BLOB) FROM journal ORDER BY rowid"
_KEPT = (
    f"SELECT column1 FROM (VALUES {','.join(['(?)'] * _AT_ONCE)})"  # noqa: S608 - a constant of ours
    " WHERE EXISTS (SELECT 1 FROM events WHERE room = column1)"
    " OR EXISTS (SELECT 1 FROM snapshots WHERE room = column1)"
)

_SNAPSHOT = "SELECT game, seq, saved FROM snapshots WHERE room = ?1"
_NEWEST = _SNAPSHOT + " ORDER BY game DESC, seq DESC LIMIT 1"
_BEFORE = _SNAPSHOT + " AND game < ?2 ORDER BY game DESC, seq DESC LIMIT 1"
_START = """SELECT game, seq, saved FROM (
    SELECT * FROM snapshots WHERE room = ?1 ORDER BY game, seq LIMIT 1
) WHERE is_start"""
_OLD = _SNAPSHOT + " AND game <= ?2 AND seq < ?3 AND NOT is_start ORDER BY game, seq LIMIT ?4"
_BEHIND = "SELECT seq FROM snapshots WHERE room = ? AND game >= ? ORDER BY game, seq LIMIT 1"
_DROP_OLD = "DELETE FROM snapshots WHERE room = ? AND game <= ? AND seq < ?"
_BEGIN_AT = "UPDATE snapshots SET is_start = 1 WHERE room = ? AND game = ? AND seq = ?"
_REWRITE_EVENTS = "UPDATE events SET event = CAST(? AS TEXT) WHERE room = ? AND seq = ?"
_REWRITE_JOURNAL = "UPDATE journal SET event = ? WHERE room = ? AND seq = ?"
_REWRITE_SNAPSHOT = "UPDATE snapshots SET saved = ? WHERE room = ? AND game = ? AND seq = ?"
_SAVE = "INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?, 0)"

# Many rows in one step of SQLite, as JSON: each step releases the interpreter's lock, and waits for
# it again.
_MARKS = """SELECT json_group_object(room, seq) FROM learned
WHERE room IN (SELECT value FROM json_each(?))"""
_SET_MARKS = "INSERT OR REPLACE INTO learned SELECT key, value FROM json_each(?)"
_LEARN = """INSERT INTO lessons
SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]')
FROM json_each(?) WHERE true ON CONFLICT DO UPDATE SET games = games + excluded.games"""
_NOTE_DEADLINE = "INSERT OR REPLACE INTO deadlines VALUES (?, ?)"
_DROP_DEADLINE = "DELETE FROM deadlines WHERE room = ?"
_DEADLINES = "SELECT room, at FROM deadlines ORDER BY at LIMIT ?"

_RECALL = "SELECT lesson, sum(games) FROM lessons GROUP BY lesson"
_SINCE = "SELECT coalesce(sum(games), 0) FROM lessons WHERE hour >= ?"


Numbered = tuple[int, bytes]
"""The number of an event, by its place in the database, and its line."""


class Snap(NamedTuple):
    """A saved room after the event number `seq`; `is_start` where no event before is kept."""

    seq: int
    game: int
    saved: bytes
    is_start: bool


class Learned(NamedTuple):
    """The lessons that were counted, and the new marks of their logs."""

    lessons: list[Taught]
    marks: dict[RoomName, int]


class Saved(NamedTuple):
    """A room after the event number `seq`, in which `game` was the last game."""

    game: int
    seq: int
    saved: bytes | None
    """`None` before the first event."""


_EMPTY = Saved(0, 0, None)


class _Recent:
    """The events of one room in the journal."""

    __slots__ = ("lines", "seq")

    def __init__(self, seq: int) -> None:
        self.seq = seq
        """The number of the first."""
        self.lines: list[bytes] = []

    @property
    def head(self) -> int:
        """The number of the last."""
        return self.seq + len(self.lines) - 1


class EventTables:
    """All tables. The changes between two commits are one transaction."""

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
        """Continue with another connection, and the tables as they are there."""
        self.database = database
        self.roll_back()
        self._length = 0

    # Transactions

    @property
    def is_unfinished(self) -> bool:
        """Whether there is something to `commit` or to `roll_back`."""
        return bool(self._values) or self.database.in_transaction

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

    def try_to_roll_back(self) -> None:
        """Roll back; after a failure the next transaction has to do it first."""
        with suppress(sqlite3.Error, MemoryError, *ODD):
            self.roll_back()

    # Logs

    def look_for(self, rooms: Iterable[RoomName]) -> None:
        """Find out which of these rooms are new, a few rooms a query.

        A query releases the interpreter's lock and waits for it again: some 5 % of a join.
        """
        journal, settled = self._journal(), self._settled
        unknown = [room for room in rooms if room not in journal and room not in settled]
        new = set(unknown)
        for first in range(0, len(unknown), _AT_ONCE):
            some = unknown[first : first + _AT_ONCE]
            none = [""] * (_AT_ONCE - len(some))  # no room has this name
            new.difference_update(room for (room,) in self.database.execute(_KEPT, (*some, *none)))
        settled.update(dict.fromkeys(new, 0))

    def append(
        self, room: RoomName, seq: int, lines: EncodedEvents, snapshot: Snapshot | None = None
    ) -> None:
        """Add events from the number `seq` on, with the snapshot after them.

        Raises:
            Conflict: if a number is taken. Then the first is taken, as a log has no gaps.
        """
        journal = self._journal()
        recent = journal.get(room)
        if seq <= (self._last_settled(room) if recent is None else recent.head):
            raise Conflict
        if recent is None:
            recent = journal[room] = _Recent(seq)
        recent.lines += lines
        values = self._values
        for number, line in enumerate(lines, seq):
            values += (room, number, line.decode())
        if snapshot is not None:
            self.add_snapshot(room, seq + len(lines) - 1, snapshot)

    def add_snapshot(self, room: RoomName, seq: int, snapshot: Snapshot) -> None:
        """Add the snapshot after the event number `seq`."""
        self._snapshots.append((room, snapshot.game, seq, snapshot.saved))

    def load(self, room: RoomName, after: int | None, most: int | None = None) -> Excerpt:
        """Return the end of a log. See the store's `load`."""
        most = _NO_END if most is None else most
        if after is None:
            start = self._saved(_NEWEST, room)
        else:
            start = self._saved(_START, room)
            if start.seq <= after:
                return Excerpt(None, self.lines(room, after, after + most))
        return Excerpt(start.saved, self.lines(room, start.seq, start.seq + most))

    def load_game(self, room: RoomName, number: int) -> Excerpt:
        """Return events with all of a game. See the store's `load_game`."""
        start = self._saved(_START, room)
        if number <= start.game:
            return Excerpt(start.saved, ())
        start = self._saved(_BEFORE, room, number)
        row = self.database.execute(_BEHIND, (room, number)).fetchone()
        last = _NO_END if row is None else row[0]
        return Excerpt(start.saved, self.lines(room, start.seq, last))

    def lines(self, room: RoomName, after: int = 0, last: int = _NO_END) -> EncodedEvents:
        """Return the events of a room in order, those after one number up to another."""
        found: list[bytes] = []
        recent = self._journal().get(room)
        if recent is None or after + 1 < recent.seq:
            for seq, lines in self.database.execute(_BETWEEN, (room, after + 1, last)):
                found += lines.split(_BREAK)[max(0, after + 1 - seq) :]
        if recent is not None:
            found += recent.lines[max(0, after + 1 - recent.seq) :]
        return tuple(found[: last - after])

    def numbered(self, room: RoomName) -> Iterator[Numbered]:
        """Yield all events of a room in order, with the numbers that the database gives them."""
        for seq, lines in self.database.execute(_EVENTS + " ORDER BY seq", (room,)):
            yield from enumerate(lines.split(_BREAK), seq)
        if recent := self._journal().get(room):
            yield from enumerate(recent.lines, recent.seq)

    def snapshots(self, room: RoomName) -> list[Snap]:
        """Return the snapshots of a room in order."""
        rows = self.database.execute(_SNAPSHOTS, (room,))
        return [Snap(seq, game, saved, bool(is_start)) for seq, game, saved, is_start in rows]

    def rooms(self) -> list[RoomName]:
        """Return the names of all logs, in order."""
        return [RoomName(room) for (room,) in self.database.execute(_ROOMS)]

    def find(self, room: RoomName, seq: int) -> bytes | None:
        """Return one event, if it is on disk.

        Nothing may be unfinished, because appended events count as kept; and the event must not be
        one that `trim` has dropped.
        """
        recent = self._journal().get(room)
        if recent is not None and seq > recent.head:
            return None
        found = self.lines(room, seq - 1, seq)
        return found[0] if found else None

    def browse(self, after: str, most: int) -> list[LastEvent]:
        """Return the last events of rooms. See the store's `browse`."""
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
        """Drop events of old games that the learner has read. See the store's `trim`."""
        self.begin()
        self._flush()
        recent = self._journal().get(room)
        games = self._saved(_NEWEST, room).game - keep
        most = min(self.marks((room,))[room] + 1, _NO_END if recent is None else recent.seq)
        old = self.database.execute(_OLD, (room, games, most, _MOST_CUT)).fetchall()
        if not old:
            return False
        start = Saved(*old[-1])
        place = room, start.game, start.seq
        self.database.execute(_DROP_OLD, place)
        self.database.execute(_BEGIN_AT, place)
        seq, lines = self.database.execute(_LAST, (room, start.seq)).fetchone()
        self.database.execute("DELETE FROM events WHERE room = ? AND seq <= ?", (room, start.seq))
        if rest := lines.split(_BREAK)[start.seq + 1 - seq :]:
            self._insert("INTO events", _TO_EVENTS, [room, start.seq + 1, _BREAK.join(rest)])
        run(self.database, [Statement(DROP_GAMES, (room, start.game))])
        return True

    def delete(self, room: RoomName) -> list[Taught]:
        """Delete a room, with events just appended, and return its lessons, which are counted."""
        self.begin()
        self._flush()
        taught = self.learn({room: ()}).lessons
        for table in ("events", "snapshots", "learned", "deadlines"):
            self.database.execute(f"DELETE FROM {table} WHERE room = ?", (room,))  # noqa: S608 - ours
        run(self.database, [Statement(sql, (room,)) for sql in DROP_ROOM])
        self._settled.pop(room, None)
        if recent := self._journal().pop(room, None):
            self.database.execute("DELETE FROM journal WHERE room = ?", (room,))
            self._length -= len(recent.lines)
        return taught

    def rewrite(self, room: RoomName, rewrite: Rewrite) -> None:
        """Put a log into other words. See the store's `rewrite`."""
        self.begin()
        self._flush()
        for seq, lines in self.database.execute(_EVENTS, (room,)).fetchall():
            anew = _BREAK.join(map(rewrite, lines.split(_BREAK)))
            if anew != lines:
                self.database.execute(_REWRITE_EVENTS, (anew, room, seq))
        if recent := self._journal().get(room):
            for seq, line in enumerate(recent.lines, recent.seq):
                if (anew := rewrite(line)) != line:
                    self.database.execute(_REWRITE_JOURNAL, (anew.decode(), room, seq))
                    recent.lines[seq - recent.seq] = anew
        for snap in self.snapshots(room):
            if (anew := rewrite(snap.saved)) != snap.saved:
                self.database.execute(_REWRITE_SNAPSHOT, (anew, room, snap.game, snap.seq))

    # Deadlines

    def note_deadline(self, room: RoomName, at: int | None) -> None:
        """Keep when to look at a room. See the store's `note_deadline`."""
        self.begin()
        if at is None:
            self.database.execute(_DROP_DEADLINE, (room,))
        else:
            self.database.execute(_NOTE_DEADLINE, (room, at))

    def note_unread(self, room: RoomName, at: int) -> None:
        """Note a room for the tables of people. See the store's `note_unread`."""
        self.begin()
        run(self.database, [Statement(NOTE_UNREAD, (room, at))])

    def deadlines(self, most: int) -> list[tuple[RoomName, int]]:
        """Return the next deadlines. See the store's `deadlines`."""
        return list(self.database.execute(_DEADLINES, (most,)))

    # The journal

    @property
    def is_long(self) -> bool:
        """Whether it is time to `settle`."""
        return self._length >= self._due

    def settle(self) -> None:
        """Move the events of the journal to `events`."""
        self.begin()
        self._flush()
        journal = self._journal()
        values: list[Any] = []
        for room, recent in sorted(journal.items(), key=itemgetter(0)):
            for at in range(0, len(recent.lines), _ROW):
                lines = recent.lines[at : at + _ROW]
                values += (room, recent.seq + at, _BREAK.join(lines))
        self._insert("INTO events", _TO_EVENTS, values)
        self.database.execute("DELETE FROM journal")
        self._settled = {room: recent.head for room, recent in journal.items()}
        self._recent, self._length, self._due = {}, 0, _LONG

    def rest(self) -> Exception | None:
        """Give back what a crowd has left here; return the error of `try_to_settle`."""
        error = self.try_to_settle() if self._length > _CROWD else None
        if len(self._settled) > _CROWD:
            self._settled = {}
        self._recent = None  # small, and in the way of much that is free: read again when needed
        # A statement of many rows takes 50 KB. `sqlite3` keeps it until others take its place.
        _insert.cache_clear()
        for number in range(_PREPARED):
            self.database.execute(f"SELECT {number}")
        return error

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
            logger.warning("could not settle the journal: %s", error)
            self.try_to_roll_back()
            self._due = max(length, self._length) + _LONG
            return error
        return None

    # Lessons

    def learn(self, rooms: Ignored, known: Known = MappingProxyType({})) -> Learned:
        """Count new lessons of rooms. See the store's `learn`."""
        found: list[Taught] = []
        marks: dict[RoomName, int] = {}
        before = self.marks(rooms)
        for room, ignored in rooms.items():
            mark = before[room]
            if mark == NO_LESSONS:
                continue
            told = known.get(room)
            if told is not None and told.since == mark:
                read = told.reading
            else:
                start = self._saved(_START, room) if mark == 0 else _EMPTY
                lines = self.lines(room, max(mark, start.seq))
                read = read_log(room, mark, lines, ignored, start.saved)
            found += read.lessons
            if read.mark > mark:
                marks[room] = read.mark
        if marks:
            self.teach(found)
            self.database.execute(_SET_MARKS, (dumps(marks),))
        return Learned(found, marks)

    def teach(self, lessons: Iterable[Taught]) -> None:
        """Count lessons."""
        counts = Counter((lesson_text(each.lesson), each.at // HOUR_MS) for each in lessons)
        self.begin()
        rows = [(*key, games) for key, games in counts.items()]
        self.database.execute(_LEARN, (dumps(rows),))

    def recall(self, memory: Memory) -> None:
        """Put all lessons into an empty memory."""
        for text, games in self.database.execute(_RECALL):
            memory.learn(parse_lesson(text), games)

    def relearn(self) -> None:
        """Forget all lessons, and count them again from the logs."""
        self.begin()
        self.database.execute("DELETE FROM lessons")
        self.database.execute("DELETE FROM learned")
        self.learn_all()

    def learn_all(self) -> None:
        """Count new lessons of all logs."""
        self.learn(dict.fromkeys(self.rooms(), ()))

    def forget_since(self, hour: int, *, dry: bool) -> int:
        """Forget the lessons since an hour of Unix time; return their number. `dry`: keep them."""
        self.learn_all()
        (games,) = self.database.execute(_SINCE, (hour,)).fetchone()
        if not dry:
            self.begin()
            self.database.execute("DELETE FROM lessons WHERE hour >= ?", (hour,))
        return int(games)

    def marks(self, rooms: Collection[RoomName]) -> dict[RoomName, int]:
        """Return how far the logs of these rooms have been learned from."""
        (found,) = self.database.execute(_MARKS, (dumps(list(rooms)),)).fetchone()
        marks: dict[RoomName, int] = loads(found)
        return dict.fromkeys(rooms, 0) | marks

    # Parts of these

    def _saved(self, statement: str, room: RoomName, *values: int) -> Saved:
        row = self.database.execute(statement, (room, *values)).fetchone()
        return _EMPTY if row is None else Saved(*row)

    def _last_line(self, room: RoomName) -> bytes:
        if recent := self._journal().get(room):
            return recent.lines[-1]
        _, lines = self.database.execute(_LAST, (room, _NO_END)).fetchone()
        return bytes(lines.rpartition(_BREAK)[2])

    def _last_settled(self, room: RoomName) -> int:
        if (known := self._settled.get(room)) is not None:
            return known
        for seq, lines in self.database.execute(_LAST, (room, _NO_END)):
            return int(seq + lines.count(_BREAK))
        return self._saved(_START, room).seq

    def _flush(self) -> None:
        if self._snapshots:
            rows, self._snapshots = self._snapshots, []
            self.database.executemany(_SAVE, rows)
        values, self._values = self._values, []
        count = len(values) // _COLUMNS
        if count > _FEW:
            values += _NO_EVENT * (-count % _STEP)
        self._insert("OR IGNORE INTO journal", _TO_JOURNAL, values)
        self._length += count

    def _insert(self, into: str, row: str, values: list[Any]) -> None:
        for first in range(0, len(values), _MOST):
            some = values[first : first + _MOST]
            self.database.execute(_insert(into, row, len(some) // _COLUMNS), some)

    def _journal(self) -> dict[RoomName, _Recent]:
        if self._recent is None:
            journal: dict[RoomName, _Recent] = {}
            for room, seq, line in self.database.execute(_READ_JOURNAL):
                recent = journal.get(room) or journal.setdefault(room, _Recent(seq))
                recent.lines.append(line)
            self._recent = journal
            self._length = sum(len(recent.lines) for recent in journal.values())
        return self._recent


@lru_cache(_PREPARED)
def _insert(into: str, row: str, rows: int) -> str:
    """Return the statement that inserts this many rows."""
    return f"INSERT {into} VALUES {','.join([row] * rows)}"  # noqa: S608 - constants of ours
