"""The bases of what travels: strict, and tolerant only where the contract grows.

What a client may send is a pydantic model: it validates whatever it is made of, and refuses unknown
fields. The events and the state, which a server makes all the time, are plain data classes with
slots: nothing is checked when one is made, and a `TypeAdapter` reads, writes and describes them.
Other messages of a server are models. Both ignore unknown fields: the contract grows by addition.

The field `from` is `from_` in Python, where that is a keyword.
"""

from dataclasses import fields
from functools import cache
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, TypeAdapter
from pydantic_core import CoreSchema, SchemaSerializer, core_schema

T = TypeVar("T")


class FromClient(BaseModel):
    """A model that a client may send: unknown fields are refused."""

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        extra="forbid",
        validate_by_name=True,
        serialize_by_alias=True,
        defer_build=True,  # most programs use few of the models
    )


_FROM_SERVER = ConfigDict(
    strict=True,
    extra="ignore",
    allow_inf_nan=False,
    validate_by_name=True,
    serialize_by_alias=True,
)


class FromServer(BaseModel):
    """A model that only a server sends: unknown fields are ignored."""

    model_config = ConfigDict(**_FROM_SERVER, frozen=True, defer_build=True)


class Plain:
    """The base of the data classes that only a server sends."""

    __slots__ = ()
    __pydantic_config__ = _FROM_SERVER

    def to_json(self) -> bytes:
        """Return the value as JSON, in the order of its fields."""
        kind: Any = type(self)
        return _serializer_of(kind).to_json(self)


@cache
def _serializer_of(kind: Any) -> SchemaSerializer:
    return TypeAdapter(kind).serializer


def wire_names(kind: type[Any]) -> dict[str, str]:
    """Return the names of the fields of a model or data class, and those that they have in JSON."""
    if issubclass(kind, BaseModel):
        return {name: each.alias or name for name, each in kind.model_fields.items()}
    return {each.name: each.name.rstrip("_") for each in fields(kind)}


def wire_type(kind: type[Any]) -> str:
    """Return the `type` of a model or data class of a union."""
    if issubclass(kind, BaseModel):
        return str(kind.model_fields["type"].default)
    return next(str(each.default) for each in fields(kind) if each.name == "type")


class _NotNull:
    """Refuse null in JSON. In Python, `None` stands for a field that was left out."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        nullable = handler(source)
        if nullable["type"] != "nullable":
            raise TypeError(source)
        return core_schema.json_or_python_schema(nullable["schema"], nullable)


Omissible = Annotated[T | None, _NotNull()]
"""A field that a client may leave out, and that is never null."""


def absent(value: object) -> bool:
    """Return whether a field that may be absent is left out."""
    return value is None


Maybe = Annotated[T | None, Field(exclude_if=absent)]
"""A field of a data class that is left out of its JSON in place of null."""
