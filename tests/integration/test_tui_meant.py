"""Only what was meant is played, a slow or silent line is told, and the end leaves no trace."""

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest

from tests.integration.programs import Dial, ServerProcess, program
from tests.integration.proxy import FaultProxy
from tests.integration.terminal import LEFT, Terminal
from tests.integration.test_tui import Open, bob_in, open_terminal

pytestmark = pytest.mark.heavy

__all__ = ["open_terminal"]

KEPT = "your seat is kept: the same command takes it back"


async def test_no_pause_of_the_typist_decides_anything(
    server: ServerProcess, dial: Dial, open_terminal: Open
) -> None:
    ada = await open_terminal("join", "wide", "--seat", "X", "--rules", "19x19x5")
    await ada.shows("waiting")
    bob = await bob_in(dial, server, "wide")
    await ada.shows("YOUR TURN")
    ada.type("b1")
    await ada.shows("b1_")
    await asyncio.sleep(2.5)  # longer than any time-out of a key
    ada.type("2")
    assert (await bob.until_ply(1))["room"]["game"]["moves"] == [11 * 19 + 1]
    await bob.play(1, 0)
    await ada.shows("YOUR TURN", "last move: O at a1")
    ada.type("d")
    await ada.shows("d_")
    await asyncio.sleep(2.5)
    ada.type("\r")
    await ada.shows("offer a draw?")
    ada.type("\r")
    ada.type("d6")
    update = await bob.until_ply(3)
    assert update["room"]["game"]["moves"][-1] == 5 * 19 + 3
    assert update["room"]["offers"]["draw"] is None


async def test_only_keys_and_the_left_button_play(
    server: ServerProcess, dial: Dial, open_terminal: Open
) -> None:
    ada = await open_terminal("join", "room42", "--seat", "X")
    await ada.shows("waiting")
    bob = await bob_in(dial, server, "room42")
    await ada.shows("YOUR TURN")
    lines = ada.text.splitlines()
    y = next(y for y, line in enumerate(lines) if "     1     " in line)
    at = f"{lines[y].index('     1     ') + 6};{y + 1}"
    replies = [
        "\x1b[31m",
        "\x1b[2;3R",
        "\x1b[57350;5:3u",
        "\x1b]11;rgb:1111/2222/3333\x07",
        "\x1bP1$r0;1m\x1b\\",
        "\x1b_Gi=31;OK\x1b\\",
        f"\x1b[<2;{at}M",  # the right button
        f"\x1b[<1;{at}M",  # the middle one
        f"\x1b[<16;{at}M",  # the left one with Ctrl
        f"\x1b[<35;{at}M",  # a movement
        "\x1b5",  # Alt and 5
    ]
    for reply in replies:
        ada.type(reply)
        ada.type(reply[:3])
        await asyncio.sleep(0.1)  # longer than the wait for what follows an Escape
        ada.type(reply[3:])
    ada.type("9")
    assert (await bob.until_ply(1))["room"]["game"]["moves"] == [8]
    assert b"\x1b[?1003h" not in ada.written, "movements are not even asked for"


async def test_a_column_is_enough_where_pieces_fall(
    server: ServerProcess, dial: Dial, open_terminal: Open
) -> None:
    ada = await open_terminal("join", "tower", "--seat", "X", "--rules", "7x6x4g")
    await ada.shows("waiting")
    bob = await bob_in(dial, server, "tower")
    await ada.shows("YOUR TURN")
    for ply, keys in enumerate(["d\r", "4", "d1"]):
        ada.type(keys)
        played = (await bob.until_ply(2 * ply + 1))["room"]["game"]["moves"][-1]
        assert played == (5 - 2 * ply) * 7 + 3
        await bob.play(2 * ply + 1, played - 7)
        await ada.shows("YOUR TURN", f"last move: O at d{5 - 2 * ply}")
    ada.type("d\r")
    await ada.shows("column d is full")


async def test_a_move_is_pending_and_a_silent_line_is_told_and_tried_again(
    server: ServerProcess, dial: Dial, open_terminal: Open
) -> None:
    async with FaultProxy(server.address) as proxy:
        ada = await open_terminal("--server", proxy.address, "join", "room42", "--seat", "X")
        await ada.shows("waiting")
        bob = await bob_in(dial, server, "room42")
        await ada.shows("YOUR TURN", "● live")
        proxy.blackhole()
        silent_at = time.monotonic()
        ada.type("5")
        await ada.shows("(x)", never="sent, waiting")
        await ada.shows("sent, waiting 3 s...")
        await ada.shows("○ silent")
        await ada.shows("lost, trying again", "Ctrl-R retry now")
        assert time.monotonic() - silent_at < 15
        proxy.cut()
        await asyncio.sleep(6)  # two tries go into the void, and the pauses grow
        proxy.cut()
        proxy.heal()
        await ada.shows("lost, trying again in")
        ada.click("Ctrl-R")
        await ada.shows("● live", "bob's turn (O)", "last move: X at 5")
        assert (await bob.until_ply(1))["room"]["game"]["moves"] == [4]


@pytest.mark.parametrize(
    ("stop", "status"),
    [("\x03", 130), (signal.SIGINT, 130), (signal.SIGQUIT, 131), (signal.SIGHUP, 129)],
    ids=["ctrl-c", "sigint", "sigquit", "sighup"],
)
async def test_a_game_that_is_stopped_says_what_quit_says(
    server: ServerProcess,
    dial: Dial,
    open_terminal: Open,
    stop: str | signal.Signals,
    status: int,
) -> None:
    ada = await open_terminal("join", "room42", "--seat", "X")
    await ada.shows("waiting")
    await bob_in(dial, server, "room42")
    await ada.shows("YOUR TURN")
    if isinstance(stop, str):
        ada.type(stop)
    else:
        ada.process.send_signal(stop)
    assert await ada.status() == status
    ada.assert_restored()
    assert ada.written.decode().rpartition(LEFT)[2].count(KEPT) == 1


def children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


async def test_a_stop_from_outside_gives_the_terminal_back_until_it_goes_on(
    server: ServerProcess, tmp_path: Path
) -> None:
    shell = Terminal()
    try:
        await shell.start(
            *("bash", "--norc", "--noprofile", "-i"),
            XDG_STATE_HOME=str(tmp_path),
            PS1="ready> ",
            TTT_SERVER=server.address,
        )
        await shell.shows("ready>")
        shell.type(f"{program('ttt-client')} --name ada join room42 --vs rules\n")
        await shell.shows("YOUR TURN")
        pid = shell.process.pid
        (client,) = children(pid)
        for _ in range(2):
            os.kill(int(client), signal.SIGTSTP)
            await shell.shows("Stopped", "ready>")
            shell.type("fg\n")
            await shell.shows("YOUR TURN")
        shell.type("5")
        await shell.shows("last move: O")
        shell.type("\x03")
        await shell.shows("ready>", KEPT)
    finally:
        await shell.close()
