"""Lines of a terminal, a pipe or a file, read without blocking the event loop."""

import asyncio
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

try:
    import termios
except ImportError:  # Windows: there a password is not asked for
    termios = None  # type: ignore[assignment]

LONGEST_LINE = 8192
"""The longest line in bytes: twice what a server accepts. The rest of a line is dropped."""


class LineSource(Protocol):
    """A source of typed lines."""

    async def line(self) -> str | None:
        """Return the next line, or None at the end. A cancelled call loses no line."""


class StandardInput:
    """A descriptor that is read only when a line is asked for.

    A thread reads, since an event loop cannot wait for files and `/dev/null`. It reads the
    descriptor and not `sys.stdin`: a waiting thread would hold its lock at the end of the program.

    Create it in the event loop that will read the lines.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._asked = False
        self._wanted = threading.Semaphore(0)
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    async def line(self) -> str | None:
        """Return the next line, or None at the end. A cancelled call loses no line."""
        if not self._asked:
            self._asked = True
            self._wanted.release()
        line = await self._lines.get()
        if line is None:
            self._lines.put_nowait(None)  # for the next call
        else:
            self._asked = False
        return line

    def _read(self) -> None:
        lines = read_lines(lambda: _read_some(self._descriptor))
        line: str | None = ""
        while line is not None:
            self._wanted.acquire()
            line = next(lines, None)
            try:
                self._loop.call_soon_threadsafe(self._lines.put_nowait, line)
            except RuntimeError:
                return  # the loop is closed


def can_hide(descriptor: int) -> bool:
    """Return whether it is a terminal that can take a line without showing it."""
    return os.isatty(descriptor) and termios is not None


@contextmanager
def hidden(descriptor: int) -> Iterator[None]:
    """Keep a terminal from showing what is typed, except the ends of lines."""
    kept = termios.tcgetattr(descriptor)
    quiet = termios.tcgetattr(descriptor)
    quiet[3] = quiet[3] & ~termios.ECHO | termios.ECHONL
    termios.tcsetattr(descriptor, termios.TCSANOW, quiet)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSANOW, kept)


def read_lines(read_some: Callable[[], bytes]) -> Iterator[str]:
    """Yield lines until `read_some` returns nothing; cut those that are too long."""
    kept = b""
    while data := read_some():
        *lines, rest = (kept + data).split(b"\n")
        yield from (_text(line) for line in lines)
        kept = rest[:LONGEST_LINE]
    if kept:
        yield _text(kept)


def _text(line: bytes) -> str:
    return line[:LONGEST_LINE].decode(errors="replace").removesuffix("\r")


def _read_some(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:
        return b""  # a terminal that is gone has no more lines
