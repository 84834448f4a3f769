"""`ttt.v1` as TypeScript, made from the JSON Schema.

Every definition is an exported type: `command.join` is `JoinCommand`, `message.welcome` is
`WelcomeMessage`, `event.played` is `PlayedEvent`, and a noun keeps its name.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]

_HEAD = """\
// ttt.v1, made from protocol.schema.json: python -m ttt_protocol docs
// In JavaScript: /** @typedef {import("./ttt").RoomState} RoomState */
"""


def typescript(document: Schema) -> str:
    """Return the declarations of all definitions of a JSON Schema, in order."""
    declared = (_declaration(name, schema) for name, schema in document["$defs"].items())
    return "\n".join([_HEAD, *declared])


def _declaration(name: str, schema: Schema) -> str:
    words = _comment(schema, "")
    if "properties" not in schema:
        return f"{words}export type {_name(name)} = {_type(schema)};\n"
    return f"{words}export interface {_name(name)} {_body(schema)}\n"


def _body(schema: Schema) -> str:
    lines = ["{"]
    required = set(schema.get("required", ()))
    for field, inner in schema["properties"].items():
        lines += _comment(inner, "  ").splitlines()
        lines.append(f"  {field}{'' if field in required else '?'}: {_type(inner)};")
    return "\n".join([*lines, "}"])


def _type(schema: Schema) -> str:
    match schema:
        case {"$ref": reference}:
            return _name(reference.rpartition("/")[2])
        case {"const": value}:
            return json.dumps(value)
        case {"enum": words}:
            return " | ".join(map(json.dumps, words))
        case {"anyOf": choices} | {"oneOf": choices}:
            return " | ".join(dict.fromkeys(map(_type, choices)))
        case {"type": "array"}:
            inner = _type(schema.get("items", {}))
            return f"({inner})[]" if "|" in inner else f"{inner}[]"
        case {"type": "object"}:
            values = schema.get("additionalProperties")
            return f"Record<string, {_type(values) if isinstance(values, dict) else 'unknown'}>"
        case {"type": "integer"}:
            return "number"
        case {"type": "string" | "number" | "boolean" | "null" as scalar}:
            return str(scalar)
        case _:
            return "unknown"


def _name(name: str) -> str:
    """Return the name of a type: `JoinCommand` for `command.join`."""
    group, dot, kind = name.partition(".")
    if not dot:
        return name
    return "".join(part.title() for part in re.split(r"[_.]", kind)) + group.title()


def _comment(schema: Schema, margin: str) -> str:
    words = schema.get("description")
    # `*/` in a description would end the comment.
    return "" if words is None else f"{margin}/** {words.replace('*/', '* /')} */\n"
