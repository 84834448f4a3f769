"""Commit, then tell: what was told of is there after a kill, once, in order, and legal.

`KILL_ROUNDS=100 KILL_GAMES=50 pytest -s tests/integration/test_durability.py -k kills` is the long
form of the first test; it takes some minutes.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable
from random import Random
from typing import Any

import pytest

from tests.integration.bots import NO_LIMITS, Bot
from tests.integration.programs import PATIENCE_S, Dial, ServerProcess, StartServer
from tests.integration.proxy import FaultProxy
from tests.integration.referee import judge, logs

ROUNDS = int(os.environ.get("KILL_ROUNDS", "5"))
GAMES = int(os.environ.get("KILL_GAMES", "20"))

KINDS: tuple[tuple[dict[str, Any], str | None], ...] = (
    ({}, None),
    ({"columns": 7, "rows": 6, "in_a_row": 4, "gravity": True}, None),
    ({"columns": 5, "rows": 5, "in_a_row": 5}, "lines"),
    ({}, "rules"),
    ({"columns": 4, "rows": 4, "in_a_row": 4}, "search"),
)
"""Of the rooms in turn: the rules, and who sits in O, where it is not another bot."""


@pytest.fixture
async def proxy(server: ServerProcess) -> AsyncIterator[FaultProxy]:
    async with FaultProxy(server.address) as proxy:
        yield proxy


def bots_of(server: ServerProcess, number: int, random: Random) -> list[Bot]:
    """Those who play in the room of this number."""
    rules, strategy = KINDS[number % len(KINDS)]
    settings: dict[str, object] = {"rules": rules, "pace_s": 0}
    if strategy is not None:
        settings["seats"] = {"O": {"strategy": strategy, "level": 0}}
        if strategy in {"lines", "rules"}:
            settings["seats"] = {"O": {"strategy": strategy}}
    count = 2 if strategy is None else 1
    room = f"game{number}"
    return [Bot(server.address, room, random, settings=settings) for _ in range(count)]


@pytest.mark.timeout(120 + 60 * ROUNDS)
@pytest.mark.heavy
async def test_kills_at_random_moments_lose_nothing_that_was_told(
    start_server: StartServer,
) -> None:
    random = Random()
    server = await start_server(*NO_LIMITS)
    rooms = [bots_of(server, number, random) for number in range(GAMES)]
    bots = [bot for room in rooms for bot in room]
    playing = [asyncio.create_task(bot.play()) for bot in bots]

    async def until_each(has: Callable[[Bot], bool]) -> None:
        """Waits until it is so for each bot; fails as soon as one of them does."""
        async with asyncio.timeout(PATIENCE_S * 3):
            while not all(map(has, bots)):
                done, _ = await asyncio.wait(playing, timeout=0.02)
                for task in done:
                    task.result()

    for round_ in range(1, ROUNDS + 1):
        # At least one move is made in each room after each restart: an AI's too, where it was its.
        before = {bot: bot.account.moves for bot in bots}
        await until_each(lambda bot: bot.account.moves > before[bot] + 1)  # noqa: B023
        await asyncio.sleep(random.uniform(0, 0.5))  # the moment is to be any
        await server.restart_after_kill()
        await until_each(lambda bot: bot.connections > round_)  # noqa: B023
    for task in playing:
        task.cancel()
    await asyncio.gather(*playing, return_exceptions=True)
    assert await server.stop() == 0

    found = logs(server.data)
    assert len(found) == GAMES
    told = 0
    for bot in bots:
        log = found[bot.room]
        judge(log)
        for seq, event in bot.account.events.items():
            assert log[seq - 1] == event, "what was told is what was kept"
            told += 1
    kept = sum(len(log) for log in found.values())
    sys.stdout.write(f"\n{ROUNDS} kills, {GAMES} rooms: {kept} events kept, {told} tellings\n")


async def test_a_lost_acknowledgement_is_settled_by_sending_the_same_again(
    server: ServerProcess, proxy: FaultProxy, dial: Dial
) -> None:
    ada, bob = await dial(proxy, "room42"), await dial(server, "room42")
    token = (await ada.join(name="ada"))["you"]["token"]
    await bob.join(name="bob")
    await ada.until("update")

    proxy.to_client.is_open.clear()
    await ada.send("play", game=1, ply=0, cell=4)
    kept = await bob.until_ply(1)  # committed; ada will never hear of it
    proxy.cut()
    await ada.close_code()
    proxy.heal()

    ada = await dial(proxy, "room42")
    await ada.join(token=token)
    await ada.send("play", game=1, ply=0, cell=4)
    answer = await ada.until("update")
    assert answer["events"] == []
    assert answer["room"]["seq"] == kept["room"]["seq"]
    assert answer["room"]["game"]["moves"] == [4]
    await bob.play(1, 0)
    assert (await ada.until_ply(2))["room"]["game"]["moves"] == [4, 0]


async def test_what_never_reached_the_server_is_played_when_it_is_sent_again(
    server: ServerProcess, proxy: FaultProxy, dial: Dial
) -> None:
    ada, bob = await dial(proxy, "room42"), await dial(server, "room42")
    token = (await ada.join(name="ada"))["you"]["token"]
    await bob.join(name="bob")
    await ada.until("update")
    proxy.blackhole()
    await ada.send("play", game=1, ply=0, cell=4)
    proxy.cut()
    await ada.close_code()
    proxy.heal()
    ada = await dial(proxy, "room42")
    assert (await ada.join(token=token))["room"]["game"]["moves"] == []
    assert (await ada.play(0, 4))["events"][0]["cell"] == 4
    await bob.until_ply(1)
