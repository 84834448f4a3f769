"""What a program thought about its move."""

from typing import Annotated

from pydantic import AfterValidator, Field

from ttt_protocol.base import FromClient, Omissible, absent
from ttt_protocol.state import DAY_S
from ttt_protocol.text import clean


def _cleaned_lines(text: str) -> str:
    """Return the lines cleaned, without empty ones at the end. A second time changes nothing."""
    return "\n".join(clean(line) for line in text.splitlines()).rstrip("\n")


LogText = Annotated[str, Field(max_length=1024), AfterValidator(_cleaned_lines)]
Milliseconds = Annotated[int | float, Field(ge=0, le=DAY_S * 1000, allow_inf_nan=False)]
MoveValues = dict[str, Annotated[int | float, Field(allow_inf_nan=False)]]


class MoveLog(FromClient):
    """What a program thought about its move. Every field may be absent."""

    reason: Omissible[LogText] = Field(default=None, exclude_if=absent)
    values: Omissible[MoveValues] = Field(default=None, exclude_if=absent)
    """Its score of each cell: `{"4": 0.5}`."""
    time_ms: Omissible[Milliseconds] = Field(default=None, exclude_if=absent)
    """How long it thought, measured at its pipe."""
    round_trip_ms: Omissible[Milliseconds] = Field(default=None, exclude_if=absent)
    """The last round trip of a ping on its connection."""
    stderr: Omissible[LogText] = Field(default=None, exclude_if=absent)
    """What it wrote to standard error meanwhile."""
