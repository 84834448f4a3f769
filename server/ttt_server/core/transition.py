"""A step of a room: the room after a decision, its events as they are stored and sent. Pure."""

from dataclasses import dataclass

from ttt_engine.learning.memory import Lesson
from ttt_protocol.codec import EncodedEvents
from ttt_server.core.events import Ended, Played, encode
from ttt_server.core.evolve import evolve
from ttt_server.core.lessons import lesson_of
from ttt_server.core.play import Decision
from ttt_server.core.room import Room


@dataclass(slots=True)
class Transition:
    """A decision, with what follows from it. It is true as soon as its events are stored."""

    after: Room
    events: EncodedEvents
    lesson: Lesson | None
    """The lesson of the game that ends, for the learner."""
    is_move: bool

    def followed_by(self, next_: "Transition") -> "Transition":
        """Return this step and the next as one. `next_` is no move and has no lesson."""
        return Transition(next_.after, (*self.events, *next_.events), self.lesson, self.is_move)


def transition(room: Room, decision: Decision) -> Transition:
    """Carry out a decision of at least one event: evolve, encode and learn, in one pass.

    Raises:
        InvalidLog: if the decision is of another room.
    """
    encoded: list[bytes] = []
    lesson = None
    for event in decision:
        if type(event) is Ended:
            lesson = lesson_of(room, event)
        room = evolve(room, event)
        encoded.append(encode(event))
    return Transition(room, tuple(encoded), lesson, type(decision[0]) is Played)
