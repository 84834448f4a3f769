"""What happens next in a room: as it is kept, as it is told, and the room after it. Pure."""

from typing import NamedTuple

from ttt_engine.learning.memory import Lesson
from ttt_protocol.codec import EncodedEvents, encode_events
from ttt_server.core.lessons import lesson_of
from ttt_server.core.play import Decision
from ttt_server.core.room import Room, evolve_all


class Transition(NamedTuple):
    """A decision, with what follows from it. It is true when it has been kept."""

    after: Room
    lines: EncodedEvents
    """The events, encoded: they are kept and told in the same bytes."""
    lesson: Lesson | None
    is_move: bool

    def and_then(self, step: "Transition") -> "Transition":
        """Both as one, which is kept and told at once; neither is a move, nor ends a game."""
        lines = (*self.lines, *step.lines)
        return Transition(step.after, lines, lesson=None, is_move=False)


def transition_of(room: Room, events: Decision) -> Transition:
    """What follows in `room` if these events happen; at least one."""
    return Transition(
        evolve_all(room, events),
        encode_events(events),
        lesson_of(room, events),
        events[0].type == "played",
    )
