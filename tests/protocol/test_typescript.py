import pytest

from ttt_protocol.schema import protocol_schema
from ttt_protocol.typescript import typescript


def declared(schema: dict[str, object], name: str = "Thing") -> str:
    return typescript({"$defs": {name: schema}}).split("*/\n", 1)[-1].split("\n\n", 1)[-1].strip()


@pytest.mark.parametrize(
    ("schema", "type_"),
    [
        ({"type": "integer"}, "number"),
        ({"$ref": "#/$defs/message.welcome"}, "WelcomeMessage"),
        ({"const": "join"}, '"join"'),
        ({"enum": [-1, 0, 1]}, "-1 | 0 | 1"),
        ({"anyOf": [{"$ref": "#/$defs/Mark"}, {"type": "null"}]}, "Mark | null"),
        ({"oneOf": [{"type": "integer"}, {"type": "number"}]}, "number"),
        ({"type": "array", "items": {"type": "integer"}}, "number[]"),
        ({"type": "array", "items": {"enum": ["X", "O"]}}, '("X" | "O")[]'),
        ({"type": "object"}, "Record<string, unknown>"),
        ({"type": "object", "additionalProperties": {"type": "number"}}, "Record<string, number>"),
        ({}, "unknown"),
    ],
)
def test_types(schema: dict[str, object], type_: str) -> None:
    assert declared(schema) == f"export type Thing = {type_};"


def test_an_object_is_an_interface_whose_optional_fields_say_so() -> None:
    schema = {
        "description": "A move */ of a player.",
        "properties": {
            "cell": {"type": "integer", "description": "Its index."},
            "id": {"type": "string"},
        },
        "required": ["cell"],
    }
    text = typescript({"$defs": {"command.takeback_now": schema}})
    assert "/** A move * / of a player. */\nexport interface TakebackNowCommand {" in text
    assert "  /** Its index. */\n  cell: number;\n  id?: string;\n}" in text


def test_every_definition_of_the_protocol_is_declared_once() -> None:
    document = protocol_schema()
    text = typescript(document)
    assert text.count("\nexport ") == len(document["$defs"])
    assert 'type: "play";' in text
    assert "export type Command = " in text
