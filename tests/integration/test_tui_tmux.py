"""The full screen in tmux, a terminal that other people wrote."""

import asyncio
import shlex
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from tests.integration.programs import (
    PATIENCE_S,
    Dial,
    ServerProcess,
    environment,
    program,
)
from tests.integration.tools import found

pytestmark = pytest.mark.heavy

_LOOK_S = 0.05
"""tmux does not tell when a screen changes: it is looked at again after so long."""


class Tmux:
    """A shell in a window of a tmux server of its own."""

    def __init__(self, folder: Path) -> None:
        self._tmux = found("tmux")
        self._socket = folder / "tmux"
        self._folder = folder

    async def tmux(self, *arguments: str) -> str:
        process = await asyncio.create_subprocess_exec(
            *(self._tmux, "-S", str(self._socket), "-f", "/dev/null", *arguments),
            stdout=PIPE,
            stderr=PIPE,
            env=environment(NO_COLOR="", XDG_STATE_HOME=str(self._folder)),
        )
        out, err = await process.communicate()
        assert process.returncode == 0, err
        return out.decode()

    async def open(self, columns: int, rows: int) -> None:
        size = ("-x", str(columns), "-y", str(rows))
        await self.tmux("new-session", "-d", *size, "PS1='ready> ' bash --norc --noprofile -i")
        await self.tmux("set", "status", "off")
        await self.shows("ready>")

    async def type(self, *keys: str) -> None:
        await self.tmux("send-keys", *keys)

    async def run(self, *command: str) -> None:
        await self.tmux("send-keys", "-l", f"clear; {shlex.join(command)}; echo status $?")
        await self.type("Enter")

    async def click(self, words: str) -> None:
        lines = (await self.tmux("capture-pane", "-p")).splitlines()
        y = next(y for y, line in enumerate(lines) if words in line)
        press = f"\x1b[<0;{lines[y].index(words) + 1};{y + 1}M"
        await self.type("-H", *(f"{byte:x}" for byte in press.encode()))

    async def shows(self, *words: str) -> str:
        """The screen, once all of this stands on it."""
        screen = ""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not all(word in screen for word in words):
                    await asyncio.sleep(_LOOK_S)
                    screen = await self.tmux("capture-pane", "-p")
        except TimeoutError:
            pytest.fail(f"no {words} in\n{screen}")
        return screen

    async def modes(self) -> str:
        """Alternate screen, mouse, keypad: as the programs in the window have set them."""
        modes = "#{alternate_on} #{mouse_any_flag} #{keypad_cursor_flag} #{cursor_flag}"
        return (await self.tmux("display", "-p", modes)).strip()


@pytest.fixture
async def tmux(tmp_path: Path) -> AsyncIterator[Tmux]:
    opened = Tmux(tmp_path)
    yield opened
    await opened.tmux("kill-server")


Client = Callable[..., tuple[str, ...]]


@pytest.fixture
def client(server: ServerProcess) -> Client:
    return lambda *words: (program("ttt-client"), "--server", server.address, *words)


@pytest.mark.parametrize("size", [(20, 8), (80, 24), (300, 100)], ids=str)
async def test_a_whole_game_with_everything_in_its_way(
    server: ServerProcess, dial: Dial, tmux: Tmux, client: Client, size: tuple[int, int]
) -> None:
    await tmux.open(*size)
    before = await tmux.modes()
    await tmux.run(*client("--name", "ada", "join", "room42", "--seat", "X"))
    await tmux.shows("room42", "live")
    bob = await dial(server, "room42")
    token = (await bob.join(name="bob", seat="O"))["you"]["token"]
    await tmux.shows("YOUR TURN")

    await tmux.type("5")
    await bob.until_ply(1)
    await bob.play(1, 0)
    await tmux.tmux("resize-window", "-x", "100", "-y", "30")
    await tmux.shows("YOUR TURN", "last move: O at 1")

    await tmux.type("Up")  # a click right after a move would belong to it
    await tmux.click("     3")
    await bob.until_ply(3)
    await server.kill()
    await tmux.shows("lost, trying again")
    await server.start()
    await tmux.shows("● live", "bob's turn (O)")
    bob = await dial(server, "room42")
    await bob.join(name="bob", token=token)
    await bob.play(3, 1)
    await tmux.shows("YOUR TURN", "last move: O at 2")
    await tmux.type("Down", "Down", "Left", "Left", "Enter")
    await tmux.shows("you won: a line, 3 5 7")
    await tmux.type("C-c")
    await tmux.shows("status 130", "ready>")
    assert await tmux.modes() == before


async def test_suspended_and_back(tmux: Tmux, client: Client) -> None:
    await tmux.open(80, 24)
    before = await tmux.modes()
    await tmux.run(*client("join", "room42", "--vs", "rules"))
    await tmux.shows("YOUR TURN")
    await tmux.type("C-z")
    await tmux.shows("Stopped", "ready>")
    assert await tmux.modes() == before
    await tmux.type("fg", "Enter")
    await tmux.shows("YOUR TURN")
    await tmux.type("Down", "Left", "Space")
    await tmux.shows("last move: O")
    await tmux.type("q", "y")
    await tmux.shows("ready>", "your seat is kept")
    assert await tmux.modes() == before
