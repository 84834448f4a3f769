"""The work of the store's thread between transactions, in pieces so small that no move waits."""

import logging
from time import monotonic
from typing import Any

from ttt_server.storage.base import StorageFailed
from ttt_server.storage.sqlite.indexing import Indexing
from ttt_server.storage.sqlite.writer import Operation, Writer, not_kept

logger = logging.getLogger(__name__)

_LOOK_S = 0.2
"""How often the files are looked at."""

_INDEX_S = 0.015
"""The time between two steps of the indexing, so that it takes a fifth of one processor."""

_AGAIN_S = 10.0
"""How long to wait after a step has failed."""

_ERASE_S = 60.0
"""The least time between two times that the write-ahead log is emptied."""


class Chores:
    """Looks at the files, indexes the logs of older versions, empties the write-ahead log."""

    def __init__(self, writer: Writer, indexing: Indexing | None) -> None:
        """`indexing`: to be done while the server runs; `None` if there is nothing to index."""
        self._writer = writer
        self._indexing = indexing
        self._look_at = self._index_at = 0.0
        self._erase_at: float | None = None
        """When the log is to be emptied; `None` if nothing was deleted since it was."""
        self._erased_at = -_ERASE_S

    @property
    def patience_s(self) -> float:
        """How long the thread may wait for a batch."""
        return 2 * _LOOK_S if self._indexing is None else _INDEX_S

    def note_deletion(self) -> None:
        """Note that the log has what was deleted."""
        if self._erase_at is None:
            self._erase_at = max(monotonic() + 1, self._erased_at + _ERASE_S)

    def run(self) -> StorageFailed | None:
        """Do what is due; return a fault that was found while no caller waited."""
        now, failure = monotonic(), None
        if now >= self._look_at:
            failure = self._writer.look()
            self._look_at = now + _LOOK_S
        if self._writer.failure is not None:
            return failure
        if self._indexing is not None and now >= self._index_at:
            self._index(self._indexing)
        if self._erase_at is not None and now >= self._erase_at:
            self._writer.empty_log()
            self._erase_at, self._erased_at = None, now
        return failure

    def _index(self, indexing: Indexing) -> None:
        outcomes = self._writer.write([Operation(_ignore, indexing.step, not_kept)])
        self._index_at = monotonic() + _INDEX_S
        match outcomes:
            case [True]:
                self._indexing = None
            case [Exception() as error]:
                logger.warning("logs of an older version are not indexed: %s", error)
                indexing.forget()
                self._index_at += _AGAIN_S
            case _:
                pass


def _ignore(_: Any) -> None:
    """Take an outcome that `write` has returned already."""
