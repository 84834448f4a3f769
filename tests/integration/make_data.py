"""Make the data for `test_old_data.py` with the `ttt-server` of an older version.

    python -m tests.integration.make_data PATH/TO/ttt-server FOLDER

The folder gets `ttt.sqlite3` and `secret`, `database.sql` with the same from PostgreSQL, and the
tokens of the seats in `tokens.json` and `database_tokens.json`. There is a running game, a finished
one, a room with a password, an event, and lessons of the learner. In SQLite some events are settled
and some are still in the journal, as after a kill.
"""

import asyncio
import json
import shutil
import sqlite3
import sys
import tempfile
from contextlib import AsyncExitStack, closing
from pathlib import Path
from subprocess import PIPE, Popen

from websockets.asyncio.client import connect

from tests.integration.programs import SimpleClient, environment
from tests.postgres import own_server

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
        organiser = SimpleClient(await stack.enter_async_context(connect(_event(address))))
        await organiser.send("create", settings={"form": "round-robin"})
        tokens["friday/organiser"] = (await organiser.until("welcome"))["you"]["token"]
        cid = SimpleClient(await stack.enter_async_context(connect(_event(address))))
        await cid.send("enter", name="cid")
        tokens["friday/cid"] = (await cid.until("welcome"))["you"]["token"]


def _event(address: str) -> str:
    return f"{address}/ws/events/friday"


def _start(server: str, *options: str) -> tuple["Popen[str]", str]:
    process = Popen([server, "--port", "0", *options], stdout=PIPE, text=True, env=environment())
    assert process.stdout is not None
    return process, process.stdout.readline().split()[-1]


def _play_all(server: str, *options: str) -> dict[str, str]:
    """Play on a server that is stopped once and killed at the end; return the tokens."""
    tokens: dict[str, str] = {}
    process, address = _start(server, *options)
    asyncio.run(_settled(address, tokens))
    process.terminate()
    process.wait()
    process, address = _start(server, *options)
    asyncio.run(_journaled(address, tokens))
    process.kill()
    process.wait()
    return tokens


def make(server: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        data = Path(made)
        tokens = _play_all(server, "--data", made)
        with closing(sqlite3.connect(data / "ttt.sqlite3")) as database:
            database.execute("PRAGMA journal_mode = DELETE")  # merges the write-ahead log
        for name in ("ttt.sqlite3", "secret"):
            shutil.copyfile(data / name, folder / name)
    (folder / "tokens.json").write_text(json.dumps(tokens, indent=2) + "\n")
    with own_server() as postgres:
        url = postgres.url(postgres.new_database())
        tokens = _play_all(server, "--store", url)
        (folder / "database.sql").write_text(postgres.dump(url.rpartition("/")[2], "--inserts"))
    (folder / "database_tokens.json").write_text(json.dumps(tokens, indent=2) + "\n")


if __name__ == "__main__":
    make(sys.argv[1], Path(sys.argv[2]))
