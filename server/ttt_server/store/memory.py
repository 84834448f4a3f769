"""Logs in memory: `--store memory:`. They end with the process."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence

from ttt_engine.memory import Lesson, Memory
from ttt_protocol.state import RoomName
from ttt_server.histogram import Histogram
from ttt_server.store import COMMIT_BOUNDS_S, Append, Conflict, Lines


class MemoryStore:
    """An `EventStore` that keeps nothing."""

    def __init__(self) -> None:
        self.memory = Memory()
        self.commits = Histogram(COMMIT_BOUNDS_S)
        self._logs: defaultdict[RoomName, list[bytes]] = defaultdict(list)

    def append(self, appends: Sequence[Append]) -> None:
        loop = asyncio.get_running_loop()
        for append in appends:
            loop.call_soon(append.then, self._keep(append))

    def _keep(self, append: Append) -> Conflict | None:
        log = self._logs[append.room]
        if append.seq != len(log) + 1:
            return Conflict(f"{append.room}: event {append.seq} after {len(log)}")
        log += append.lines
        if append.lesson is not None:
            self.memory.learn(append.lesson)
        self.commits.observe(0)
        return None

    async def teach(self, lessons: tuple[Lesson, ...]) -> None:
        for lesson in lessons:
            self.memory.learn(lesson)

    async def load(self, room: RoomName) -> Lines:
        return tuple(self._logs.get(room, ()))

    async def delete(self, room: RoomName) -> None:
        self._logs.pop(room, None)

    async def probe(self) -> None:
        """Memory can always be written."""

    async def close(self) -> None:
        self._logs.clear()
