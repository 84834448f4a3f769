import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from ttt_protocol.base import FromServer
from ttt_protocol.codec import BadMessage, decode_message, encode_message
from ttt_protocol.codes import CloseCode, RefusalCode
from ttt_protocol.messages import Goodbye, Hint, Message, Refused, Said, Welcome
from ttt_protocol.state import (
    Role,
    SessionId,
)

FOLDER = Path(__file__).parent / "golden" / "messages"
GOLDEN = sorted(FOLDER.glob("*.json"))
KINDS: dict[str, type[FromServer]] = {
    kind.model_fields["type"].default: kind for kind in get_args(get_args(Message)[0])
}
TYPES = ["welcome", "update", "presence", "refused", "hint", "said", "goodbye", "rooms"]
TYPES += ["rooms_changed", "cleared", "ai_offered", "paired"]
REQUIRED = {
    "welcome": ["server", "you", "room"],
    "update": ["events", "room"],
    "presence": ["seats", "spectators"],
    "refused": ["command", "code", "reason"],
    "hint": ["best", "values", "reason"],
    "said": ["name", "role", "text"],
    "goodbye": ["code", "reason"],
    "rooms": ["rooms"],
    "rooms_changed": ["rooms", "gone"],
    "cleared": [],
    "ai_offered": ["strategy", "level"],
    "paired": ["room", "token", "seat", "within_s"],
}


def exact(data: str | bytes) -> str:
    """The JSON value as text: unlike Python's `==`, it tells 1, 1.0 and true apart."""
    return json.dumps(json.loads(data), sort_keys=True, indent=1)


def golden(name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_bytes())
    return value


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in a JSON value, but a hint's `values`, whose keys are cells."""
    if isinstance(value, dict):
        yield value
        for key, inner in value.items():
            if key != "values":
                yield from objects(inner)
    if isinstance(value, list):
        for inner in value:
            yield from objects(inner)


def sent_fields(kind: type[FromServer]) -> set[str]:
    return {field.alias or name for name, field in kind.model_fields.items()}


def test_the_union_is_that_of_the_contract() -> None:
    assert list(KINDS) == TYPES == list(REQUIRED)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_it_decodes_and_encodes_to_the_same_json(path: Path) -> None:
    raw = path.read_bytes()
    message = decode_message(raw)
    assert type(message) is KINDS[path.stem.split("-")[0]]
    assert exact(encode_message(message)) == exact(raw)
    assert decode_message(encode_message(message)) == message
    assert decode_message(raw.decode()) == message


def test_every_message_and_every_field_has_a_golden_file() -> None:
    seen: dict[str, set[str]] = {kind: set() for kind in KINDS}
    for path in GOLDEN:
        value = json.loads(path.read_bytes())
        seen[value["type"]] |= set(value)
    assert seen == {name: sent_fields(kind) for name, kind in KINDS.items()}


def test_a_room_in_a_message_is_the_example_of_the_contract() -> None:
    room = json.loads((FOLDER.parent / "state" / "room.json").read_bytes())
    names = ["welcome", "welcome-spectator", "update", "update-the_same_again", "refused-room"]
    assert [golden(name)["room"] for name in names] == [room] * len(names)


def test_what_is_not_given_is_absent_and_what_is_nobodys_is_null() -> None:
    refused = Refused(command=None, code=RefusalCode.BAD_JSON, reason="r", id=None, room=None)
    assert encode_message(refused) == (
        b'{"type":"refused","command":null,"code":"bad_json","reason":"r"}'
    )
    goodbye = Goodbye(code=CloseCode.BYE, reason="bye", retry_after_s=None)
    assert encode_message(goodbye) == b'{"type":"goodbye","code":1000,"reason":"bye"}'
    hint = Hint(best=(), values={"4": None}, reason="")
    assert encode_message(hint) == b'{"type":"hint","best":[],"values":{"4":null},"reason":""}'


def test_no_legal_cell_is_said_as_such() -> None:
    refused = Refused(command="play", code=RefusalCode.CELL_TAKEN, reason="r", legal=())
    assert json.loads(encode_message(refused))["legal"] == []


def test_a_welcome_speaks_this_protocol() -> None:
    welcome = decode_message((FOLDER / "welcome.json").read_bytes())
    assert isinstance(welcome, Welcome)
    again = Welcome(server=welcome.server, you=welcome.you, room=welcome.room)
    assert again == welcome
    assert again.protocol == "ttt.v1"


@pytest.mark.parametrize("show", [repr, str])
def test_no_message_shows_a_token(show: Any) -> None:
    value = golden("welcome")
    value["you"]["token"] = value["you"]["watch"] = "xyzzy"
    assert "xyzzy" not in show(decode_message(json.dumps(value)))
    paired = json.dumps(golden("paired") | {"token": "xyzzy"})
    assert "xyzzy" not in show(decode_message(paired))


def test_what_a_server_of_before_said_is_the_same_to_the_byte() -> None:
    said = Said(name="ada", role=Role.PLAYER, text="hi")
    assert encode_message(said) == b'{"type":"said","name":"ada","role":"player","text":"hi"}'
    assert b"feed" not in encode_message(decode_message((FOLDER / "welcome.json").read_bytes()))


def test_from_is_named_so_on_the_wire_alone() -> None:
    said = decode_message(json.dumps(golden("said-from")))
    assert isinstance(said, Said)
    assert said.from_ == "w7h2mz4c"
    assert Said(name="a", role=Role.PLAYER, text="b", from_=SessionId("c")).from_ == "c"
    renamed = {**golden("said"), "from_": "x"}
    assert decode_message(json.dumps(renamed)) == decode_message(json.dumps(golden("said")))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_what_a_newer_server_adds_is_ignored_at_every_depth(path: Path) -> None:
    message = decode_message(path.read_bytes())
    value = json.loads(path.read_bytes())
    for place in list(objects(value)):
        place["weather"] = {"sun": [1, None], "rain": "some"}
    assert decode_message(json.dumps(value)) == message


@pytest.mark.parametrize(
    ("kind", "field"), [(kind, field) for kind, fields in REQUIRED.items() for field in fields]
)
def test_a_missing_field_is_no_message(kind: str, field: str) -> None:
    value = golden(kind)
    del value[field]
    with pytest.raises(BadMessage, match=field):
        decode_message(json.dumps(value))


@pytest.mark.parametrize(
    ("kind", "field", "wrong"),
    [
        ("presence", "spectators", 1.0),
        ("presence", "spectators", True),
        ("presence", "spectators", "1"),
        ("presence", "seats", {"X": True}),
        ("presence", "seats", {"X": 1, "O": 0}),
        ("refused", "code", "no_such_code"),
        ("refused", "command", 1),
        ("refused", "legal", [1.0]),
        ("refused", "legal", 1),
        ("hint", "best", ["4"]),
        ("hint", "values", {"4": 2}),
        ("hint", "values", {"4": "1"}),
        ("hint", "values", []),
        ("said", "role", "owner"),
        ("said", "text", None),
        ("goodbye", "code", "1000"),
        ("goodbye", "code", 1000.0),
        ("goodbye", "retry_after_s", "5"),
        ("goodbye", "retry_after_s", float("nan")),
        ("goodbye", "retry_after_s", float("inf")),
        ("update", "events", {}),
        ("update", "events", [{"type": "arrived", "seq": 1, "at": 1}]),
        ("update", "room", None),
        ("welcome", "you", None),
        ("rooms", "rooms", [None]),
        ("rooms_changed", "gone", "a"),
        ("said", "from", 1),
        ("welcome", "feed", [None]),
        ("ai_offered", "level", "5"),
        ("paired", "seat", "Z"),
    ],
)
def test_a_wrong_field_is_no_message(kind: str, field: str, wrong: Any) -> None:
    with pytest.raises(BadMessage, match=field):
        decode_message(json.dumps({**golden(kind), field: wrong}))


@pytest.mark.parametrize(
    "raw",
    [
        "",
        " ",
        "{",
        "{}",
        "[]",
        "null",
        "1",
        '"welcome"',
        '{"type": "applause"}',
        '{"type": 1}',
        '{"type": "join"}',
        '{"type": "said", "name": "a", "role": "player", "text": "b"} x',
        b"\xff",
        b'{"type": "said", "name": "\xff", "role": "player", "text": "b"}',
        "\ud800",
        "[" * 10_000,
        '{"a":' * 10_000,
    ],
    ids=lambda raw: ascii(raw)[:30],
)
def test_what_is_no_message(raw: str | bytes) -> None:
    with pytest.raises(BadMessage, match=r"^not a message of this protocol: "):
        decode_message(raw)
