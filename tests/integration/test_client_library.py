"""The examples of `docs/client.md` do what the page says, against a real server."""

import asyncio
import json
import re
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

from tests.integration.programs import PATIENCE_S, Dial, ServerProcess, environment

PAGE = (Path(__file__).parents[2] / "docs" / "client.md").read_text()
SESSION, DIAL = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


async def run_example(code: str, url: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", code, url), stdout=PIPE, stderr=PIPE, env=environment()
    )


async def test_the_bot_plays_a_game(server: ServerProcess, dial: Dial) -> None:
    bob = await dial(server, "den")
    await bob.join(name="bob", seat="X")
    bot = await run_example(SESSION, f"{server.address}/ws/rooms/den")
    await bob.until("update")
    for ply, cell in [(0, 4), (2, 2)]:
        await bob.play(ply, cell)
        await bob.until_ply(ply + 2)
    await bob.play(4, 6)
    async with asyncio.timeout(PATIENCE_S):
        out, err = await bot.communicate()
    assert (bot.returncode, err) == (0, b"")
    assert out.decode().splitlines() == ["the winner is X", "you left the room"]


async def test_dial_opens_a_connection(server: ServerProcess) -> None:
    program = await run_example(DIAL, f"{server.address}/ws/lobby")
    async with asyncio.timeout(PATIENCE_S):
        out, err = await program.communicate()
    assert (program.returncode, err) == (0, b"")
    assert json.loads(out)["type"] == "rooms"
