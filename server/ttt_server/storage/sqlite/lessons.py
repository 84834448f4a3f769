"""The learner's memory in the database: how often each game was played, with its winner.

It lies in the same file as the events and changes in the same transactions, so that neither is
ahead of the other. A game's lesson lies in the journal, beside the event that ends the game, until
the journal is settled and the lesson is counted. Lessons are counted by the hour, too, so that
those since some hour can be forgotten; lessons of older versions have no hour.
"""

import logging
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

from ttt_engine import Mark
from ttt_engine.learning.memory import Lesson, Memory
from ttt_protocol.codec import InvalidWire, decode_event
from ttt_protocol.events import Event
from ttt_protocol.state import RoomName
from ttt_server.core.archive.saved_room import restore
from ttt_server.core.errors import InvalidLog
from ttt_server.core.lessons import Taught, lessons_of
from ttt_server.storage.lessons import HOUR_MS

logger = logging.getLogger(__name__)

SCHEMA = """
CREATE TABLE lessons (
    cells TEXT NOT NULL,
    winner TEXT NOT NULL,
    games INTEGER NOT NULL,
    PRIMARY KEY (cells, winner)
) WITHOUT ROWID;
"""
"""`cells`: one digit a cell, in the order of play. `winner`: empty for a draw."""

BY_HOUR = """
CREATE TABLE IF NOT EXISTS lessons_by_hour (
    hour INTEGER NOT NULL,
    cells TEXT NOT NULL,
    winner TEXT NOT NULL,
    games INTEGER NOT NULL,
    PRIMARY KEY (hour, cells, winner)
) WITHOUT ROWID;
"""
"""`hour`: since the beginning of Unix time."""

_ADD = " ON CONFLICT DO UPDATE SET games = games + excluded.games"
_LEARN = "INSERT INTO lessons VALUES (?, ?, 1)" + _ADD  # noqa: S608 - constants of ours
_LEARN_BY_HOUR = "INSERT INTO lessons_by_hour VALUES (?, ?, ?, 1)" + _ADD  # noqa: S608 - the same

# Lessons in the form of `lesson_text`: of one room, or of all rooms.
_IN_JOURNAL = """
SELECT rtrim(lesson, 'XO'), ltrim(lesson, '012345678'), count(*)
FROM journal WHERE lesson IS NOT NULL AND (:room IS NULL OR room = :room) GROUP BY lesson
"""
_COUNT = "INSERT INTO lessons" + _IN_JOURNAL + _ADD
# The time of an event is the first number after its name: the events are written by this program.
_BY_HOUR_IN_JOURNAL = f"""
SELECT CAST(substr(event, instr(event, '"at":') + 5) AS INTEGER) / {HOUR_MS} AS hour,
       rtrim(lesson, 'XO'), ltrim(lesson, '012345678'), count(*)
FROM journal WHERE lesson IS NOT NULL AND (:room IS NULL OR room = :room) GROUP BY hour, lesson
"""  # noqa: S608 - the same
_COUNT_BY_HOUR = "INSERT INTO lessons_by_hour" + _BY_HOUR_IN_JOURNAL + _ADD
_SINCE = "SELECT coalesce(sum(games), 0) FROM lessons_by_hour WHERE hour >= ?"
_TAKE_BACK = """
UPDATE lessons SET games = games - (
    SELECT coalesce(sum(since.games), 0) FROM lessons_by_hour AS since
    WHERE since.hour >= ? AND since.cells = lessons.cells AND since.winner = lessons.winner
)
"""
_RECALL = "SELECT cells, winner, games FROM lessons UNION ALL" + _IN_JOURNAL  # noqa: S608 - the same


def count(database: sqlite3.Connection, room: RoomName | None = None) -> None:
    """Count the lessons in the journal, of one room or of all; the caller empties it then."""
    database.execute(_COUNT, {"room": room})
    database.execute(_COUNT_BY_HOUR, {"room": room})


def learn(database: sqlite3.Connection, lessons: Iterable[Lesson]) -> None:
    """Count each lesson once more, as one of this hour."""
    now = time.time_ns() // 1_000_000
    _learn(database, [Taught(lesson, now) for lesson in lessons])


def since(database: sqlite3.Connection, hour: int) -> int:
    """Return the number of lessons since the beginning of this hour."""
    (games,) = database.execute(_SINCE, (hour,)).fetchone()
    return int(games)


def forget_since(database: sqlite3.Connection, hour: int) -> None:
    """Take the lessons since the beginning of this hour off the counts. The journal is empty."""
    database.execute(_TAKE_BACK, (hour,))
    database.execute("DELETE FROM lessons WHERE games <= 0")
    database.execute("DELETE FROM lessons_by_hour WHERE hour >= ?", (hour,))


def recall(database: sqlite3.Connection, memory: Memory) -> None:
    """Put all lessons into an empty memory."""
    for cells, winner, games in database.execute(_RECALL, {"room": None}):
        lesson = Lesson(tuple(map(int, cells)), Mark(winner) if winner else None)
        memory.learn(lesson, games)


def relearn(database: sqlite3.Connection, starts: Mapping[RoomName, bytes]) -> None:
    """Clear the counts, and count the games in the logs of the rooms.

    Args:
        database: the database, with an empty journal.
        starts: the saved rooms before the logs that do not begin with the first event.
    """
    database.execute("DELETE FROM lessons")
    database.execute("DELETE FROM lessons_by_hour")
    rows = database.execute("SELECT room, event FROM events ORDER BY room, seq")
    for room, log in groupby(rows, itemgetter(0)):
        try:
            start = starts.get(room)
            settings = None if start is None else restore(room, start).settings
            _learn(database, list(lessons_of(_events(log), settings)))
        except (InvalidWire, InvalidLog) as error:  # such a room cannot be entered; others go on
            logger.warning("room %s: no lessons from its log: %s", room, error)


def _learn(database: sqlite3.Connection, lessons: Sequence[Taught]) -> None:
    rows = [(_digits(each.lesson), each.lesson.winner or "") for each in lessons]
    database.executemany(_LEARN, rows)
    hours = (each.at // HOUR_MS for each in lessons)
    by_hour = ((hour, *row) for hour, row in zip(hours, rows, strict=True))
    database.executemany(_LEARN_BY_HOUR, by_hour)


def _digits(lesson: Lesson) -> str:
    return "".join(map(str, lesson.cells))


def _events(rows: Iterable[tuple[str, str]]) -> Iterator[Event]:
    """Decode lazily: of a room with another board only the first event is needed."""
    return (decode_event(line) for _, lines in rows for line in lines.split("\n"))
