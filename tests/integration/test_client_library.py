"""The examples of `docs/client.md` do what the page says, against a real server."""

import asyncio
import json
import re
import subprocess
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from tests.integration.programs import PATIENCE_S, Dial, Server, SharedServer, environment

pytestmark = pytest.mark.slow

PAGE = (Path(__file__).parents[2] / "docs" / "client.md").read_text()
JOIN, REFUSED, WATCH, BEYOND, SYNC, DIAL = EXAMPLES = re.findall(
    r"```python\n(.*?)```", PAGE, re.DOTALL
)


@pytest.mark.heavy
def test_the_examples_pass_mypy_strict(tmp_path: Path) -> None:
    files = []
    for number, code in enumerate(EXAMPLES):
        files.append(tmp_path / f"example{number}.py")
        files[-1].write_text(code)
    root = Path(__file__).parents[2]
    files += [*root.glob("client/examples/bots/*.py"), *root.glob("server/examples/*.py")]
    check = [sys.executable, "-m", "mypy", "--strict", "--config-file=", *map(str, files)]
    done = subprocess.run(check, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stdout


async def run_example(code: str, url: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", code, url), stdout=PIPE, stderr=PIPE, env=environment()
    )


async def lines_of(program: asyncio.subprocess.Process) -> list[str]:
    async with asyncio.timeout(PATIENCE_S):
        out, err = await program.communicate()
    assert (program.returncode, err) == (0, b"")
    return out.decode().splitlines()


def in_room(code: str, room: str) -> str:
    return code.replace("room42", room).replace('"table"', f'"{room}"')


@pytest.mark.parametrize("code", [JOIN, SYNC], ids=["asynchronous", "synchronous"])
async def test_the_bot_plays_a_game_that_the_watcher_sees(
    shared: SharedServer, dial: Dial, room_name: str, code: str
) -> None:
    bob = await dial(shared, room_name)
    await bob.join(name="bob", seat="X")
    watcher = await run_example(in_room(WATCH, room_name), shared.address)
    while (await bob.until("presence"))["spectators"] != 1:
        pass
    bot = await run_example(in_room(code, room_name), shared.address)
    seated = await bob.until("update")
    assert seated["room"]["seats"]["O"]["bot"] is True
    for ply, cell in [(0, 4), (2, 2)]:
        await bob.play(ply, cell)
        await bob.until_ply(ply + 2)
    await bob.play(4, 6)
    outcome, *games = await lines_of(bot)
    assert outcome.startswith("Outcome(winner=<Mark.X: 'X'>, reason=<Reason.LINE: 'line'>, line=(2")
    assert games == (["1 ended"] if code == SYNC else [])
    boards = await lines_of(watcher)
    assert boards[-1] == "OOX.X.X.."
    played = ["." * 9, "....X....", "O...X....", "O.X.X....", "OOX.X....", boards[-1]]
    seen = list(dict.fromkeys(boards))  # the empty board is told more than once
    assert seen == [board for board in played if board in boards], "a slow one misses some"


async def test_quick_match_history_and_the_lobby(shared: SharedServer) -> None:
    told = await lines_of(await run_example(BEYOND, shared.address))
    assert told[0] == "1 ended"
    assert len(told) == 3


async def test_refusals_hints_offers_and_tokens(shared: SharedServer, room_name: str) -> None:
    player = await run_example(in_room(REFUSED, room_name), shared.address)
    lines = await lines_of(player)
    assert lines[0].startswith("cell_taken (")
    assert lines[-1].split() == ["O", "2"]


async def test_dial_opens_a_connection(shared: Server) -> None:
    program = await run_example(DIAL, shared.address)
    assert json.loads((await lines_of(program))[0])["type"] == "rooms"
