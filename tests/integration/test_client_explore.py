"""Any position at a terminal, line by line, and a game that goes on from there."""

import re

import pytest

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


@pytest.mark.parametrize(
    ("board", "moves", "lines", "told"),
    [
        ("misere:3x3x3", "a1b2a2c3a3", (), "O won: 1 4 7 is a line, which loses"),
        ("torus:3x3x3", "b2a1", (), "the edges meet(.*\n)*X to move; best: 2, 3, 4"),
        ("vanishing:3x3x3", "b2a1", ("set c3 x",), "which marks are the oldest: give the moves"),
        ("notakto:3x3x3", "b2a1", ("moves",), r"1\. X 5  \[2\. X 1\]"),
        ("cube:3", "1a12b2", ("moves",), r"1\. X 1a1  \[2\. O 2b2\]"),
        ("ultimate", "a1a2", (), "X to move in board left; best: "),
        ("connect6", "k10k11l11", ("moves",), r"1\. X k10  2\. O k11  \[3\. O l11\]"),
    ],
)
async def test_a_game_of_the_family_is_explored_and_explained(
    shared: SharedServer, run: Run, board: str, moves: str, lines: tuple[str, ...], told: str
) -> None:
    to = ("--server", shared.address)
    client = await run(*to, "explore", moves, "--rules", board)
    for line in lines:
        await client.type(line)
    await client.type("quit")
    status, out, err = await client.end()
    assert (status, err) == (0, "")
    assert re.search(told, out), out
    place = moves[:2] if board != "cube:3" else moves
    asked = ("explain", place, "--rules", board, "--strategy", "mcts:0")
    status, out, err = await (await run(*to, *asked)).end()
    assert (status, err) == (0, "")
    assert re.search("mcts:0 thinks(.*\n)*[XO] plays ", out), out
