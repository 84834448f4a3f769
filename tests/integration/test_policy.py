"""Who may come in, who may watch, and how rooms end."""

import asyncio
import json

import pytest

from tests.integration.programs import Dial, Server, ServerProcess, StartServer, eventually
from tests.integration.test_http import request

pytestmark = pytest.mark.heavy


async def test_a_password_keeps_strangers_out(server: ServerProcess, dial: Dial) -> None:
    ada, bob, eve = [await dial(server, "vault") for _ in range(3)]
    first = await ada.join(name="ada", settings={"password": "sesame"})
    assert first["room"]["locked"] is True
    assert "sesame" not in json.dumps(first)
    assert (await bob.refusal("join"))["code"] == "wrong_password"
    assert (await bob.refusal("join", password="simsim"))["code"] == "wrong_password"
    assert (await eve.refusal("join", role="spectator"))["code"] == "wrong_password"
    await bob.join(name="bob", password="sesame")
    await eve.join(role="spectator", password="sesame")
    again = await dial(server, "vault")
    await again.join(token=first["you"]["token"])
    assert (await request(server, "GET /api/rooms/vault"))[0] == 403
    assert b"sesame" not in (server.data / "ttt.sqlite3").read_bytes()


async def test_hints_tell_what_each_cell_is_worth(
    shared: Server, room_name: str, dial: Dial
) -> None:
    ada, bob = await dial(shared, room_name), await dial(shared, room_name)
    await ada.join(name="ada", settings={"hints": True})
    await bob.join(name="bob")
    await ada.play(0, 0)
    assert (await ada.refusal("hint"))["code"] == "not_your_turn"
    await bob.until_ply(1)
    await bob.send("hint")
    hint = await bob.until("hint")
    assert hint["best"] == [4]
    assert hint["values"] == {str(cell): 0 if cell == 4 else -1 for cell in range(1, 9)}


async def test_a_game_can_be_read_again(shared: Server, room_name: str, dial: Dial) -> None:
    ada, bob = await dial(shared, room_name), await dial(shared, room_name)
    await ada.join(name="ada")
    await bob.join(name="bob")
    await ada.play(0, 4)
    await bob.send("resign", game=1)
    await ada.until_over()
    for member in (ada, bob):
        await member.send("offer", kind="rematch")
    await bob.until_ply(0, game=2)
    status, _, body = await request(shared, f"GET /api/rooms/{room_name}/games/1")
    game = json.loads(body)
    assert status == 200
    assert (game["room"], game["game"]) == (room_name, 1)
    assert game["seats"]["X"]["name"] == "ada"
    assert [event["type"] for event in game["events"]] == ["started", "played", "ended"]
    assert (await request(shared, f"GET /api/rooms/{room_name}/games/3"))[0] == 404
    assert (await request(shared, f"GET /api/rooms/{room_name}/games/one"))[0] == 404
    second = json.loads((await request(shared, f"GET /api/rooms/{room_name}/games/2"))[2])
    assert second["seats"]["X"]["name"] == "bob"


async def test_the_strategies_and_the_protocol_can_be_read(shared: Server) -> None:
    strategies = json.loads((await request(shared, "GET /api/strategies"))[2])["strategies"]
    assert {"minimax", "random", "rules"} <= {strategy["name"] for strategy in strategies}
    assert set(strategies[0]) == {"name", "levels", "about", "boards"}
    schema = json.loads((await request(shared, "GET /api/protocol.json"))[2])
    assert "command.play" in schema["$defs"]


async def test_a_room_out_of_memory_is_back_with_the_next_join(
    start_server: StartServer, dial: Dial
) -> None:
    server = await start_server("--room-idle-s", "0.05")
    ada, bob = await dial(server, "sleepy"), await dial(server, "sleepy")
    token = (await ada.join(name="ada"))["you"]["token"]
    await bob.join(name="bob")
    await ada.play(0, 4)
    for member in (ada, bob):
        await member.socket.close()
    while json.loads((await soon(server, "GET /api/rooms"))[2])["rooms"]:
        pass
    ada = await dial(server, "sleepy")
    assert (await ada.join(token=token))["room"]["game"]["moves"] == [4]


async def test_an_unfinished_room_that_was_left_is_ended(
    start_server: StartServer, dial: Dial
) -> None:
    server = await start_server("--room-abandon-s", "0.05")
    ada, bob = await dial(server, "left"), await dial(server, "left")
    token = (await ada.join(name="ada"))["you"]["token"]
    await bob.join(name="bob")
    for member in (ada, bob):
        await member.socket.close()
    path = "GET /api/rooms/left"
    while (room := json.loads((await soon(server, path))[2]))["status"] != "finished":
        pass
    assert room["game"]["outcome"]["reason"] == "abandonment"
    ada = await dial(server, "left")
    assert (await ada.join(token=token))["room"]["status"] == "finished"


async def test_a_room_with_nothing_and_nobody_in_it_vanishes(
    server: ServerProcess, dial: Dial
) -> None:
    ada = await dial(server, "gone")
    await ada.join(name="ada", settings={"rules": {"columns": 5, "rows": 5, "in_a_row": 4}})
    await ada.send("leave")
    assert await ada.close_code() == 1000
    while (await soon(server, "GET /api/rooms/gone"))[0] != 404:
        pass
    bob = await dial(server, "gone")
    welcome = await bob.join(name="bob", settings={"rules": {"columns": 3}})
    assert welcome["room"]["seq"] == 2


async def soon(server: ServerProcess, path: str) -> tuple[int, dict[str, str], str]:
    """The answer in a moment: each request is a connection, and they are counted."""
    await asyncio.sleep(0.02)
    return await request(server, path)


async def test_a_room_in_which_nothing_was_played_is_deleted(
    start_server: StartServer, dial: Dial
) -> None:
    server = await start_server(
        *("--forget-unplayed-after", "1s", "--room-idle-s", "0.1"),
        before="from ttt_server.storage import retention; retention.SWEEP_EVERY_S = 0.2",
    )
    ada, bob, eve = [await dial(server, room) for room in ("played", "played", "unplayed")]
    for each in (ada, bob, eve):
        await each.join()
    await ada.play(0, 4)
    for each in (ada, bob, eve):
        await each.socket.close()

    async def is_gone() -> bool:
        return (await server.get("/api/rooms/unplayed"))[0] == 404

    await eventually(is_gone)
    assert (await server.get("/api/rooms/played"))[0] == 200
