"""Logs in memory: `--store memory:`. They end with the process."""

from collections import defaultdict

from ttt_engine.memory import Lesson, Memory
from ttt_protocol.events import Event
from ttt_protocol.state import RoomName
from ttt_server.store import Conflict


class MemoryStore:
    """An `EventStore` that keeps nothing."""

    def __init__(self) -> None:
        self.memory = Memory()
        self._logs: defaultdict[RoomName, list[Event]] = defaultdict(list)

    async def append(
        self, room: RoomName, events: tuple[Event, ...], lesson: Lesson | None = None
    ) -> None:
        log = self._logs[room]
        if events[0].seq != len(log) + 1:
            raise Conflict(f"{room}: event {events[0].seq} after {len(log)}")
        log.extend(events)
        if lesson is not None:
            self.memory.learn(lesson)

    async def teach(self, lessons: tuple[Lesson, ...]) -> None:
        for lesson in lessons:
            self.memory.learn(lesson)

    async def load(self, room: RoomName) -> tuple[Event, ...]:
        return tuple(self._logs.get(room, ()))

    async def delete(self, room: RoomName) -> None:
        self._logs.pop(room, None)

    async def probe(self) -> None:
        """Memory can always be written."""

    async def close(self) -> None:
        self._logs.clear()
