from dataclasses import dataclass

import pytest

from tests.server.examples import (
    ADA,
    BOB,
    DRAWN,
    EVE,
    FOUR_IN_A_ROW,
    NOW,
    REMATCH,
    O,
    X,
    after,
    against_ai,
    decided,
    duel,
    founded,
    moved,
    offered,
    refusal,
    seated,
)
from ttt_engine import Position
from ttt_protocol.codes import Reason
from ttt_protocol.commands import Leave, Offer, Play, Resign
from ttt_protocol.events import Ended, Played, Slept
from ttt_protocol.state import (
    ClockSetting,
    Mark,
    Outcome,
    Rules,
    Score,
    SessionId,
    Status,
    TimeLeft,
)
from ttt_server.core.clock import GameClock
from ttt_server.core.errors import Refused
from ttt_server.core.evolve import evolve_all
from ttt_server.core.play import end, fallen_flag, play, position_to_hint, slept, time_left
from ttt_server.core.room import Room

WON = duel(0, 3, 1, 4, 2)
BIG = 2**64


@dataclass(frozen=True)
class Case:
    """Of the refusals that apply to one `play`, the first and what it carries."""

    code: str
    room: Room
    session: SessionId | None
    command: Play
    legal: tuple[int, ...] | None = None
    shows_room: bool = False

    def __str__(self) -> str:
        return self.code


REFUSALS = [
    # Each applies together with those below it, as far as they can.
    Case("not_a_player", founded(), None, Play(game=7, ply=9, cell=99)),
    Case("not_a_player", WON, EVE, Play(game=7, ply=9, cell=99)),
    Case("not_a_player", after(duel(), ADA, Leave()), ADA, Play(game=1, ply=0, cell=0)),
    Case("game_not_started", seated(founded(), ADA), ADA, Play(game=7, ply=9, cell=99)),
    Case("wrong_game", WON, ADA, Play(game=2, ply=4, cell=2), shows_room=True),
    Case("wrong_game", WON, BOB, Play(game=0, ply=9, cell=99), shows_room=True),
    Case("wrong_game", duel(), BOB, Play(game=-1, ply=9, cell=99), shows_room=True),
    Case("game_over", WON, BOB, Play(game=1, ply=9, cell=99), shows_room=True),
    Case("game_over", WON, BOB, Play(game=1, ply=5, cell=8), shows_room=True),
    Case(
        "game_over",
        after(duel(4), BOB, Leave()),
        ADA,
        Play(game=1, ply=1, cell=0),
        shows_room=True,
    ),
    Case("stale_ply", duel(4), ADA, Play(game=1, ply=2, cell=99), shows_room=True),
    Case("stale_ply", duel(4), BOB, Play(game=1, ply=0, cell=4), shows_room=True),
    Case("stale_ply", duel(4), ADA, Play(game=1, ply=0, cell=5), shows_room=True),
    Case("stale_ply", duel(4), BOB, Play(game=1, ply=-1, cell=4), shows_room=True),
    Case("stale_ply", duel(4), BOB, Play(game=1, ply=BIG, cell=BIG), shows_room=True),
    Case("not_your_turn", duel(4), ADA, Play(game=1, ply=1, cell=99), shows_room=True),
    Case("not_your_turn", duel(4), ADA, Play(game=1, ply=1, cell=4), shows_room=True),
    Case("not_your_turn", duel(), BOB, Play(game=1, ply=0, cell=0), shows_room=True),
    Case("out_of_board", duel(4, 0), ADA, Play(game=1, ply=2, cell=9), (1, 2, 3, 5, 6, 7, 8)),
    Case("out_of_board", duel(4, 0), ADA, Play(game=1, ply=2, cell=-1), (1, 2, 3, 5, 6, 7, 8)),
    Case("out_of_board", duel(4, 0), ADA, Play(game=1, ply=2, cell=BIG), (1, 2, 3, 5, 6, 7, 8)),
    Case("cell_taken", duel(4), BOB, Play(game=1, ply=1, cell=4), (0, 1, 2, 3, 5, 6, 7, 8)),
    Case(
        "cell_taken",
        duel(35, rules=FOUR_IN_A_ROW),
        BOB,
        Play(game=1, ply=1, cell=35),
        (28, 36, 37, 38, 39, 40, 41),
    ),
    Case(
        "floating_cell",
        duel(35, rules=FOUR_IN_A_ROW),
        BOB,
        Play(game=1, ply=1, cell=21),
        (28, 36, 37, 38, 39, 40, 41),
    ),
]


@pytest.mark.parametrize("case", REFUSALS, ids=str)
def test_the_first_refusal_that_applies_is_the_answer(case: Case) -> None:
    refused = refusal(case.room, case.session, case.command)
    assert (refused.code, refused.legal, refused.shows_room) == (
        case.code,
        case.legal,
        case.shows_room,
    )


def test_a_move() -> None:
    room = duel(4)
    assert decided(room, BOB, Play(game=1, ply=1, cell=0)).events == (
        Played(seq=room.seq + 1, at=NOW, game=1, ply=1, seat=O, cell=0),
    )
    room = moved(room, 0)
    assert room.game is not None
    assert room.game.moves == (4, 0)
    assert room.game.position.board == "O...X...."
    assert room.game.turn is X
    assert room.status is Status.PLAYING


def test_a_move_of_an_ai_says_why() -> None:
    (played,) = play(against_ai(4), O, Play(game=1, ply=1, cell=0), NOW, "corner")
    assert isinstance(played, Played)
    assert played.reason == "corner"


@pytest.mark.parametrize(
    ("cells", "outcome", "score"),
    [
        ((0, 3, 1, 4, 2), Outcome(winner=X, reason=Reason.LINE, line=(0, 1, 2)), Score(X=1)),
        ((0, 3, 1, 4, 8, 5), Outcome(winner=O, reason=Reason.LINE, line=(3, 4, 5)), Score(O=1)),
        (DRAWN, Outcome(winner=None, reason=Reason.FULL), Score(draws=1)),
        (
            (0, 3, 1, 4, 8, 6, 5, 7, 2),  # the last cell, and two lines at once
            Outcome(winner=X, reason=Reason.LINE, line=(0, 1, 2, 5, 8)),
            Score(X=1),
        ),
    ],
)
def test_the_last_move(cells: tuple[int, ...], outcome: Outcome, score: Score) -> None:
    room = duel(*cells[:-1])
    assert room.game is not None
    assert room.game.outcome is None
    mover = ADA if room.game.turn is X else BOB
    command = Play(game=1, ply=len(cells) - 1, cell=cells[-1])
    played, ended = decided(room, mover, command)
    assert isinstance(played, Played)
    assert ended == Ended(seq=played.seq + 1, at=NOW, game=1, outcome=outcome)
    room = evolve_all(room, (played, ended))
    assert room.status is Status.FINISHED
    assert room.score == score


def repeats() -> list[tuple[Room, SessionId, Play]]:
    over = after(duel(4, 0), BOB, Resign(game=1))
    return [
        (duel(4), ADA, Play(game=1, ply=0, cell=4)),
        (duel(4, 0), ADA, Play(game=1, ply=0, cell=4)),
        (duel(4, 0), BOB, Play(game=1, ply=1, cell=0)),
        (duel(4, 0, 8), BOB, Play(game=1, ply=1, cell=0)),
        (WON, ADA, Play(game=1, ply=4, cell=2)),
        (WON, BOB, Play(game=1, ply=1, cell=3)),
        (over, ADA, Play(game=1, ply=0, cell=4)),
        (after(over, BOB, Leave()), ADA, Play(game=1, ply=0, cell=4)),
    ]


@pytest.mark.parametrize(("room", "session", "command"), repeats())
def test_a_move_sent_again_is_no_event(room: Room, session: SessionId, command: Play) -> None:
    assert decided(room, session, command).events == ()


def test_a_move_of_the_game_before_is_no_repeat() -> None:
    room = offered(offered(WON, ADA, REMATCH), BOB, REMATCH)
    refused = refusal(room, ADA, Play(game=1, ply=4, cell=2))
    assert refused.code == "wrong_game"


def test_gravity() -> None:
    room = duel(35, 28, 36, 29, 37, 30, rules=FOUR_IN_A_ROW)
    room = moved(room, 38)
    assert room.game is not None
    assert room.game.outcome is not None
    assert room.game.outcome.line == (35, 36, 37, 38)


def test_a_board_of_another_size() -> None:
    room = duel(0, rules=Rules(columns=4, rows=3, in_a_row=4))
    assert room.game is not None
    assert room.game.position.board == "X" + "." * 11


def test_all_events_of_a_decision_follow_each_other() -> None:
    room = duel(0, 3, 1, 4)
    events = decided(room, ADA, Play(game=1, ply=4, cell=2), NOW + 5).events
    assert [event.seq for event in events] == [room.seq + 1, room.seq + 2]
    assert {event.at for event in events} == {NOW + 5}


@pytest.mark.parametrize("ai", Mark)
def test_forfeit(ai: Mark) -> None:
    room = against_ai(ai=ai)
    (ended,) = end(room, Reason.FORFEIT, ai.other, NOW)
    assert isinstance(ended, Ended)
    assert ended.outcome == Outcome(winner=ai.other, reason=Reason.FORFEIT)


FIVE_AND_TWO = ClockSetting(initial_s=5, increment_s=2)


def clock_of(room: Room) -> GameClock:
    assert room.game is not None
    assert room.game.clock is not None
    return room.game.clock


def left(x: int, o: int) -> TimeLeft:
    return TimeLeft(X=x, O=o)


def test_the_clock_begins_with_the_game_and_x_pays() -> None:
    room = duel(clock=FIVE_AND_TWO)
    assert clock_of(room) == GameClock(left(5000, 5000), NOW)
    assert room.flag_falls_at == NOW + 5000
    assert time_left(room, NOW + 1200) == left(3800, 5000)


def test_a_move_carries_the_clock_after_it() -> None:
    room = duel(clock=FIVE_AND_TWO)
    (played,) = decided(room, ADA, Play(game=1, ply=0, cell=4), NOW + 1200)
    assert isinstance(played, Played)
    assert played.clock == left(5800, 5000)
    room = evolve_all(room, (played,))
    assert clock_of(room) == GameClock(left(5800, 5000), NOW + 1200)
    assert room.flag_falls_at == NOW + 6200
    room = moved(room, 0, now=NOW + 2200)
    assert clock_of(room) == GameClock(left(5800, 6000), NOW + 2200)


def test_the_last_move_stops_the_clock() -> None:
    room = duel(0, 3, 1, 4, clock=FIVE_AND_TWO)
    played, ended = decided(room, ADA, Play(game=1, ply=4, cell=2), NOW + 1000)
    assert isinstance(ended, Ended)
    assert isinstance(played, Played)
    assert ended.clock == played.clock == left(10_000, 9000)
    room = evolve_all(room, (played, ended))
    assert room.flag_falls_at is None
    assert time_left(room, NOW + 10**9) == left(10_000, 9000)


def test_resigning_stops_the_clock() -> None:
    room = duel(4, clock=FIVE_AND_TWO)
    (ended,) = decided(room, ADA, Resign(game=1), NOW + 700)
    assert isinstance(ended, Ended)
    assert ended.clock == left(7000, 4300), "the side to move has paid"


@pytest.mark.parametrize(("cells", "winner"), [((), O), ((4,), X)])
def test_the_flag_falls_and_the_other_side_wins(cells: tuple[int, ...], winner: Mark) -> None:
    room = duel(*cells, clock=FIVE_AND_TWO)
    assert fallen_flag(room, NOW + 4999).events == ()
    (ended,) = fallen_flag(room, NOW + 5000)
    assert isinstance(ended, Ended)
    assert ended.outcome == Outcome(winner=winner, reason=Reason.TIMEOUT)
    assert ended.clock is not None
    assert ended.clock[winner.other] == 0
    late = fallen_flag(room, NOW + 10**9).events[0]
    assert isinstance(late, Ended)
    assert late.clock == ended.clock
    assert evolve_all(room, (ended,)).status is Status.FINISHED


@pytest.mark.parametrize(
    "room",
    [
        duel(4),
        founded(clock=FIVE_AND_TWO),
        seated(founded(clock=FIVE_AND_TWO), ADA),
        after(duel(4, clock=FIVE_AND_TWO), ADA, Resign(game=1)),
        after(duel(4, clock=FIVE_AND_TWO), ADA, Leave()),
    ],
)
def test_no_flag_can_fall(room: Room) -> None:
    assert room.flag_falls_at is None
    assert fallen_flag(room, NOW + 10**9).events == ()


def test_without_a_clock_nobody_says_one() -> None:
    room = duel(4)
    assert room.game is not None
    assert room.game.clock is None
    assert time_left(room, NOW) is None
    assert time_left(founded(clock=FIVE_AND_TWO), NOW) is None
    (ended,) = decided(room, ADA, Resign(game=1))
    assert isinstance(ended, Ended)
    assert ended.clock is None


def test_time_in_which_nobody_could_play_is_given_back() -> None:
    room = duel(4, clock=FIVE_AND_TWO)
    assert room.with_clock_shifted(300).flag_falls_at == NOW + 5300
    assert time_left(room.with_clock_shifted(300), NOW + 300) == time_left(room, NOW)
    for other in (duel(4), founded(clock=FIVE_AND_TWO)):
        assert other.with_clock_shifted(300) is other


def test_a_move_after_the_next_game_began_has_the_fresh_clock() -> None:
    room = after(duel(4, clock=FIVE_AND_TWO), ADA, Resign(game=1), now=NOW + 900)
    room = after(after(room, ADA, Offer(kind=REMATCH)), BOB, Offer(kind=REMATCH), now=NOW + 2000)
    assert clock_of(room) == GameClock(left(5000, 5000), NOW + 2000)
    assert room.flag_falls_at == NOW + 7000


# Hints

HINTED_OVER = after(duel(4, hints=True), ADA, Resign(game=1))
WITHOUT = after(duel(4), ADA, Resign(game=1))


@pytest.mark.parametrize(
    ("room", "session", "code", "shows_room"),
    [
        # Each applies together with those below it, as far as they can.
        (WITHOUT, None, "not_a_player", False),
        (WITHOUT, EVE, "not_a_player", False),
        (WITHOUT, ADA, "not_allowed", False),
        (duel(), ADA, "not_allowed", False),
        (seated(founded(), ADA), ADA, "not_allowed", False),
        (seated(founded(hints=True), ADA), ADA, "game_not_started", False),
        (HINTED_OVER, ADA, "game_over", True),
        (HINTED_OVER, BOB, "game_over", True),
        (duel(4, hints=True), ADA, "not_your_turn", True),
        (duel(hints=True), BOB, "not_your_turn", True),
    ],
)
def test_the_first_refusal_of_a_hint_that_applies_is_the_answer(
    room: Room, session: SessionId | None, code: str, shows_room: bool
) -> None:
    with pytest.raises(Refused) as caught:
        position_to_hint(room, session)
    assert (caught.value.code, caught.value.shows_room) == (code, shows_room)


def test_the_player_to_move_gets_the_position() -> None:
    room = duel(hints=True)
    assert position_to_hint(room, ADA) == Position.start()
    assert position_to_hint(moved(room, 4), BOB) == Position.after((4,))


def test_a_server_that_slept_tells_the_clock_of_the_game_that_goes_on() -> None:
    room = duel(4, clock=FIVE_AND_TWO)
    given = room.with_clock_shifted(3000)
    (event,) = slept(given, 1, O, 3000, NOW + 4000)
    assert event == Slept(room.seq + 1, NOW + 4000, 1, O, 3000, TimeLeft(X=7000, O=4000))
    after = evolve_all(given, (event,))
    assert time_left(after, NOW + 4500) == TimeLeft(X=7000, O=3500)
    assert evolve_all(room, (event,)) == after, "a log has no shift"
    assert after.flag_falls_at == given.flag_falls_at


def test_nothing_is_told_of_a_game_that_is_over_or_has_no_clock() -> None:
    room = duel(4, clock=FIVE_AND_TWO)
    over = evolve_all(room, end(room, Reason.RESIGNATION, X, NOW))
    for other, number in ((over, 1), (room, 2), (duel(4), 1), (founded(), 1)):
        assert slept(other, number, O, 3000, NOW).events == ()
