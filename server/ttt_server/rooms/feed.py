"""Tells the parts of the server that serve persons what happens in their rooms."""

import asyncio
from collections.abc import Callable
from typing import Final

from ttt_protocol.codec import EncodedEvents
from ttt_protocol.state import RoomName
from ttt_server.core.room import Room
from ttt_server.storage.base import EventStore

NOTE_AGAIN_MS: Final = 8_000
"""The age of a note beyond which the next event of its room brings another. An event within it
follows on a note that is on disk already."""

GATHER_S: Final = 0.5
"""How long moves are gathered, to be told together: the last one of each room."""

_MOVE: Final = b'{"type":"played"'

Kept = Callable[[Room, Room, EncodedEvents], None]
"""Takes a room before and after some events that are on disk, in the order of the log, and the
events. It must not raise or wait. Of moves that follow one another, only the last is certain to be
told, and soon; all else is told at once."""


class Feed:
    """The one place that tells what happens in rooms with persons.

    A room of guests costs a look at its seats. A move of a person that only goes on with a game
    costs an entry of a dictionary.
    """

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._call: list[Kept] = []
        self._noted: dict[RoomName, int] = {}
        """Rooms that the store has noted as unread, and when."""
        self._last = 0
        self._moves: dict[RoomName, tuple[Room, Room, EncodedEvents]] = {}
        """The last moves of rooms, which are not told yet."""
        self._timer: asyncio.TimerHandle | None = None

    def subscribe(self, call: Kept) -> None:
        """Call this after each step of a room with persons."""
        self._call.append(call)

    def begin(self, room: RoomName, now: int) -> None:
        """Tell the store that the room is unread: its events are about to be kept."""
        if now - self._noted.get(room, 0) > NOTE_AGAIN_MS and self._call:
            self._last = max(self._last + 1, now)  # no two notes are alike
            self._noted[room] = self._last
            self._store.note_unread(room, self._last)

    def take_note(self, room: RoomName) -> int:
        """Return the newest note of a room, which the next event renews; 0 without one.

        What the note stands for is told before.
        """
        if (move := self._moves.pop(room, None)) is not None:
            self._tell(*move)
        return self._noted.pop(room, 0)

    def kept(self, before: Room, after: Room, events: EncodedEvents) -> None:
        """Tell that some events of a room are on disk."""
        if len(events) == 1 and events[0].startswith(_MOVE):  # not the last of a game
            self._moves[after.name] = before, after, events
            if self._timer is None:
                loop = asyncio.get_running_loop()
                self._timer = loop.call_later(GATHER_S, self.tell_moves)
            return
        self._moves.pop(after.name, None)  # which `before` has, too
        self._tell(before, after, events)

    def tell_moves(self) -> None:
        """Tell of the moves that were gathered."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        moves, self._moves = self._moves, {}
        for move in moves.values():
            self._tell(*move)

    def _tell(self, before: Room, after: Room, events: EncodedEvents) -> None:
        for call in self._call:
            call(before, after, events)
