"""Logs in memory: `--store memory:`. They end with the process."""

import asyncio
from collections import defaultdict

from ttt_engine.memory import Lesson, Memory
from ttt_protocol.state import RoomName
from ttt_server.store import Conflict, Lines, Then


class MemoryStore:
    """An `EventStore` that keeps nothing."""

    def __init__(self) -> None:
        self.memory = Memory()
        self._logs: defaultdict[RoomName, list[bytes]] = defaultdict(list)

    def append(
        self, room: RoomName, seq: int, lines: Lines, lesson: Lesson | None, then: Then
    ) -> None:
        log = self._logs[room]
        error: Exception | None = None
        if seq == len(log) + 1:
            log.extend(lines)
            if lesson is not None:
                self.memory.learn(lesson)
        else:
            error = Conflict(f"{room}: event {seq} after {len(log)}")
        asyncio.get_running_loop().call_soon(then, error)

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
