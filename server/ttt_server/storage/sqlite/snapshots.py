"""Snapshots of the rooms between their games, in the file of the logs, and the starts of cut logs.

A snapshot is found by the number of the last game that had begun. So the events of a game lie
between two snapshots, however many games the room has had. Rows of `snapshots` may be lost: the
events tell the same. A row of `starts` is the only source for the events that were dropped.
"""

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from ttt_protocol.state import RoomName

TABLES = (
    """
CREATE TABLE snapshots (
    room TEXT NOT NULL,
    game INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    saved BLOB NOT NULL,
    PRIMARY KEY (room, game, seq)
) WITHOUT ROWID
""",
    """
CREATE TABLE starts (
    room TEXT NOT NULL PRIMARY KEY,
    game INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    saved BLOB NOT NULL
) WITHOUT ROWID
""",
)
"""`seq`: the number of the last event before the snapshot; `game`: that of the last game; `saved`:
the room."""

_NEWEST = "SELECT game, seq, saved FROM snapshots WHERE room = ?"
_LAST = " ORDER BY game DESC, seq DESC LIMIT 1"
_START = "SELECT game, seq, saved FROM starts WHERE room = ?"
_BEHIND = "SELECT seq FROM snapshots WHERE room = ? AND game >= ? ORDER BY game, seq LIMIT 1"
_OLD = (
    "SELECT game, seq, saved FROM snapshots WHERE room = ? AND game <= ? AND seq < ?"
    " ORDER BY game, seq LIMIT ?"
)


class Saved(NamedTuple):
    """A room after the event number `seq`, in which `game` was the last game."""

    game: int
    seq: int
    saved: bytes | None
    """`None` before the first event."""


_EMPTY = Saved(0, 0, None)

_AT_ONCE = 8
"""Rooms that one query looks for."""

_KEPT = (
    f"SELECT column1 FROM (VALUES {','.join(['(?)'] * _AT_ONCE)})"  # noqa: S608 - a constant of ours
    " WHERE EXISTS (SELECT 1 FROM events WHERE room = column1)"
    " OR EXISTS (SELECT 1 FROM starts WHERE room = column1)"
)


def write(database: sqlite3.Connection, rows: Sequence[tuple[RoomName, int, int, bytes]]) -> None:
    """Write snapshots: room, game, seq, saved."""
    database.executemany("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?)", rows)


def newest(database: sqlite3.Connection, room: RoomName) -> Saved:
    """Return the newest snapshot, or else the start of the log."""
    return _found(database.execute(_NEWEST + _LAST, (room,))) or start(database, room)


def before(database: sqlite3.Connection, room: RoomName, game: int) -> Saved:
    """Return the newest snapshot before a game has begun, or else the start of the log."""
    rows = database.execute(f"{_NEWEST} AND game < ?{_LAST}", (room, game))
    return _found(rows) or start(database, room)


def up_to(database: sqlite3.Connection, room: RoomName, seq: int) -> Saved:
    """Return the newest snapshot up to an event, or else the start of the log."""
    rows = database.execute(f"{_NEWEST} AND seq <= ?{_LAST}", (room, seq))
    return _found(rows) or start(database, room)


def behind(database: sqlite3.Connection, room: RoomName, game: int) -> int | None:
    """Return the number of the last event before the first snapshot after a game."""
    row = database.execute(_BEHIND, (room, game)).fetchone()
    return None if row is None else row[0]


def start(database: sqlite3.Connection, room: RoomName) -> Saved:
    """Return the start of a log."""
    return _found(database.execute(_START, (room,))) or _EMPTY


def without_log(database: sqlite3.Connection, rooms: Sequence[RoomName]) -> set[RoomName]:
    """Return the rooms among these of which neither `events` nor `starts` has anything."""
    new = set(rooms)
    for first in range(0, len(rooms), _AT_ONCE):
        some = rooms[first : first + _AT_ONCE]
        none = [""] * (_AT_ONCE - len(some))  # no room has this name
        new.difference_update(room for (room,) in database.execute(_KEPT, (*some, *none)))
    return new


def starts(database: sqlite3.Connection) -> dict[RoomName, bytes]:
    """Return the saved rooms before all logs that were cut."""
    return dict(database.execute("SELECT room, saved FROM starts"))


def cut(
    database: sqlite3.Connection, room: RoomName, *, games: int, before_seq: int, most: int
) -> Saved | None:
    """Start the log later; the caller deletes the events before that.

    Args:
        database: the database, in a transaction.
        room: the room.
        games: how many games may be dropped, from the first on.
        before_seq: the number of the first event that may not.
        most: the largest number of snapshots that are passed over.

    Returns:
        The new start; `None` if the log stays as it is.
    """
    old = database.execute(_OLD, (room, games, before_seq, most)).fetchall()
    if not old:
        return None
    game, seq, saved = old[-1]
    database.execute("INSERT OR REPLACE INTO starts VALUES (?, ?, ?, ?)", (room, game, seq, saved))
    database.execute(
        "DELETE FROM snapshots WHERE room = ? AND game <= ? AND seq <= ?", (room, game, seq)
    )
    return Saved(game, seq, saved)


def delete(database: sqlite3.Connection, room: RoomName) -> None:
    """Delete what there is of a room."""
    database.execute("DELETE FROM snapshots WHERE room = ?", (room,))
    database.execute("DELETE FROM starts WHERE room = ?", (room,))


def _found(rows: sqlite3.Cursor) -> Saved | None:
    row = rows.fetchone()
    return None if row is None else Saved(*row)
