"""`ttt.v1` as JSON Schema, made from its classes.

Commands are closed: a server refuses fields that it does not know. Messages are open at every
depth: the contract grows by addition. A noun that both contain therefore has two definitions, as
`GivenRules` and `Rules`.
"""

import ast
import inspect
import sys
from functools import cache
from itertools import pairwise
from typing import Any, get_args

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode
from pydantic_core import core_schema

from ttt_protocol import state
from ttt_protocol.base import FromClient, wire_names, wire_type
from ttt_protocol.commands import Command
from ttt_protocol.events import Event
from ttt_protocol.messages import Message
from ttt_protocol.records import ExportedGame, GameRecord

Document = dict[str, Any]
"""A JSON object."""

DIALECT = "https://json-schema.org/draft/2020-12/schema"
ABOUT = (
    "A server asks for more than a schema can say: an integer has no fraction (1.0 is refused, "
    "though JSON Schema takes it for an integer), no key stands twice in an object, `in_a_row` is "
    "no longer than the board, names and chat are printable, and `moderate` has the field that its "
    "action needs."
)

_UNIONS: dict[str, tuple[Any, str]] = {
    "command": (Command, "The commands of a client"),
    "message": (Message, "The messages of a server"),
    "event": (Event, "What happened in a room"),
}
_NOUNS: dict[str, type[Any]] = {
    "GameRecord": GameRecord,
    "CellBySeat": state.BySeat[int | None],
    "HereBySeat": state.BySeat[bool],
    "NameBySeat": state.BySeat[str | None],
    "PlayerBySeat": state.BySeat[state.Player | None],
    "StateBySeat": state.BySeat[state.Seat | None],
}
"""Classes that no command or message refers to, or that have no name of their own."""
_BOUNDS = {"gt": "exclusiveMinimum", "ge": "minimum", "lt": "exclusiveMaximum", "le": "maximum"}


def protocol_schema() -> Document:
    """Describe any command or message. `$defs` has each by its type: `command.join`."""
    reference = "#/$defs/{}"
    return {
        "$schema": DIALECT,
        "title": state.SUBPROTOCOL,
        "description": "Every command of a client and every message of a server, one JSON object "
        "a text frame. `$defs` has each by its type: `command.join`, `message.welcome`, "
        f"`event.played`. {ABOUT}",
        "anyOf": [{"$ref": reference.format(name)} for name in ("Command", "Message")],
        "$defs": definitions(reference),
    }


def export_schema() -> Document:
    """Describe a line of an export: a game of a room."""
    reference = "#/$defs/{}"
    known = definitions(reference, {"ExportedGame": ExportedGame})
    needed: dict[str, Document] = {}
    waiting = ["ExportedGame"]
    while waiting:
        if (name := waiting.pop()) not in needed:
            needed[name] = known[name]
            waiting += _references(known[name])
    return {
        "$schema": DIALECT,
        "title": "An export of ttt-rooms",
        "description": "A line of the file that `ttt-server export` writes.",
        "$ref": reference.format("ExportedGame"),
        "$defs": dict(sorted(needed.items())),
    }


def _references(value: Any) -> list[str]:
    """Return the names of the definitions that `value` refers to."""
    if isinstance(value, list):
        return [name for inner in value for name in _references(inner)]
    if not isinstance(value, dict):
        return []
    own = [value["$ref"].rpartition("/")[2]] if "$ref" in value else []
    return own + _references(list(value.values()))


def definitions(reference: str, more: dict[str, type[Any]] | None = None) -> Document:
    """Return every definition by its name.

    Args:
        reference: the form of a `$ref`, with `{}` for the definition's name.
        more: classes beside those of the protocol.
    """
    models = {f"{group}.{type_}": kind for group in _UNIONS for type_, kind in kinds(group).items()}
    nouns = _NOUNS | (more or {})
    forms: dict[str, tuple[Any, JsonSchemaMode]] = {
        name: (kind, "validation" if _is_given(kind) else "serialization")
        for name, kind in {**models, **nouns}.items()
    }
    references, document = TypeAdapter.json_schemas(
        [(kind, mode, TypeAdapter(kind)) for kind, mode in forms.values()],
        schema_generator=_Generator,
        ref_template="{model}",
    )
    names = {name: _public(name) for name in document["$defs"]}
    names |= {references[form]["$ref"]: name for name, form in forms.items()}
    found = {
        names[name]: _tidy(definition, names, reference)
        for name, definition in document["$defs"].items()
    }
    for name in found.keys() - models.keys():
        found[name]["title"] = name
    for group, (_, what) in _UNIONS.items():
        choices = [{"$ref": reference.format(name)} for name in models if name.startswith(group)]
        words = f"{what}, with `type` as the discriminator."
        found[group.title()] = {"title": group.title(), "description": words, "oneOf": choices}
    return dict(sorted(found.items()))


def kinds(group: str) -> dict[str, type[Any]]:
    """Return the classes of a `command`, `message` or `event`, by their type on the wire."""
    union, _ = get_args(_UNIONS[group][0])
    return {wire_type(kind): kind for kind in get_args(union)}


def _is_given(kind: Any) -> bool:
    """Return whether a client may send a class. A generic one is no type."""
    return isinstance(kind, type) and issubclass(kind, FromClient)


def _public(name: str) -> str:
    """Replace pydantic's suffixes for the two directions."""
    if name.endswith("-Input"):
        return f"Given{name.removesuffix('-Input')}"
    return name.removesuffix("-Output")


def _tidy(value: Any, names: dict[str, str], reference: str) -> Any:
    """Return `value` with the wanted references, and only with keywords of JSON Schema."""
    if isinstance(value, list):
        return [_tidy(inner, names, reference) for inner in value]
    if not isinstance(value, dict):
        return value
    tidy = {_BOUNDS.get(key, key): _tidy(inner, names, reference) for key, inner in value.items()}
    tidy.pop("discriminator", None)  # OpenAPI's
    if "$ref" in tidy:
        tidy["$ref"] = reference.format(names[tidy["$ref"]])
    return tidy


class _Generator(GenerateJsonSchema):
    """Require every field of a message ("serialization"), except fields that may be absent."""

    def model_schema(self, schema: core_schema.ModelSchema) -> Document:
        model = super().model_schema(schema)
        if self.mode == "serialization":
            model.pop("additionalProperties", None)
        return _described(model, schema["cls"])

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> Document:
        return _described(super().dataclass_schema(schema), schema["cls"])

    def model_field_schema(self, schema: core_schema.ModelField) -> Document:
        return self._sent(super().model_field_schema(schema), schema)

    def dataclass_field_schema(self, schema: core_schema.DataclassField) -> Document:
        return self._sent(super().dataclass_field_schema(schema), schema)

    def _sent(
        self, field: Document, schema: core_schema.ModelField | core_schema.DataclassField
    ) -> Document:
        if self.mode == "serialization" and not self.field_is_required(schema, total=True):
            # The field is left out rather than null.
            choices = field.get("anyOf", [field])
            [given] = [choice for choice in choices if choice != {"type": "null"}]
            return {key: value for key, value in given.items() if key != "default"}
        return field

    def field_is_required(
        self,
        field: core_schema.ModelField | core_schema.DataclassField | core_schema.TypedDictField,
        total: bool,
    ) -> bool:
        if self.mode == "serialization":
            return field.get("serialization_exclude_if") is None
        return _is_type(field["schema"]) or super().field_is_required(field, total)

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> Document:
        inner = schema["schema"]
        is_omissible = inner["type"] == "json-or-python"  # whose default cannot be sent
        if self.mode == "serialization" or _is_type(schema) or is_omissible:
            return self.generate_inner(inner)
        return super().default_schema(schema)

    def union_schema(self, schema: core_schema.UnionSchema) -> Document:
        union = super().union_schema(schema)
        if union.get("anyOf") == [{"type": "integer"}, {"type": "number"}]:
            return {"type": "number"}
        return union

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - of none
        return False


def _described(schema: Document, kind: type[Any]) -> Document:
    """Add the docstrings of a class and of its fields."""
    schema["description"] = _one_line(kind.__doc__ or "")
    sent = wire_names(kind)
    for name, words in _field_words(kind).items():
        schema["properties"][sent[name]].setdefault("description", words)
    return schema


def _is_type(schema: core_schema.CoreSchema) -> bool:
    """Return whether this is a discriminator: a literal of one value, its default."""
    if schema["type"] != "default" or schema["schema"]["type"] != "literal":
        return False
    values: list[Any] = schema["schema"]["expected"]
    return values == [schema.get("default")]


def _field_words(model: type[Any]) -> dict[str, str]:
    """Return the docstrings under the fields of a class."""
    words: dict[str, str] = {}
    for kind in reversed(model.__mro__):
        if kind.__module__.startswith("ttt_protocol."):
            words |= _words_in(kind.__module__).get(kind.__name__, {})
    return words


@cache
def _words_in(module: str) -> dict[str, dict[str, str]]:
    # Python does not keep docstrings of fields: read them from the source.
    return {
        node.name: {
            ast.unparse(field.target): _one_line(str(ast.literal_eval(words.value)))
            for field, words in pairwise(node.body)
            if isinstance(field, ast.AnnAssign) and isinstance(words, ast.Expr)
        }
        for node in ast.parse(inspect.getsource(sys.modules[module])).body
        if isinstance(node, ast.ClassDef)
    }


def _one_line(words: str) -> str:
    return " ".join(words.split())
