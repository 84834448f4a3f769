"""`ttt-server top` beside a real server: once, and on a terminal."""

import json

from tests.integration.commands import command
from tests.integration.programs import Dial, SharedServer, program
from tests.integration.terminal import Terminal


async def test_once(shared: SharedServer, dial: Dial, room_name: str) -> None:
    ada = await dial(shared, room_name)
    await ada.join(name="ada")
    out, err = await command("top", "--server", shared.address, "--interval", "0.1", "--json")
    found = json.loads(out)
    assert (found["healthy"], err) == (True, "")
    assert found["rooms"]["waiting"] >= 1
    out, _ = await command("top", "--server", shared.address, "--interval", "0.1")
    assert "healthy\n" in out
    assert "\x1b" not in out
    _, err = await command("top", "--server", "127.0.0.1:1", "--interval", "0.1", status=1)
    assert err == "ttt-server top: http://127.0.0.1:1: Connection refused\n"
    _, err = await command(
        "top", "--server", f"{shared.address}/api/rooms", "--interval", "0.1", status=1
    )
    assert err.count("\n") == 1


async def test_a_narrow_terminal_cuts_lines_and_loses_none(shared: SharedServer) -> None:
    terminal = Terminal(columns=40, rows=22)
    try:
        await terminal.start(
            program("ttt-server"), "top", "--server", shared.address, "--interval", "0.2"
        )
        text = await terminal.shows("ttt-server", "  memory ", "q ends")
        assert [line[:10] for line in text.splitlines()][2:4] == ["  rooms   ", "  connecti"]
        terminal.type("q")
        assert await terminal.status() == 0
        terminal.assert_restored()
    finally:
        await terminal.close()


async def test_on_a_terminal(shared: SharedServer) -> None:
    terminal = Terminal()
    try:
        await terminal.start(
            program("ttt-server"), "top", "--server", shared.address, "--interval", "0.2"
        )
        await terminal.shows("loop lag", "q ends")
        terminal.type("q")
        assert await terminal.status() == 0
        terminal.assert_restored()
    finally:
        await terminal.close()
