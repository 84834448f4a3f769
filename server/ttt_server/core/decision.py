"""Decisions: the events that follow from a command or from time, and the room after. Pure."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ttt_protocol.events import Event
from ttt_server.core.evolve import evolve_all
from ttt_server.core.room import Room


@dataclass(slots=True)
class Decision:
    """Events in order, and the room after them, as `evolve` gives it. False without events."""

    after: Room
    events: tuple[Event, ...] = ()

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)

    def __len__(self) -> int:
        return len(self.events)

    def then(self, *events: Event) -> "Decision":
        """Add events."""
        return Decision(evolve_all(self.after, events), self.events + events)

    def followed_by(self, next_: "Decision") -> "Decision":
        """Add a decision about the room after this one."""
        return Decision(next_.after, self.events + next_.events)


Decide = Callable[[Room, int], Decision]
"""Decides on a room at a time in Unix ms, once the room is free."""


def unchanged(room: Room, _now: int) -> Decision:
    """Decide that nothing happens but what is overdue."""
    return Decision(room)
