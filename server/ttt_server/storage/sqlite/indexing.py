"""Snapshots for the logs of older versions, made little by little while the server runs.

The table `indexing` has one row as long as some logs may lack snapshots: the place up to which all
have theirs. A piece of the work and the new place are one transaction, so that a kill costs a piece
at most.
"""

import logging
import sqlite3
from time import monotonic

from ttt_engine import EngineError
from ttt_protocol.codec import InvalidWire, decode_event
from ttt_protocol.state import RoomName
from ttt_protocol.text import counted
from ttt_server.core.archive.saved_room import SNAPSHOT_EVENTS, is_between_games, restore
from ttt_server.core.errors import InvalidLog
from ttt_server.core.evolve import evolve
from ttt_server.core.room import Room
from ttt_server.storage.base import Snapshot
from ttt_server.storage.sqlite import snapshots
from ttt_server.storage.sqlite.tables import EventTables

logger = logging.getLogger(__name__)

TABLES = (
    """
CREATE TABLE indexing (
    room TEXT NOT NULL,
    seq INTEGER NOT NULL
)
""",
)
"""All rooms whose names come before `room` have their snapshots, and `room` itself up to the event
number `seq`; if that is 0, up to its end."""

_EVENTS_A_STEP = 200
"""Events that a step reads, which takes some 3 ms."""

_TELL_S = 10.0
"""How often the log tells how far it is."""


def begin(database: sqlite3.Connection) -> None:
    """Have all logs indexed."""
    database.execute("DELETE FROM indexing")
    database.execute("INSERT INTO indexing VALUES ('', 0)")


def is_due(database: sqlite3.Connection) -> bool:
    """Tell whether some logs may lack snapshots."""
    return database.execute("SELECT 1 FROM indexing").fetchone() is not None


class Indexing:
    """Indexes the logs, step by step. `rooms` and `events` count what has been read."""

    def __init__(self) -> None:
        self.rooms = 0
        self.events = 0
        self._room: Room | None = None
        """The room that is being read, after the last event that was read."""
        self._snapshot_seq = 0
        """The number of the last event before its last snapshot."""
        self._told_at = monotonic()

    def step(self, tables: EventTables) -> bool:
        """Do a piece of the work in a transaction; tell whether all is done.

        Raises:
            sqlite3.Error: if it failed; `forget` then goes back to what is on disk.
        """
        tables.begin()
        room = self._room or self._next(tables)
        if room is None:
            tables.database.execute("DELETE FROM indexing")
            self._tell("all logs of an older version are indexed")
            return True
        is_split = tables.shorten_row(room.name, room.seq + 1)
        self._room = room if is_split else self._read(tables, room)
        if monotonic() - self._told_at > _TELL_S:
            self._tell("the logs of an older version are indexed while the server runs")
        return False

    def forget(self) -> None:
        """Go on from the place that the table has, after a step that was not kept."""
        self._room = None

    def _next(self, tables: EventTables) -> Room | None:
        """Return the next room, after its last event that need not be read."""
        place = tables.database.execute("SELECT room, seq FROM indexing").fetchone()
        if place is None:
            return None
        name, seq = place
        if not seq:
            found = tables.browse(name, 1)
            if not found:
                return None
            name = found[0].room
            self.rooms += 1
        room = _before(tables.database, name, seq)
        self._snapshot_seq = room.seq
        return room

    def _read(self, tables: EventTables, room: Room) -> Room | None:
        """Read on in a log, and write its snapshots; return `None` at its end."""
        lines = tables.lines(room.name, room.seq, room.seq + _EVENTS_A_STEP)
        try:
            for line in lines:
                room = evolve(room, decode_event(line))
                if room.seq - self._snapshot_seq >= SNAPSHOT_EVENTS and is_between_games(room):
                    self._snapshot_seq = room.seq
                    tables.add_snapshot(room.name, room.seq, Snapshot.of(room))
        except (InvalidWire, InvalidLog, EngineError) as error:
            logger.warning("room %s: event %s: %s", room.name, room.seq + 1, error)
            lines = ()
        self.events += len(lines)
        is_over = len(lines) < _EVENTS_A_STEP
        place = room.name, 0 if is_over else room.seq
        tables.database.execute("UPDATE indexing SET room = ?, seq = ?", place)
        return None if is_over else room

    def _tell(self, words: str) -> None:
        self._told_at = monotonic()
        if self.rooms:
            rooms, events = counted(self.rooms, "room"), counted(self.events, "event")
            logger.info("%s: %s, %s", words, rooms, events)


def _before(database: sqlite3.Connection, name: RoomName, seq: int) -> Room:
    """Return the room after an event up to the number `seq`, from where its log can be read."""
    for saved in (snapshots.up_to(database, name, seq), snapshots.start(database, name)):
        try:
            return Room(name) if saved.saved is None else restore(name, saved.saved)
        except InvalidLog as error:
            logger.warning("room %s: a snapshot cannot be read: %s", name, error)
    return Room(name)  # whose log begins later, which is told as the fault that it is
