"""`ttt-client conformance`: this server holds what the contract says, and another is told apart."""

import asyncio
import json

from websockets.asyncio.server import ServerConnection, serve
from websockets.typing import Subprotocol

from tests.integration.players import Run
from tests.integration.programs import PATIENCE_S, SharedServer


async def conformance(run: Run, url: str, *options: str) -> tuple[int | None, str, str]:
    client = await run(*options, "conformance", url)
    async with asyncio.timeout(2 * PATIENCE_S):
        out, err = await client.process.communicate()
    return client.process.returncode, out.decode(), err.decode()


async def test_this_server_holds_every_check(run: Run, shared: SharedServer) -> None:
    status, out, err = await conformance(run, shared.address)
    assert (status, err) == (0, "")
    *rows, last = out.splitlines()
    assert all(row.startswith("holds ") for row in rows), out
    assert last == f"all {len(rows)} checks hold"


async def test_another_server_is_told_what_it_does_wrong(run: Run) -> None:
    async def answer(connection: ServerConnection) -> None:
        async for _ in connection:
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
    what = rows["a command before join"]["what"]
    assert what.endswith("was refused with bad_json, not not_joined")
