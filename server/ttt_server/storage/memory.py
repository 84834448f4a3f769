"""The store in memory, `--store memory:`, whose logs end with the process."""

import asyncio
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from ttt_engine.learning.memory import Lesson, Memory
from ttt_protocol.state import RoomName
from ttt_server.core.archive.anonymous import Rewrite
from ttt_server.storage.base import (
    COMMIT_BOUNDS_S,
    CONFLICT,
    Append,
    Conflict,
    Excerpt,
    LastEvent,
    Snapshot,
    StorageFailed,
)
from ttt_server.storage.lessons import read_log
from ttt_server.storage.people import DROP_GAMES, DROP_ROOM, Row, Statement
from ttt_server.storage.sqlite import people
from ttt_server.telemetry.histogram import Histogram


class _Numbered(NamedTuple):
    """A snapshot after the event number `seq`."""

    seq: int
    snapshot: Snapshot


_EMPTY = _Numbered(0, Snapshot(0, b""))
"""The room before its first event."""


@dataclass(slots=True)
class _Log:
    """The log of one room: the events after `start`, and snapshots between them."""

    start: _Numbered = _EMPTY
    lines: list[bytes] = field(default_factory=list)
    snapshots: list[_Numbered] = field(default_factory=list)
    mark: int = 0
    """How far the learner has read. See `read_lessons`."""

    @property
    def head(self) -> int:
        """The number of the last event."""
        return self.start.seq + len(self.lines)

    def add(self, append: Append) -> None:
        self.lines += append.lines
        if append.snapshot is not None:
            self.snapshots.append(_Numbered(self.head, append.snapshot))

    def excerpt(self, first: _Numbered, last: int | None = None) -> Excerpt:
        """Return the events after one of the snapshots, up to a number or the end."""
        lines = self.lines[first.seq - self.start.seq : None if last is None else self._at(last)]
        return Excerpt(first.snapshot.saved if first.seq else None, tuple(lines))

    def after(self, seq: int, most: int) -> Excerpt:
        """Return events after a number, or the first that are kept."""
        if seq < self.start.seq:
            return self.excerpt(self.start, self.start.seq + most)
        first = self._at(seq)
        return Excerpt(None, tuple(self.lines[first : first + most]))

    def trim(self, keep: int) -> bool:
        """Start the log at the newest snapshot before the last games, if that is later."""
        newest = max((each.snapshot.game for each in self.snapshots), default=0)
        old = [each for each in self.snapshots if each.snapshot.game <= newest - keep]
        if old:
            del self.lines[: self._at(old[-1].seq)]
            self.start = old[-1]
            self.snapshots = self.snapshots[len(old) :]
        return bool(old)

    def rewrite(self, rewrite: Rewrite) -> None:
        """Put all that is kept into other words."""

        def anew(each: _Numbered) -> _Numbered:
            saved = rewrite(each.snapshot.saved) if each.snapshot.saved else b""
            return each._replace(snapshot=each.snapshot._replace(saved=saved))

        self.start = anew(self.start)
        self.lines = list(map(rewrite, self.lines))
        self.snapshots = list(map(anew, self.snapshots))

    def _at(self, seq: int) -> int:
        return seq - self.start.seq


class MemoryStore:
    """An `EventStore` that keeps nothing on disk."""

    def __init__(self) -> None:
        self.memory = Memory()
        self.commits = Histogram(COMMIT_BOUNDS_S)
        self._logs: defaultdict[RoomName, _Log] = defaultdict(_Log)
        self._deadlines: dict[RoomName, int] = {}
        self.people = _People()

    def append(self, appends: Sequence[Append]) -> None:
        loop = asyncio.get_running_loop()
        for append in appends:
            log, error = self._logs[append.room], None
            if append.seq == log.head + 1:
                log.add(append)
                self.commits.observe(0)
            else:
                error = Conflict(CONFLICT)
            loop.call_soon(append.then, error)

    def note_deadline(self, room: RoomName, at: int | None) -> None:
        if at is None:
            self._deadlines.pop(room, None)
        else:
            self._deadlines[room] = at

    def note_unread(self, room: RoomName, at: int) -> None:
        """Do nothing: with the process goes what could be read."""

    async def deadlines(self, most: int) -> Sequence[tuple[RoomName, int]]:
        return nsmallest(most, self._deadlines.items(), itemgetter(1))

    async def learn(self, rooms: Mapping[RoomName, Collection[int]]) -> None:
        for room, ignored in rooms.items():
            if (log := self._logs.get(room)) is not None:
                lines = log.after(log.mark, log.head).lines
                read = read_log(room, log.mark, lines, ignored)
                log.mark = read.mark
                for taught in read.lessons:
                    self.memory.learn(taught.lesson)

    async def teach(self, lessons: tuple[Lesson, ...]) -> None:
        for lesson in lessons:
            self.memory.learn(lesson)

    async def load(
        self, room: RoomName, after: int | None = None, most: int | None = None
    ) -> Excerpt:
        log = self._logs.get(room, _Log())
        most = log.head if most is None else most
        if after is not None:
            return log.after(after, most)
        start = log.snapshots[-1] if log.snapshots else log.start
        return log.excerpt(start, start.seq + most)

    async def load_game(self, room: RoomName, number: int) -> Excerpt:
        log = self._logs.get(room, _Log())
        if number <= log.start.snapshot.game:
            return Excerpt(log.start.snapshot.saved, ())
        before = [each for each in log.snapshots if each.snapshot.game < number]
        behind = [each.seq for each in log.snapshots if each.snapshot.game >= number]
        return log.excerpt(before[-1] if before else log.start, behind[0] if behind else None)

    async def browse(self, after: str, most: int) -> Sequence[LastEvent]:
        logs = self._logs.items()
        rooms = nsmallest(most, (room for room, log in logs if room > after and log.lines))
        return [LastEvent(room, self._logs[room].lines[-1]) for room in rooms]

    async def trim(self, room: RoomName, keep: int) -> bool:
        await self.learn({room: ()})
        log = self._logs.get(room)
        if log is None or not log.trim(keep):
            return False
        await self.people.transact([Statement(DROP_GAMES, (room, log.start.snapshot.game))])
        return True

    async def delete(self, room: RoomName) -> None:
        await self.learn({room: ()})
        self._logs.pop(room, None)
        self._deadlines.pop(room, None)
        await self.people.transact([Statement(sql, (room,)) for sql in DROP_ROOM])

    async def rewrite(self, room: RoomName, rewrite: Rewrite) -> None:
        if (log := self._logs.get(room)) is not None:
            log.rewrite(rewrite)

    def watch(self, on_failure: Callable[[StorageFailed], None]) -> None:
        """Do nothing: memory is always there."""

    async def backup(
        self,
        file: Path,  # noqa: ARG002 - as in every store; so the next two
        secret: bytes | None,  # noqa: ARG002
        on_progress: Callable[[int, int], None],  # noqa: ARG002
    ) -> None:
        raise StorageFailed("the server keeps nothing on disk")

    async def probe(self) -> None:
        """Do nothing: memory can always be written."""

    async def close(self) -> None:
        self._logs.clear()
        self.people.close()


class _People:
    """The tables of people, which are made with the first of them."""

    def __init__(self) -> None:
        self._database: sqlite3.Connection | None = None

    async def transact(self, statements: Sequence[Statement]) -> Sequence[Sequence[Row]]:
        if self._database is None:
            self._database = sqlite3.connect(":memory:", isolation_level=None)
            people.make_tables(self._database)
        return people.run(self._database, statements)

    def close(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None
