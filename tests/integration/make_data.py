"""Makes a data folder for `test_old_data.py`, with the `ttt-server` of an older version.

    python -m tests.integration.make_data PATH/TO/ttt-server FOLDER

The folder gets `ttt.sqlite3`, `secret`, and `tokens.json` with the token of each seat. It holds a
running game, a finished one, a room with a password and lessons of the learner. Some events are
settled and some still lie in the journal, as after a kill.
"""

import asyncio
import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import AsyncExitStack, closing
from pathlib import Path
from subprocess import PIPE, Popen

from websockets.asyncio.client import connect

from tests.integration.programs import SimpleClient, environment

PASSWORD = "swordfish"


async def _pair(
    address: str, room: str, stack: AsyncExitStack, tokens: dict[str, str], **fields: object
) -> tuple[SimpleClient, SimpleClient]:
    players = []
    for name in ("ada", "bob"):
        socket = await stack.enter_async_context(connect(f"{address}/ws/rooms/{room}"))
        player = SimpleClient(socket)
        key = f"{room}/{name}"
        known = {"token": tokens[key]} if key in tokens else {"name": name, **fields}
        tokens[key] = (await player.join(**known))["you"]["token"]
        players.append(player)
    return players[0], players[1]


async def _play(ada: SimpleClient, bob: SimpleClient, cells: list[int], ply: int = 0) -> None:
    for number, cell in enumerate(cells, ply):
        await (ada, bob)[number % 2].play(number, cell)
        await (bob, ada)[number % 2].until_ply(number + 1)


async def _settled(address: str, tokens: dict[str, str]) -> None:
    async with AsyncExitStack() as stack:
        ada, bob = await _pair(address, "finished", stack, tokens)
        await _play(ada, bob, [0, 3, 1, 4, 2])
        ada, bob = await _pair(address, "running", stack, tokens)
        await _play(ada, bob, [4, 0])
        settings = {"password": PASSWORD, "public": False}
        await _pair(address, "locked", stack, tokens, password=PASSWORD, settings=settings)


async def _journaled(address: str, tokens: dict[str, str]) -> None:
    async with AsyncExitStack() as stack:
        ada, bob = await _pair(address, "running", stack, tokens)
        await _play(ada, bob, [8], ply=2)
        socket = await stack.enter_async_context(connect(f"{address}/ws/rooms/learner"))
        eve = SimpleClient(socket)
        seats = {"O": {"strategy": "learner"}}
        joined = await eve.join(name="eve", settings={"seats": seats, "pace_s": 0})
        tokens["learner/eve"] = joined["you"]["token"]
        await eve.send("resign", game=1)
        await eve.until_over()
        ada, bob = await _pair(address, "taught", stack, tokens)
        await _play(ada, bob, [4, 1, 0, 8, 6, 2, 3])


def _start(server: str, data: Path) -> tuple["Popen[str]", str]:
    process = Popen(
        [server, "--port", "0", "--data", str(data)], stdout=PIPE, text=True, env=environment()
    )
    assert process.stdout is not None
    return process, process.stdout.readline().split()[-1]


def make(server: str, folder: Path) -> None:
    tokens: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as made:
        data = Path(made)
        process, address = _start(server, data)
        asyncio.run(_settled(address, tokens))
        process.terminate()
        process.wait()
        process, address = _start(server, data)
        asyncio.run(_journaled(address, tokens))
        process.kill()
        process.wait()
        with closing(sqlite3.connect(data / "ttt.sqlite3")) as database:
            database.execute("PRAGMA journal_mode = DELETE")  # merges the write-ahead log
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("ttt.sqlite3", "secret"):
            shutil.copyfile(data / name, folder / name)
    (folder / "tokens.json").write_text(json.dumps(tokens, indent=2) + "\n")
    subprocess.run([server, "--version"], check=True)


if __name__ == "__main__":
    make(sys.argv[1], Path(sys.argv[2]))
