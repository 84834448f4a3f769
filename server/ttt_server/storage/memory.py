"""The store in memory, `--store memory:`. Its logs end with the process."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

from ttt_engine.learning.memory import Lesson, Memory
from ttt_protocol.codec import EncodedEvents
from ttt_protocol.state import RoomName
from ttt_server.storage.base import COMMIT_BOUNDS_S, Append, Conflict, StorageFailed
from ttt_server.telemetry.histogram import Histogram


class MemoryStore:
    """An `EventStore` that keeps nothing on disk."""

    def __init__(self) -> None:
        self.memory = Memory()
        self.commits = Histogram(COMMIT_BOUNDS_S)
        self._logs: defaultdict[RoomName, list[bytes]] = defaultdict(list)

    def append(self, appends: Sequence[Append]) -> None:
        loop = asyncio.get_running_loop()
        for append in appends:
            log, error = self._logs[append.room], None
            if append.seq == len(log) + 1:
                log += append.lines
                self.commits.observe(0)
            else:
                error = Conflict(f"{append.room}: event {append.seq} after {len(log)}")
            loop.call_soon(self._tell, append, error)

    def _tell(self, append: Append, error: Conflict | None) -> None:
        if error is None and append.lesson is not None:
            self.memory.learn(append.lesson)
        append.then(error)

    async def teach(self, lessons: tuple[Lesson, ...]) -> None:
        for lesson in lessons:
            self.memory.learn(lesson)

    async def load(self, room: RoomName) -> EncodedEvents:
        return tuple(self._logs.get(room, ()))

    async def delete(self, room: RoomName) -> None:
        self._logs.pop(room, None)

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
