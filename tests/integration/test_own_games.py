"""One's games on a real server: while they run, over a kill, and once one is forgotten."""

import asyncio
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.integration.programs import (
    Dial,
    ServerProcess,
    StartServer,
    environment,
    eventually,
    own_store,
    program,
)
from tests.integration.test_persons import keep

NAME = "Änn Ünderwood"


def people(*options: str) -> str:
    command = (program("ttt-server"), "people", *options)
    return subprocess.run(
        command, check=True, text=True, stdout=subprocess.PIPE, env=environment()
    ).stdout


async def games(server: ServerProcess, token: str, query: str = "") -> list[dict[str, Any]]:
    status, answer = await server.ask("GET", f"/api/me/games{query}", token=token)
    assert status == 200, answer
    found: list[dict[str, Any]] = answer["games"]
    return found


async def states(server: ServerProcess, token: str) -> list[tuple[str, str]]:
    return [(each["room"], each["state"]) for each in await games(server, token)]


async def test_ones_games_over_a_kill_and_until_one_is_forgotten(
    start_server: StartServer, dial: Dial, tmp_path: Path
) -> None:
    server = await start_server("--keep-games", "1000", data=tmp_path / "data")
    id_, ann = await keep(server, NAME)
    _, ben = await keep(server, "Ben")
    for room, settings in (("den", {}), ("lair", {"public": False, "spectators": False})):
        x, o = await dial(server, room), await dial(server, room)
        await x.join(person=ann, settings=settings)
        await o.join(person=ben)
        await x.play(0, 4)

    async def is_ben_to_move() -> bool:
        return await states(server, ben) == [("lair", "turn"), ("den", "turn")]

    await eventually(is_ben_to_move)
    assert [state for _, state in await states(server, ann)] == ["running", "running"]
    _, page = await server.get(f"/api/people/{quote(NAME)}")
    assert [each["room"] for each in page["games"]] == ["den"], "the other room is private"

    x, o = await dial(server, "den"), await dial(server, "den")
    await o.join(person=ben, role="player")
    await x.join(person=ann, role="player")
    await o.send("resign", game=1)
    await o.until("update")
    await server.kill()
    server = await start_server("--keep-games", "1000", data=tmp_path / "data")

    async def is_over() -> bool:
        return ("den", "finished") in await states(server, ann)

    await eventually(is_over)
    found = await games(server, ann, "?state=finished")
    assert [(each["result"], each["opponent"]["name"]) for each in found] == [("won", "Ben")]
    assert await games(server, ann, "?opponent=nobody") == []

    status, record = await server.ask("GET", "/api/rooms/lair/games/1", token=ann)
    assert (status, record["seats"]["X"]["name"]) == (200, NAME), "from a device without the seat"
    _, kept = await server.ask("GET", "/api/me/export", token=ann)
    assert kept["person"]["name"] == NAME
    assert len(kept["games"]) == 2

    status, _ = await server.ask("DELETE", "/api/me", token=ann)
    assert status == 200
    status, _ = await server.ask("GET", "/api/me", token=ann)
    assert status == 401
    assert (await server.get(f"/api/people/{quote(NAME)}"))[0] == 404
    assert {each["opponent"]["name"] for each in await games(server, ben)} == {"somebody"}
    _, record = await server.get("/api/rooms/den/games/1")
    assert record["seats"]["X"]["name"] == "somebody"
    assert "person" not in record["seats"]["X"]
    await server.stop()
    data = tmp_path / "data"
    expected = "1 person, 2 games in their lists\n"
    for options in ((), ("--reindex",)):
        told = await asyncio.to_thread(people, "--data", str(data), *own_store(data), *options)
        assert told == expected
    for file in data.iterdir():
        assert NAME.encode() not in file.read_bytes(), file
        assert id_.encode() not in file.read_bytes(), file


async def test_a_host_who_wants_no_persons_has_no_pages_of_them(start_server: StartServer) -> None:
    server = await start_server("--persons", "no")
    for path in ("/me", "/people/Ann", "/api/me/games", "/api/people/Ann", "/api/me/export"):
        assert (await server.get(path))[0] == 404, path
