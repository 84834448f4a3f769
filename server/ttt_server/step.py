"""What happens next in a room: as it is kept, as it is told, and the room after it. Pure."""

from typing import NamedTuple

from ttt_engine.memory import Lesson
from ttt_protocol.codec import encode_events
from ttt_server.games import Decision
from ttt_server.lessons import lesson_of
from ttt_server.room import Room, evolve_all
from ttt_server.store import Lines


class Step(NamedTuple):
    """A decision, with what follows from it. It is true when it has been kept."""

    after: Room
    lines: Lines
    """The events, encoded: they are kept and told in the same bytes."""
    lesson: Lesson | None
    is_move: bool

    def and_then(self, step: "Step") -> "Step":
        """Both as one, which is kept and told at once; neither is a move, nor ends a game."""
        lines = (*self.lines, *step.lines)
        return Step(step.after, lines, lesson=None, is_move=False)


def step_of(room: Room, events: Decision) -> Step:
    """What follows in `room` if these events happen; at least one."""
    return Step(
        evolve_all(room, events),
        encode_events(events),
        lesson_of(room, events),
        events[0].type == "played",
    )
