"""What is kept in rooms with persons, for the parts of the server that serve them."""

from collections.abc import Callable
from typing import Final

from ttt_protocol.codec import EncodedEvents
from ttt_protocol.state import RoomName
from ttt_server.core.room import Room
from ttt_server.storage.base import EventStore

NOTE_AGAIN_MS: Final = 5_000
"""The age of a note beyond which the next event of its room brings another. An event within it
follows on a note that is on disk already."""

Kept = Callable[[Room, Room, EncodedEvents], None]
"""Takes a room before and after some events that are on disk, in the order of the log, and the
events. It must not raise or wait."""


class Feed:
    """The one place that tells what happens in rooms with persons.

    A room of guests costs a look at its seats.
    """

    def __init__(self, store: EventStore, now: Callable[[], int]) -> None:
        """`now` returns Unix ms."""
        self._store = store
        self._now = now
        self._call: list[Kept] = []
        self._noted: dict[RoomName, int] = {}
        """Rooms that the store has noted as unread, and when."""
        self._last = 0

    def subscribe(self, call: Kept) -> None:
        """Call `call` after each step of a room with persons."""
        self._call.append(call)

    def begin(self, room: Room) -> None:
        """Have the store note the room as unread: events of it are about to be kept."""
        now = self._now()
        if self._call and now - self._noted.get(room.name, 0) > NOTE_AGAIN_MS:
            self._last = max(self._last + 1, now)  # no two notes are alike
            self._noted[room.name] = self._last
            self._store.note_unread(room.name, self._last)

    def take_note(self, room: RoomName) -> int:
        """Return the newest note of a room, which the next event renews; 0 without one."""
        return self._noted.pop(room, 0)

    def kept(self, before: Room, after: Room, events: EncodedEvents) -> None:
        """Tell that some events of a room are on disk."""
        for call in self._call:
            call(before, after, events)
