"""Fair openings over sockets: both kinds, a kill in the middle of a choice, AIs, the record."""

import asyncio
import shlex
import sys
from typing import Any

import pytest

from tests.integration.players import Run
from tests.integration.programs import (
    PATIENCE_S,
    Dial,
    Message,
    Server,
    ServerProcess,
    SharedServer,
    SimpleClient,
)
from tests.integration.test_bot import BOTS

pytestmark = pytest.mark.heavy

GOMOKU = {"columns": 15, "rows": 15, "in_a_row": 5, "exact": True}
STONES = 112, 128, 83


async def pair(
    dial: Dial, server: Server, room: str, **settings: Any
) -> tuple[list[SimpleClient], list[str]]:
    """Ada in X and Bob in O, and their tokens."""
    clients, tokens = [], []
    for name in "ada", "bob":
        client = await dial(server, room)
        welcome = await client.join(name=name, settings=settings)
        clients.append(client)
        tokens.append(welcome["you"]["token"])
    return clients, tokens


async def back(
    dial: Dial, server: Server, room: str, tokens: list[str]
) -> tuple[list[SimpleClient], Message]:
    """Both players with their tokens, and the state that the last is welcomed with."""
    clients, state = [], {}
    for token in tokens:
        clients.append(await dial(server, room))
        state = (await clients[-1].join(token=token))["room"]
    return clients, state


def acting(room: Message) -> tuple[str | None, str | None, list[str] | None]:
    game = room["game"]
    return game["turn"], game.get("choosing"), game.get("choices")


def names(room: Message) -> list[str]:
    return [room["seats"][seat]["name"] for seat in "XO"]


async def chosen(client: SimpleClient, ply: int, choice: str) -> Message:
    await client.send("choose", game=1, ply=ply, choice=choice)
    room: Message = (await client.until_event("chosen"))["room"]
    return room


async def test_choices_outlive_a_kill(server: ServerProcess, dial: Dial) -> None:
    (ada, bob), pie = await pair(dial, server, "pie", opening="pie")
    await ada.play(0, 4)
    (eve, dan), swap2 = await pair(dial, server, "swap2", opening="swap2", rules=GOMOKU)
    for ply, cell in enumerate(STONES):
        update = await eve.play(ply, cell)
        assert update["events"][0]["seat"] == "X"

    await server.restart_after_kill()

    (ada, bob), room = await back(dial, server, "pie", pie)
    assert acting(room) == ("O", "O", ["stay", "swap"])
    room = await chosen(bob, 1, "swap")
    assert (names(room), acting(room)) == (["bob", "ada"], ("O", None, None))
    (eve, dan), room = await back(dial, server, "swap2", swap2)
    assert acting(room) == ("O", "O", ["stay", "swap", "more"])
    assert acting(await chosen(dan, 3, "more")) == ("O", None, None)
    for ply, cell in (3, 97), (4, 100):
        await dan.play(ply, cell)
    await eve.until_ply(5)

    await server.restart_after_kill()

    (ada, bob), room = await back(dial, server, "pie", pie)
    assert (names(room), acting(room)) == (["bob", "ada"], ("O", None, None))
    await bob.send("choose", game=1, ply=1, choice="swap")  # whose answer was lost
    again = await bob.until("update")
    assert (again["events"], again["room"]["seq"]) == ([], room["seq"])
    await ada.play(1, 0)
    (eve, dan), room = await back(dial, server, "swap2", swap2)
    assert acting(room) == ("X", "X", ["stay", "swap"])
    room = await chosen(eve, 5, "swap")
    assert (names(room), acting(room)) == (["bob", "ada"], ("O", None, None))
    room = (await eve.play(5, 0))["room"]
    assert (room["game"]["board"][0], acting(room)) == ("O", ("X", None, None))

    status, record = await server.get("/api/rooms/swap2/games/1")
    assert status == 200
    kinds = [event["type"] for event in record["events"]]
    played = ["played"]
    assert kinds == ["started", *played * 3, "chosen", *played * 2, "chosen", "played"]
    assert [record["seats"][seat]["name"] for seat in "XO"] == ["ada", "bob"]
    assert record["rules"]["exact"] is True


async def test_a_client_that_knows_no_openings_is_told_why_it_waits(
    shared: Server, room_name: str, dial: Dial
) -> None:
    (ada, bob), _ = await pair(dial, shared, room_name, opening="pie")
    await ada.play(0, 4)
    await bob.until_ply(1)
    refused = await bob.refusal("play", game=1, ply=1, cell=0)
    assert (refused["code"], refused["reason"]) == ("not_allowed", "choose first: stay or swap")
    refused = await ada.refusal("play", game=1, ply=1, cell=0)
    assert (refused["code"], refused["reason"]) == (
        "not_your_turn",
        "the other player chooses first",
    )
    other = await dial(shared, f"{room_name}-2")
    refused = await other.refusal("join", settings={"opening": "swap2"})
    assert refused["code"] == "bad_command"
    assert "settings.opening: swap2 needs 4 in a row" in refused["reason"]


async def test_a_bot_chooses(shared: SharedServer, room_name: str, dial: Dial, run: Run) -> None:
    ada = await dial(shared, room_name)
    await ada.join(name="ada", settings={"opening": "pie"})
    chance = shlex.join([sys.executable, "-S", str(BOTS / "chance.py")])
    bot = await run("--server", shared.address, "bot", room_name, "--exec", chance)
    await ada.until_event("started")
    await ada.play(0, 4)
    room = (await ada.until_event("chosen"))["room"]
    assert room["seats"]["X"] is not None
    await ada.send("resign", game=1)
    await ada.until_over()
    async with asyncio.timeout(PATIENCE_S):
        out, err = await bot.process.communicate()
    assert (bot.process.returncode, err) == (0, b"")
    assert b", game 1: won as " in out


@pytest.mark.parametrize("opening", ["pie", "swap2"])
@pytest.mark.parametrize("strategy", ["search", "lines"])
@pytest.mark.parametrize("ai", ["X", "O"])
async def test_an_ai_opens_in_either_seat(
    shared: Server, room_name: str, dial: Dial, opening: str, strategy: str, ai: str
) -> None:
    ada = await dial(shared, room_name)
    settings = {
        "seats": {ai: {"strategy": strategy, "level": 0}},
        "rules": GOMOKU,
        "opening": opening,
    }
    room = (await ada.join(name="ada", settings=settings))["room"]
    cells = iter(STONES)
    acts = 0
    while room["game"]["ply"] < 7:
        own = "X" if room["seats"]["X"]["kind"] == "human" else "O"
        game = room["game"]
        if own == game.get("choosing"):
            await ada.send("choose", game=1, ply=game["ply"], choice=game["choices"][-1])
            acts += 1
        elif own == game["turn"]:
            free = game["board"].index(".")
            cell = next((cell for cell in cells if game["board"][cell] == "."), free)
            await ada.send("play", game=1, ply=game["ply"], cell=cell)
            acts += 1
        room = (await ada.until("update"))["room"]
        assert room["status"] == "playing"
    assert acts > 2
