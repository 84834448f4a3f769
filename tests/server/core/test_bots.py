import json

import pytest

from tests.server.examples import ADA, BOB, NAME, NOW, O, X, code_of, decided, founded, seated
from ttt_protocol.codec import decode_event, encode_event
from ttt_protocol.codes import Reason, RefusalCode
from ttt_protocol.commands import Join, Play, Resign
from ttt_protocol.events import Ended, Played, Seated
from ttt_protocol.state import BySeat, Human, HumanSeat, MoveLog, Outcome, Settings
from ttt_server.core.errors import Refused
from ttt_server.core.evolve import evolve_all
from ttt_server.core.room import Room
from ttt_server.core.seating import admit, create

LOG = MoveLog(reason="centre", values={"4": 0.5}, time_ms=12, stderr="thinking")


def bot_against_bob() -> Room:
    room = founded()
    room = evolve_all(room, admit(room, ADA, Join(name="ada", bot=True), NOW))
    return seated(room, BOB)


def test_the_seat_of_a_bot_says_so() -> None:
    (sits,) = admit(founded(), ADA, Join(name="ada", bot=True), NOW)
    assert sits == Seated(seq=2, at=NOW, seat=X, player=Human(id=ADA, name="ada", bot=True))
    assert b'"bot":true' in encode_event(sits)
    assert decode_event(encode_event(sits)) == sits


def test_the_seat_of_a_person_has_no_such_field() -> None:
    (sits,) = admit(founded(), ADA, Join(name="ada"), NOW)
    assert b"bot" not in encode_event(sits)


def test_a_room_without_bots_refuses_one_that_says_so() -> None:
    settings = Settings(bots=False)
    room = evolve_all(Room(NAME), create(NAME, settings, NOW))
    with pytest.raises(Refused) as caught:
        admit(room, ADA, Join(name="ada", bot=True), NOW)
    assert caught.value.code is RefusalCode.NOT_ALLOWED
    assert admit(room, ADA, Join(name="ada"), NOW)


def test_the_log_of_a_move_is_in_its_event() -> None:
    (played,) = decided(bot_against_bob(), ADA, Play(game=1, ply=0, cell=4, log=LOG))
    assert isinstance(played, Played)
    assert played.log == LOG
    assert decode_event(encode_event(played)) == played


def test_a_person_tells_no_log_and_no_reason_of_a_forfeit() -> None:
    room = evolve_all(
        bot_against_bob(), decided(bot_against_bob(), ADA, Play(game=1, ply=0, cell=4))
    )
    assert code_of(room, BOB, Play(game=1, ply=1, cell=0, log=LOG)) is RefusalCode.NOT_ALLOWED
    assert code_of(room, BOB, Resign(game=1, detail="tired")) is RefusalCode.NOT_ALLOWED


def test_a_bot_that_cannot_go_on_forfeits_and_says_why() -> None:
    (ended,) = decided(bot_against_bob(), ADA, Resign(game=1, detail="crashed: exit status 1"))
    assert isinstance(ended, Ended)
    assert ended.outcome == Outcome(winner=O, reason=Reason.FORFEIT)
    assert ended.detail == "crashed: exit status 1"


def test_a_seat_in_the_state_says_it_too() -> None:
    seat = HumanSeat(id=ADA, name="ada", bot=True, connected=True)
    assert json.loads(BySeat(X=seat, O=None).to_json())["X"]["bot"]
