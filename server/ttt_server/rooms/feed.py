"""Tells the parts of the server that serve persons what happens in their rooms."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ttt_protocol.codec import EncodedEvents
from ttt_protocol.state import RoomName
from ttt_server.core.room import Room
from ttt_server.rooms.live_room import LiveRoom
from ttt_server.storage.base import EventStore

_MOVE: Final = b'{"type":"played"'

Kept = Callable[[Room, Room, EncodedEvents], None]
"""Takes a room before and after some events that are on disk, in the order of the log, and the
events. It must not raise or wait. Moves of a followed room that only go on with a game are left
out: `Feed.newest` has what came of them."""


@dataclass(slots=True)
class _Noted:
    """A room that the store has noted as unread."""

    live: LiveRoom
    note: int
    is_told: bool = False
    """Whether an event was kept since. If not, its write may have failed."""


class Feed:
    """The one place that tells what happens in rooms with persons.

    A room is noted as unread before the first event that is told, and stays so until `take_note`.
    Once it is noted and everyone in its seats is here, it is *followed*: moves are not told, and
    cost no more than a look at a flag.
    """

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._call: list[Kept] = []
        self._noted: dict[RoomName, _Noted] = {}
        self._last = 0

    def subscribe(self, call: Kept) -> None:
        """Call this after each step of a room with persons."""
        self._call.append(call)

    def begin(self, live: LiveRoom, now: int) -> None:
        """Tell the store, unless it knows, that the room is unread: its events are to be kept."""
        name = live.room.name
        noted = self._noted.get(name)
        if noted is None or noted.live is not live or not noted.is_told:
            self._noted[name] = noted = _Noted(live, self._next_note(now))
            self._store.note_unread(name, noted.note)

    def kept(self, before: Room, after: Room, events: EncodedEvents) -> None:
        """Tell that some events of a room are on disk."""
        if (noted := self._noted.get(after.name)) is not None:
            noted.is_told = True
        for call in self._call:
            call(before, after, events)

    def follow(self, live: LiveRoom) -> None:
        """Leave out the moves that come next, unless they concern somebody who is away."""
        noted = self._noted.get(live.room.name)
        is_noted = noted is not None and noted.live is live
        live.is_followed = is_noted and live.everyone_is_here

    def entered(self, live: LiveRoom) -> None:
        """Tell of the next move: members came or went."""
        live.is_followed = False

    # For who reads

    def newest(self, room: RoomName) -> LiveRoom | None:
        """Return a room that is noted, with what has come of moves since; else `None`."""
        noted = self._noted.get(room)
        return None if noted is None else noted.live

    def renew(self, room: RoomName, now: int) -> int:
        """Return a newer note of a noted room. It is for the caller to keep it."""
        self._noted[room].note = self._next_note(now)
        return self._noted[room].note

    def take_note(self, room: RoomName) -> int:
        """Return the note of a room, which the next event brings anew; 0 without one."""
        noted = self._noted.pop(room, None)
        if noted is None:
            return 0
        noted.live.is_followed = False
        return noted.note

    def _next_note(self, now: int) -> int:
        """Return the time, or a bit more: no two notes are alike."""
        self._last = max(self._last + 1, now)
        return self._last


def go_on(events: EncodedEvents) -> bool:
    """Return whether these are moves after which the game goes on."""
    for event in events:  # noqa: SIM110 - a generator is dearer
        if not event.startswith(_MOVE):
            return False
    return True
