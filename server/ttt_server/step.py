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

    before: Room
    after: Room
    lines: Lines
    """The events, encoded: they are kept and told in the same bytes."""
    lesson: Lesson | None
    is_move: bool

    def and_then(self, step: "Step") -> "Step":
        """Both as one, which is kept and told at once; neither is a move, nor ends a game."""
        lines = (*self.lines, *step.lines)
        return Step(self.before, step.after, lines, lesson=None, is_move=False)

    def follow(self, room: Room) -> Room:
        """The room after it. Should the clock of `room` have been set since before, it stays so."""
        if room is self.before:
            return self.after
        return self.after.with_clock_shifted(_running_since(room) - _running_since(self.before))


def step_of(room: Room, events: Decision) -> Step:
    """What follows in `room` if these events happen; at least one."""
    return Step(
        room,
        evolve_all(room, events),
        encode_events(events),
        lesson_of(room, events),
        events[0].type == "played",
    )


def _running_since(room: Room) -> int:
    return 0 if room.game is None or room.game.clock is None else room.game.clock.since
