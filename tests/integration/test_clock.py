"""Games on the clock, over real sockets."""

import asyncio
import time

from tests.integration.programs import Dial, Message, Server, ServerProcess, StartServer

BLITZ = {"initial_s": 2, "increment_s": 0.2}
SLOW = {"initial_s": 60, "increment_s": 1}


async def test_the_flag_falls_without_anyone_sending_anything(
    shared: Server, room_name: str, dial: Dial
) -> None:
    ada, bob = await dial(shared, room_name), await dial(shared, room_name)
    await ada.join(name="ada", settings={"clock": BLITZ})
    room = (await bob.join(name="bob"))["room"]
    assert room["game"]["clock"]["running"] == "X"
    assert room["game"]["clock"]["O"] == 2000
    await ada.play(0, 4)
    update = await bob.until_over()
    assert [event["type"] for event in update["events"]] == ["ended"]
    assert update["room"]["game"]["outcome"] == {"winner": "X", "reason": "timeout", "line": None}
    clock = update["room"]["game"]["clock"]
    assert clock["O"] == 0
    assert 0 < clock["X"] <= 2200
    assert clock["running"] is None
    late = await bob.refusal("play", game=1, ply=1, cell=0)
    assert late["code"] == "game_over"
    assert late["room"]["seq"] == update["room"]["seq"]


async def test_a_move_gains_the_increment(shared: Server, room_name: str, dial: Dial) -> None:
    ada, bob = await dial(shared, room_name), await dial(shared, room_name)
    await ada.join(name="ada", settings={"clock": SLOW})
    await bob.join(name="bob")
    clock = (await ada.play(0, 4))["room"]["game"]["clock"]
    assert 60_000 < clock["X"] <= 61_000
    assert clock["O"] <= 60_000
    assert clock["running"] == "O"


async def test_the_time_that_a_server_was_down_is_charged_to_nobody(
    server: ServerProcess, dial: Dial
) -> None:
    ada, bob = await dial(server, "down"), await dial(server, "down")
    token = (await ada.join(name="ada", settings={"clock": BLITZ}))["you"]["token"]
    await bob.join(name="bob")
    await ada.play(0, 4)
    await server.kill()
    await asyncio.sleep(BLITZ["initial_s"])  # longer than the whole game may take
    await server.start()
    ada = await dial(server, "down")
    room = (await ada.join(token=token))["room"]
    assert room["status"] == "playing"
    assert room["game"]["clock"]["O"] > 300


async def test_an_ai_plays_on_the_clock_too(shared: Server, room_name: str, dial: Dial) -> None:
    ada = await dial(shared, room_name)
    settings = {"clock": SLOW, "seats": {"O": {"strategy": "minimax"}}}
    await ada.join(name="ada", settings=settings)
    await ada.play(0, 4)
    clock = (await ada.until_ply(2))["room"]["game"]["clock"]
    assert clock["running"] == "X"
    assert clock["O"] > 55_000


ASLEEP_S = 4


async def test_the_time_that_a_server_slept_is_given_back(
    start_server: StartServer, dial: Dial
) -> None:
    server = await start_server("--lease-s", "10")  # of its rooms in PostgreSQL: it keeps them
    began = time.monotonic()
    ada, bob = await dial(server, "slept"), await dial(server, "slept")
    clock = {"initial_s": 60, "increment_s": 0}
    token = (await ada.join(name="ada", settings={"clock": clock}))["you"]["token"]
    await bob.join(name="bob")
    with server.suspended():
        await asyncio.sleep(ASLEEP_S)
    slept: Message = {"given_back_ms": 0}
    while slept["given_back_ms"] < (ASLEEP_S - 2) * 1000:  # a busy machine may hold it up, too
        for event in (await bob.until("update"))["events"]:
            slept = event if event["type"] == "slept" else slept
    passed_ms = (time.monotonic() - began) * 1000
    assert (slept["game"], slept["seat"]) == (1, "X")
    assert slept["given_back_ms"] <= passed_ms
    assert 60_000 - passed_ms + slept["given_back_ms"] - 1 <= slept["clock"]["X"] < 60_000

    await server.kill()
    assert "the server slept" in await server.log()
    began = time.monotonic()
    await server.start()
    ada = await dial(server, "slept")
    left = (await ada.join(token=token))["room"]["game"]["clock"]["X"]
    passed_ms = (time.monotonic() - began) * 1000
    assert slept["clock"]["X"] - passed_ms <= left <= slept["clock"]["X"]
