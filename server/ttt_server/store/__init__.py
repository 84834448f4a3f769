"""Where the logs of rooms are kept.

An `EventStore` appends and loads; `memory` forgets at the end of the process, `sqlite` is a file.

    StoreError
    ├── StorageFailed    this write or read failed; nothing of it is kept; trying again may help
    ├── Conflict         these numbers are taken, by a log that was not read or another process
    └── CannotOpen       the server cannot start with this store
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ttt_engine.memory import Lesson, Memory
from ttt_protocol.state import RoomName


class StoreError(Exception):
    """Something is wrong with the store, in words for the operator."""


class StorageFailed(StoreError):
    """A write or read failed. Nothing of the write is kept."""


class Conflict(StoreError):
    """Events with these numbers are there already."""


class CannotOpen(StoreError):
    """The store is damaged, foreign, newer, in use, or not to be written."""


Lines = Sequence[bytes]
"""Events as JSON: what is told of them is kept, byte for byte."""

Then = Callable[[Exception | None], None]
"""Called in the loop, later, with what went wrong, or null. It raises nothing."""


def answer(waiter: asyncio.Future[Any], given: Any) -> None:
    """Gives whoever waits an answer: a result, or an exception to raise."""
    if waiter.done():  # whoever waited was cancelled
        return
    if isinstance(given, Exception):
        waiter.set_exception(given)
    else:
        waiter.set_result(given)


class EventStore(Protocol):
    """One log of events for each room, and what the learner remembers of them all."""

    memory: Memory
    """Every lesson that was kept, and no other. It grows with `append` and `teach`."""

    def append(
        self, room: RoomName, seq: int, lines: Lines, lesson: Lesson | None, then: Then
    ) -> None:
        """Keeps all of `lines` or none; when `then` is called with null, they are on disk.

        With `Conflict` one of the numbers is taken; with `StorageFailed` they could not be written.

        Args:
            room: whose log this is; a first event makes it.
            seq: the number of the first line, which follows the last one of the log.
            lines: at least one.
            lesson: of the game that they end; kept with them, or not at all.
            then: who waits for it, with no task and no future: a move passes here.
        """

    async def teach(self, lessons: tuple[Lesson, ...]) -> None:
        """Keeps what is to be remembered of games that no room had.

        Raises:
            StorageFailed: if they could not be written.
        """

    async def load(self, room: RoomName) -> Lines:
        """The whole log, in order; empty if there is no such room.

        Raises:
            StorageFailed: if it could not be read.
        """

    async def delete(self, room: RoomName) -> None:
        """Forgets a room and its log, if there is one.

        Raises:
            StorageFailed: if it is still there.
        """

    async def probe(self) -> None:
        """Writes what changes nothing, to find out whether it can.

        Raises:
            StorageFailed: it cannot.
        """

    async def close(self) -> None:
        """Finishes what was handed in, and lets go of the files."""
