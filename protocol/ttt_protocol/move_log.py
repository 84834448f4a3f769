"""The thoughts of a program about its move, beside the move itself."""

from typing import Annotated

from pydantic import AfterValidator, Field

from ttt_protocol.base import FromClient, Omissible, absent
from ttt_protocol.state import DAY_S
from ttt_protocol.text import clean


def _cleaned_lines(text: str) -> str:
    return "\n".join(clean(line) for line in text.splitlines())


LogText = Annotated[str, Field(max_length=1024), AfterValidator(_cleaned_lines)]
Milliseconds = Annotated[int | float, Field(ge=0, le=DAY_S * 1000, allow_inf_nan=False)]
MoveValues = dict[str, Annotated[int | float, Field(allow_inf_nan=False)]]


class MoveLog(FromClient):
    """The thoughts of a program about its move. A field that it leaves out is absent."""

    reason: Omissible[LogText] = Field(default=None, exclude_if=absent)
    values: Omissible[MoveValues] = Field(default=None, exclude_if=absent)
    """Its own score of cells, by the cell: `{"4": 0.5}`."""
    time_ms: Omissible[Milliseconds] = Field(default=None, exclude_if=absent)
    """The time that it took to think, as measured at its pipe."""
    round_trip_ms: Omissible[Milliseconds] = Field(default=None, exclude_if=absent)
    """The time that a ping took on its connection, shortly before."""
    stderr: Omissible[LogText] = Field(default=None, exclude_if=absent)
    """The text that it wrote on its standard error meanwhile."""
