"""Where the logs of rooms are kept.

An `EventStore` appends and loads; `memory` forgets at the end of the process, `sqlite` is a file.

    StoreError
    ├── StorageFailed    this write or read failed; nothing of it is kept; trying again may help
    ├── Conflict         another process wrote these numbers
    └── CannotOpen       the server cannot start with this store
"""

from collections.abc import Awaitable
from typing import Protocol

from ttt_engine.memory import Lesson, Memory
from ttt_protocol.events import Event
from ttt_protocol.state import RoomName


class StoreError(Exception):
    """Something is wrong with the store, in words for the operator."""


class StorageFailed(StoreError):
    """A write or read failed. Nothing of the write is kept."""


class Conflict(StoreError):
    """Events with these numbers are there already."""


class CannotOpen(StoreError):
    """The store is damaged, foreign, newer, in use, or not to be written."""


class EventStore(Protocol):
    """One log of events for each room, and what the learner remembers of them all."""

    memory: Memory
    """Every lesson that was kept, and no other. It grows with `append` and `teach`."""

    def append(
        self, room: RoomName, events: tuple[Event, ...], lesson: Lesson | None = None
    ) -> Awaitable[None]:
        """Keeps all of `events` or none; once it is awaited, they are on disk.

        Args:
            room: whose log this is; a first event makes it.
            events: at least one, their `seq` dense and following the last one of the log.
            lesson: of the game that they end; kept with them, or not at all.

        Raises:
            Conflict: if one of the numbers is taken.
            StorageFailed: if they could not be written.
        """

    async def teach(self, lessons: tuple[Lesson, ...]) -> None:
        """Keeps what is to be remembered of games that no room had.

        Raises:
            StorageFailed: if they could not be written.
        """

    async def load(self, room: RoomName) -> tuple[Event, ...]:
        """The whole log, in order of `seq`; empty if there is no such room.

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
