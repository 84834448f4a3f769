"""The bases of the protocol's models: strict and frozen, and all that holds for every field.

A model that a client may send refuses unknown fields. A model that only a server sends ignores
them, because the contract grows by addition. The field `from` is `from_` in Python, where that is
a keyword.

A model is built when it is first used: most programs use few of them.
"""

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

T = TypeVar("T")


class FromClient(BaseModel):
    """A model that a client may send: unknown fields are refused."""

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        extra="forbid",
        validate_by_name=True,
        serialize_by_alias=True,
        defer_build=True,
    )


class FromServer(BaseModel):
    """A model that only a server sends: unknown fields are ignored."""

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        extra="ignore",
        allow_inf_nan=False,
        validate_by_name=True,
        serialize_by_alias=True,
        defer_build=True,
    )


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
    """Whether a field that may be absent is left out."""
    return value is None
