"""A decision: its room is the one to which its events lead, also when they are read from a log."""

from random import Random
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.server.examples import (
    ADA,
    BOB,
    DRAW,
    DRAWN,
    FOUR_IN_A_ROW,
    NAME,
    NOW,
    REMATCH,
    TAKEBACK,
    O,
    X,
    after,
    against_ai,
    decided,
    duel,
    founded,
    offered,
    seated,
)
from ttt_engine import GridPosition
from ttt_protocol.codec import decode_log, encode_log
from ttt_protocol.commands import Accept, Decline, Join, Leave, Offer, Play, Resign
from ttt_protocol.events import Played
from ttt_protocol.state import ClockSetting, Rules, SessionId
from ttt_server.core.decide import PlayerCommand
from ttt_server.core.evolve import Decision, evolve_all
from ttt_server.core.join import Applicant, let_in
from ttt_server.core.room import Room

PLAYED = duel(0, 4)
LINE = 0, 3, 1, 4, 2
OVER = duel(*LINE)
CLOCK = ClockSetting(initial_s=60, increment_s=2)
AGAIN = Offer(kind=REMATCH)


def play(cell: int, ply: int = 2, game: int = 1) -> Play:
    return Play(game=game, ply=ply, cell=cell)


def checked(room: Room, decision: Decision) -> Decision:
    """The decision, which is what a reader of its encoded events finds."""
    read = decode_log(encode_log(decision.events))
    assert read == decision.events
    assert decision.after == evolve_all(room, read)
    return decision


@pytest.mark.parametrize(
    ("room", "session", "command"),
    [
        (duel(), ADA, play(4, 0)),
        (PLAYED, ADA, play(8)),
        (duel(0), BOB, play(4, 1)),
        (duel(35, rules=FOUR_IN_A_ROW), BOB, play(28, 1)),
        (duel(clock=CLOCK), ADA, play(4, 0)),
        (duel(*LINE[:-1], clock=CLOCK), ADA, play(LINE[-1], 4)),
        (offered(PLAYED, ADA, DRAW), ADA, play(8)),
        (against_ai(0, 4), ADA, play(8)),
        (duel(*LINE[:-1]), ADA, play(LINE[-1], 4)),
        (duel(8, *LINE[:-1]), BOB, play(LINE[-1], 5)),
        (duel(*DRAWN[:8]), ADA, play(DRAWN[8], 8)),
        (duel(0, 4, 1, 5, rules=Rules(columns=4)), ADA, play(2, 4)),
        (PLAYED, ADA, Resign(game=1)),
        (PLAYED, ADA, Leave()),
        (PLAYED, ADA, Offer(kind=DRAW)),
        (offered(PLAYED, ADA, DRAW), BOB, Accept(kind=DRAW)),
        (offered(PLAYED, ADA, DRAW), BOB, Decline(kind=DRAW)),
        (offered(PLAYED, ADA, TAKEBACK), BOB, Accept(kind=TAKEBACK)),
        (OVER, ADA, AGAIN),
        (OVER, BOB, AGAIN),
        (duel(*LINE, clock=CLOCK), ADA, AGAIN),
        (offered(OVER, ADA, REMATCH), BOB, AGAIN),
        (after(PLAYED, ADA, Resign(game=1)), BOB, AGAIN),
        (after(against_ai(0, 4), ADA, Resign(game=1)), ADA, AGAIN),
    ],
    ids=[
        "the first move",
        "a later one",
        "by O",
        "with gravity",
        "with a clock",
        "the last with a clock",
        "with an offer",
        "against an AI",
        "a line of X",
        "a line of O",
        "a full board",
        "a line on another board",
        "a resignation",
        "a player who leaves",
        "an offer of a draw",
        "an agreement",
        "a refusal",
        "a takeback",
        "a rematch offered",
        "a rematch offered by O",
        "a rematch with a clock",
        "the next game",
        "a rematch after a game was given up",
        "a rematch with an AI",
    ],
)
def test_the_room_is_that_of_the_events(
    room: Room, session: SessionId, command: PlayerCommand
) -> None:
    step = checked(room, decided(room, session, command, NOW + 9))
    assert isinstance(step.events[0], Played) == isinstance(command, Play)
    assert step.after.changed_at == NOW + 9


ALONE = seated(founded(), ADA)
SECOND = Join(name="bob")


@pytest.mark.parametrize(
    ("room", "join"),
    [
        (Room(NAME), Join(name="ada")),
        (Room(NAME), Join(name='a "fork"', seat=O)),
        (founded(), SECOND),
        (ALONE, SECOND),
        (ALONE, Join(name="bob", seat=O)),
        (seated(founded(), ADA, O), SECOND),
        (seated(founded(rules=FOUR_IN_A_ROW), ADA), SECOND),
        (seated(founded(clock=CLOCK), ADA), SECOND),
        (after(duel(), BOB, Leave()), SECOND),
    ],
)
def test_the_room_of_an_arrival_is_that_of_the_events(room: Room, join: Join) -> None:
    step = checked(room, let_in(room, Applicant(join, BOB), NOW + 9))
    assert step.after.seats.of(BOB)


def test_a_move_is_played_once() -> None:
    room = duel(rules=FOUR_IN_A_ROW)
    with patch.object(GridPosition, "play", autospec=True, side_effect=GridPosition.play) as played:
        decision = decided(room, ADA, play(38, 0))
        encode_log(decision.events)
    assert decision.after.game is not None
    assert played.call_count == 1


def test_decisions_are_joined() -> None:
    first = decided(PLAYED, ADA, play(8))
    second = decided(first.after, BOB, play(1, 3))
    both = first.followed_by(second)
    assert both == first.then(*second)
    assert (len(both), both.after) == (2, second.after)
    assert not Decision(PLAYED)


@given(rules=st.sampled_from([Rules(), Rules(columns=4), FOUR_IN_A_ROW]), random=st.randoms())
def test_any_series(rules: Rules, random: Random) -> None:
    room = duel(rules=rules)
    for _ in range(2):
        while room.game is not None and room.game.outcome is None:
            game = room.game
            player = room.seats[game.turn]
            assert player is not None
            command = play(random.choice(game.position.legal_moves), game.ply, game.number)
            room = checked(room, decided(room, player.id, command)).after
        for session in random.sample([ADA, BOB], 2):
            room = checked(room, decided(room, session, AGAIN)).after
    assert room.seats.of(ADA) is X
