from collections.abc import Callable
from typing import Any

import pytest

from tests.server.examples import (
    ADA,
    BOB,
    EVE,
    MINIMAX,
    NOBODY,
    NOW,
    O,
    X,
    after,
    against_ai,
    duel,
    founded,
    moved,
    seated,
    who,
)
from ttt_engine import IllegalMove
from ttt_protocol.codec import decode_event, encode_event
from ttt_protocol.codes import Reason
from ttt_protocol.commands import Resign
from ttt_protocol.events import (
    BaseEvent,
    Created,
    Ended,
    Event,
    Left,
    Played,
    Seated,
    TakenBack,
)
from ttt_protocol.state import (
    Ai,
    Outcome,
    RoomName,
    Score,
    SeatSettings,
    Settings,
    Status,
)
from ttt_server.core import offers
from ttt_server.core.decide import decide
from ttt_server.core.play import end, next_game
from ttt_server.core.room import InvalidLog, Room, evolve, evolve_all
from ttt_server.core.snapshot import Here, room_state


def test_a_new_room_waits() -> None:
    room = founded()
    assert room.status is Status.WAITING
    assert room.game is None
    assert room.free_seats == (X, O)
    assert room.seq == 1


def test_rooms_that_were_read_from_logs_share_their_settings() -> None:
    rooms = []
    for games in (3, 3, 4):
        created = Created(seq=1, at=NOW, settings=Settings(games=games), lock=None)
        rooms.append(evolve(Room(RoomName("den")), decode_event(encode_event(created))))
    first, second, other = (room.settings for room in rooms)
    assert first is second
    assert other == Settings(games=4)


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
    assert not evolve_all(room, end(room, Reason.FORFEIT, O, NOW)).next_game_due


def test_humans_have_no_series() -> None:
    assert not after(duel(games=5), ADA, Resign(game=1)).next_game_due
    room = founded(seats=SeatSettings(X=MINIMAX), games=5)
    assert not after(seated(room, ADA), ADA, Resign(game=1)).next_game_due


def test_where_a_session_sits() -> None:
    room = duel()
    assert [room.seat_of(one) for one in (ADA, BOB, EVE, None)] == [X, O, None, None]


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
        lambda: decide(room, ADA, impossible, NOW, NOBODY.get),
        lambda: evolve(room, unknown),
        lambda: evolve(room, ended),
        lambda: offers._agree(room, X, impossible, NOW),
        lambda: room_state(room._replace(seats=seats), Here(X=True, O=True), 0, NOW),
    ]
    for work in works:
        with pytest.raises(AssertionError):
            work()
