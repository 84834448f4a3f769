"""AI seats, over real sockets."""

import asyncio
import os
import signal
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.integration.programs import (
    PATIENCE_S,
    Dial,
    Message,
    Server,
    ServerProcess,
    StartServer,
)

MINIMAX = {"strategy": "minimax", "level": 9}


def legal(room: Message) -> list[int]:
    return [cell for cell, mark in enumerate(room["game"]["board"]) if mark == "."]


@pytest.mark.parametrize("human", ["X", "O"])
async def test_minimax_answers_and_never_loses(
    shared: Server, room_name: str, dial: Dial, human: str
) -> None:
    random = Random(human)
    ai = "O" if human == "X" else "X"
    ada = await dial(shared, room_name)
    welcome = await ada.join(name="ada", settings={"seats": {ai: MINIMAX}})
    assert welcome["you"]["seat"] == human
    assert welcome["room"]["seats"][ai] == {
        "kind": "ai",
        "id": None,
        "name": "minimax",
        "strategy": "minimax",
        "level": 9,
        "connected": True,
    }
    room = welcome["room"]
    for game in range(1, 6):
        while room["status"] == "playing":
            if room["game"]["turn"] == room_seat(room, "ada"):
                cell = random.choice(legal(room))
                await ada.send("play", game=game, ply=room["game"]["ply"], cell=cell)
            update = await ada.until("update")
            room = update["room"]
            for event in update["events"]:
                if event["type"] == "played" and event["seat"] != room_seat(room, "ada"):
                    assert event["reason"]
        assert room["game"]["outcome"]["winner"] != room_seat(room, "ada")
        await ada.send("offer", kind="rematch")  # an AI accepts at once
        while room["game"]["number"] == game:
            room = (await ada.until("update"))["room"]


def room_seat(room: Message, name: str) -> str:
    return "X" if room["seats"]["X"]["name"] == name else "O"


async def test_two_ais_play_their_series_before_a_spectator(
    shared: Server, room_name: str, dial: Dial
) -> None:
    eve = await dial(shared, room_name)
    seats = {"X": {"strategy": "rules"}, "O": MINIMAX}
    settings: dict[str, Any] = {"seats": seats, "games": 3, "pace_s": 0.01}
    room = (await eve.join(name="eve", role="spectator", settings=settings))["room"]
    outcomes: list[Message] = []
    while len(outcomes) < 3:
        update = await eve.until("update")
        room = update["room"]
        outcomes += [e["outcome"] for e in update["events"] if e["type"] == "ended"]

    assert room["game"]["number"] == 3
    assert sum(room["score"].values()) == 3
    assert room["seats"]["X"]["name"] == "rules"  # changed twice
    player = await dial(shared, room_name)
    assert (await player.refusal("join"))["code"] == "room_full"


async def test_a_slow_thinker_holds_nobody_up(start_server: StartServer, dial: Dial) -> None:
    server = await start_server("--workers", "1")
    slow, ada, bob = await dial(server, "slow"), await dial(server, "quick"), None
    await slow.join(
        settings={
            "rules": {"columns": 4, "rows": 3, "in_a_row": 4},
            "seats": {"X": {"strategy": "minimax", "level": 9}},
        }
    )
    room = (await slow.until_ply(1))["room"]
    for _ in range(2):  # after four moves the rest is searched
        await slow.send("play", game=1, ply=room["game"]["ply"], cell=legal(room)[0])
        room = (await slow.until_ply(room["game"]["ply"] + 2))["room"]
    bob = await dial(server, "quick")
    await ada.join(name="ada")
    await bob.join(name="bob")
    await ada.play(0, 4)
    assert room["game"]["moves"]


async def test_an_unknown_strategy_is_refused_with_the_names_that_exist(
    shared: Server, room_name: str, dial: Dial
) -> None:
    ada = await dial(shared, room_name)
    refused = await ada.refusal("join", settings={"seats": {"O": {"strategy": "zap"}}})
    assert refused["code"] == "unknown_strategy"
    assert "minimax" in refused["reason"]
    assert "zap" not in refused["reason"]


BRUTE = {
    "rules": {"columns": 4, "rows": 3, "in_a_row": 4},
    "seats": {"X": {"strategy": "brute"}},
}
"""Its first thought takes more than half a second of the processor."""


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
async def test_a_worker_that_is_killed_while_it_thinks_costs_no_game(
    server: ServerProcess, dial: Dial
) -> None:
    ada = await dial(server, "killed")
    await ada.join(name="ada", settings=BRUTE)
    os.kill(await thinking_worker(server), signal.SIGKILL)
    room = (await ada.until_ply(1))["room"]
    assert room["game"]["outcome"] is None
    await ada.play(1, legal(room)[0])


async def thinking_worker(server: ServerProcess) -> int:
    """The process id of a worker, once it has thought for a while."""
    async with asyncio.timeout(PATIENCE_S):
        while not (found := workers_at_work(server.process.pid)):  # noqa: ASYNC110 - a process
            await asyncio.sleep(0.05)
    return found[0]


def workers_at_work(parent: int) -> list[int]:
    """Those that have taken a quarter of a second of the processor: they think."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_text()
            fields = (process / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        seconds = int(fields[11]) / os.sysconf("SC_CLK_TCK")
        if int(fields[1]) == parent and "ai.worker" in command and seconds > 0.25:
            found.append(int(process.name))
    return found
