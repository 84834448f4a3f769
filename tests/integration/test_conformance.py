"""The two `conformance` commands: one for servers, one for clients."""

import asyncio
import json
import socket
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import suppress

import pytest
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from tests.integration.players import Run
from tests.integration.programs import PATIENCE_S, ServerProcess, environment, program

pytestmark = pytest.mark.heavy


async def conformance(run: Run, url: str, *options: str) -> tuple[int | None, str, str]:
    client = await run(*options, "conformance", url)
    async with asyncio.timeout(2 * PATIENCE_S):
        out, err = await client.process.communicate()
    return client.process.returncode, out.decode(), err.decode()


async def test_this_server_holds_every_check(run: Run, server: ServerProcess) -> None:
    status, out, err = await conformance(run, server.address)
    assert (status, err) == (0, "")
    *rows, last = out.splitlines()
    untried = [row for row in rows if row.startswith("untried ")]
    checked = rows[: -len(untried)]
    assert all(row.startswith("holds ") for row in checked), out
    assert last == f"all {len(checked)} checks hold"
    assert untried[0] == "untried server_full; refused by a server at its limits"


async def test_another_server_is_told_what_it_does_wrong(run: Run) -> None:
    async def answer(connection: ServerConnection) -> None:
        async for frame in connection:
            if isinstance(frame, bytes) or len(frame) > 1000:
                return
            await connection.send(json.dumps({"type": "refused", "code": "bad_json"}))

    options = {"subprotocols": [Subprotocol("ttt.v1")]}
    async with serve(answer, "127.0.0.1", 0, max_size=1 << 20, **options) as server:  # type: ignore[arg-type]
        port = server.sockets[0].getsockname()[1]
        status, out, _ = await conformance(run, f"ws://127.0.0.1:{port}", "--json")
    assert status == 1
    rows = {row["check"]: row for row in json.loads(out)}
    assert rows["bad JSON"]["holds"]
    assert rows["an impossible name is no room"]["what"] == "a room may be named -no-room"
    assert rows["welcome"]["what"] == "refused: bad_json, where welcome was expected"
    assert rows["storage_failed"]["holds"] is None
    what = rows["a command before join"]["what"]
    assert what.endswith("was refused with bad_json, not not_joined")


async def test_where_no_server_is_nothing_is_tried(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    status, out, err = await conformance(run, f"ws://127.0.0.1:{port}")
    assert (status, out) == (3, "")
    assert err.startswith(f"ttt-client: nothing listens at 127.0.0.1:{port}")


async def script(*options: str) -> tuple[Process, str]:
    """Start the script for one client; return the process and its address."""
    process = await asyncio.create_subprocess_exec(
        *(program("ttt-server"), "conformance", "--port", "0", "--patience-s", "10", *options),
        stdout=PIPE,
        env=environment(),
    )
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE_S):
        line = (await process.stdout.readline()).decode()
    return process, line.split()[-1]


async def verdict(process: Process) -> tuple[int | None, list[str]]:
    async with asyncio.timeout(PATIENCE_S):
        out, _ = await process.communicate()
    return process.returncode, out.decode().splitlines()


@pytest.mark.parametrize("options", [(), ("--variant", "ultimate")], ids=["plain", "ultimate"])
async def test_this_client_holds_the_contract(run: Run, options: tuple[str, ...]) -> None:
    process, url = await script(*options)
    code = "import json,sys\nfor l in sys.stdin:\n m=json.loads(l)\n"
    code += " if m['type']=='hello': print(json.dumps({'variants':'*'}),flush=True)\n"
    code += " if 'legal' in m: print(json.dumps({'cell':m['legal'][0]}),flush=True)"
    await run("--server", url, "bot", "den", "--exec", f'{sys.executable} -S -c "{code}"')
    status, lines = await verdict(process)
    assert (status, lines[-1]) == (0, "the client holds the contract")
    assert sum(line.startswith("ok ") for line in lines) == 9


async def test_a_client_that_passes_over_legal_is_told_so() -> None:
    process, url = await script("--variant", "ultimate")
    async with connect(f"{url}/ws/rooms/den", compression=None) as socket:
        with suppress(ConnectionClosed):
            await socket.send('{"type":"join"}')
            game = json.loads(await socket.recv())["room"]["game"]
            assert (len(game["legal"]), game["boards"]) == (81, "." * 9)
            await socket.send('{"type":"play","game":1,"ply":0,"cell":0}')
            legal = game["legal"]
            while 1 in legal:
                legal = json.loads(await socket.recv()).get("room", {"game": game})["game"]["legal"]
            await socket.send('{"type":"play","game":1,"ply":2,"cell":1}')
            while True:
                await socket.recv()
    status, lines = await verdict(process)
    assert status == 1
    assert "WRONG " in lines[-1]
    assert "it played cell 1: " in lines[-1]


@pytest.mark.parametrize(
    ("frames", "wrong"),
    [
        (['{"type":"play","game":1,"ply":0,"cell":0}'], "its first command was play"),
        (["hello"], "it sent what is no command: this is not JSON"),
        (
            ['{"type":"join"}', '{"type":"play","game":1,"ply":0,"cell":25}'],
            "it played cell 25: 25: the cells of this board are 0 to 24",
        ),
        (
            ['{"type":"join"}', '{"type":"play","game":1,"ply":3,"cell":0}'],
            "it played game 1, ply 3, at ply 0 of game 1",
        ),
        (['{"type":"join","role":"spectator"}'], "it joined as a spectator"),
    ],
)
async def test_another_client_is_told_what_it_did_wrong(frames: list[str], wrong: str) -> None:
    process, url = await script()
    async with connect(f"{url}/ws/rooms/den", compression=None) as socket:
        with suppress(ConnectionClosed):
            for frame in frames:
                await socket.send(frame)
            while True:
                await socket.recv()
    status, lines = await verdict(process)
    assert status == 1
    assert lines[-1].startswith("WRONG ")
    assert wrong in lines[-1]
