"""The log of a real server: one object a line, with rooms and connections, and without secrets."""

import asyncio
import json
import re
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus

from tests.integration.programs import PATIENCE_S, Dial, StartServer
from ttt_server.telemetry.build import BUILD

pytestmark = pytest.mark.heavy


async def test_the_log_as_json(start_server: StartServer, dial: Dial) -> None:
    server = await start_server("--log-format", "json", "--log-level", "debug")
    ada = await dial(server, "den")
    welcome = await ada.join(name="ada", settings={"password": "swordfish"})
    token = welcome["you"]["token"]
    bob = await dial(server, "den")
    assert (await bob.refusal("join", password="perch"))["code"] == "wrong_password"
    assert (await bob.refusal("join", name="\x1b[2Jbob\n"))["code"] == "bad_command"
    await bob.socket.send('{"type": "\x07boo"}')
    await bob.until("refused")
    with pytest.raises(InvalidStatus):
        await dial(server, "den", origin="http://elsewhere.example")
    assert await server.stop() == 0
    log = await server.log()
    assert all(line.isprintable() for line in log.splitlines())
    for secret in (token, token.partition(".")[2], "swordfish", "perch", "boo"):
        assert secret not in log
    entries: list[dict[str, Any]] = [json.loads(line) for line in log.splitlines()]
    assert not any("traceback" in entry for entry in entries)
    said = [
        (entry["message"], entry.get("room"), entry.get("connection"))
        for entry in entries
        if entry["level"] == "debug" and entry["logger"] == "ttt_server.endpoints.room"
    ]
    assert said[:3] == [
        ("joined as a player", "den", 1),
        ("refused: wrong_password", "den", 2),
        ("refused: bad_command", "den", 2),
    ]
    told = [entry["message"] for entry in entries if entry["level"] == "info"]
    assert told == [f"listening on {server.address}, {BUILD}", "stopping", "stopped"]


async def test_at_the_usual_level_nothing_is_told_of_what_clients_do(
    start_server: StartServer, dial: Dial
) -> None:
    server = await start_server()
    ada = await dial(server, "den")
    await ada.refusal("join", token="forged")
    await ada.join()
    await ada.refusal("resign", game=7)
    assert await server.stop() == 0
    assert len((await server.log()).splitlines()) == 3


async def test_a_log_that_nothing_reads_stops_no_game(
    start_server: StartServer, dial: Dial
) -> None:
    server = await start_server("--log-level", "debug", "--command-burst", "100000")
    ada, bob, eve = [await dial(server, "den") for _ in range(3)]
    await ada.join(name="ada")
    await bob.join(name="bob")
    await ada.until("update")
    for ply in range(4):  # each refusal is a line; the pipe and the queue take fewer
        for _ in range(1000):
            await eve.send("resign", game=1)
        for _ in range(1000):
            await eve.until("refused")
        await (ada, bob)[ply % 2].play(ply, ply)
        await (bob, ada)[ply % 2].until_ply(ply + 1)
    assert server.process.stderr is not None
    async with asyncio.timeout(PATIENCE_S):
        async for line in server.process.stderr:
            if re.search(rb"WARNING .*: \d+ log lines were dropped, as nothing read", line):
                break
    assert await server.stop() == 0
