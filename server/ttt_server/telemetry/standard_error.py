"""The log's way to standard error: a full pipe holds up a thread, never a room."""

import logging
import os
import select
import threading
from queue import Full, Queue
from typing import Final

_MOST_LINES: Final = 1000
"""Lines kept while nobody reads; later ones are dropped."""
_PATIENCE_S: Final = 1.0
"""How long the end of the program waits for unwritten lines."""
_STANDARD_ERROR: Final = 2
_DROPPED: Final = "%s log lines were dropped, as nothing read them"


class StandardError(logging.Handler):
    """Writes each record in one piece, in order, and never waits for a reader.

    Lines that would have to wait are left to a thread. Beyond its queue they are dropped and
    counted, and the count is logged once a line can be written again. The formatter runs where the
    record was logged, as it names the room and connection of that context.
    """

    def __init__(self) -> None:
        super().__init__()
        self._lines: Queue[bytes] = Queue(_MOST_LINES)
        self._dropped = 0
        """Lines dropped since they were last reported. Guarded by the handler's lock."""
        self._thread: threading.Thread | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line, pass it to the thread, or drop it."""
        line = self._encoded(record)
        if not self._lines.unfinished_tasks and write_at_once(line):
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="log", daemon=True)
            self._thread.start()
        try:
            self._lines.put_nowait(line)
        except Full:
            self._dropped += 1

    def flush(self) -> None:
        """Wait briefly until all lines are written."""
        lines = self._lines
        with lines.all_tasks_done:
            lines.all_tasks_done.wait_for(lambda: not lines.unfinished_tasks, _PATIENCE_S)

    def _run(self) -> None:
        while True:
            write_whole(self._lines.get())
            if dropped := self._take_dropped():
                told = (__name__, logging.WARNING, __file__, 0, _DROPPED, (dropped,), None)
                write_whole(self._encoded(logging.LogRecord(*told)))
            self._lines.task_done()

    def _take_dropped(self) -> int:
        self.acquire()
        try:
            dropped, self._dropped = self._dropped, 0
        finally:
            self.release()
        return dropped

    def _encoded(self, record: logging.LogRecord) -> bytes:
        return f"{self.format(record)}\n".encode(errors="replace")


def write_at_once(piece: bytes) -> bool:
    """Write to standard error without waiting; return `False` if nothing was written."""
    if len(piece) > select.PIPE_BUF or not select.select([], [_STANDARD_ERROR], [], 0)[1]:
        return False
    write_whole(piece)  # a ready pipe has room for that much
    return True


def write_whole(piece: bytes) -> None:
    """Write to standard error, past Python's own buffer, whose lock could hold up the exit.

    Lines are lost if the reader is gone or the disk is full.
    """
    while piece:
        try:
            piece = piece[os.write(_STANDARD_ERROR, piece) :]
        except BlockingIOError:  # another program made it non-blocking
            select.select([], [_STANDARD_ERROR], [])
        except OSError:
            return
