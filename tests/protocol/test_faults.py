from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from ttt_protocol.faults import Fault, first_fault


class Inner(BaseModel):
    share: float = Field(gt=0, lt=1)


class Model(BaseModel):
    model_config = ConfigDict(extra="forbid")

    count: int = Field(1, ge=1, le=9)
    name: str = Field("a", min_length=1, max_length=4)
    kind: Literal["a", "b"] = "a"
    inner: Inner = Inner(share=0.5)
    table: dict[str, int] = {}
    cells: tuple[Annotated[int, Field(ge=0)], ...] = Field((0,), max_length=2)

    @field_validator("name")
    @classmethod
    def _require_letters(cls, name: str) -> str:
        if not name.isalpha():
            raise ValueError("must be letters")
        return name


def fault(**given: object) -> Fault:
    with pytest.raises(ValidationError) as caught:
        Model.model_validate(given)
    return first_fault(caught.value)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"count": "x"}, "count: must be a whole number"),
        ({"count": 0}, "count: must be at least 1"),
        ({"count": 10}, "count: must be at most 9"),
        ({"name": ""}, "name: must have at least 1 character"),
        ({"name": "abcde"}, "name: must have at most 4 characters"),
        ({"name": 5}, "name: must be text"),
        ({"name": "a1"}, "name: must be letters"),
        ({"kind": "c"}, "kind: must be 'a' or 'b'"),
        ({"inner": {"share": 0}}, "inner.share: must be more than 0"),
        ({"inner": {"share": 1}}, "inner.share: must be less than 1"),
        ({"inner": {"share": "x"}}, "inner.share: must be a number"),
        ({"count": "9" * 5000}, "count: is too large a number"),
        ({"inner": 1}, "inner: must be a table"),
        ({"table": 1}, "table: must be a table"),
        ({"inner": {}}, "inner.share: is missing"),
        ({"weather": "sun"}, "weather: is not known"),
        ({"cells": (1, -1)}, "cells.1: must be at least 0"),
    ],
)
def test_a_fault_says_where_and_what(given: dict[str, object], words: str) -> None:
    assert str(fault(**given)) == words


def test_a_value_that_is_wrong_as_a_whole_has_no_place() -> None:
    with pytest.raises(ValidationError) as caught:
        Model.model_validate_json("nonsense")
    found = first_fault(caught.value)
    assert found.where == ""
    assert str(found) == found.what


def test_the_value_is_not_repeated() -> None:
    assert "secret" not in str(fault(count="secret"))
