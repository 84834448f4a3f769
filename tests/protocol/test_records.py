import json
from typing import Any

import pytest

from ttt_protocol.codec import BadMessage, decode_record, decode_room, encode_message
from ttt_protocol.records import GameRecord
from ttt_protocol.schema import definitions
from ttt_protocol.state import Human, Mark

RECORD: dict[str, Any] = {
    "room": "room42",
    "game": 2,
    "rules": {"columns": 3, "rows": 3, "in_a_row": 3, "gravity": False},
    "seats": {"X": {"kind": "human", "id": "k3v9x2qa", "name": "ada"}, "O": None},
    "events": [
        {"type": "started", "seq": 12, "at": 1767225600000, "game": 2},
        {"type": "played", "seq": 13, "at": 1767225601234, "game": 2, "ply": 0}
        | {"seat": "X", "cell": 4, "reason": "the centre"},
    ],
}


def test_a_record_decodes_and_encodes_to_the_same_json() -> None:
    record = decode_record(json.dumps(RECORD))
    assert isinstance(record, GameRecord)
    assert isinstance(record.seats[Mark.X], Human)
    assert [event.type for event in record.events] == ["started", "played"]
    assert json.loads(encode_message(record)) == RECORD


def test_it_is_in_the_schema() -> None:
    assert set(definitions("{}")["GameRecord"]["required"]) == set(RECORD)


def test_what_a_newer_server_adds_is_ignored() -> None:
    newer = {**RECORD, "weather": "sun", "rules": {**RECORD["rules"], "weather": "sun"}}
    assert decode_record(json.dumps(newer)) == decode_record(json.dumps(RECORD))


@pytest.mark.parametrize("name", RECORD)
def test_a_missing_field(name: str) -> None:
    rest = {key: value for key, value in RECORD.items() if key != name}
    with pytest.raises(BadMessage, match=f"^not a record of a game: {name}: "):
        decode_record(json.dumps(rest))


@pytest.mark.parametrize("raw", ["", "{}", "[]", "<html>", b"\xff", "[" * 10_000], ids=ascii)
def test_what_is_no_record_and_no_room(raw: str | bytes) -> None:
    with pytest.raises(BadMessage, match=r"^not a record of a game: "):
        decode_record(raw)
    with pytest.raises(BadMessage, match=r"^not a room: "):
        decode_room(raw)
