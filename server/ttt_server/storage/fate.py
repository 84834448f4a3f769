"""The outcome of a failed write, for all stores."""

from ttt_protocol.state import RoomName
from ttt_server.storage.base import CONFLICT, Append, Conflict, OutcomeUnknown, StorageFailed


class NotKept(Exception):
    """Nothing of a failed write is kept."""


def fate(append: Append, kept: bytes | None) -> Conflict | None:
    """Return the outcome of a failed write, by the event that now has the number of its first."""
    return None if kept == append.lines[0] else Conflict(CONFLICT)


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
