"""What the processes of one server have between them: connections and rooms, by address.

Each process writes a part of a shared memory, and reads all parts. There is nothing to lock, and
what a process that died had is cleared by its parent.
"""

import mmap
import os
from enum import IntEnum
from functools import lru_cache
from hashlib import blake2b
from typing import Final

from ttt_server.limits.client_address import Source

EVERYONE: Final = Source("")
"""Counts all addresses together."""

_CELLS: Final = 1 << 17
"""Counts of each kind. Addresses share a cell where their hashes agree: one in 131 072 pairs."""

_SALT: Final = 16
"""Bytes before the counts, so that nobody can tell which addresses share a cell."""


class Countable(IntEnum):
    """What is counted."""

    OPEN = 0
    LET_IN = 1
    ROOMS = 2


class Census:
    """The counts of one process that is alone: nobody else reads them."""

    def add(self, kind: Countable, source: Source, change: int) -> None:
        """Change a count of this process."""

    def elsewhere(self, kind: Countable, source: Source) -> int:  # noqa: ARG002 - nobody is there
        """Return the count of all other processes."""
        return 0


ALONE: Final = Census()


class SharedCensus(Census):
    """The counts of one of several processes."""

    def __init__(self, file: int, count: int, number: int) -> None:
        """Map the memory of `shared_memory`, for process `number` (from 0) of `count`."""
        memory = memoryview(mmap.mmap(file, 0))
        self._cells = memory[_SALT:].cast("i")
        self._count = count
        self._number = number
        key = bytes(memory[:_SALT])

        @lru_cache(10_000)
        def cell(source: Source) -> int:
            if source == EVERYONE:
                return 0
            digest = blake2b(source.encode(), digest_size=8, key=key).digest()
            return 1 + int.from_bytes(digest, "big") % (_CELLS - 1)

        self._cell = cell

    def add(self, kind: Countable, source: Source, change: int) -> None:
        self._cells[self._at(self._number, kind) + self._cell(source)] += change

    def elsewhere(self, kind: Countable, source: Source) -> int:
        cell = self._cell(source)
        return sum(
            self._cells[self._at(number, kind) + cell]
            for number in range(self._count)
            if number != self._number
        )

    def clear(self, number: int) -> None:
        """Forget what a process had: it died."""
        begin, end = self._at(number, Countable.OPEN), self._at(number + 1, Countable.OPEN)
        self._cells[begin:end] = memoryview(bytes((end - begin) * self._cells.itemsize)).cast("i")

    def _at(self, number: int, kind: Countable) -> int:
        return (number * len(Countable) + kind) * _CELLS


def shared_memory(count: int) -> int:
    """Return the descriptor of memory for the counts of so many processes."""
    file = os.memfd_create("ttt-server")
    os.write(file, os.urandom(_SALT))
    os.ftruncate(file, _SALT + count * len(Countable) * _CELLS * 4)
    return file
