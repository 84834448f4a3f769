"""The contents of a copy: events, snapshots, lessons, the secret; and sums to compare copies."""

from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple, Protocol

from ttt_engine.learning.memory import Lesson
from ttt_protocol.state import RoomName


class Snap(NamedTuple):
    """A saved room after the event number `seq`; `is_start` where no event before is kept."""

    seq: int
    game: int
    saved: bytes
    is_start: bool


class Whole(NamedTuple):
    """All that is kept of one room."""

    room: RoomName
    first: int
    """The number of the first event."""
    lines: tuple[bytes, ...]
    snapshots: tuple[Snap, ...]


class Source(Protocol):
    """The installation that is copied."""

    secret: bytes | None
    """The secret of the seat tokens, if it is kept with the rooms."""

    def count(self) -> int:
        """Return the number of rooms."""

    def rooms(self) -> Iterator[Whole]:
        """Yield all rooms, in the order of their names."""

    def lessons(self) -> list[tuple[Lesson, int]]:
        """Return what the learner has learned, and how often."""


class Target(Protocol):
    """The empty installation that is filled. Nothing of it is there before `finish`."""

    def add(self, whole: Whole) -> None:
        """Add a room."""

    def finish(self, lessons: list[tuple[Lesson, int]], secret: bytes | None) -> None:
        """Add the rest, and keep all of it."""


class Digest:
    """Counts rooms and events, and sums their content up."""

    def __init__(self) -> None:
        self.rooms = self.events = 0
        self._hash = sha256()

    def add(self, whole: Whole) -> None:
        """Take a room in."""
        self.rooms += 1
        self.events += len(whole.lines)
        for part in (whole.room.encode(), str(whole.first).encode(), *whole.lines):
            self._hash.update(len(part).to_bytes(8))
            self._hash.update(part)
        for snap in whole.snapshots:
            self._hash.update(repr((snap.seq, snap.game, snap.is_start)).encode() + snap.saved)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Digest) and self._all == other._all

    def __hash__(self) -> int:
        return hash(self._all)

    @property
    def _all(self) -> tuple[int, int, str]:
        return self.rooms, self.events, self._hash.hexdigest()
