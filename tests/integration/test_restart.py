"""What a kill -9 of the server loses: nothing that was told."""

import asyncio

from tests.integration.programs import Dial, Message, ServerProcess, StartServer


async def test_a_game_goes_on_after_the_server_was_killed(
    server: ServerProcess, dial: Dial
) -> None:
    ada, bob = await dial(server, "room42"), await dial(server, "room42")
    tokens = [
        (await ada.join(name="ada"))["you"]["token"],
        (await bob.join(name="bob"))["you"]["token"],
    ]
    await ada.play(0, 4)
    await bob.until_ply(1)
    before = (await bob.play(1, 0))["room"]

    await server.restart_after_kill()

    ada, bob = await dial(server, "room42"), await dial(server, "room42")
    after = (await ada.join(token=tokens[0]))["room"]
    await bob.join(token=tokens[1])
    assert after["game"] == before["game"]
    assert after["seq"] == before["seq"]
    assert (await ada.play(2, 8))["room"]["seq"] == before["seq"] + 1
    assert (await bob.until_ply(3))["room"]["game"]["moves"] == [4, 0, 8]


async def test_an_ai_whose_turn_it_was_moves_once(start_server: StartServer, dial: Dial) -> None:
    server = await start_server()
    ada = await dial(server, "ai")
    settings = {"seats": {"O": {"strategy": "rules"}}, "pace_s": 0.5}
    token = (await ada.join(name="ada", settings=settings))["you"]["token"]
    await ada.play(0, 0)  # the AI answers half a second later; we do not wait

    await server.restart_after_kill()

    ada = await dial(server, "ai")
    await ada.join(token=token)
    assert (await ada.until_ply(2))["room"]["game"]["moves"] == [0, 4]
    await ada.play(2, 1)
    assert (await ada.until_ply(4))["room"]["game"]["moves"] == [0, 4, 1, 2]


async def test_no_acknowledged_move_is_lost_when_killed_under_load(
    start_server: StartServer, dial: Dial
) -> None:
    server = await start_server()
    rules = {"columns": 19, "rows": 19, "in_a_row": 19}
    names = [f"load{number}" for number in range(10)]
    seen: dict[str, Message] = {}
    tokens: dict[str, list[str]] = {name: [] for name in names}

    async def play_on(name: str) -> None:
        """Moves without end; `seen` holds the last state that either was told."""
        ada, bob = await dial(server, name), await dial(server, name)
        for member in (ada, bob):
            welcome = await member.join(settings={"rules": rules})
            tokens[name].append(welcome["you"]["token"])
        for ply in range(361):
            update = await (ada, bob)[ply % 2].play(ply, ply)
            seen[name] = update["room"]
            await (bob, ada)[ply % 2].until_ply(ply + 1)

    for _ in range(3):
        seen.clear()
        games = [asyncio.create_task(play_on(name)) for name in names]
        while sum(room["game"]["ply"] for room in seen.values()) < 100:
            await asyncio.wait(games, timeout=0.01)
        await server.restart_after_kill()
        await asyncio.gather(*games, return_exceptions=True)
        for name, room in seen.items():
            member = await dial(server, name)
            after = (await member.join(token=tokens[name][0]))["room"]
            told = room["game"]["moves"]
            assert after["game"]["moves"][: len(told)] == told
            assert len(after["game"]["moves"]) <= len(told) + 1
            assert after["seq"] >= room["seq"]
            await member.send("leave")
        names = [name + "x" for name in names]
        tokens = {name: [] for name in names}
