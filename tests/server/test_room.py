from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.server.rooms import (
    ADA,
    BOB,
    EVE,
    MINIMAX,
    NAME,
    NOW,
    O,
    X,
    after,
    against_ai,
    code_of,
    duel,
    founded,
    moved,
    refusal,
    seated,
    types,
    who,
)
from ttt_engine import IllegalMove
from ttt_protocol.codes import REASONS, Reason, RefusalCode
from ttt_protocol.commands import Claim, Fill, Join, Leave, Resign
from ttt_protocol.events import (
    BaseEvent,
    Created,
    Ended,
    Event,
    Left,
    Played,
    Seated,
    Started,
    TakenBack,
)
from ttt_protocol.state import (
    Ai,
    BySeat,
    Human,
    Mark,
    Outcome,
    Score,
    SeatSettings,
    SessionId,
    Settings,
    Status,
)
from ttt_server import room as room_module
from ttt_server.room import (
    InvalidLog,
    Refused,
    Room,
    admit,
    create,
    decide,
    evolve,
    evolve_all,
    forfeit,
    next_game,
)
from ttt_server.view import room_state

TWO_AIS = SeatSettings(X=MINIMAX, O=MINIMAX)


def admission(room: Room, join: Join, session: SessionId = EVE) -> RefusalCode:
    with pytest.raises(Refused) as caught:
        admit(room, session, join, NOW)
    return caught.value.code


def test_a_new_room_waits() -> None:
    room = founded()
    assert room.status is Status.WAITING
    assert room.game is None
    assert room.free_seats == (X, O)
    assert room.seq == 1


def test_creation_tells_the_settings_and_seats_the_ai() -> None:
    settings = Settings(seats=SeatSettings(O=MINIMAX))
    ai = Ai(name="minimax", strategy="minimax", level=9)
    assert create(NAME, settings, NOW) == (
        Created(seq=1, at=NOW, settings=settings),
        Seated(seq=2, at=NOW, seat=O, player=ai),
    )


def test_two_ais_begin_at_once() -> None:
    events = create(NAME, Settings(seats=TWO_AIS), NOW)
    assert types(events) == ["created", "seated", "seated", "started"]
    room = evolve_all(Room(NAME), events)
    assert room.status is Status.PLAYING
    assert room.ai_to_move is X


def test_the_first_player_gets_x_and_waits() -> None:
    events = admit(founded(), ADA, Join(name="ada"), NOW)
    assert events == (Seated(seq=2, at=NOW, seat=X, player=Human(id=ADA, name="ada")),)


def test_the_second_player_begins_the_game() -> None:
    events = admit(seated(founded(), ADA), BOB, Join(name="bob"), NOW)
    assert events == (
        Seated(seq=3, at=NOW, seat=O, player=Human(id=BOB, name="bob")),
        Started(seq=4, at=NOW, game=1),
    )


def test_the_wanted_seat() -> None:
    room = seated(founded(), ADA, O)
    assert who(room) == (None, ADA)
    assert who(seated(room, BOB)) == (BOB, ADA)


@pytest.mark.parametrize(
    ("room", "wanted", "code"),
    [
        (seated(founded(), ADA), X, "seat_taken"),
        (against_ai(), O, "seat_taken"),
        (duel(), O, "seat_taken"),
        (duel(), None, "room_full"),
        (against_ai(), None, "room_full"),
        (founded(seats=TWO_AIS), None, "room_full"),
        (founded(seats=TWO_AIS), X, "room_full"),
    ],
)
def test_no_seat(room: Room, wanted: Mark | None, code: str) -> None:
    assert admission(room, Join(seat=wanted)) == code


def test_whoever_has_the_token_returns_without_an_event() -> None:
    assert admit(duel(0), BOB, Join(token="good"), NOW) == ()


@pytest.mark.parametrize("room", [founded(), duel(), after(duel(), EVE, Leave())])
def test_a_token_of_no_seat(room: Room) -> None:
    assert admission(room, Join(token="good")) is RefusalCode.BAD_TOKEN


@pytest.mark.parametrize("stranger", [None, EVE])
def test_only_players_resign_claim_and_fill(stranger: SessionId | None) -> None:
    for command in (Resign(game=1), Claim(game=1), Fill(seat=X, strategy="rules")):
        assert code_of(duel(), stranger, command) is RefusalCode.NOT_A_PLAYER


@pytest.mark.parametrize("stranger", [None, EVE])
def test_who_has_no_seat_leaves_without_an_event(stranger: SessionId | None) -> None:
    assert decide(duel(), stranger, Leave(), NOW) == ()


@pytest.mark.parametrize(("session", "winner"), [(ADA, O), (BOB, X)])
def test_resigning(session: SessionId, winner: Mark) -> None:
    room = duel(4)
    outcome = Outcome(winner=winner, reason=Reason.RESIGNATION)
    assert decide(room, session, Resign(game=1), NOW) == (
        Ended(seq=room.seq + 1, at=NOW, game=1, outcome=outcome),
    )
    assert after(room, session, Resign(game=1)).status is Status.FINISHED


@pytest.mark.parametrize("kind", [Resign, Claim])
def test_resign_and_claim_are_of_the_running_game(kind: type[Resign] | type[Claim]) -> None:
    over = after(duel(), ADA, Resign(game=1))
    for room, game, code, shows_room in (
        (seated(founded(), ADA), 1, "game_not_started", False),
        (duel(), 2, "wrong_game", True),
        (over, 2, "wrong_game", True),
        (over, 1, "game_over", True),
    ):
        refused = refusal(room, ADA, kind(game=game))
        assert (refused.code, refused.shows_room) == (code, shows_room)


def test_what_is_not_offered_yet() -> None:
    assert code_of(duel(), ADA, Claim(game=1)) is RefusalCode.NOT_ALLOWED
    assert code_of(duel(), ADA, Fill(seat=O, strategy="rules")) is RefusalCode.NOT_ALLOWED


@pytest.mark.parametrize("ai", Mark)
def test_forfeit(ai: Mark) -> None:
    room = against_ai(ai=ai)
    (ended,) = forfeit(room, ai, NOW)
    assert isinstance(ended, Ended)
    assert ended.outcome == Outcome(winner=ai.other, reason=Reason.FORFEIT)


def test_leaving_resigns_and_frees_the_seat() -> None:
    room = duel(4)
    events = decide(room, ADA, Leave(), NOW)
    assert events == (
        Ended(
            seq=room.seq + 1,
            at=NOW,
            game=1,
            outcome=Outcome(winner=O, reason=Reason.RESIGNATION),
        ),
        Left(seq=room.seq + 2, at=NOW, seat=X),
    )
    room = evolve_all(room, events)
    assert room.status is Status.WAITING
    assert who(room) == (None, BOB)
    assert room.score == Score(O=1)


def test_leaving_a_finished_game_resigns_nothing() -> None:
    room = after(duel(), BOB, Resign(game=1))
    assert types(decide(room, BOB, Leave(), NOW)) == ["left"]


def test_leaving_before_the_first_game() -> None:
    assert types(decide(seated(founded(), ADA), ADA, Leave(), NOW)) == ["left"]


def test_whoever_left_owns_nothing() -> None:
    room = after(duel(), ADA, Leave())
    assert code_of(room, ADA, Resign(game=1)) is RefusalCode.NOT_A_PLAYER
    assert admission(room, Join(token="good"), ADA) is RefusalCode.BAD_TOKEN


def test_the_next_player_begins_the_next_game_at_once() -> None:
    room = after(after(duel(0, 3, 1, 4, 2), ADA, Leave()), BOB)
    assert room.score == Score(X=1)
    events = admit(room, EVE, Join(name="eve"), NOW)
    assert types(events) == ["seated", "started"]
    room = evolve_all(room, events)
    assert who(room) == (EVE, BOB), "a new player does not change sides"
    assert room.score == Score(), "nor inherit a score"
    assert room.game is not None
    assert (room.game.number, room.game.ply) == (2, 0)


def test_both_leave_and_two_others_come() -> None:
    room = after(after(duel(), ADA, Leave()), BOB, Leave())
    assert room.free_seats == (X, O)
    room = seated(room, EVE, O)
    assert room.status is Status.WAITING
    room = seated(room, ADA)
    assert who(room) == (ADA, EVE)
    assert room.game is not None
    assert room.game.number == 2


def test_a_player_who_left_an_ai_is_followed_by_another() -> None:
    room = seated(after(against_ai(ai=X), ADA, Leave()), BOB)
    assert who(room) == ("minimax", BOB)
    assert room.ai_to_move is X
    assert room.score == Score()


def test_whose_ai_is_to_move() -> None:
    assert against_ai().ai_to_move is None
    assert against_ai(0).ai_to_move is O
    assert after(against_ai(0), ADA, Resign(game=1)).ai_to_move is None
    assert founded(seats=SeatSettings(X=MINIMAX)).ai_to_move is None


def test_a_series_of_ais_changes_sides_and_ends() -> None:
    random = MINIMAX.model_copy(update={"strategy": "random"})
    room = founded(seats=SeatSettings(X=MINIMAX, O=random), games=2)
    assert not room.next_game_due
    room = moved(room, 0, 3, 1, 4, 2)
    assert room.next_game_due
    room = evolve_all(room, next_game(room, NOW))
    assert who(room) == ("random", "minimax")
    assert room.score == Score(O=1)
    assert not evolve_all(room, forfeit(room, X, NOW)).next_game_due


def test_humans_have_no_series() -> None:
    assert not after(duel(games=5), ADA, Resign(game=1)).next_game_due
    room = founded(seats=SeatSettings(X=MINIMAX), games=5)
    assert not after(seated(room, ADA), ADA, Resign(game=1)).next_game_due


def test_where_a_session_sits() -> None:
    room = duel()
    assert [room.seat_of(one) for one in (ADA, BOB, EVE, None)] == [X, O, None, None]


def test_a_refusal_has_words_of_its_own_or_the_usual_ones() -> None:
    assert Refused(RefusalCode.ROOM_FULL).reason == REASONS[RefusalCode.ROOM_FULL]
    assert Refused(RefusalCode.ROOM_FULL, "go away").reason == "go away"


@pytest.mark.parametrize("seq", [0, 4, 6])
def test_a_log_has_no_gaps(seq: int) -> None:
    room = duel()
    assert room.seq == 4
    with pytest.raises(InvalidLog, match=f"event {seq} follows 4"):
        evolve(room, Left(seq=seq, at=NOW, seat=X))


@pytest.mark.parametrize(
    "event",
    [
        Played(seq=2, at=NOW, game=1, ply=0, seat=X, cell=0),
        TakenBack(seq=2, at=NOW, game=1, ply=0),
        Ended(seq=2, at=NOW, game=1, outcome=Outcome(winner=None, reason=Reason.FULL)),
    ],
)
def test_nothing_happens_in_a_game_that_never_started(event: Event) -> None:
    with pytest.raises(InvalidLog, match="never started"):
        evolve(founded(), event)


def test_a_log_with_an_illegal_move() -> None:
    room = duel(4)
    with pytest.raises(IllegalMove):
        evolve(room, Played(seq=room.seq + 1, at=NOW, game=1, ply=1, seat=O, cell=4))


def test_someone_sits_down_in_the_place_of_another() -> None:
    room = after(duel(), ADA, Resign(game=1))
    ai = Ai(name="rules", strategy="rules", level=None)
    room = evolve(room, Seated(seq=room.seq + 1, at=NOW, seat=X, player=ai))
    assert who(room) == ("rules", BOB)
    assert room.score == Score(O=1), "the series goes on"


def test_what_no_type_allows_is_loud() -> None:
    impossible: Any = "no such thing"
    room = duel(4)
    outcome = Outcome.model_construct(winner=impossible, reason=Reason.LINE)
    ended = Ended.model_construct(seq=room.seq + 1, at=NOW, game=1, outcome=outcome)
    unknown: Any = BaseEvent(type="born", seq=room.seq + 1, at=NOW)
    seats = room.seats.with_(X, impossible)
    works: list[Callable[[], object]] = [
        lambda: decide(room, ADA, impossible, NOW),
        lambda: evolve(room, unknown),
        lambda: evolve(room, ended),
        lambda: room_module._agree(room, X, impossible, NOW),
        lambda: room_state(replace(room, seats=seats), BySeat(X=True, O=True), 0),
    ]
    for work in works:
        with pytest.raises(AssertionError):
            work()
