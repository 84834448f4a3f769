"""The log's way to standard error: where a pipe is full, a thread waits, and no room."""

import logging
import os
import select
import threading
from queue import Full, Queue
from typing import Final

_MOST_LINES: Final = 1000
"""Lines that wait while nothing reads; later ones are dropped."""
_PATIENCE_S: Final = 1.0
"""The longest time that the end of the program waits for lines that are not written."""
_STANDARD_ERROR: Final = 2
_DROPPED: Final = "%s lines of the log were dropped, as nothing read them"


class StandardError(logging.Handler):
    """Writes each record as one piece, in order, and never waits for the reader.

    While that would wait, lines are left to a thread. Lines that find no room are dropped and
    counted; the count is a line of its own as soon as one can be written again. The formatter runs
    where the record was logged, as it names the room and the connection of that context.
    """

    def __init__(self) -> None:
        super().__init__()
        self._lines: Queue[bytes] = Queue(_MOST_LINES)
        self._dropped = 0
        """Lines that were dropped since the last line about that. Guarded by the handler's lock."""
        self._thread: threading.Thread | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line, hand it over to the thread, or drop it."""
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
        """Wait until all lines are written, but not for long."""
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
    """Write to standard error if that takes no time; return `False` if nothing was written."""
    if len(piece) > select.PIPE_BUF or not select.select([], [_STANDARD_ERROR], [], 0)[1]:
        return False
    write_whole(piece)  # a pipe that is ready has room for as much
    return True


def write_whole(piece: bytes) -> None:
    """Write to standard error, past Python's own buffer: a lock of that would hold up the exit.

    Lines that cannot be written, as the reader is gone or the disk full, are lost.
    """
    while piece:
        try:
            piece = piece[os.write(_STANDARD_ERROR, piece) :]
        except BlockingIOError:  # another program has made it so
            select.select([], [_STANDARD_ERROR], [])
        except OSError:
            return
