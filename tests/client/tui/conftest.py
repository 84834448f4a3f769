"""A terminal in memory, with a screen to read and keys to type."""

import asyncio
from collections.abc import Callable, Iterator
from io import StringIO

import pyte
import pytest
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.input.vt100 import Vt100Input
from prompt_toolkit.key_binding import KeyPress
from prompt_toolkit.output.vt100 import Vt100_Output

from ttt_client.tui.app import SafeParser, Shell

PATIENCE_S = 20.0


class FakeTerminal(StringIO):
    """A terminal that decodes what is written to it."""

    def __init__(self, columns: int, rows: int) -> None:
        super().__init__()
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.Stream(self.screen)
        self.written = ""
        self.drawn = asyncio.Event()

    def write(self, text: str) -> int:
        self.written += text
        self._stream.feed(text)
        self.drawn.set()
        return len(text)

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display)

    @property
    def size(self) -> Size:
        return Size(rows=self.screen.lines, columns=self.screen.columns)


class Window:
    """A shell on a terminal in memory."""

    def __init__(self, keys: PipeInput, columns: int = 80, rows: int = 24) -> None:
        self.terminal = FakeTerminal(columns, rows)
        self._keys = keys
        assert isinstance(keys, Vt100Input)

        def buffer(key: KeyPress) -> None:
            keys._buffer.append(key)  # a new list after each reading

        keys.vt100_parser = SafeParser(buffer)
        output = Vt100_Output(self.terminal, lambda: self.terminal.size, enable_cpr=False)
        self.shell = Shell(mouse=True, terminal_input=keys, output=output)

    def type(self, text: str) -> None:
        self._keys.send_text(text)

    def click(self, words: str, *, button: str = "M") -> None:
        """Press the mouse on the first character of `words`, as they stand on the screen."""
        lines = self.terminal.text.splitlines()
        y = next(y for y, line in enumerate(lines) if words in line)
        self.type(f"\x1b[<0;{lines[y].index(words) + 1};{y + 1}{button}")

    async def shows(self, *words: str) -> str:
        """Wait until the screen shows all of these, and return it."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not all(word in self.terminal.text for word in words):
                    self.terminal.drawn.clear()
                    await self.terminal.drawn.wait()
        except TimeoutError:
            pytest.fail(f"no {words} in\n{self.terminal.text}")
        return self.terminal.text


@pytest.fixture
def open_window() -> Iterator[Callable[..., Window]]:
    with create_pipe_input() as keys:
        yield lambda columns=80, rows=24: Window(keys, columns, rows)
