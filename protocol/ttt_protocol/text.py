"""Text for people: make what others typed safe for terminals, pages and logs; compare names."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

_TERMINAL_SEQUENCES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f]).*?(?:\x07|\x1b\\|\x9c|\Z)"  # OSC, DCS …: titles
    r"|\x1b[ -/]*[0-~]",  # the short ones
    re.DOTALL,
)
"""ECMA-48, sections 5.3 to 5.6."""

_INVISIBLE = frozenset(
    chr(code)
    for code in (
        *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, 0xFFFC),
        *(0x16FE4, 0x1D159),
        *(0x180B, 0x180C, 0x180D, 0x180F, *range(0xFE00, 0xFE0E), *range(0xE0100, 0xE01F0)),
    )
)
"""Fillers and variation selectors: invisible, though letters or marks by their category."""

_VARIANTS_OF_SIGNS = "\ufe0e\ufe0f"
"""Select text or picture after a sign. After any other character they are invisible."""

_JOINERS = "\u200c\u200d"
"""Persian spells with the first; Indic scripts and families of emoji use the second."""

_GLYPH = re.compile(
    "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"  # flag of a region
    "|[0-9#*]\ufe0f\u20e3"  # a key
    "|.",
    re.DOTALL,
)
"""A character, or a sequence that is one sign. Elsewhere the parts of these are removed."""

_MARKS_IN_A_ROW = 2

_ALIKE = str.maketrans(
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u04bb\u0501\u051b\u051d"
    "\u03b1\u03b9\u03bd\u03bf\u03c1\u03c5\u03c7"
    "\u0251\u0261\u0131",
    "abekmhopctyxabezhikmnoptyxaeopcyxsijhdqwaivopuxagi",
)
"""Letters of other scripts, each with the Latin letter that it looks like in common fonts.

They are the pairs of Unicode's `confusables.txt` among letters of names: a line each for Cyrillic
and Greek capitals, small Cyrillic and Greek letters, and odd Latin ones.
"""
_ALIKE_IN_SMALL = str.maketrans("01i|", "olll")

_LONGEST_NAME = 24


def _is_mark(char: str) -> bool:
    return unicodedata.category(char)[0] == "M"


def is_clean(text: str) -> bool:
    """Return whether `text` may be shown to others unchanged."""
    return text == clean(text)


def is_blank(text: str) -> bool:
    """Return whether `text` is invisible: spaces, and marks without a base character."""
    if text.isascii():
        return not text or text.isspace()
    return all(c.isspace() or _is_mark(c) for c in text)


def clean(text: str) -> str:
    """Remove everything that could move a cursor, hide, or reorder its neighbours.

    Remove whole terminal sequences, control and format characters (C0, C1, bidi marks and
    overrides, zero-width), fillers, private and unassigned characters. Turn line breaks, tabs and
    unusual spaces into one space each. Keep a joiner between two visible characters; at most two
    combining marks in a row, and none at the beginning, where they would join the text before.
    Cleaning twice is cleaning once.
    """
    if text.isascii() and text.isprintable():
        return text  # as most text
    kept: list[str] = []
    marks, joiner = 0, ""
    for glyph in _shown(_TERMINAL_SEQUENCES.sub("", text)):
        if glyph in _JOINERS:
            joiner = joiner or glyph
        elif _is_mark(glyph[0]):
            joiner, marks = "", marks + 1
            if kept and marks <= _MARKS_IN_A_ROW:
                kept.append(glyph)
        else:
            if joiner and kept and " " not in (kept[-1], glyph):
                kept.append(joiner)
            joiner, marks = "", 0
            kept.append(glyph)
    return "".join(kept)


def _shown(text: str) -> Iterator[str]:
    """Yield the glyphs that can be seen, and the joiners."""
    before = ""
    for glyph in _GLYPH.findall(text):
        if glyph.isspace():
            shown = " "
        elif glyph in _VARIANTS_OF_SIGNS:
            shown = glyph if before and unicodedata.category(before[0])[0] == "S" else ""
        elif len(glyph) > 1 or glyph in _JOINERS:
            shown = glyph
        else:
            shown = glyph if glyph.isprintable() and glyph not in _INVISIBLE else ""
        if shown:
            yield shown
        if shown or glyph in _VARIANTS_OF_SIGNS:
            before = glyph


@lru_cache(1024)
def look(name: str) -> str:
    """Fold what looks alike: scripts, case, width, accents, spaces, joiners.

    Compare the result only with other results.
    """
    shapes = unicodedata.normalize("NFKD", name).translate(_ALIKE).casefold().translate(_ALIKE)
    kept = (char for char in shapes if not _is_mark(char) and not char.isspace())
    kept = (char for char in kept if unicodedata.category(char) != "Cf")  # joiners, tags of flags
    return "".join(kept).translate(_ALIKE_IN_SMALL)


def told_apart(name: str, others: Iterable[str]) -> str:
    """Return the name, with a number if it looks like another; at most 24 characters."""
    taken = {look(other) for other in others}
    if not taken:
        return name
    free, number = name, 1
    while look(free) in taken:
        number += 1
        free = f"{name[: _LONGEST_NAME - 4].rstrip()} {number}"
    return free


def counted(count: int, noun: str) -> str:
    """Return `1 room` or `2 rooms`."""
    return f"{count} {plural(count, noun)}"


def plural(count: float, noun: str) -> str:
    """Return `room` or `rooms`."""
    return noun if count == 1 else f"{noun}s"
