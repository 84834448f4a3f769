import json
from pathlib import Path
from typing import Any, get_args

import pytest

from ttt_protocol.codec import BadCommand, BadMessage, InvalidWire, decode_event, encode_event
from ttt_protocol.events import BaseEvent, Event

GOLDEN = sorted((Path(__file__).parent / "golden" / "events").glob("*.json"))
KINDS: dict[str, type[BaseEvent]] = {
    kind.model_fields["type"].default: kind for kind in get_args(get_args(Event)[0])
}
TYPES = [
    "created",
    "seated",
    "left",
    "started",
    "played",
    "chosen",
    "offered",
    "declined",
    "taken_back",
    "ended",
    "renamed",
    "moderated",
    "slept",
]
LEFT = {"type": "left", "seq": 9, "at": 1767225605000, "seat": "O"}


def exact(data: str | bytes) -> str:
    """The JSON value as text: unlike Python's `==`, it tells 1, 1.0 and true apart."""
    return json.dumps(json.loads(data), sort_keys=True, indent=1)


def test_the_union_is_that_of_the_contract() -> None:
    assert list(KINDS) == TYPES


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_it_decodes_and_encodes_to_the_same_json(path: Path) -> None:
    raw = path.read_bytes()
    event = decode_event(raw)
    assert type(event) is KINDS[path.stem.split("-")[0]]
    assert exact(encode_event(event)) == exact(raw)
    assert decode_event(encode_event(event)) == event
    assert decode_event(raw.decode()) == event


def test_every_event_and_every_field_has_a_golden_file() -> None:
    seen: dict[str, set[str]] = {kind: set() for kind in KINDS}
    for path in GOLDEN:
        value = json.loads(path.read_bytes())
        seen[value["type"]] |= set(value)
    assert seen == {name: set(kind.model_fields) for name, kind in KINDS.items()}


def test_a_reason_is_absent_rather_than_null() -> None:
    played = {"type": "played", "seq": 1, "at": 1, "game": 1, "ply": 0, "seat": "X", "cell": 0}
    event = decode_event(json.dumps({**played, "reason": None}))
    assert json.loads(encode_event(event)) == played


def test_what_a_newer_server_stored_beside_is_ignored() -> None:
    assert decode_event(json.dumps({**LEFT, "why": {"a": [1]}})) == decode_event(json.dumps(LEFT))


@pytest.mark.parametrize("name", ["seq", "at", "seat", "type"])
def test_a_missing_field(name: str) -> None:
    rest = {key: value for key, value in LEFT.items() if key != name}
    with pytest.raises(InvalidWire, match=r"^not an event: "):
        decode_event(json.dumps(rest))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("seq", 1.0),
        ("seq", True),
        ("seq", "1"),
        ("seq", None),
        ("at", 1.5),
        ("seat", "Z"),
        ("seat", None),
        ("type", "arrived"),
        ("type", 1),
    ],
)
def test_a_wrong_field(name: str, value: Any) -> None:
    with pytest.raises(InvalidWire, match=r"^not an event: "):
        decode_event(json.dumps({**LEFT, name: value}))


@pytest.mark.parametrize(
    "raw",
    ["", "[]", "1", "null", '"left"', "{", b"\xff", "\ud800", "[" * 10_000, "{} {}"],
    ids=lambda raw: ascii(raw)[:20],
)
def test_what_is_no_event(raw: str | bytes) -> None:
    with pytest.raises(InvalidWire, match=r"^not an event: ") as caught:
        decode_event(raw)
    assert not isinstance(caught.value, BadCommand | BadMessage)
