"""Lessons as text, and the reading of logs for the learner."""

import asyncio
import logging
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from time import time
from typing import Final

from ttt_engine import Mark
from ttt_engine.learning.memory import Lesson
from ttt_protocol.codec import EncodedEvents, InvalidWire
from ttt_protocol.state import RoomName
from ttt_server.core.errors import InvalidLog
from ttt_server.core.lessons import KnownEnds, Reading, Taught, lesson_of, read_lessons
from ttt_server.core.room import Room, game_of
from ttt_server.limits.lessons import LessonLimiter, Pair
from ttt_server.storage.base import EventStore, StorageFailed

logger = logging.getLogger(__name__)

HOUR_MS: Final = 3_600_000
"""Lessons are forgotten by whole hours of Unix time."""

_GATHER_S: Final = 2.0
"""How long to gather rooms in which a game has ended, to learn from them together."""

_KNOWN_S: Final = 30.0
"""How long games are known from the room."""

_AGAIN_S: Final = 2.0
"""The time between two attempts to read, after a failure."""

_ENDED_AT_ONCE: Final = 200
"""Rooms to read together after games in them: each reading is a transaction of its own."""

_MOST_NEWEST: Final = 10_000
"""Rooms whose newest game is remembered."""

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


@dataclass(slots=True)
class _Unread:
    """The games of one room that have ended since its log was read."""

    ignored: set[int] = field(default_factory=set)
    """The numbers of games not to learn from."""
    since: int | None = None
    """The mark of the log before these games; `None` if the log has to be read for them."""
    noted_at: float = field(default_factory=time)
    """When the first of them was noted, in Unix s."""
    lessons: list[Taught] = field(default_factory=list)
    mark: int = 0
    """The mark after them."""

    @property
    def known(self) -> KnownEnds | None:
        """These games, if they are known without a look at the log.

        After a while another server may have forgotten the room, and have another of that name.
        """
        if self.since is None or time() - self.noted_at > _KNOWN_S:
            return None
        return KnownEnds(self.since, Reading(tuple(self.lessons), self.mark))


class LessonReader:
    """Makes the store learn from games soon after they end.

    The store keeps a mark for each log: how far it has been read. Games that a server leaves unread
    are read after the next start, or by the server that takes over its rooms.

    Games that follow one another here are known from the room, which saves a tenth of the CPU of a
    move. If the mark is not where it would be then, the log is read.
    """

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._limiter = LessonLimiter()
        self._waiting: dict[RoomName, _Unread] = {}
        """The rooms to read."""
        self._newest: dict[RoomName, tuple[int, int]] = {}
        """The number of the newest game of a room, and the mark after it."""
        self._is_waiting = asyncio.Event()

    def note_end(self, room: Room, players: Pair) -> None:
        """Read this room soon: a game has just ended in it.

        `players`: their addresses. The same two can teach only so many games an hour.
        """
        if (lesson := lesson_of(room)) is None:
            return
        number, name = game_of(room).number, room.name
        before, mark = self._newest.get(name, (0, 0))
        if (unread := self._waiting.get(name)) is None:
            unread = self._waiting[name] = _Unread(since=mark)
        if number != before + 1:
            unread.since = None
        if self._limiter.takes(players, room.changed_at):
            unread.lessons.append(lesson)
        else:
            unread.ignored.add(number)
        unread.mark = room.seq
        if len(self._newest) > _MOST_NEWEST:
            self._newest.clear()
        self._newest[name] = number, room.seq
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
            rooms = {name: self._waiting.pop(name) for name in [*self._waiting][:_ENDED_AT_ONCE]}
            known = {name: each for name, unread in rooms.items() if (each := unread.known)}
            try:
                await self._store.learn({name: rooms[name].ignored for name in rooms}, known)
            except BaseException:
                for name, unread in rooms.items():
                    again = self._waiting.setdefault(name, _Unread())
                    again.ignored |= unread.ignored
                    again.since = None
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
