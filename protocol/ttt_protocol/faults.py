"""Validation errors in words for people. Pure.

Refusals on the wire keep pydantic's words: see `codec`.
"""

import re
from typing import NamedTuple

from pydantic import ValidationError

_PLAINER = (
    (r"^Value error, ", ""),
    (r"^Field required$", "is missing"),
    (r"^Extra inputs are not permitted$", "is not known"),
    (r"^(?:Input|String|Value|List|Tuple|Dictionary) should ", "must "),
    (r"^Unable to parse input string as an integer, exceeded .*$", "is too large a number"),
    (r", unable to parse .*$", ""),
    (r"\ba valid dictionary\b.*$", "a table"),
    (r"\ba valid integer\b", "a whole number"),
    (r"\ba valid number\b", "a number"),
    (r"\ba valid string\b", "text"),
    (r"\ba valid boolean\b", "true or false"),
    (r"\bgreater than or equal to\b", "at least"),
    (r"\bless than or equal to\b", "at most"),
    (r"\bgreater than\b", "more than"),
    (r"\b(1 (?:character|item))s\b", r"\1"),
)
"""Pydantic's words, and plainer ones."""


class Fault(NamedTuple):
    """Where a value is wrong, and how."""

    where: str
    """The path of a field: `clock.initial_s`. Empty for the value as a whole."""

    what: str
    """`must be at most 10800`. It never repeats the value."""

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" if self.where else self.what


def first_fault(error: ValidationError) -> Fault:
    """Return the first fault of a value."""
    detail = error.errors(include_url=False, include_context=False, include_input=False)[0]
    return Fault(".".join(map(str, detail["loc"])), plainer(detail["msg"]))


def words_of(error: ValueError) -> str:
    """Return what is wrong with a value: its first fault, or else the error's own words."""
    return str(first_fault(error) if isinstance(error, ValidationError) else error)


def plainer(words: str) -> str:
    """Return pydantic's words about a value as plainer ones."""
    for pattern, better in _PLAINER:
        words = re.sub(pattern, better, words)
    return words
