"""Chance that is the same on every machine and for every version of Python."""

from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """Throws that follow from a seed."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._throws = 0

    def one_of(self, choices: Sequence[T]) -> T:
        """Return one of the choices; there must be one."""
        self._throws += 1
        thrown = sha256(f"{self._seed} {self._throws}".encode()).digest()
        return choices[int.from_bytes(thrown[:8], "big") % len(choices)]
