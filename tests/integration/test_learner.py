"""The learner of a server: what it sees, keeps over a kill, and does with it."""

import asyncio
import json
import os
import pty
from asyncio.subprocess import PIPE
from random import Random
from typing import Any

import pytest

from tests.integration.programs import (
    PATIENCE_S,
    Dial,
    Message,
    ServerProcess,
    SimpleClient,
    StartServer,
    environment,
    program,
)
from tests.integration.referee import logs

pytestmark = pytest.mark.heavy

LEARNER = {"strategy": "learner"}


async def learner(server: ServerProcess, *arguments: str) -> tuple[int, str, str]:
    """`ttt-server learner` on the server's folder: its exit status and what it says."""
    process = await asyncio.create_subprocess_exec(
        *(program("ttt-server"), "learner", "--data", str(server.data), *arguments),
        stdout=PIPE,
        stderr=PIPE,
        env=environment(),
    )
    async with asyncio.timeout(PATIENCE_S):
        out, err = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


async def known(server: ServerProcess, *arguments: str) -> dict[str, Any]:
    status, out, err = await learner(server, "--json", *arguments)
    assert (status, err) == (0, ""), err
    answer: dict[str, Any] = json.loads(out)
    return answer


async def two(dial: Dial, server: ServerProcess, room: str, **settings: Any) -> list[SimpleClient]:
    """X and O of a new room."""
    ada, bob = await dial(server, room), await dial(server, room)
    await ada.join(name="ada", settings=settings)
    await bob.join(name="bob")
    return [ada, bob]


async def play(players: list[SimpleClient], *cells: int, game: int = 1) -> None:
    for ply, cell in enumerate(cells):
        await players[ply % 2].play(ply, cell, game)
        await players[1 - ply % 2].until_ply(ply + 1, game)


async def test_every_game_is_counted_once_whatever_happens_to_the_server(
    server: ServerProcess, dial: Dial
) -> None:
    players = await two(dial, server, "series")
    await play(players, 0, 3, 1, 4)
    await players[1].send("offer", kind="takeback")
    await players[0].until_event("offered")
    await players[0].send("accept", kind="takeback")
    await players[1].until_ply(3)
    await players[1].play(3, 8)
    await players[0].until_ply(4)
    await players[0].play(4, 2)  # X wins

    await players[0].send("offer", kind="rematch")
    await players[1].until_event("offered")  # the end of the game may still be unread
    await players[1].send("accept", kind="rematch")
    players.reverse()  # they change sides
    for player in players:
        await player.until_ply(0, 2)
    await players[0].send("resign", game=2)  # before the first move
    await players[1].until_over()

    wide = await two(dial, server, "wide", rules={"columns": 4, "rows": 3, "in_a_row": 3})
    await play(wide, 0, 4, 1, 5, 2)  # on another board: nothing to learn here
    running = await two(dial, server, "running")
    await play(running, 0, 4, 8)  # and this one has not ended

    await server.kill()
    seen = await known(server)
    assert (seen["games"], seen["whole_games"]) == (1, 1), "of a resignation it learns nothing"
    assert await known(server, "--rebuild") == seen

    await server.start()
    status, _, err = await learner(server)
    assert status == 1
    assert err.endswith("another server is using it\n")
    assert err.count("\n") == 1
    more = await two(dial, server, "more")
    await play(more, 0, 4, 8, 2, 6, 3, 7)
    await server.kill()
    assert (await known(server))["games"] == 2
    assert (await known(server, "--forget-since", "2020-01-01"))["forgotten"] == 2
    assert (await known(server))["games"] == 0


async def test_two_addresses_teach_it_twenty_games_an_hour(
    server: ServerProcess, dial: Dial
) -> None:
    eve = await dial(server, "series")
    seats = {"X": {"strategy": "rules"}, "O": {"strategy": "random"}}
    settings = {"seats": seats, "games": 50, "pace_s": 0}
    room = (await eve.join(role="spectator", settings=settings))["room"]
    while room["game"]["number"] < 50 or room["status"] != "finished":
        room = (await eve.until("update"))["room"]
    assert await server.stop() == 0  # one that is killed forgets which of the last games count
    assert (await known(server))["games"] == 20


NO_LIMIT = "from ttt_server.limits import lessons; lessons.LESSONS = 10 ** 6"

SERIES = {
    "seats": {"X": {"strategy": "rules"}, "O": {"strategy": "random"}},
    "games": 40,
    "pace_s": 0.02,
}


async def test_games_are_counted_once_over_kills_at_any_moment(
    start_server: StartServer, dial: Dial
) -> None:
    random = Random()
    server = await start_server(before=NO_LIMIT)
    for round_ in range(4):
        for number in range(5):
            eve = await dial(server, f"series{number}")
            await eve.join(role="spectator", settings=SERIES)
        if round_:
            await asyncio.sleep(random.uniform(0.2, 1.5))
        else:
            await asyncio.sleep(1)
        await server.restart_after_kill()
    await server.kill()
    played = sum(map(lessons_in, logs(server.data).values()))
    assert played > 10
    seen = await known(server)
    assert seen["games"] == played
    assert await known(server, "--rebuild") == seen


def lessons_in(log: list[Message]) -> int:
    ends = (event["outcome"]["reason"] for event in log if event["type"] == "ended")
    return sum(reason in {"line", "full"} for reason in ends)


CORNERS = {0, 2, 6, 8}
RANDOM = "random"


async def first_move(dial: Dial, server: ServerProcess, room: str) -> Message:
    """Of a learner in X."""
    ada = await dial(server, room)
    await ada.join(name="ada", settings={"seats": {"X": LEARNER}})
    move: Message = (await ada.until_ply(1))["events"][-1]
    return move


async def test_it_does_again_what_won_and_remembers_it_over_a_kill(
    server: ServerProcess, dial: Dial
) -> None:
    before = await first_move(dial, server, "one")
    assert before["reason"] == "random"
    await play(await two(dial, server, "won"), 0, 3, 1, 4, 2)
    for room in ("two", "three"):
        async with asyncio.timeout(5):
            number = 0
            while (again := await first_move(dial, server, f"{room}{number}"))[
                "reason"
            ] == "random":
                number += 1
                await asyncio.sleep(0.2)  # an address may make only so many rooms
        assert again["reason"] == "pursue a win"
        assert again["cell"] in CORNERS
        await server.restart_after_kill()


async def test_a_bar_grows_on_a_terminal_while_it_trains(start_server: StartServer) -> None:
    server = await start_server()
    await server.stop()
    terminal, screen = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *(program("ttt-server"), "learner", "--data", str(server.data)),
        *("--train", "30", "--against", "random", "--json"),
        stdout=PIPE,
        stderr=screen,
        env=environment(TERM="xterm", COLUMNS="80"),
    )
    os.close(screen)
    async with asyncio.timeout(PATIENCE_S):
        out, _ = await process.communicate()
    shown = os.read(terminal, 65536)
    os.close(terminal)
    assert json.loads(out)["games"] == 30
    assert b"0 of 30 games" in shown
    assert shown.endswith(b"\r\x1b[K"), "and is gone"


async def test_the_page_offers_it(server: ServerProcess) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(b"GET /api/strategies HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    async with asyncio.timeout(PATIENCE_S):
        answer = await reader.read()
    writer.close()
    strategies = json.loads(answer.partition(b"\r\n\r\n")[2])["strategies"]
    found = next(one for one in strategies if one["name"] == "learner")
    assert found["boards"] == "3x3 without gravity"
    assert found["levels"] is False
