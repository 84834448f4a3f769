"""Times that an operator gives, in seconds or in words. Pure."""

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

_SECONDS = {"d": 86_400, "h": 3600, "m": 60, "s": 1}
"""In each unit of a time in words."""


def parse_age(text: Any) -> Any:
    """Return the seconds of a time in words: `90d`. Anything else is left to be checked.

    Raises:
        ValueError: if it is text, and no such time.
    """
    if not isinstance(text, str):
        return text
    found = re.fullmatch(r"(\d{1,6})([dhms])", text)
    if found is None:
        raise ValueError("must be like 90d, 12h, 30m or 45s")
    return int(found[1]) * _SECONDS[found[2]]


Duration = Annotated[float, Field(gt=0, allow_inf_nan=False)]
"""Seconds."""

Age = Annotated[Duration, BeforeValidator(parse_age)]
"""Seconds, or a time in words."""
