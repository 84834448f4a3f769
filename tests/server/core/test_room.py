from collections.abc import Callable
from types import SimpleNamespace
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
from ttt_protocol.codes import Reason
from ttt_protocol.commands import Resign
from ttt_protocol.events import Ended
from ttt_protocol.state import (
    Outcome,
    Score,
    SeatSettings,
    Status,
)
from ttt_server.core import decide as offers
from ttt_server.core.decide import decide
from ttt_server.core.evolve import evolve, evolve_all
from ttt_server.core.moderation import require_speaker
from ttt_server.core.play import end, next_game
from ttt_server.core.snapshot import Here, room_state


def test_a_new_room_waits() -> None:
    room = founded()
    assert room.status is Status.WAITING
    assert room.game is None
    assert room.free_seats == (X, O)
    assert room.seq == 1


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
    assert [room.seats.of(one) for one in (ADA, BOB, EVE, None)] == [X, O, None, None]


def test_what_no_type_allows_is_loud() -> None:
    impossible: Any = "no such thing"
    room = duel(4)
    outcome = Outcome(winner=impossible, reason=Reason.LINE)
    ended = Ended(seq=room.seq + 1, at=NOW, game=1, outcome=outcome)
    unknown: Any = SimpleNamespace(type="born", seq=room.seq + 1, at=NOW)
    nobody: Any = SimpleNamespace(id=None)
    seats = room.seats.with_(X, nobody)
    works: list[Callable[[], object]] = [
        lambda: decide(room, ADA, impossible, NOW, NOBODY.get),
        lambda: evolve(room, unknown),
        lambda: require_speaker(room.replace(chat=impossible), is_player=True),
        lambda: evolve(room, ended),
        lambda: offers._agree(room, X, impossible, NOW),
        lambda: room_state(room.replace(seats=seats), Here(X=True, O=True), 0, NOW),
    ]
    for work in works:
        with pytest.raises(AssertionError):
            work()
