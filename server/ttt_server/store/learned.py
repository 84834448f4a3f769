"""The learner's memory in the database: how many games went like this, and ended so.

In the same file and the same transactions as the events, so that neither is ahead of the other.
"""

import logging
import sqlite3
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter

from ttt_engine import Mark
from ttt_engine.memory import Lesson, Memory
from ttt_protocol.codec import InvalidWire, decode_event
from ttt_protocol.events import Event
from ttt_server.lessons import lessons_of

logger = logging.getLogger(__name__)

SCHEMA = """
CREATE TABLE lessons (
    cells TEXT NOT NULL,
    winner TEXT NOT NULL,
    games INTEGER NOT NULL,
    PRIMARY KEY (cells, winner)
) WITHOUT ROWID;
"""
"""`cells`: a digit each, in the order they were played. `winner`: empty for a draw."""


def learn(database: sqlite3.Connection, lessons: Iterable[Lesson]) -> None:
    """Counts each lesson once more."""
    database.executemany(
        "INSERT INTO lessons VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET games = games + 1",
        (("".join(map(str, lesson.cells)), lesson.winner or "") for lesson in lessons),
    )


def recall(database: sqlite3.Connection, memory: Memory) -> None:
    """Puts all that was counted into an empty memory."""
    for cells, winner, games in database.execute("SELECT cells, winner, games FROM lessons"):
        lesson = Lesson(tuple(map(int, cells)), Mark(winner) if winner else None)
        memory.learn(lesson, games)


def relearn(database: sqlite3.Connection) -> None:
    """Forgets all that was counted, and counts the games in the logs of the rooms."""
    database.execute("DELETE FROM lessons")
    rows = database.execute("SELECT room, event FROM events ORDER BY room, seq")
    for room, log in groupby(rows, itemgetter(0)):
        try:
            learn(database, list(lessons_of(_events(log))))
        except InvalidWire as error:  # nobody can enter that room, and the others go on
            logger.warning("room %s: no lessons from its log: %s", room, error)


def _events(rows: Iterable[tuple[str, str]]) -> Iterator[Event]:
    """One at a time: of a room on another board only the first is looked at."""
    return (decode_event(event) for _, event in rows)
