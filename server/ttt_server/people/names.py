"""Names that look alike are one name.

The skeleton of a name is that of Unicode's UTS #39, section 4, and coarser: it folds case, width,
accents and spaces, too. `look_alikes.txt` has the characters of `confusables.txt` that no other
folding finds, a line for all that look like the first: `python -m tests.bench.people_data`.
"""

import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from ttt_protocol.commands import UNNAMED
from ttt_protocol.text import clean, is_blank, look

SOMEBODY: Final = "somebody"
"""The name of everyone who was forgotten."""

_LONGEST: Final = 24
_MOST_ALIKE: Final = 1000

_ROUNDS: Final = 3
"""A letter may look like one that looks like another in small: `I`, `l`, `i`."""


def skeleton(name: str) -> str:
    """Return the skeleton, which all names that look alike share."""
    return folded(name, _look_alikes())


def folded(name: str, look_alikes: Mapping[int, str]) -> str:
    """Return a name with its characters replaced by what they look like, as `str.translate` does.

    Pure.
    """
    text = unicodedata.normalize("NFKD", name)
    for _ in range(_ROUNDS):
        text = look(text.translate(look_alikes))
    return text


def names_like(wanted: str) -> Iterator[str]:
    """Yield names that a person can keep, as close to the wanted one as possible.

    An e-mail address gives what stands before its `@`.
    """
    name = clean(wanted).strip()
    name = (name.partition("@")[0].strip() or name)[:_LONGEST].strip()
    if not name or is_blank(name) or not may_be_kept(name):
        name = "player"
    yield name
    for number in range(2, _MOST_ALIKE):
        yield f"{name[: _LONGEST - 5].rstrip()} {number}"


def may_be_kept(name: str) -> bool:
    """Return whether a name can be one person's: `guest` and the like are everybody's.

    So is one with an empty skeleton, such as only combining marks.
    """
    return skeleton(name) not in {"", skeleton(UNNAMED), skeleton(SOMEBODY)}


@cache
def _look_alikes() -> Mapping[int, str]:
    lines = Path(__file__).with_name("look_alikes.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("\t") for line in lines)
    return {ord(char): target for target, chars in pairs for char in chars}
