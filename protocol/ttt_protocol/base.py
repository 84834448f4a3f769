"""The bases of commands, messages, events and state.

What a client may send is a pydantic model, which validates its values and refuses unknown fields.
Events and state, which a server makes all the time, are plain data classes with slots: making one
checks nothing, and a `TypeAdapter` reads, writes and describes them. Other messages of a server are
models. What a server sends may have unknown fields: the protocol grows by addition.

The field `from` is `from_` in Python, where that is a keyword.
"""

from dataclasses import fields
from functools import cache
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, TypeAdapter
from pydantic_core import CoreSchema, core_schema

T = TypeVar("T")


class FromClient(BaseModel):
    """A model that a client may send. Unknown fields are refused."""

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        extra="forbid",
        validate_by_name=True,
        serialize_by_alias=True,
        defer_build=True,  # most programs use few of the models
    )


_FROM_SERVER = ConfigDict(
    strict=True, extra="ignore", allow_inf_nan=False, validate_by_name=True, serialize_by_alias=True
)


class FromServer(BaseModel):
    """A model that only a server sends. Unknown fields are ignored."""

    model_config = ConfigDict(**_FROM_SERVER, frozen=True, defer_build=True)


class Plain:
    """The base of data classes that only a server sends. Unknown fields are ignored."""

    __slots__ = ()
    __pydantic_config__ = _FROM_SERVER

    def to_json(self) -> bytes:
        """Encode the value, in the order of its fields."""
        kind: Any = type(self)
        return adapter_of(kind).serializer.to_json(self)


@cache
def adapter_of(kind: Any) -> TypeAdapter[Any]:
    """Return the adapter of a data class, built when it is first asked for."""
    return TypeAdapter(kind)


def wire_names(kind: type[Any]) -> dict[str, str]:
    """Return the fields of a model or data class: their names in Python, and in JSON."""
    if issubclass(kind, BaseModel):
        return {name: each.alias or name for name, each in kind.model_fields.items()}
    return {each.name: each.name.rstrip("_") for each in fields(kind)}


def wire_type(kind: type[Any]) -> str:
    """Return the `type` by which a model or data class is known."""
    if issubclass(kind, BaseModel):
        return str(kind.model_fields["type"].default)
    return next(str(each.default) for each in fields(kind) if each.name == "type")


class _NotNull:
    """Refuse null in JSON. In Python, `None` means that the field was left out."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        nullable = handler(source)
        if nullable["type"] != "nullable":
            raise TypeError(source)
        return core_schema.json_or_python_schema(nullable["schema"], nullable)


Omissible = Annotated[T | None, _NotNull()]
"""A field that a client may leave out but not send as null."""


def absent(value: object) -> bool:
    """Return whether to leave out a field."""
    return value is None


Maybe = Annotated[T | None, Field(exclude_if=absent)]
"""A field of a data class that is left out of its JSON instead of null."""
