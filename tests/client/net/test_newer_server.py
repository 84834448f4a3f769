"""Messages with additions of a newer server, as section 7 of `docs/protocol.md` allows them."""

import json
from typing import Any

import pytest

from tests.client.conftest import build_room, build_update, build_welcome
from ttt_client.model.view import View, fold
from ttt_client.net.newer_server import read_message, read_record
from ttt_client.text.narrate import narrate
from ttt_protocol.codec import BadMessage
from ttt_protocol.codes import RefusalCode
from ttt_protocol.messages import Refused, Update

NEW = {"type": "cheered", "seq": 5, "at": 0, "by": "eve"}
PLAYED = {"type": "played", "seq": 4, "at": 0, "game": 1, "ply": 0, "seat": "X", "cell": 4}


def raw(message: Any, **changes: Any) -> str:
    return json.dumps(json.loads(message.model_dump_json()) | changes)


def test_an_unknown_event_is_skipped_and_the_state_is_read() -> None:
    update = build_update(build_room(moves=(4,)))
    read = read_message(raw(update, events=[NEW, PLAYED, {"type": None}, 5]))
    assert isinstance(read, Update)
    assert [event.type for event in read.events] == ["played"]
    assert read.room == update.room
    assert read_message(raw(update, events=5)) == update


def test_an_unknown_message_is_nothing() -> None:
    assert read_message('{"type":"weather","sun":true}') is None


@pytest.mark.parametrize("damaged", ["", "5", "[]", "{", '{"type":"update"}', "[" * 100_000])
def test_what_is_no_message_is_nothing(damaged: str) -> None:
    assert read_message(damaged) is None


def test_an_unknown_refusal_is_shown_by_the_servers_own_words() -> None:
    read = read_message(
        '{"type":"refused","command":"play","code":"tired","reason":"the server is tired"}'
    )
    assert read == Refused(
        command="play", code=RefusalCode.NOT_ALLOWED, reason="the server is tired"
    )


def test_an_unknown_reason_of_an_end_is_shown_by_its_name() -> None:
    won = build_room(moves=(4,), outcome={"winner": "X", "reason": "line"})
    update = json.loads(raw(build_update(won)))
    update["room"]["game"]["outcome"]["reason"] = "sudden_death"
    ended = {"type": "ended", "seq": 5, "at": 0, "game": 1}
    update["events"] = [ended | {"outcome": {"winner": "X", "reason": "sudden_death"}}]
    read = read_message(json.dumps(update))
    assert read is not None
    before = fold(View(), build_welcome(build_room()))
    assert "you won: sudden death" in narrate(before, read, fold(before, read))


def test_an_unknown_reason_where_there_is_no_room_harms_nothing() -> None:
    refused = '{"type":"refused","command":null,"code":"tired","reason":"no","room":null}'
    assert isinstance(read_message(refused), Refused)
    with_game = json.loads(raw(build_update(build_room(moves=(4,)))))
    with_game["events"] = [NEW]
    with_game["room"]["game"]["outcome"] = None
    assert isinstance(read_message(json.dumps(with_game)), Update)


@pytest.mark.parametrize("outcome", [5, {"winner": "X", "reason": 5}])
def test_a_damaged_outcome_is_nothing(outcome: object) -> None:
    update = json.loads(raw(build_update(build_room(moves=(4,)))))
    update["room"]["game"]["outcome"] = outcome
    assert read_message(json.dumps(update)) is None


def test_an_unknown_reason_in_an_event_alone_is_read() -> None:
    update = json.loads(raw(build_update(build_room(moves=(4,)))))
    ended = {"type": "ended", "seq": 5, "at": 0, "game": 1}
    update["events"] = [ended | {"outcome": {"winner": "X", "reason": "sudden_death"}}]
    assert isinstance(read_message(json.dumps(update)), Update)


RECORD = {
    "room": "den",
    "game": 1,
    "rules": {},
    "seats": {"X": None, "O": None},
    "events": [PLAYED],
}


def test_a_record_is_read_without_its_unknown_events() -> None:
    known = read_record(json.dumps(RECORD).encode())
    newer = RECORD | {"events": [PLAYED, NEW], "cheers": 5}
    assert read_record(json.dumps(newer).encode()) == known


@pytest.mark.parametrize("damaged", [b"5", b"{", b'{"room":"den"}'])
def test_what_is_no_record_is_refused(damaged: bytes) -> None:
    with pytest.raises(BadMessage):
        read_record(damaged)
