"""Lessons as text, and the reading of logs for the learner."""

import asyncio
import logging
from collections.abc import Collection, Iterable
from typing import Final

from ttt_engine import Mark
from ttt_engine.learning.memory import Lesson
from ttt_protocol.codec import EncodedEvents, InvalidWire
from ttt_protocol.state import RoomName
from ttt_server.core.errors import InvalidLog
from ttt_server.core.lessons import Reading, is_lesson, read_lessons
from ttt_server.core.room import Room, game_of
from ttt_server.limits.lessons import LessonLimiter, Pair
from ttt_server.storage.base import EventStore, StorageFailed

logger = logging.getLogger(__name__)

HOUR_MS: Final = 3_600_000
"""Lessons are forgotten by whole hours of Unix time."""

_GATHER_S: Final = 1.0
"""How long to gather rooms in which a game has ended, to read them together."""

_AGAIN_S: Final = 2.0
"""The time between two attempts to read, after a failure."""

_ENDED_AT_ONCE: Final = 200
"""Rooms to read together after games in them: each reading is a transaction of its own."""

_ROOMS_AT_ONCE: Final = 20
_PAUSE_S: Final = 0.02
"""The pause after so many rooms when all are read, so that moves go first."""


def lesson_text(lesson: Lesson) -> str:
    """Return a lesson as text: the cells, then the winner, if there is one: `04182X`."""
    return "".join(map(str, lesson.cells)) + (lesson.winner or "")


def parse_lesson(text: str) -> Lesson:
    """Parse a lesson.

    Raises:
        ValueError: if it is invalid.
    """
    cells = text.rstrip("XO")
    winner = text[len(cells) :]
    return Lesson(tuple(map(int, cells)), Mark(winner) if winner else None)


def tallied_text(lessons: Iterable[tuple[Lesson, int]]) -> str:
    """Return lessons with how often each was learned: `04182X:3 0481:1`."""
    return " ".join(f"{lesson_text(lesson)}:{times}" for lesson, times in lessons)


def parse_tallied(text: str) -> Iterable[tuple[Lesson, int]]:
    """Parse lessons with how often each was learned.

    Raises:
        ValueError: if they are invalid.
    """
    for part in text.split():
        lesson, _, times = part.rpartition(":")
        yield parse_lesson(lesson), int(times)


def read_log(
    room: RoomName,
    mark: int,
    lines: EncodedEvents,
    ignored: Collection[int],
    start: bytes | None = None,
) -> Reading:
    """Read the lessons in a log like `read_lessons`, but none if the log is invalid."""
    try:
        return read_lessons(room, mark, lines, start=start, ignored=ignored)
    except (InvalidWire, InvalidLog) as error:  # nobody can join this room either
        logger.warning("room %s: no lessons from its log: %s", room, error)
        return Reading((), mark)


class LessonReader:
    """Makes the store learn from games soon after they end.

    The store keeps a mark for each log: how far it has been read. Games that a server leaves unread
    are read after the next start, or by the server that takes over its rooms.
    """

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._limiter = LessonLimiter()
        self._waiting: dict[RoomName, set[int]] = {}
        """The rooms to read, each with the numbers of games not to learn from."""
        self._is_waiting = asyncio.Event()

    def note_end(self, room: Room, players: Pair) -> None:
        """Read this room soon: a game has just ended in it.

        `players`: their addresses. The same two can teach only so many games an hour.
        """
        if is_lesson(room):
            ignored = self._waiting.setdefault(room.name, set())
            if not self._limiter.takes(players, room.changed_at):
                ignored.add(game_of(room).number)
            self._is_waiting.set()

    async def run(self) -> None:
        """Read the rooms in which games end, until cancelled."""
        while True:
            await self._is_waiting.wait()
            await asyncio.sleep(_GATHER_S)
            try:
                await self.finish()
            except StorageFailed as error:
                logger.debug("games are not learned from yet: %s", error)
                await asyncio.sleep(_AGAIN_S)

    async def finish(self) -> None:
        """Read all queued rooms.

        Raises:
            StorageFailed: if the store fails; the rooms stay in the queue.
        """
        self._is_waiting.clear()
        while self._waiting:
            names = list(self._waiting)[:_ENDED_AT_ONCE]
            rooms = {name: self._waiting.pop(name) for name in names}
            try:
                await self._store.learn(rooms)
            except BaseException:
                for name, ignored in rooms.items():
                    self._waiting.setdefault(name, set()).update(ignored)
                self._is_waiting.set()
                raise

    async def resume(self) -> None:
        """Read what earlier servers have left unread, slowly enough not to delay moves."""
        while True:
            try:
                return await self.read_all(_PAUSE_S)
            except StorageFailed as error:
                logger.debug("games are not learned from yet: %s", error)
                await asyncio.sleep(_AGAIN_S)

    async def read_all(self, pause_s: float = 0.0) -> None:
        """Read what is unread of all rooms. `pause_s`: after a few rooms.

        Raises:
            StorageFailed: if the store fails.
        """
        after = ""
        while found := await self._store.browse(after, _ROOMS_AT_ONCE):
            await self._store.learn({last.room: () for last in found})
            after = found[-1].room
            await asyncio.sleep(pause_s)
