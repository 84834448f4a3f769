"""A real pseudo-terminal with a program on it, and its screen decoded."""

import asyncio
import fcntl
import os
import pty
import struct
import termios
from asyncio.subprocess import Process
from contextlib import suppress

import pyte
import pytest

from tests.integration import prepared
from tests.integration.programs import PATIENCE_S, environment

LEFT = "\x1b[?1049l"
"""What gives the screen back that was there before."""


class Terminal:
    """One program on one terminal, from its first frame to its end."""

    def __init__(self, columns: int = 80, rows: int = 24) -> None:
        self.screen = pyte.Screen(columns, rows)
        self.written = b""
        self.ended = False
        self._stream = pyte.ByteStream(self.screen)
        self._drawn = asyncio.Event()
        self._master, self._slave = pty.openpty()
        self._resize(columns, rows)
        self.modes = termios.tcgetattr(self._slave)
        self._process: Process | None = None

    @property
    def process(self) -> Process:
        assert self._process is not None
        return self._process

    async def start(self, *command: str, **variables: str) -> None:
        variables = {"TERM": "xterm-256color", "NO_COLOR": ""} | variables
        self._process = await prepared.start(
            *command, terminal=self._slave, env=environment(**variables)
        )
        asyncio.get_running_loop().add_reader(self._master, self._read)

    def _read(self) -> None:
        try:
            data = os.read(self._master, 65536)
        except OSError:
            data = b""
        self.ended = not data
        if self.ended:
            asyncio.get_running_loop().remove_reader(self._master)
        self.written += data
        self._stream.feed(data)
        self._drawn.set()

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def click(self, words: str) -> None:
        """Press and release the mouse on the first character of `words`."""
        lines = self.text.splitlines()
        y = next(y for y, line in enumerate(lines) if words in line)
        x = lines[y].index(words)
        self.type(f"\x1b[<0;{x + 1};{y + 1}M\x1b[<0;{x + 1};{y + 1}m")

    def resize(self, columns: int, rows: int) -> None:
        """The window is pulled to another size; the program is told by the kernel."""
        self.screen.resize(rows, columns)
        self._resize(columns, rows)

    def _resize(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display)

    async def shows(self, *words: str, never: str | None = None) -> str:
        """The screen, once all of this stands on it."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not all(word in self.text for word in words):
                    assert never is None or never not in self.text, self.text
                    self._drawn.clear()
                    await self._drawn.wait()
        except TimeoutError:
            pytest.fail(f"no {words} in\n{self.text}")
        return self.text

    async def status(self) -> int:
        """Waits for the program's end."""
        async with asyncio.timeout(PATIENCE_S):
            return await self.process.wait()

    def assert_restored(self) -> None:
        """The terminal is as it was before the program."""
        with suppress(BlockingIOError):
            os.set_blocking(self._master, False)
            self.written += os.read(self._master, 65536)
        assert termios.tcgetattr(self._slave) == self.modes
        text = self.written.decode()
        assert text.rindex(LEFT) > text.rindex("\x1b[?1049h")
        assert text.rindex("\x1b[?25h") > text.rindex("\x1b[?25l")
        for mode in ("1000", "1003", "1006", "2004"):
            assert text.rfind(f"\x1b[?{mode}l") >= text.rfind(f"\x1b[?{mode}h")

    def assert_echoes(self) -> None:
        """The terminal shows what is typed."""
        assert termios.tcgetattr(self._slave) == self.modes

    async def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._master)
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
        os.close(self._master)
        os.close(self._slave)
