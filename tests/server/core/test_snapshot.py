import json
from typing import Any

import pytest

from tests.server.examples import (
    ADA,
    BOB,
    DRAW,
    MINIMAX,
    NAME,
    NOW,
    O,
    X,
    after,
    against_ai,
    duel,
    founded,
    moved,
    offered,
    seated,
)
from ttt_protocol.codec import encode_message
from ttt_protocol.codes import Reason
from ttt_protocol.commands import Join, Leave, Resign
from ttt_protocol.state import (
    Ai,
    BySeat,
    Clock,
    ClockSetting,
    HumanSeat,
    Mark,
    Offers,
    Outcome,
    RoomName,
    Score,
    SeatSettings,
    SessionId,
    Settings,
)
from ttt_server.core.evolve import evolve_all
from ttt_server.core.room import Room
from ttt_server.core.seating import admit, create
from ttt_server.core.snapshot import Here, StateEncoder, room_state, summary

HERE = Here(X=True, O=True)

# The example of the contract, word for word.
EXAMPLE = """
{"name": "room42", "seq": 6, "status": "playing", "locked": false,
 "settings": {"rules": {"columns": 3, "rows": 3, "in_a_row": 3, "gravity": false},
              "seats": {"X": "human", "O": {"strategy": "minimax", "level": 9}},
              "clock": null, "grace_s": 60, "public": true, "spectators": true, "hints": false, "games": 1, "pace_s": 0},
 "seats": {"X": {"kind": "human", "id": "k3v9x2qa", "name": "ada", "connected": true},
           "O": {"kind": "ai", "id": null, "name": "minimax", "strategy": "minimax", "level": 9, "connected": true}},
 "game": {"number": 1, "board": "X...O....", "turn": "X", "ply": 2, "moves": [0, 4],
          "outcome": null, "clock": null},
 "offers": {"draw": null, "takeback": null, "rematch": null},
 "score": {"X": 0, "O": 0, "draws": 0}, "spectators": 3}
"""  # noqa: E501 - as it stands there


def as_json(room: Room, here: Here = HERE) -> Any:
    """The state, which is the same by its model and by parts."""
    encoded = encode_message(room_state(room, here, 3, NOW))
    assert StateEncoder().encode(room, here, 3, NOW) == encoded
    return json.loads(encoded)


def test_the_example_of_the_contract() -> None:
    name = RoomName("room42")
    room = evolve_all(Room(name), create(name, Settings(seats=SeatSettings(O=MINIMAX)), NOW))
    room = evolve_all(room, admit(room, SessionId("k3v9x2qa"), Join(name="ada"), NOW))
    assert as_json(moved(room, 0, 4)) == json.loads(EXAMPLE)


def test_a_room_that_waits() -> None:
    told = as_json(seated(founded(), ADA, O))
    assert told["status"] == "waiting"
    assert told["game"] is None
    assert told["seats"]["X"] is None
    assert told["seats"]["O"]["name"] == "ada"


def test_an_outcome() -> None:
    state = room_state(duel(0, 3, 1, 4, 2), HERE, 0, NOW)
    assert state.game is not None
    assert state.game.outcome == Outcome(winner=X, reason=Reason.LINE, line=(0, 1, 2))
    assert state.game.turn is O
    assert state.score.X == 1


def test_the_game_that_a_player_left_is_still_shown() -> None:
    told = as_json(after(duel(4), ADA, Leave()))
    assert told["status"] == "waiting"
    assert told["game"]["outcome"] == {"winner": "O", "reason": "resignation", "line": None}


def test_since_when_a_player_is_away() -> None:
    here = Here(X=False, O=False, away_since=(NOW - 9, None))
    seats = as_json(against_ai(), here)["seats"]
    assert seats["X"]["away_since"] == NOW - 9
    assert "away_since" not in seats["O"]
    snapshot = StateEncoder()
    for later in (here, here, Here(X=False, O=False, away_since=(NOW, None)), HERE):
        expected = encode_message(room_state(against_ai(), later, 0, NOW))
        assert snapshot.encode(against_ai(), later, 0, NOW) == expected


def test_who_is_here() -> None:
    state = room_state(duel(), Here(X=False, O=True), 0, NOW)
    assert state.seats == BySeat(
        X=HumanSeat(id=ADA, name="ada", connected=False),
        O=HumanSeat(id=BOB, name="bob", connected=True),
    )
    seat = room_state(against_ai(), Here(X=True, O=False), 0, NOW).seats[Mark.O]
    assert seat is not None
    assert seat.connected, "an AI is always here"


def test_an_open_offer() -> None:
    assert as_json(offered(duel(4), BOB, DRAW))["offers"]["draw"] == "O"


def test_summary() -> None:
    room = against_ai(4)
    told = json.loads(encode_message(summary(room, HERE, 2)))
    assert told == {
        "name": NAME,
        "status": "playing",
        "rules": {"columns": 3, "rows": 3, "in_a_row": 3, "gravity": False},
        "seats": {"X": "ada", "O": "minimax"},
        "ply": 1,
        "spectators": 2,
        "locked": False,
        "changed_at": room.changed_at,
    }
    waiting = summary(seated(founded(), ADA), Here(X=True, O=False), 0)
    assert (waiting.seats, waiting.ply) == (BySeat(X="ada", O=None), 0)


NONE_HERE = Here(X=False, O=False)


@pytest.mark.parametrize(
    ("room", "here", "deserted"),
    [
        (duel(), HERE, None),
        (duel(), Here(X=False, O=True), None),
        (duel(), NONE_HERE, True),
        (founded(), NONE_HERE, True),
        (against_ai(), Here(X=False, O=True), True),
        (against_ai(), HERE, None),
        (founded(seats=SeatSettings(X=MINIMAX, O=MINIMAX)), HERE, None),
    ],
)
def test_a_room_is_deserted_when_no_player_is_connected(
    room: Room, here: Here, deserted: bool | None
) -> None:
    assert summary(room, here, 5).deserted is deserted


def test_a_room_of_two_ais_says_so() -> None:
    of_ais = founded(seats=SeatSettings(X=MINIMAX, O=MINIMAX))
    assert summary(of_ais, NONE_HERE, 0).ais is True
    assert summary(against_ai(), HERE, 0).ais is None


def test_a_clock_is_told_as_of_now() -> None:
    room = duel(4, clock=ClockSetting(initial_s=60))
    state = room_state(room, HERE, 0, NOW + 1500)
    assert state.game is not None
    assert state.game.clock == Clock(X=60_000, O=58_500, running=O)
    over = room_state(after(room, ADA, Resign(game=1), now=NOW + 500), HERE, 0, NOW + 10**9)
    assert over.game is not None
    assert over.game.clock == Clock(X=60_000, O=59_500, running=None)


def test_what_has_changed_since_is_encoded_anew() -> None:
    view, room = StateEncoder(), duel(clock=ClockSetting(initial_s=60))
    locked = room.replace(password_hash="salt.hash")
    states = [
        (room, HERE, 0, NOW),
        (room, HERE, 0, NOW + 1500),
        (room, Here(X=True, O=False), 0, NOW),
        (room, HERE, 2, NOW),
        (moved(room, 4), HERE, 2, NOW),
        (offered(room, ADA, DRAW), HERE, 2, NOW),
        (after(room, ADA, Resign(game=1)), HERE, 2, NOW),
        (locked, HERE, 2, NOW),
        (founded(), Here(X=False, O=False), 0, NOW),
        (room, HERE, 0, NOW),
    ]
    for state in states:
        assert view.encode(*state) == encode_message(room_state(*state))


ROOM = duel()


@pytest.mark.parametrize(
    "changed",
    [
        (ROOM.replace(seats=ROOM.seats.with_(O, Ai(name="x", strategy="x", level=None))), HERE, 0),
        (ROOM.replace(score=Score(X=1)), HERE, 0),
        (ROOM.replace(offers=Offers(draw=X)), HERE, 0),
        (ROOM.replace(password_hash="salt.hash"), HERE, 0),
        (ROOM.replace(settings=Settings(hints=True)), HERE, 0),
        (ROOM.replace(game=None), HERE, 0),
        (ROOM.replace(game=duel(0, 3, 1, 4, 2).game), HERE, 0),
        (ROOM, Here(X=False, O=True), 0),
        (ROOM, HERE, 1),
    ],
    ids=["seats", "score", "offers", "lock", "settings", "none", "outcome", "here", "spectators"],
)
def test_each_part_alone_is_encoded_anew(changed: tuple[Room, Here, int]) -> None:
    view = StateEncoder()
    for room, here, spectators in ((ROOM, HERE, 0), changed, (ROOM, HERE, 0)):
        told = encode_message(room_state(room, here, spectators, NOW))
        assert view.encode(room, here, spectators, NOW) == told


def test_a_locked_room() -> None:
    room = duel().replace(password_hash="salt.hash")
    assert as_json(room)["locked"] is True
    assert summary(room, HERE, 0).locked
    assert "salt" not in str(as_json(room))
