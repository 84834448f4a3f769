"""A stop under load: clients are told, begun writes are kept, and it ends whatever clients do."""

import asyncio
import os
import signal
import socket
from contextlib import suppress
from pathlib import Path

import pytest

from tests.integration.players import Run
from tests.integration.programs import (
    PATIENCE_S,
    Dial,
    ServerProcess,
    StartServer,
)
from tests.integration.raw import TEXT, RawPeer
from tests.integration.referee import judge, logs

pytestmark = pytest.mark.heavy

DRAIN_S = 8.0
UNLIMITED = ("--commands-per-10s", "1000000", "--command-burst", "100000")
BIG = {"columns": 19, "rows": 19, "in_a_row": 19}


async def test_everything_at_once(start_server: StartServer, dial: Dial) -> None:
    server = await start_server(*UNLIMITED, "--drain-s", str(DRAIN_S))
    ada, bob = await dial(server, "room42"), await dial(server, "room42")
    for player in (ada, bob):
        await player.join(settings={"rules": BIG})
    await ada.until("update")
    silent = socket.create_connection(("127.0.0.1", server.port))
    halfway = socket.create_connection(("127.0.0.1", server.port))
    halfway.sendall(b"GET /ws/rooms/room42 HTTP/1.1\r\nHost: localhost\r\n")
    deaf = [await RawPeer.connect(server, "room42") for _ in range(5)]
    for peer in deaf:
        await peer.send(TEXT, b'{"type":"join","role":"spectator"}')
    thinker = await dial(server, "thinks")
    seats = {"O": {"strategy": "search", "level": 9}}
    await thinker.join(settings={"rules": BIG, "seats": seats, "pace_s": 0})
    await thinker.play(0, 180)  # the answer takes two seconds
    for _ in range(300):  # the deaf are full
        await ada.send("say", text="x" * 200)
        await bob.until("said")
    for ply in range(6):
        await (ada, bob)[ply % 2].play(ply, ply)
        await (bob, ada)[ply % 2].until_ply(ply + 1)

    loop = asyncio.get_running_loop()
    began = loop.time()
    await ada.send("play", game=1, ply=6, cell=6)  # it is on its way
    for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGINT):
        server.process.send_signal(number)
    for member in (ada, bob, thinker):
        goodbye = await member.until("goodbye")
        assert goodbye["code"] == 1012
        assert await member.close_code() == 1012
    async with asyncio.timeout(PATIENCE_S):
        while server.process.returncode is None:
            with suppress(ProcessLookupError):  # its own `send_signal` would ask for its end first
                os.kill(server.process.pid, signal.SIGTERM)
                os.kill(server.process.pid, signal.SIGINT)
            await asyncio.sleep(0.01)
    assert server.process.returncode == 0
    assert loop.time() - began < PATIENCE_S / 2, "a busy machine, and not the deaf"
    for peer in deaf:
        peer.close()
    silent.close()
    halfway.close()
    for log in logs(server.data).values():
        judge(log)


@pytest.mark.parametrize("seconds", [0.2, 60])
async def test_a_slow_disk(tmp_path: Path, seconds: float) -> None:
    """What is being committed is finished; where that cannot be, the server ends all the same."""
    is_slow = tmp_path / "slow"  # from the start on it would take as long to listen
    before = (
        "import pathlib, sys, time\n"
        "from ttt_server.storage.sqlite import store as sqlite\n"
        "commit = sqlite.transaction\n"
        "def slow(logs, jobs):\n"
        f"    if jobs and pathlib.Path({str(is_slow)!r}).exists():\n"
        "        print('busy', flush=True)\n"
        f"        time.sleep({seconds})\n"
        "    return commit(logs, jobs)\n"
        "sqlite.transaction = slow\n"
    )
    server = ServerProcess(tmp_path, "--drain-s", "1", before=before)
    await server.start()
    is_slow.touch()
    peer = await RawPeer.connect(server, "room42")
    await peer.send(TEXT, b'{"type":"join"}')
    assert server.process.stdout is not None
    async with asyncio.timeout(PATIENCE_S):
        assert await server.process.stdout.readline() == b"busy\n"
    assert await server.stop() == 0
    assert "Traceback" not in await server.log()
    peer.close()
    kept = logs(tmp_path)
    assert [event["type"] for event in kept.get("room42", [])] == (
        ["created", "seated"] if seconds < 1 else []
    )


async def test_two_clients_go_on_with_their_game_after_a_restart(
    server: ServerProcess, run: Run
) -> None:
    to = ("--server", server.address)
    ada = await run(*to, "--name", "ada", "join", "room42", home="ada")
    await ada.until("X: ada")
    bob = await run(*to, "--name", "bob", "join", "room42", home="bob")
    await ada.until("your turn")
    await ada.type("5")
    await bob.until("your turn")
    assert await server.stop() == 0
    assert "Traceback" not in await server.log()
    for player in (ada, bob):
        await player.until("restarting")
    await server.start()
    await bob.until("your turn")
    await bob.type("1")
    await ada.until("your turn")
    await ada.type("9")
    await bob.until("your turn")
