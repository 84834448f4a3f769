"""The list of rooms, the replay and the colours, on real terminals."""

import re

import pytest

from tests.integration.programs import Dial, ServerProcess
from tests.integration.test_tui import Open, open_terminal

pytestmark = pytest.mark.heavy

__all__ = ["open_terminal"]


async def test_a_room_is_found_by_a_filter_and_another_is_made(
    server: ServerProcess, dial: Dial, open_terminal: Open
) -> None:
    for number in range(12):
        (await dial(server, f"table{number}"), await dial(server, f"den{number}"))
        await (await dial(server, f"table{number}")).join(name="bob")
    ada = await open_terminal()
    await ada.shows("rooms 1 of 12", "table0")
    ada.type("/table11")
    await ada.shows("rooms 1 of 1", "filter: table11")
    ada.type("\r\r")
    await ada.shows("table11  3x3", "bob's turn (X)", "ada (you)")
    ada.type("qy")
    await ada.shows("rooms 1 of 1", "your seat is kept")
    ada.type("\x15c")
    await ada.shows("opponent    people")
    ada.type("My Room\r")
    await ada.shows("my-room  3x3", "waiting for another player")
    ada.type("q")
    await ada.shows("of 13")
    ada.type("?")
    await ada.shows("w: watch; c: make a room")
    ada.type("qq")
    assert await ada.status() == 0
    ada.assert_restored()


async def test_other_games_are_shown_and_played(
    server: ServerProcess, dial: Dial, open_terminal: Open
) -> None:
    players = [await dial(server, "den"), await dial(server, "den")]
    for player in players:
        await player.join()
    for number in (1, 2):
        await players[number - 1].play(0, 4, number)
        await players[0].send("resign", game=number)
        await players[1].until_over()
        if number == 1:
            for player in players:
                await player.send("offer", kind="rematch")
            await players[1].until_ply(0, 2)
    ada = await open_terminal("replay", f"http://127.0.0.1:{server.port}/rooms/den", "2")
    await ada.shows("game 2", "● 1/1")
    ada.type("[")
    await ada.shows("game 1", "● 1/1")
    ada.type("]")
    await ada.shows("game 2")
    ada.type("]")
    await ada.shows("no such game")
    ada.type("\x1b[H ")
    await ada.shows(" 1/1", never="no such game")
    ada.type("q")
    assert await ada.status() == 0


async def test_a_light_background_has_its_own_colours(open_terminal: Open) -> None:
    ada = await open_terminal("join", "den", "--vs", "rules")
    await ada.shows("YOUR TURN")
    assert b"\x1b]11;?\x07" in ada.written
    before = len(ada.written)
    ada.type("\x1b]11;rgb:fdfd/f6f6/e3e3\x1b\\")
    ada.type("5")
    await ada.shows("last move: O")
    written = ada.written[before:].decode()
    assert re.search(r"\x1b\[[0-9;]*34;1m", written), "blue"
    assert not re.search(r"\x1b\[[0-9;]*32;1m", written), "no green"
    assert b"90m" not in ada.written, "nothing is bright black"
