"""What the answer to a notice means, and how long to wait before another attempt. Pure."""

from enum import Enum
from http import HTTPStatus
from typing import Final

FIRST_PAUSE_S: Final = 1.0
LONGEST_PAUSE_S: Final = 3600.0

_TRIED_AGAIN: Final = frozenset(
    {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS}
)
_GONE: Final = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.GONE})


class Fate(Enum):
    """What an answer means for a notice."""

    TOLD = "told"
    AGAIN = "again"
    """The server cannot take it now: try again later."""
    GONE = "gone"
    """The address is gone for good."""
    REFUSED = "refused"
    """Another attempt would not help: the server redirects, or rejects such requests."""


def verdict(status: int) -> Fate:
    """Return what an HTTP status means."""
    if 200 <= status < 300:
        return Fate.TOLD
    if status in _GONE:
        return Fate.GONE
    if status >= 500 or status in _TRIED_AGAIN:
        return Fate.AGAIN
    return Fate.REFUSED


def pause_s(failures: int, chance: float) -> float:
    """Return how long to avoid a server that has failed.

    Args:
        failures: how often it has failed since it last worked, at least 1.
        chance: a random number from 0 to 1, which varies the pause by up to a quarter.
    """
    doubled = FIRST_PAUSE_S * 2.0 ** min(failures - 1, 20)
    return min(doubled, LONGEST_PAUSE_S) * (0.75 + chance / 2)
