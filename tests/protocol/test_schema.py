import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it has no types

from ttt_protocol.codec import BadCommand, decode_command
from ttt_protocol.codes import RefusalCode
from ttt_protocol.schema import DIALECT, kinds, protocol_schema

FOLDER = Path(__file__).parent / "golden"
DOCUMENT = protocol_schema()
DEFINITIONS: dict[str, Any] = DOCUMENT["$defs"]
GROUPS = {"commands": "Command", "messages": "Message", "events": "Event"}
GOLDEN = [
    (path, name) for group, name in GROUPS.items() for path in sorted((FOLDER / group).iterdir())
]
PLAY = {"type": "play", "game": 1, "ply": 0, "cell": 4}
KEYWORDS = {
    *("$ref", "additionalProperties", "anyOf", "const", "default", "description", "enum"),
    *("exclusiveMinimum", "items", "maxLength", "maximum", "minLength", "minimum", "oneOf"),
    *("maxItems", "properties", "required", "title", "type"),
}
"""Of JSON Schema, those that the models need; a validator may refuse what it does not know."""


def fits(value: Any, name: str) -> bool:
    schema = {"$ref": f"#/$defs/{name}", "$defs": DEFINITIONS}
    return bool(Draft202012Validator(schema).is_valid(value))


def golden(group: str, name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((FOLDER / group / f"{name}.json").read_bytes())
    return value


def schemas(value: Any) -> Iterator[dict[str, Any]]:
    """Every schema in a schema."""
    if isinstance(value, list):
        for inner in value:
            yield from schemas(inner)
    elif isinstance(value, dict):
        yield value
        yield from schemas(list(value.get("properties", {}).values()))
        inside = ("items", "additionalProperties", "anyOf", "oneOf")
        yield from schemas([value[keyword] for keyword in inside if keyword in value])


def test_it_is_a_schema_of_the_dialect_that_it_names() -> None:
    assert DOCUMENT["$schema"] == DIALECT == Draft202012Validator.META_SCHEMA["$id"]
    Draft202012Validator.check_schema(DOCUMENT)


def test_it_speaks_in_the_words_of_json_schema_alone() -> None:
    assert set().union(*schemas(list(DEFINITIONS.values()))) == KEYWORDS


def test_every_word_is_found_by_its_type() -> None:
    for group in ("command", "message", "event"):
        names = [f"{group}.{type_}" for type_ in kinds(group)]
        assert [name for name in DEFINITIONS if name.startswith(f"{group}.")] == sorted(names)
        choices = [choice["$ref"] for choice in DEFINITIONS[group.title()]["oneOf"]]
        assert choices == [f"#/$defs/{name}" for name in names]
        for name in names:
            assert DEFINITIONS[name]["properties"]["type"]["const"] == name.split(".")[1]
            assert "type" in DEFINITIONS[name]["required"]


def test_every_definition_is_named_titled_and_described() -> None:
    for name, definition in DEFINITIONS.items():
        assert re.fullmatch(r"[A-Za-z.]+(_[a-z]+)?", name)
        assert definition["title"]
        assert definition["description"].endswith(".")
    used = {
        schema["$ref"] for schema in schemas([DOCUMENT, *DEFINITIONS.values()]) if "$ref" in schema
    }
    unused = {f"#/$defs/{name}" for name in DEFINITIONS} - used
    assert used - {f"#/$defs/{name}" for name in DEFINITIONS} == set()
    assert unused == {"#/$defs/Event", "#/$defs/GameRecord"}


def test_the_docstring_under_a_field_describes_it() -> None:
    described = DEFINITIONS["event.played"]["properties"]
    assert described["at"]["description"] == "Unix time in milliseconds."
    assert described["clock"]["description"] == (
        "After the move. Absent in a game without a clock."
    )
    assert "description" not in described["cell"]


def test_the_refusal_codes_are_listed() -> None:
    assert DEFINITIONS["RefusalCode"]["enum"] == [code.value for code in RefusalCode]


@pytest.mark.parametrize(("path", "name"), GOLDEN, ids=lambda part: getattr(part, "stem", ""))
def test_golden_files_fit(path: Path, name: str) -> None:
    value = json.loads(path.read_bytes())
    kind = name.lower()
    assert fits(value, name)
    assert fits(value, f"{kind}.{value['type']}")
    others = {f"{kind}.{type_}" for type_ in kinds(kind)} - {f"{kind}.{value['type']}"}
    assert not any(fits(value, other) for other in others)
    assert Draft202012Validator(DOCUMENT).is_valid(value) == (name != "Event")


@pytest.mark.parametrize("path", sorted((FOLDER / "state").iterdir()), ids=lambda path: path.stem)
def test_a_golden_room_fits(path: Path) -> None:
    assert fits(json.loads(path.read_bytes()), "RoomState")


# What does not fit


@pytest.mark.parametrize(
    "value",
    [
        {**PLAY, "x": 1},
        {**PLAY, "cell": True},
        {**PLAY, "cell": "4"},
        {**PLAY, "cell": 4.5},
        {**PLAY, "cell": None},
        {**PLAY, "id": ""},
        {**PLAY, "id": "i" * 65},
        {**PLAY, "type": "Play"},
        {**PLAY, "type": "update"},
        {**PLAY, "type": None},
        {"type": "play", "game": 1, "ply": 0},
        {"game": 1, "ply": 0, "cell": 4},
        {"type": "join", "name": ""},
        {"type": "join", "name": "n" * 25},
        {"type": "join", "role": "owner"},
        {"type": "join", "seat": "x"},
        {"type": "join", "settings": {"passwort": "x"}},
        {"type": "join", "settings": {"rules": {"columns": 20}}},
        {"type": "join", "settings": {"rules": {"columns": 4, "depth": 4}}},
        {"type": "join", "settings": {"rules": {"gravity": 1}}},
        {"type": "join", "settings": {"seats": {"X": "robot"}}},
        {"type": "join", "settings": {"seats": {"O": {"strategy": "minimax", "level": 10}}}},
        {"type": "join", "settings": {"clock": {"initial_s": 0}}},
        {"type": "join", "settings": {"clock": {"initial_s": True}}},
        {"type": "join", "settings": {"grace_s": 86_401}},
        {"type": "join", "settings": {"games": 0}},
        {"type": "offer", "kind": "peace"},
        {"type": "say", "text": ""},
        {"type": "say", "text": "a" * 201},
        {"type": "leave", "game": 1},
        {},
        [],
        "leave",
        None,
    ],
    ids=str,
)
def test_what_a_server_refuses_does_not_fit(value: Any) -> None:
    assert not fits(value, "Command")
    with pytest.raises(BadCommand):
        decode_command(json.dumps(value))


@pytest.mark.parametrize(
    "value",
    [
        {**PLAY, "cell": 4.0},  # JSON Schema: an integer is a number without a fraction
        {"type": "join", "settings": {"rules": {"in_a_row": 4}}},
        {"type": "join", "name": "\u202e"},
        {"type": "say", "text": " "},
    ],
    ids=ascii,
)
def test_a_server_refuses_some_that_fits(value: Any) -> None:
    assert fits(value, "Command")
    with pytest.raises(BadCommand):
        decode_command(json.dumps(value))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("presence", {"spectators": True}),
        ("presence", {"seats": {"X": True}}),
        ("refused", {"code": "no_such_code"}),
        ("refused", {"reason": None}),
        ("refused", {"id": None}),
        ("refused", {"legal": None}),
        ("hint", {"values": {"4": 2}}),
        ("goodbye", {"retry_after_s": None}),
        ("update", {"events": [{"type": "arrived", "seq": 1, "at": 1}]}),
        ("update", {"room": None}),
        ("said", {"type": "sung"}),
    ],
    ids=str,
)
def test_what_no_server_says_does_not_fit(name: str, change: dict[str, Any]) -> None:
    assert not fits({**golden("messages", name), **change}, "Message")


@pytest.mark.parametrize("kind", kinds("message"))
def test_a_message_has_all_its_fields_but_those_that_may_be_absent(kind: str) -> None:
    schema = DEFINITIONS[f"message.{kind}"]
    absent = {
        "refused": {"id", "legal", "room"},
        "goodbye": {"retry_after_s"},
        "welcome": {"at", "feed", "muted"},
        "said": {"from", "at"},
        "rooms": {"total", "seeking"},
        "rooms_changed": {"total", "seeking"},
    }
    assert set(schema["required"]) == set(schema["properties"]) - absent.get(kind, set())


def test_a_newer_server_may_say_more_at_every_depth() -> None:
    welcome = golden("messages", "welcome")
    for place in (welcome, welcome["room"], welcome["room"]["settings"]["rules"]):
        place["weather"] = "sun"
    assert fits(welcome, "message.welcome")
