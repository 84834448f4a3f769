"""The file that signs the seat tokens: kept private, and missed when it is gone."""

import asyncio
import shutil
from pathlib import Path

import pytest

from tests.integration.programs import Dial, ServerProcess, StartServer, run_server

pytestmark = pytest.mark.heavy


async def played(start_server: StartServer, dial: Dial) -> tuple[ServerProcess, str]:
    """Return a server with a game, and the token of one seat."""
    server = await start_server()
    ada, bob = await dial(server, "den"), await dial(server, "den")
    token: str = (await ada.join(name="ada"))["you"]["token"]
    await bob.join(name="bob")
    await ada.until("update")
    await ada.play(0, 4)
    return server, token


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("end", ["stop", "kill"])
async def test_without_its_secret_a_server_with_rooms_does_not_start(
    start_server: StartServer, dial: Dial, end: str
) -> None:
    server, _ = await played(start_server, dial)
    await (server.stop() if end == "stop" else server.kill())
    (server.data / "secret").unlink()
    before = contents(server.data)
    status, out, err = await run_server("--port", "0", "--data", str(server.data))
    assert (status, out) == (1, "")
    (line,) = err.splitlines()
    assert line.startswith(f"ttt-server: {server.data}/secret is missing")
    for help_ in ("restore", "TTT_SECRET", "--accept-loss"):
        assert help_ in line
    assert contents(server.data) == before


async def test_a_restored_secret_has_the_seats_back(
    start_server: StartServer, dial: Dial, tmp_path: Path
) -> None:
    server, token = await played(start_server, dial)
    shutil.copy(server.data / "secret", tmp_path / "backup")
    await server.kill()
    (server.data / "secret").unlink()
    assert (await run_server("--port", "0", "--data", str(server.data)))[0] == 1
    shutil.copy(tmp_path / "backup", server.data / "secret")
    await server.start()
    ada = await dial(server, "den")
    assert (await ada.join(token=token))["you"]["seat"] == "X"


async def test_a_loss_that_is_accepted_costs_the_seats_and_no_room(
    start_server: StartServer, dial: Dial
) -> None:
    server, token = await played(start_server, dial)
    await server.stop()
    (server.data / "secret").unlink()
    server.options = ("--accept-loss",)
    await server.start()
    ada = await dial(server, "den")
    assert (await ada.refusal("join", token=token))["code"] == "bad_token"
    welcome = await ada.join(role="spectator")
    assert welcome["room"]["game"]["moves"] == [4]
    assert await server.stop() == 0
    log = await server.log()
    assert f"WARNING ttt_server.installation: {server.data}/secret was missing" in log
    server.options = ()
    await server.start()  # it has one now
    assert await server.stop() == 0
    assert "WARNING" not in await server.log()


async def test_a_secret_of_the_environment_needs_no_file(
    start_server: StartServer, dial: Dial
) -> None:
    server, _ = await played(start_server, dial)
    await server.stop()
    (server.data / "secret").unlink()
    server.options = ("--secret", "0123456789abcdef")
    await server.start()
    assert not (server.data / "secret").exists()


async def test_a_database_without_rooms_needs_no_secret(start_server: StartServer) -> None:
    server = await start_server()
    await server.stop()
    (server.data / "secret").unlink()
    await server.start()
    assert (server.data / "secret").stat().st_mode & 0o777 == 0o600


async def test_a_secret_that_others_can_open_is_a_line_in_the_log(
    start_server: StartServer,
) -> None:
    server = await start_server()
    await server.stop()
    assert "WARNING" not in await server.log()
    path = server.data / "secret"
    await asyncio.to_thread(path.chmod, 0o644)
    await server.start()
    await server.stop()
    (warning,) = [line for line in (await server.log()).splitlines() if "WARNING" in line]
    assert warning.endswith(f"{path} is open to other users: chmod 600 {path}")
