"""The learner's memory in the database: how often each game was played, with its winner.

It lies in the same file as the events and changes in the same transactions, so that neither is
ahead of the other. A game's lesson lies in the journal, beside the event that ends the game, until
the journal is settled and the lesson is counted.
"""

import logging
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter

from ttt_engine import Mark
from ttt_engine.learning.memory import Lesson, Memory
from ttt_protocol.codec import InvalidWire
from ttt_protocol.state import RoomName
from ttt_server.core.archive.saved_room import restore
from ttt_server.core.errors import InvalidLog
from ttt_server.core.events import Event, decode
from ttt_server.core.lessons import lessons_of

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

_ADD = " ON CONFLICT DO UPDATE SET games = games + excluded.games"
_LEARN = "INSERT INTO lessons VALUES (?, ?, 1)" + _ADD  # noqa: S608 - constants of ours

# Lessons in the form of `lesson_text`: of one room, or of all rooms.
_IN_JOURNAL = """
SELECT rtrim(lesson, 'XO'), ltrim(lesson, '012345678'), count(*)
FROM journal WHERE lesson IS NOT NULL AND (:room IS NULL OR room = :room) GROUP BY lesson
"""
_COUNT = "INSERT INTO lessons" + _IN_JOURNAL + _ADD
_RECALL = "SELECT cells, winner, games FROM lessons UNION ALL" + _IN_JOURNAL  # noqa: S608 - the same


def count(database: sqlite3.Connection, room: RoomName | None = None) -> None:
    """Count the lessons in the journal, of one room or of all; the caller empties it then."""
    database.execute(_COUNT, {"room": room})


def learn(database: sqlite3.Connection, lessons: Iterable[Lesson]) -> None:
    """Count each lesson once more."""
    database.executemany(
        _LEARN,
        ((_digits(lesson), lesson.winner or "") for lesson in lessons),
    )


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
    rows = database.execute("SELECT room, event FROM events ORDER BY room, seq")
    for room, log in groupby(rows, itemgetter(0)):
        try:
            start = starts.get(room)
            settings = None if start is None else restore(room, start).settings
            learn(database, list(lessons_of(_events(log), settings)))
        except (InvalidWire, InvalidLog) as error:  # such a room cannot be entered; others go on
            logger.warning("room %s: no lessons from its log: %s", room, error)


def _digits(lesson: Lesson) -> str:
    return "".join(map(str, lesson.cells))


def _events(rows: Iterable[tuple[str, str]]) -> Iterator[Event]:
    """Decode lazily: of a room with another board only the first event is needed."""
    return (decode(line) for _, lines in rows for line in lines.split("\n"))
