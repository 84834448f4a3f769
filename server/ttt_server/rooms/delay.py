"""The view of spectators in a room with a delay."""

from collections import deque

from ttt_protocol.codec import EncodedEvents
from ttt_server.core.room import Room
from ttt_server.core.snapshot import StateEncoder


class Delay:
    """What spectators of a room with a delay see: each state once it is old enough."""

    __slots__ = ("_coming", "latest", "seen", "snapshot")

    def __init__(self, seen: Room) -> None:
        self.seen = seen
        """The newest state that was shown."""
        self.latest = seen
        """The newest state of all."""
        self.snapshot = StateEncoder()
        self._coming: deque[tuple[float, Room, EncodedEvents]] = deque()

    def add(self, room: Room, events: EncodedEvents, due: float) -> None:
        """Show a state, and the events before it, from `due` on, on the loop's clock."""
        self.latest = room
        self._coming.append((due, room, events))

    def next(self, now: float) -> EncodedEvents | None:
        """Show the next state that is due, and return its events; `None` if there is none."""
        if not self._coming or self._coming[0][0] > now:
            return None
        _, self.seen, events = self._coming.popleft()
        return events

    def at(self, now: float) -> Room:
        """Return the newest state that is old enough, whether it was told or not."""
        room = self.seen
        for due, later, _ in self._coming:
            if due <= now:
                room = later
        return room

    @property
    def due(self) -> float | None:
        """When the next state is due; `None` if there is none."""
        return self._coming[0][0] if self._coming else None
