"""Where the logs of rooms are kept.

An `EventStore` appends and loads; `memory` forgets at the end of the process, `sqlite` is a file.

    StoreError
    ├── StorageFailed    this write or read failed; nothing of it is kept; trying again may help
    ├── Conflict         these numbers are taken, by a log that was not read or another process
    └── CannotOpen       the server cannot start with this store
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Protocol

from ttt_engine.learning.memory import Lesson, Memory
from ttt_protocol.codec import EncodedEvents
from ttt_protocol.state import RoomName
from ttt_server.telemetry.histogram import Histogram


class StoreError(Exception):
    """Something is wrong with the store, in words for the operator."""


class StorageFailed(StoreError):
    """A write or read failed. Nothing of the write is kept."""


class Conflict(StoreError):
    """Events with these numbers are there already."""


class CannotOpen(StoreError):
    """The store is damaged, foreign, newer, in use, or not to be written."""


COMMIT_BOUNDS_S = (0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5)


class Append(Protocol):
    """Events of one room to keep, all of them or none, and who waits for it.

    That is no task and no future: every move comes by here.
    """

    room: RoomName
    """Whose log this is; a first event makes it."""
    seq: int
    """The number of the first line, which follows the last one of the log."""
    lines: EncodedEvents
    """At least one."""
    lesson: Lesson | None
    """Of the game that they end; kept with them, or not at all."""

    def then(self, error: Exception | None) -> None:
        """Called in the loop, later. It raises nothing.

        Args:
            error: null, and they are on disk; `Conflict`, and one of the numbers is taken; or
                `StorageFailed`, and they could not be written.
        """


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
    commits: Histogram
    """How long it took to have events on disk, in seconds."""

    def append(self, appends: Sequence[Append]) -> None:
        """Keeps the events of many rooms, or of one, in one write where it can.

        What becomes of one is nothing to the others.
        """

    async def teach(self, lessons: tuple[Lesson, ...]) -> None:
        """Keeps what is to be remembered of games that no room had.

        Raises:
            StorageFailed: if they could not be written.
        """

    async def load(self, room: RoomName) -> EncodedEvents:
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
