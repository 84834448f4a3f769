from tests.server.examples import (
    ADA,
    BOB,
    REMATCH,
    decided,
    duel,
)
from ttt_engine import Mark
from ttt_engine.learning.memory import Lesson
from ttt_protocol.codec import decode_events
from ttt_protocol.commands import Offer, Play, Resign
from ttt_server.core.transition import transition_of

PLAYED = duel(0, 4)


def play(cell: int, ply: int = 2, game: int = 1) -> Play:
    return Play(game=game, ply=ply, cell=cell)


def test_the_end_of_a_game_has_a_lesson() -> None:
    room = duel(0, 3, 1, 4)
    events = decided(room, ADA, play(2, 4))
    step = transition_of(room, events)
    assert step.lesson == Lesson.of((0, 3, 1, 4, 2), Mark.X)
    assert decode_events(step.lines) == events
    assert step.after.score.X == 1
    assert step.is_move
    assert not transition_of(room, decided(room, ADA, Resign(game=1))).is_move


def test_two_steps_as_one() -> None:
    room = duel(0, 3, 1, 4, 2)
    offered = transition_of(room, decided(room, ADA, Offer(kind=REMATCH)))
    started = transition_of(offered.after, decided(offered.after, BOB, Offer(kind=REMATCH)))
    both = offered.and_then(started)
    assert both.after == started.after
    assert [event.type for event in decode_events(both.lines)] == ["offered", "started"]
    assert not both.is_move
    assert both.lesson is None
