"""What people typed, made safe to show to others: on a terminal, in a page, in a log."""

import re
import unicodedata
from itertools import groupby, islice

_TERMINAL_SEQUENCES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f]).*?(?:\x07|\x1b\\|\x9c|\Z)"  # OSC, DCS …: titles
    r"|\x1b[ -/]*[0-~]",  # the short ones
    re.DOTALL,
)
"""ECMA-48, sections 5.3 to 5.6."""

_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and marks by category that show as nothing."""

_MARKS_IN_A_ROW = 2


def _is_mark(char: str) -> bool:
    return unicodedata.category(char)[0] == "M"


def is_clean(text: str) -> bool:
    """Whether all of `text` may reach other people as it stands."""
    return text == clean(text)


def is_blank(text: str) -> bool:
    """Whether `text` shows nothing by itself: spaces, and marks with nothing to stand on."""
    return all(c.isspace() or _is_mark(c) for c in text)


def clean(text: str) -> str:
    """`text` without what could move a cursor, hide, or reorder its neighbours.

    Whole terminal sequences go; line breaks, tabs and unusual spaces become one space each.
    Control and format characters (C0, C1, bidi marks and overrides, zero-width), fillers, private
    and unassigned characters go. Of combining marks in a row, two stay. Cleaning twice is
    cleaning once.
    """
    spaced = (" " if c.isspace() else c for c in _TERMINAL_SEQUENCES.sub("", text))
    shown = (c for c in spaced if c.isprintable() and c not in _INVISIBLE)
    kept: list[str] = []
    for marks, run in groupby(shown, _is_mark):
        kept += islice(run, _MARKS_IN_A_ROW if marks else None)
    return "".join(kept)
