"""`ttt-client notify`: a line and a command for each notice, over a restart, until Ctrl-C."""

import asyncio
import json
import signal
import tomllib
from pathlib import Path

from tests.integration.players import Run
from tests.integration.programs import PATIENCE_S, Dial, ServerProcess, StartServer, eventually
from ttt_server.people.notices import watch


async def test_a_terminal_is_told(
    run: Run, start_server: StartServer, dial: Dial, tmp_path: Path
) -> None:
    server = await start_server(
        data=tmp_path / "data",
        before=f"import {watch.__name__} as at; at.NoticeWatch.absence_ms = 200",
    )
    here = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    address = "--server", server.address
    nobody = await run(*address, "notify", **here)
    code, _, words = await nobody.end()
    assert (code, "ttt-client me keep NAME" in words) == (1, True)

    keeping = await run(*address, "me", "keep", "Ann", **here)
    assert (await keeping.end())[0] == 0
    settings = (tmp_path / "config" / "ttt-rooms" / "client.toml").read_text()
    (token,) = tomllib.loads(settings)["persons"].values()

    told = tmp_path / "told"
    command = f'cat >> {told}; echo " $TTT_NOTICE_TEXT" >> {told}; exit 3'
    client = await run(*address, "notify", "--run", command, **here)
    lines = await run(*address, "--json", "notify", **here)
    await client.until("waiting for notices")
    await move_away_from(server, dial, "den", token)
    await client.until(r"It is your turn against Bob\.  http://127.0.0.1:\d+/rooms/den")

    await server.restart_after_kill()
    await move_away_from(server, dial, "lair", token)
    await client.until("/rooms/lair")
    await lines.until('"room":"lair"')

    async def has_run() -> bool:
        return told.read_text().count("Bob.\n") == 2

    await eventually(has_run)
    for each in (client, lines):
        each.process.send_signal(signal.SIGINT)
        async with asyncio.timeout(PATIENCE_S):
            out, err = await each.process.communicate()
        assert each.process.returncode == 130
        assert b"Traceback" not in err
        assert b"; trying again" in err
        assert b"rooms" not in out, "each is told once"
    notices = [line for line in told.read_text().split("\n") if line]
    assert [json.loads(line.rpartition("} ")[0] + "}")["room"] for line in notices] == [
        "den",
        "lair",
    ]
    assert notices[0].endswith("} It is your turn against Bob.")


async def move_away_from(server: ServerProcess, dial: Dial, room: str, token: str) -> None:
    """Have Ann go while Bob is to move, and let him."""
    ann, bob = await dial(server, room), await dial(server, room)
    await ann.join(person=token)
    await bob.join(name="Bob")
    await ann.play(0, 0)
    await ann.socket.close()
    await bob.play(1, 4)
