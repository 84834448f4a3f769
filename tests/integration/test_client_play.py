"""The search for an opponent: two who want the same meet, and an AI plays where nobody comes."""

import re

from tests.integration.players import Run
from tests.integration.programs import ServerProcess, StartServer, program
from tests.integration.terminal import Terminal
from tests.integration.test_tui import Open, open_terminal

__all__ = ["open_terminal"]


async def test_two_who_want_the_same_board_meet(
    server: ServerProcess, run: Run, open_terminal: Open
) -> None:
    asked = "--name eve play --rules 4x4x4 --opening pie"
    eve = await run("--server", server.address, *asked.split())
    await eve.until("looking for a player who wants the same: 4x4, 4 in a row; opening: pie")
    ada = await open_terminal("play", "--rules", "7x6x4g")
    await ada.shows("looking for a player: 7x6, 4 in a row, pieces fall", "● live")
    bob = await run("--server", server.address, "--name", "bob", "play", "--rules", "7x6x4g")
    await bob.until("found an opponent")
    await bob.type("1")  # at once, or after ada's move: the seats are drawn by lot
    await ada.shows("YOUR TURN", "bob")
    ada.type("4")
    await bob.until("ada .[XO]. played d6")
    ada.type("qy")
    assert await ada.status() == 0
    ada.assert_restored()
    kept = re.search(r"ttt-client (join quick-\w+) takes it back", ada.text)
    assert kept, ada.text
    again = await open_terminal(*kept[1].split())
    await again.shows("ada (you)", "bob", "d6")


async def test_an_ai_plays_where_no_player_comes(start_server: StartServer, run: Run) -> None:
    server = await start_server("--quick-wait-s", "0.1")
    ada = await run("--server", server.address, "--name", "ada", "play")
    await ada.until(r"looking for a player who wants the same: 3x3, 3 in a row\n")
    await ada.until(r"an AI .*would play")
    await ada.until(r"your turn, X|ada's turn|your turn")
    await ada.type("resign")
    status, out, _ = await ada.end()
    assert (status, "you lost: by resignation" in out) == (0, True)


async def test_a_player_at_a_screen_is_asked_whether_the_ai_plays(
    start_server: StartServer,
) -> None:
    server = await start_server("--quick-wait-s", "0.1")
    ada = Terminal()
    try:
        await ada.start(program("ttt-client"), "--server", server.address, "play")
        await ada.shows("no player yet: an AI (", ") would play", "y play it")
        ada.type("y")
        await ada.shows("AI: ", "3x3, 3 in a row  game 1")
    finally:
        await ada.close()
