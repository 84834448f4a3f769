from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.server.examples import (
    ADA,
    BOB,
    DRAW,
    DRAWN,
    EVE,
    FOUR_IN_A_ROW,
    NAME,
    NOW,
    REMATCH,
    O,
    X,
    after,
    against_ai,
    decided,
    duel,
    filled,
    founded,
    offered,
    seated,
)
from ttt_protocol.commands import Accept, Join, Leave, Offer, Play, Resign
from ttt_protocol.state import ClockSetting, Rules, SessionId
from ttt_server.core.decide import PlayerCommand
from ttt_server.core.join import Applicant, let_in
from ttt_server.core.plain import plain_arrival, plain_step
from ttt_server.core.room import Room, Seats
from ttt_server.core.transition import transition_of

PLAYED = duel(0, 4)
LINE = 0, 3, 1, 4, 2
OVER = duel(*LINE)
CLOCK = ClockSetting(initial_s=60)
AGAIN = Offer(kind=REMATCH)


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
        (duel(*LINE[:-1]), ADA, play(LINE[-1], 4)),
        (duel(8, *LINE[:-1]), BOB, play(LINE[-1], 5)),
        (duel(*DRAWN[:8]), ADA, play(DRAWN[8], 8)),
        (duel(0, 4, 1, 5, rules=Rules(columns=4)), ADA, play(2, 4)),
        (OVER, ADA, AGAIN),
        (OVER, BOB, AGAIN),
        (offered(OVER, ADA, REMATCH), BOB, AGAIN),
        (after(PLAYED, ADA, Resign(game=1)), BOB, AGAIN),
        (after(against_ai(0, 4), ADA, Resign(game=1)), ADA, AGAIN),
    ],
    ids=[
        "the first move",
        "a later one",
        "by O",
        "with gravity",
        "against an AI",
        "a line of X",
        "a line of O",
        "a full board",
        "a line on another board",
        "a rematch offered",
        "a rematch offered by O",
        "the next game",
        "a rematch after a game was given up",
        "a rematch with an AI",
    ],
)
def test_a_plain_step_is_what_the_rules_make_of_it(
    room: Room, session: SessionId, command: PlayerCommand
) -> None:
    step = plain_step(room, session, command, NOW + 9)
    assert step is not None
    assert step == transition_of(room, decided(room, session, command, NOW + 9))


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
        (duel(clock=CLOCK), ADA, play(4, 0)),
        (after(PLAYED, ADA, Resign(game=1)), ADA, play(8)),
        (offered(duel(*DRAWN), ADA, REMATCH), BOB, play(8, 9)),
        (against_ai(0), ADA, play(4, 1)),
        (PLAYED, ADA, Resign(game=1)),
        (PLAYED, ADA, Offer(kind=DRAW)),
        (PLAYED, ADA, AGAIN),
        (founded(), ADA, AGAIN),
        (OVER, EVE, AGAIN),
        (OVER, None, AGAIN),
        (offered(OVER, ADA, REMATCH), ADA, AGAIN),
        (offered(OVER, ADA, REMATCH), BOB, Accept(kind=REMATCH)),
        (duel(*LINE, clock=CLOCK), ADA, AGAIN),
        (after(OVER, BOB, Leave()), ADA, AGAIN),
        (seated(after(OVER, BOB, Leave()), EVE), ADA, AGAIN),
        (OVER._replace(met=False), ADA, AGAIN),
        (after(filled(PLAYED, ADA, O), ADA, Resign(game=1)), ADA, AGAIN),
    ],
)
def test_what_is_not_plain_or_is_refused(
    room: Room, session: SessionId | None, command: PlayerCommand
) -> None:
    assert plain_step(room, session, command, NOW) is None


NONE = Room(NAME)
ALONE = seated(founded(), ADA)
SECOND = Join(name="bob")


@pytest.mark.parametrize(
    ("room", "join"),
    [
        (NONE, Join(name="ada")),
        (NONE, Join(name='a "fork"', seat=O)),
        (founded(), SECOND),
        (ALONE, SECOND),
        (ALONE, Join(name="bob", seat=O)),
        (seated(founded(), ADA, O), SECOND),
        (seated(founded(rules=FOUR_IN_A_ROW), ADA), SECOND),
    ],
)
def test_a_plain_arrival_is_what_the_rules_make_of_it(room: Room, join: Join) -> None:
    step = plain_arrival(room, BOB, join, NOW + 9)
    assert step is not None
    assert step == transition_of(room, let_in(room, Applicant(join, BOB), NOW + 9))


@pytest.mark.parametrize(
    ("room", "join"),
    [
        (ALONE, Join(name="bob", seat=X)),
        (duel(), SECOND),
        (ALONE._replace(lock="salt.hash"), SECOND),
        (seated(founded(clock=CLOCK), ADA), SECOND),
        (after(duel(), BOB, Leave()), SECOND),
        (ALONE._replace(stood_in_for=Seats(X=ALONE.seats.X)), SECOND),
    ],
    ids=["a taken seat", "a full room", "a lock", "a clock", "after a game", "somebody absent"],
)
def test_an_arrival_that_is_not_plain_or_is_refused(room: Room, join: Join) -> None:
    assert plain_arrival(room, EVE, join, NOW) is None


@settings(deadline=None)  # the clock of a busy machine is no failure
@given(rules=st.sampled_from([Rules(), Rules(columns=4), FOUR_IN_A_ROW]), random=st.randoms())
def test_any_series(rules: Rules, random: Random) -> None:
    room = duel(rules=rules)
    for _ in range(2):
        while room.game is not None and room.game.outcome is None:
            game = room.game
            player = room.seats[game.turn]
            assert player is not None
            command = play(random.choice(game.position.legal_moves), game.ply, game.number)
            room = _stepped(room, player.id, command)
        for session in random.sample([ADA, BOB], 2):
            room = _stepped(room, session, AGAIN)


def _stepped(room: Room, session: SessionId | None, command: PlayerCommand) -> Room:
    step = transition_of(room, decided(room, session, command))
    assert plain_step(room, session, command, NOW) == step
    return step.after
