from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.server.rooms import (
    ADA,
    BOB,
    DRAW,
    DRAWN,
    EVE,
    FOUR_IN_A_ROW,
    NOW,
    REMATCH,
    X,
    after,
    against_ai,
    decided,
    duel,
    founded,
    offered,
)
from ttt_engine import Mark
from ttt_engine.memory import Lesson
from ttt_protocol.codec import decode_events
from ttt_protocol.commands import Offer, Play, Resign
from ttt_protocol.state import ClockSetting, Rules, SessionId
from ttt_server.room import Room
from ttt_server.step import plain_move, step_of

PLAYED = duel(0, 4)


def play(cell: int, ply: int = 2, game: int = 1) -> Play:
    return Play(game=game, ply=ply, cell=cell)


@pytest.mark.parametrize(
    ("room", "session", "command"),
    [
        (duel(), ADA, play(4, 0)),
        (PLAYED, ADA, play(8)),
        (duel(0), BOB, play(4, 1)),
        (duel(35, rules=FOUR_IN_A_ROW), BOB, play(28, 1)),
        (against_ai(0, 4), ADA, play(8)),
    ],
    ids=["the first", "a later one", "by O", "with gravity", "against an AI"],
)
def test_a_plain_move_is_what_the_rules_make_of_it(
    room: Room, session: SessionId, command: Play
) -> None:
    step = plain_move(room, session, command, NOW + 9)
    assert step == step_of(room, decided(room, session, command, NOW + 9))


@pytest.mark.parametrize(
    ("room", "session", "command"),
    [
        (founded(), ADA, play(4, 0)),
        (PLAYED, None, play(8)),
        (PLAYED, EVE, play(8)),
        (PLAYED, BOB, play(8)),
        (PLAYED, ADA, play(8, ply=1)),
        (PLAYED, ADA, play(8, ply=3)),
        (PLAYED, ADA, play(8, game=2)),
        (PLAYED, ADA, play(4)),
        (PLAYED, ADA, play(-1)),
        (PLAYED, ADA, play(9)),
        (offered(PLAYED, ADA, DRAW), ADA, play(8)),
        (duel(clock=ClockSetting(initial_s=60)), ADA, play(4, 0)),
        (duel(0, 3, 1, 4), ADA, play(2, 4)),
        (duel(*DRAWN[:8]), ADA, play(DRAWN[8], 8)),
        (after(PLAYED, ADA, Resign(game=1)), ADA, play(8)),
        (offered(duel(*DRAWN), ADA, REMATCH), BOB, play(8, 9)),
        (against_ai(0), ADA, play(4, 1)),
    ],
)
def test_what_is_more_or_less_than_a_move(
    room: Room, session: SessionId | None, command: Play
) -> None:
    assert plain_move(room, session, command, NOW) is None


@settings(deadline=None)  # the clock of a busy machine is no failure
@given(rules=st.sampled_from([Rules(), Rules(columns=4), FOUR_IN_A_ROW]), random=st.randoms())
def test_any_game(rules: Rules, random: Random) -> None:
    room = duel(rules=rules)
    while room.game is not None and room.game.outcome is None:
        game = room.game
        session = ADA if game.turn is X else BOB
        command = play(random.choice(game.position.legal_moves), game.ply)
        events = decided(room, session, command)
        step = step_of(room, events)
        assert plain_move(room, session, command, NOW) == (step if len(events) == 1 else None)
        room = step.after


def test_the_end_of_a_game_has_a_lesson() -> None:
    room = duel(0, 3, 1, 4)
    events = decided(room, ADA, play(2, 4))
    step = step_of(room, events)
    assert step.lesson == Lesson.of((0, 3, 1, 4, 2), Mark.X)
    assert decode_events(step.lines) == events
    assert step.after.score.X == 1
    assert step.is_move
    assert not step_of(room, decided(room, ADA, Resign(game=1))).is_move


def test_a_clock_that_was_set_meanwhile() -> None:
    room = duel(4, clock=ClockSetting(initial_s=60))
    step = step_of(room, decided(room, ADA, Offer(kind=DRAW)))
    assert step.follow(room) is step.after
    later = step.follow(room.with_clock_shifted(500))
    assert later.offers.draw is X
    assert room.flag_falls_at is not None
    assert later.flag_falls_at == room.flag_falls_at + 500
