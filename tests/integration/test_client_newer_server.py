"""Every client of today plays a game on a server of tomorrow."""

import json

from tests.integration.newer_server import NewerServer
from tests.integration.players import Run
from tests.integration.programs import Dial, ServerProcess
from tests.integration.test_tui import Open, bob_in, open_terminal

__all__ = ["open_terminal"]


async def test_the_full_screen_plays_on(
    server: ServerProcess, dial: Dial, open_terminal: Open
) -> None:
    async with NewerServer(server.address) as newer:
        ada = await open_terminal("--server", newer.address, "join", "room42", "--seat", "X")
        await ada.shows("waiting")
        bob = await bob_in(dial, server, "room42")
        for ply, (cell, answer) in enumerate([("5", 0), ("3", 1)]):
            await ada.shows("YOUR TURN")
            ada.type(cell)
            await bob.until_ply(2 * ply + 1)
            await bob.play(2 * ply + 1, answer)
            await ada.shows("YOUR TURN", f"last move: O at {answer + 1}")
        ada.type("7")
        await ada.shows("you won: a line, 3 5 7")


async def test_lines_and_json_play_on(server: ServerProcess, run: Run) -> None:
    async with NewerServer(server.address) as newer:
        to = ("--server", newer.address)
        ada = await run(*to, "--name", "ada", "join", "room42", "--seat", "X", home="ada")
        await ada.until("X: ada")
        bob = await run(*to, "--name", "bob", "--json", "join", "room42", home="bob")
        await ada.until("your turn")
        await ada.type("5")
        await bob.until('"cheered".*"played"')
        await bob.type(json.dumps({"type": "play", "game": 1, "ply": 1, "cell": 0}))
        await ada.until("bob .O. played 1")
        await ada.until("your turn")
        await ada.type("resign")
        await ada.until("you lost: by resignation")
        rooms = await run(*to, "rooms")
        assert "room42" in (await rooms.end())[1]
