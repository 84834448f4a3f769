"""Standard input, line by line, without blocking the event loop: a terminal, a pipe, a file."""

import asyncio
import os
import threading
from collections.abc import Callable, Iterator
from typing import Protocol

LONGEST_LINE = 8192
"""Bytes; twice of what a server takes. The rest of a longer line is not read into memory."""


class LineSource(Protocol):
    """Where lines come from."""

    async def line(self) -> str | None:
        """The next line; None at the end of input. If it is cancelled, no line is lost."""


class StandardInput:
    """Reads a line when one is wanted: what nobody wants yet stays outside.

    A thread reads, as an event loop cannot wait for files and `/dev/null`. It reads the
    descriptor, not `sys.stdin`, whose lock a thread that waits would hold when the program ends.
    """

    def __init__(self, descriptor: int) -> None:
        """To be made in the event loop that will read the lines."""
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._asked = False
        self._wanted = threading.Semaphore(0)
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    async def line(self) -> str | None:
        """The next line; None at the end of input. If it is cancelled, no line is lost."""
        if not self._asked:
            self._asked = True
            self._wanted.release()
        line = await self._lines.get()
        if line is None:
            self._lines.put_nowait(None)  # the end stays the end
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
                return  # the loop is closed: nobody listens any more


def read_lines(read_some: Callable[[], bytes]) -> Iterator[str]:
    """The lines of what `read_some` gives until it gives nothing; too long ones are cut."""
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
