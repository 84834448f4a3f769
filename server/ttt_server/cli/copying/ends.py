"""The contents of a copy, what reads and writes them, and sums to compare copies."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import NamedTuple, Protocol

from ttt_protocol.state import RoomName
from ttt_server.storage.people import TableRows
from ttt_server.storage.sqlite.tables import Snap


class Whole(NamedTuple):
    """All that is kept of one room, or of one event."""

    room: RoomName
    first: int
    """The number of the first event."""
    lines: tuple[bytes, ...]
    snapshots: tuple[Snap, ...]
    mark: int
    """How far the learner has read the log. See `read_lessons`."""


class Rest(NamedTuple):
    """What an installation has beside its rooms."""

    lessons: dict[tuple[str, int], int]
    """How many games were learned, by the lesson as text and the hour of Unix time."""
    secret: bytes | None
    """The secret of the seat tokens, if it is kept with the rooms."""
    fingerprint: str | None = None
    """Tells whether another secret is the same, if that is kept."""
    waiting: Sequence[tuple[str, str | None]] = ()
    """The rooms that servers had in memory, each with what lists say of it, as JSON."""
    deadlines: Sequence[tuple[str, int]] = ()
    """When to look at rooms whose games have days a move, in Unix ms."""


class Source(Protocol):
    """The installation that is copied. Nothing in it changes."""

    def count(self) -> int:
        """Return the number of rooms."""

    def rooms(self) -> Iterator[Whole]:
        """Yield all rooms, in the order of their names."""

    def people(self) -> Iterator[TableRows]:
        """Yield all rows of the tables of people, some at once."""

    def rest(self) -> Rest:
        """Return everything else."""


class Destination(Protocol):
    """The empty installation that is filled. Nothing of it is there before `finish`."""

    def add(self, whole: Whole) -> None:
        """Add a room."""

    def add_people(self, some: TableRows) -> None:
        """Add rows to a table of people."""

    def finish(self, rest: Rest) -> None:
        """Add the rest, and keep all of it."""


class Digest:
    """Counts rooms and events, and sums their content up."""

    def __init__(self) -> None:
        self.rooms = self.events = self.people = 0
        self._hash = sha256()
        self._rows = 0
        """The sum of the hashes of the rows of people, whose order is free."""

    def add(self, whole: Whole) -> None:
        """Take a room in."""
        self.rooms += 1
        self.events += len(whole.lines)
        for part in (whole.room.encode(), b"%d %d" % (whole.first, whole.mark), *whole.lines):
            self._hash.update(len(part).to_bytes(8))
            self._hash.update(part)
        for snap in whole.snapshots:
            self._hash.update(repr((snap.seq, snap.game, snap.is_start)).encode() + snap.saved)

    def add_people(self, some: TableRows) -> None:
        """Take rows of people in."""
        self.people += len(some.rows) if some.table == "persons" else 0
        for row in some.rows:
            pairs = sorted(zip(some.columns, row, strict=True))
            hashed = sha256(repr((some.table, pairs)).encode()).digest()
            self._rows = (self._rows + int.from_bytes(hashed)) % (1 << 256)

    def finish(self, rest: Rest) -> None:
        """Take the lessons in."""
        self._hash.update(repr(sorted(rest.lessons.items())).encode())

    def is_same_as(self, other: "Digest") -> bool:
        """Return whether the same was added to both."""
        hashes = other._hash.digest(), other._rows  # noqa: SLF001 - of the same class
        return (self._hash.digest(), self._rows) == hashes
