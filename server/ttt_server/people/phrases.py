"""Recovery phrases, six words of EFF's short list, 62 bits; and codes."""

import re
import secrets
from functools import cache
from pathlib import Path
from typing import Final

WORDS: Final = 6
"""Of 1296 each: 62 bits."""


def new_phrase() -> str:
    """Return six words at random."""
    return " ".join(secrets.choice(_words()) for _ in range(WORDS))


def as_words(phrase: str) -> str:
    """Return a phrase as `new_phrase` wrote it, whatever stands between its words."""
    return " ".join(re.findall(r"[a-z]+(?:-[a-z]+)?", phrase.casefold()))


@cache
def _words() -> tuple[str, ...]:
    return tuple(Path(__file__).with_name("words.txt").read_text(encoding="ascii").split())


def new_code(size: int) -> str:
    """Return a code of so many random bytes that a command line does not take for an option."""
    return secrets.token_urlsafe(size).replace("-", "_")
