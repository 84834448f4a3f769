"""The interface of a store, its errors, and the rooms that a failed write leaves in doubt.

An `EventStore` keeps the log of each room: `memory` until the process ends, `sqlite` in a file.

    StoreError
    ├── StorageFailed        a write or read failed; nothing of it is kept; trying again may help
    │   └── OutcomeUnknown   a write failed, and its events may be kept or not
    ├── Conflict             the numbers of the events are taken: another writer was faster
    └── CannotOpen           the server cannot start with this store

After `OutcomeUnknown` a room is stale: it reads its log before anything else. `load` fails until
the outcome is certain, and then tells it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol, Self

from ttt_engine.learning.memory import Lesson, Memory
from ttt_protocol.codec import EncodedEvents
from ttt_protocol.state import RoomName
from ttt_server.core.archive.anonymous import Rewrite
from ttt_server.core.archive.saved_room import save
from ttt_server.core.lessons import Ignored, Known
from ttt_server.core.room import Room
from ttt_server.storage.people import PeopleTables
from ttt_server.telemetry.histogram import Histogram


class StoreError(Exception):
    """The store is at fault. The message is for the operator."""

    reason: str | None = None
    """What to tell the client, where the refusal's own words would be wrong."""


class StorageFailed(StoreError):
    """A write or read failed. Nothing of the write is kept, unless it is `OutcomeUnknown`."""


class OutcomeUnknown(StorageFailed):
    """A write failed, and its events may be kept or not.

    No later write succeeds, and no log can be read, until that is certain.
    """

    reason = "the server could not confirm that this was saved; an update will say"


class Conflict(StoreError):
    """The log already has events with these numbers."""

    def __init__(self, words: str = "the room has events of these numbers already") -> None:
        super().__init__(words)


class CannotOpen(StoreError):
    """The store is damaged, another program's, of another version, in use or not writable."""


COMMIT_BOUNDS_S = (0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5)


class Snapshot(NamedTuple):
    """The room after the last event of an append. A reader of the log can start there."""

    game: int
    """The number of the last game, which is over; 0 before the first."""
    saved: bytes
    """The room, opaque to stores."""

    @classmethod
    def of(cls, room: Room) -> Self:
        """Return the snapshot of a room between its games."""
        return cls(0 if room.game is None else room.game.number, save(room))


class Excerpt(NamedTuple):
    """Consecutive events of a room."""

    start: bytes | None
    """The saved room before the first line; `None` if it is the one that the reader knows: empty
    before event 1, or after the event that was named."""
    lines: EncodedEvents


class LastEvent(NamedTuple):
    """The end of a room's log."""

    room: RoomName
    line: bytes


class Append(Protocol):
    """Events of one room to keep, all or nothing, and the callback for the outcome.

    A task or future would make each move dearer.
    """

    room: RoomName
    """The room of the log; a first event makes the log."""
    seq: int
    """The number of the first line: one more than the last of the log."""
    lines: EncodedEvents
    """At least one."""
    snapshot: Snapshot | None
    """The room after them, now and then, kept in the same transaction. Snapshots are redundant: a
    store may lose them."""

    def then(self, error: Exception | None) -> None:
        """Take the outcome. The store calls this later, in the loop. It must not raise.

        Args:
            error: `None` if the events are on disk; `Conflict` if a number is taken;
                `StorageFailed` if they could not be written, `OutcomeUnknown` if they may be kept.
        """


OnProgress = Callable[[int, int], None]
"""Takes the pages that are copied, and the pages that there are."""


@dataclass(slots=True)
class Entry:
    """An `Append` made of its parts."""

    room: RoomName
    seq: int
    lines: EncodedEvents
    snapshot: Snapshot | None
    then: Callable[[Exception | None], None]


class EventStore(PeopleTables, Protocol):
    """A log of events for each room, the memory of the learner, and the tables of people."""

    memory: Memory
    """All lessons that are counted, and no others. It grows with `learn` and `teach`."""
    commits: Histogram
    """Seconds from `append` to events on disk."""

    @property
    def people(self) -> PeopleTables:
        """The tables of people, for those who need nothing else."""
        return self

    def append(self, appends: Sequence[Append]) -> None:
        """Keep the events of these rooms, in one write where possible.

        Each append succeeds or fails on its own.
        """

    def note_deadline(self, room: RoomName, at: int | None) -> None:
        """Keep when to look at a room, before the append that follows, or with it.

        Args:
            room: one whose game has days for each move.
            at: Unix ms; `None` to forget the room.
        """

    def note_unread(self, room: RoomName, at: int) -> None:
        """Note that tables of people may lack events of a room, before the append that follows.

        Args:
            room: one with persons.
            at: Unix ms, later than in an earlier note.
        """

    async def deadlines(self, most: int) -> Sequence[tuple[RoomName, int]]:
        """Return the next deadlines, soonest first.

        Raises:
            StorageFailed: if they could not be read.
        """

    async def learn(self, rooms: Ignored, known: Known | None = None) -> None:
        """Count the lessons of games that have ended in these rooms, each of them once.

        Args:
            rooms: the rooms, each with the numbers of games not to learn from.
            known: what the caller knows of some of these rooms. A store may use it instead of the
                log, where the mark agrees.

        Raises:
            StorageFailed: if they were not counted, or may not be. The next call makes up for it.
        """

    async def teach(self, lessons: tuple[Lesson, ...]) -> None:
        """Keep lessons of games that were not played in a room.

        Raises:
            StorageFailed: if they could not be written.
        """

    async def load(
        self, room: RoomName, after: int | None = None, most: int | None = None
    ) -> Excerpt:
        """Return the end of a log: no lines and no start if the room does not exist.

        Args:
            room: the room.
            after: the number of the event before the first line, 0 for the whole log. `None` for
                that of the newest snapshot. Where events after it are no longer kept, the excerpt
                starts after those.
            most: the largest number of lines; if as many come, there may be more. `None` for all.

        Raises:
            StorageFailed: if it could not be read.
        """

    async def load_game(self, room: RoomName, number: int) -> Excerpt:
        """Return events with all of a game: from a snapshot before it to one after it, or the end.

        A game that is no longer kept, or has not begun yet, is not among the events.

        Raises:
            StorageFailed: if it could not be read.
        """

    async def browse(self, after: str, most: int) -> Sequence[LastEvent]:
        """Return the last events of up to `most` rooms, those whose names follow `after`, in order.

        Raises:
            StorageFailed: if they could not be read.
        """

    async def trim(self, room: RoomName, keep: int) -> bool:
        """Drop some events of games that are older than the last `keep`, at least 1.

        The newest snapshot before the rest becomes the start of the log. A call does a bounded
        piece of work, and the last games of a room may be more than `keep`. Lessons are counted
        before their games are dropped.

        Returns:
            Whether any were dropped, so that another call may drop more.

        Raises:
            StorageFailed: if nothing was dropped.
        """

    async def delete(self, room: RoomName) -> None:
        """Delete the log of a room, if there is one. Its lessons are counted before.

        Raises:
            StorageFailed: if it still exists.
        """

    async def rewrite(self, room: RoomName, rewrite: Rewrite) -> None:
        """Put the events and snapshots of a log into other words; their numbers stay.

        Raises:
            StorageFailed: if they are as they were, or some may be. Trying again helps.
        """

    def watch(self, on_failure: Callable[[StorageFailed], None]) -> None:
        """Call `on_failure` in the loop when the store finds a fault while no caller waits.

        A store that finds faults only by the next write does nothing here.
        """

    async def backup(self, file: Path, secret: bytes | None, on_progress: OnProgress) -> None:
        """Copy everything to a new file, as it is at one moment, while appends go on.

        Args:
            file: the backup, which must not exist.
            secret: the secret of the seat tokens, to be kept in the backup.
            on_progress: called in the loop with the pages that are copied, and all pages.

        Raises:
            StorageFailed: if there is no backup; nothing of it is left.
        """

    async def probe(self) -> None:
        """Write without changing anything, to find out whether the store works.

        Raises:
            StorageFailed: if it does not.
        """

    async def close(self) -> None:
        """Finish the writes that were begun, and close the files."""


class Doubt:
    """The rooms whose last write may be kept or not; `None` for a write of no room."""

    def __init__(self) -> None:
        self._rooms: set[RoomName | None] = set()

    def leave(self, room: RoomName | None, error: Exception) -> OutcomeUnknown:
        """Return the outcome of a write that may be kept."""
        self._rooms.add(room)
        return OutcomeUnknown(str(error))

    def refused(self, room: RoomName | None, error: StorageFailed) -> StorageFailed:
        """Return the outcome of a write that was not begun.

        A command that is sent again must not be told that nothing has changed, if the first may.
        """
        return OutcomeUnknown(str(error)) if room in self._rooms else error

    def covers(self, room: RoomName | None) -> bool:
        """Return whether the last write of this room is in doubt."""
        return room in self._rooms

    def clear(self) -> None:
        """Forget the doubt: all outcomes are certain."""
        self._rooms.clear()
