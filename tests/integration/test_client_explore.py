"""Any position at a terminal, line by line, and a game that goes on from there."""

import re

from tests.integration.players import Run
from tests.integration.programs import SharedServer

TYPED = ("5", "b1", "back", "1", "moves", "main", "end", "cut", "start", "forward", "set c3 x")


async def test_a_position_is_explored(shared: SharedServer, room_name: str, run: Run) -> None:
    to = ("--server", shared.address)
    client = await run(*to, "explore")
    await client.until("3 in a row; help lists(.*\n)*X to move")
    for line in (*TYPED, "link", "play", "help", "set z9 o", "9", "nonsense", "board", "clear"):
        await client.type(line)
    await client.type("quit")
    status, out, err = await client.end()
    assert (status, err) == (0, "")
    assert "1+│[O]│ 3+" in out
    assert "1. X 5  2. O 2\n  [2. O 1]\n" in out
    assert "1. X 5  [2. O 1]\n  2. O 2\n" in out
    assert re.search(r"/explore\?rules=3x3x3&board=\.\.\.\.X\.\.\.X&moves=\n", out)
    assert "the number of marks is wrong" in out
    assert "the page can play on" in out
    assert "there is no cell z9 on this board" in out
    assert "9 cannot be played here" in out
    assert '"nonsense" was not understood' in out

    status, out, _ = await (await run(*to, "explore", "a1b1a2b2a3")).end()
    assert (status, "X won: 1 4 7" in out) == (0, True)
    status, _, err = await (await run(*to, "explore", "a1a1")).end()
    assert (status, "a1 is taken" in err) == (4, True)

    client = await run(*to, "explore", "d6d5", "--rules", "7x6x4g")
    await client.type("play")
    command = await client.until("ttt-client join NAME .*\n")
    assert "--rules 7x6x4g --start d6d5 --seat X --vs fair" in command
    ada = await run(*to, "join", room_name, *command.split()[3:])
    await ada.until(r"5  ·  ·  · \[O\](.*\n)*your turn")
