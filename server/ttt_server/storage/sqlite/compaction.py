"""Compaction: what need not be kept leaves the file, while no server runs on it."""

import sqlite3
from collections.abc import Callable, Collection, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from ttt_engine.learning.memory import Memory
from ttt_protocol.state import RoomName
from ttt_protocol.text import counted
from ttt_server.storage.base import CannotOpen, LastEvent
from ttt_server.storage.retention import Retention, is_silent
from ttt_server.storage.sqlite.opening import open_database
from ttt_server.storage.sqlite.preflight import words
from ttt_server.storage.sqlite.reading import Logs
from ttt_server.storage.sqlite.tables import EventTables

OnProgress = Callable[[int, int], None]
"""Takes the number of rooms that are done, and of all."""

_ROOMS_AT_ONCE = 100


class Freed(NamedTuple):
    """The contents that leave the file."""

    rooms: int
    """Rooms that are forgotten."""
    logs: int
    """Rooms that lose some games."""
    size: int
    """Bytes."""

    def __str__(self) -> str:
        rooms, size = counted(self.rooms, "room"), counted(self.size, "byte")
        return f"{rooms}, games of {counted(self.logs, 'other')}, {size}"


def survey(
    logs: Logs,
    retention: Retention,
    now: int,
    on_progress: OnProgress,
    also: Collection[RoomName] = (),
) -> Freed:
    """Estimate what a compaction would free, `now` in Unix ms; change nothing.

    `also`: logs that go besides those of silent rooms.
    """
    forgotten, shortened, size = 0, 0, logs.free_bytes()
    before, rooms = retention.silent_before(now), logs.rooms()
    for done, room in enumerate(rooms, 1):
        log = list(logs.log(room))
        cut = logs.cut(room, retention.keep_games) if retention.keep_games else 0
        is_old = before is not None and is_silent(LastEvent(room, log[-1][1]), before)
        if is_old or room in also:
            forgotten += 1
            size += sum(len(line) for _, line in log)
        elif cut:
            shortened += 1
            size += sum(len(line) for seq, line in log if seq <= cut)
        on_progress(done, len(rooms))
    return Freed(forgotten, shortened, size)


def compact(
    path: Path,
    retention: Retention,
    now: int,
    on_progress: OnProgress,
    also: Collection[RoomName] = (),
) -> Freed:
    """Drop what need not be kept, `now` in Unix ms, and make the file as short as it can be.

    `also`: logs that go besides those of silent rooms. A kill leaves whole rooms and games; the
    next compaction goes on.

    Raises:
        CannotOpen: with one line for the operator, also for a disk that is full.
    """
    size = path.stat().st_size
    try:
        with closing(open_database(path, Memory(), erase=True)) as database:
            forgotten, shortened = _drop(EventTables(database), retention, now, on_progress, also)
            database.execute("VACUUM")
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.Error as error:
        raise CannotOpen(f"{path}: {words(error)}") from None
    return Freed(forgotten, shortened, size - path.stat().st_size)


def _drop(
    tables: EventTables,
    retention: Retention,
    now: int,
    on_progress: OnProgress,
    also: Collection[RoomName],
) -> tuple[int, int]:
    """Drop what need not be kept; return the numbers of rooms that went and that are shorter."""
    forgotten = shortened = 0
    tables.settle()
    tables.learn_all()
    tables.commit()
    before, rooms = retention.silent_before(now), list(_rooms(tables))
    for done, last in enumerate(rooms, 1):
        is_shorter = False
        if last.room in also or (before is not None and is_silent(last, before)):
            tables.delete(last.room)
            forgotten += 1
        else:
            while retention.keep_games is not None and tables.trim(last.room, retention.keep_games):
                is_shorter = True
                tables.commit()
            shortened += is_shorter
        tables.commit()
        on_progress(done, len(rooms))
    return forgotten, shortened


def _rooms(tables: EventTables) -> Iterator[LastEvent]:
    after = ""
    while found := tables.browse(after, _ROOMS_AT_ONCE):
        yield from found
        after = found[-1].room
