"""`ttt-server --processes`: several processes that are one server."""

import asyncio
import os
import re
import signal
import socket
import ssl
from contextlib import suppress
from functools import partial
from pathlib import Path
from urllib.request import urlopen

import asyncpg
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus, WebSocketException
from websockets.typing import Subprotocol

from tests.integration import prepared
from tests.integration.attendees import make_event
from tests.integration.cluster.conftest import StartCluster, children
from tests.integration.cluster.test_failures import seat_two
from tests.integration.programs import (
    PATIENCE_S,
    Dial,
    Message,
    Server,
    SimpleClient,
    check_log,
    environment,
    eventually,
    program,
    run_server,
)
from tests.integration.tools import found

TWO = "--processes", "2"


async def metrics(server: Server) -> dict[str, float]:
    """The metrics without labels."""

    def read() -> str:
        with urlopen(f"http://127.0.0.1:{server.port}/metrics", timeout=PATIENCE_S) as answer:
            text: str = answer.read().decode()
        return text

    found = re.findall(r"^(\w+) (\S+)$", await asyncio.to_thread(read), re.MULTILINE)
    return {name: float(value) for name, value in found}


async def is_gone(pid: int) -> bool:
    return not is_there(pid)


def is_there(pid: int) -> bool:
    with suppress(FileNotFoundError, ProcessLookupError):
        return " Z " not in Path(f"/proc/{pid}/stat").read_text()
    return False


async def has_all(server: Server, count: int = 2) -> bool:
    with suppress(OSError):
        return (await metrics(server)).get("ttt_processes") == count
    return False


async def come_back(dial: Dial, server: Server, room: str, token: str) -> Message:
    """The welcome of a player who dials again until it is let in."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            with suppress(OSError, WebSocketException):
                client: SimpleClient = await dial(server, room)
                return await client.join(token=token)
            await asyncio.sleep(0.05)


async def let_in(dial: Dial, server: Server, room: str) -> SimpleClient:
    """One who dials again until another's end has been noticed."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            with suppress(InvalidStatus):
                return await dial(server, room)
            await asyncio.sleep(0.05)


async def test_two_processes_are_one_server(
    start_cluster: StartCluster, dial: Dial, database: str
) -> None:
    """Rooms spread, no move is relayed, and limits and figures are those of the whole."""
    limits = "--max-rooms-per-address", "6", "--max-connections-per-address", "12"
    (server,) = await start_cluster(1, *TWO, *limits)
    sockets = []
    for number in range(6):
        x, o, *_ = await seat_two(dial, server, server, f"den{number}")
        sockets += [x.socket, o.socket]
        for ply, cell in enumerate((0, 3, 1, 4, 2)):
            await (x, o)[ply % 2].play(ply, cell)
    with pytest.raises(InvalidStatus, match="503"):
        await dial(server, "den6")
    now = await metrics(server)  # a full server answers these
    assert (await server.get("/healthz"))[0] == 200
    for each in sockets[:2]:
        await each.close()
    late = await let_in(dial, server, "den7")
    assert (await late.refusal("join"))["code"] == "server_full"
    assert now["ttt_processes"] == 2
    assert now["ttt_moves_total"] == now["ttt_move_seconds_count"] == 30
    assert now["ttt_relayed_moves_total"] == 0
    assert now["ttt_connections"] == 13
    connection = await asyncpg.connect(database)
    spread = await connection.fetch("SELECT count(*) FROM rooms GROUP BY owner")
    await connection.close()
    assert len(spread) == 2


async def test_places_for_all_and_first_lines(start_cluster: StartCluster, dial: Dial) -> None:
    """Quick match and lists are one; what is slow, huge or odd ends as with one process."""
    (server,) = await start_cluster(1, *TWO)
    for name in ("friday", "monday", "sunday"):
        organiser = await make_event(server, name, "swiss", rounds=3, public=True)
        await organiser.go()
    for _ in range(4):  # by turns
        listed = (await server.get("/api/events"))[1]["events"]
        assert [each["event"] for each in listed] == ["sunday", "monday", "friday"]
    seekers = [await dial(server, "/ws/play") for _ in range(2)]
    lobbies = [await dial(server, "/ws/lobby?changes=1") for _ in range(4)]  # by turns
    await seekers[0].send("seek")
    for lobby in lobbies:
        while not (await lobby.receive()).get("seeking"):
            """It was told before the seek, or of the events' rooms."""
    await seekers[1].send("seek")
    paired = [await seeker.until("paired") for seeker in seekers]
    assert paired[0]["room"] == paired[1]["room"]
    for each in paired:
        player = await dial(server, each["room"])
        assert (await player.join(token=each["token"]))["you"]["seat"] == each["seat"]

    async def answer(*pieces: bytes) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0.05)
        with suppress(ConnectionResetError):
            async with asyncio.timeout(PATIENCE_S):
                answered = (await reader.read())[:12]
        writer.close()
        return answered

    host = f"Host: 127.0.0.1:{server.port}\r\nConnection: close\r\n\r\n".encode()
    by_letters = [bytes([each]) for each in b"GET /healthz HTTP/1.1\r\n"]
    assert await answer(*by_letters, host) == b"HTTP/1.1 200"
    assert await answer(b"GET /healthz HTTP/1.1\r\n" + host) == b"HTTP/1.1 200"
    assert await answer(b"GET /" + b"x" * 9000) in {b"HTTP/1.1 400", b"HTTP/1.1 414"}
    assert await answer(b"nonsense\r\n\r\n") == b"HTTP/1.1 400"
    assert (await answer(b"\x16\x03\x01\x00"))[:1] == b"\x15"
    silent = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(300)]
    assert await answer() == b"HTTP/1.1 503", "too many are silent"
    for line in silent:
        line.close()


async def test_a_child_that_is_killed(start_cluster: StartCluster, dial: Dial) -> None:
    """Its players are back on the other one, and it is started again, later each time."""
    (server,) = await start_cluster(1, *TWO)
    games = {}
    for number in range(4):
        x, _, token, _ = await seat_two(dial, server, server, f"den{number}")
        await x.play(0, 4)
        games[f"den{number}"] = token
    first, second = children(server)
    for pid in (first, second):
        os.kill(pid, signal.SIGKILL)
        for room, token in games.items():
            welcome = await come_back(dial, server, room, token)
            assert welcome["room"]["game"]["board"] == "....X...."
        await eventually(lambda: has_all(server))
    os.kill(next(pid for pid in children(server)), signal.SIGKILL)
    await eventually(lambda: has_all(server))
    assert await server.stop() == 0
    log = await server.log()
    assert "process 1: was killed by signal 9; restarting in 0.2 s" in log
    assert "process 2: was killed by signal 9; restarting in 0.2 s" in log
    assert re.search(r"process [12]: was killed by signal 9; restarting in 0.4 s", log)
    assert re.search(r"server: process 2: listening on ws://", log)


async def test_a_parent_that_is_killed(start_cluster: StartCluster, dial: Dial) -> None:
    """Its children end by themselves, and the next one goes on with all that was told."""
    (server,) = await start_cluster(1, *TWO)
    games = {}
    for number in range(4):
        x, _, token, _ = await seat_two(dial, server, server, f"den{number}")
        await x.play(0, 4)
        games[f"den{number}"] = token
    orphans = children(server)
    await server.kill()
    for pid in orphans:
        await eventually(lambda pid=pid: is_gone(pid))  # type: ignore[misc]
    assert "has ended: stopping" in await server.log()
    await server.start()
    for room, token in games.items():
        welcome = await come_back(dial, server, room, token)
        assert welcome["room"]["game"]["board"] == "....X...."


async def test_a_child_that_hangs(start_cluster: StartCluster, dial: Dial) -> None:
    """Its rooms are another's within the lease and a second; /healthz tells of it."""
    (server,) = await start_cluster(1, *TWO)
    x, _, token, _ = await seat_two(dial, server, server, "den0")
    y, _, other, _ = await seat_two(dial, server, server, "den1")
    for client in (x, y):
        await client.play(0, 4)
    hung = children(server)[0]
    os.kill(hung, signal.SIGSTOP)
    try:
        for room, seat in (("den0", token), ("den1", other)):
            async with asyncio.timeout(4):
                while True:
                    with suppress(TimeoutError, OSError, WebSocketException):
                        async with asyncio.timeout(0.5):
                            client = await dial(server, room)
                            welcome = await client.join(token=seat)
                            break
            assert welcome["room"]["game"]["board"] == "....X...."
        assert (await server.get("/healthz"))[0] == 503
    finally:
        os.kill(hung, signal.SIGCONT)
    await eventually(lambda: is_healthy(server))


async def is_healthy(server: Server) -> bool:
    return (await server.get("/healthz"))[0] == 200


async def make_certificate(folder: Path, name: str) -> tuple[Path, Path]:
    """Write a new certificate and its key for 127.0.0.1, over those of before."""
    cert, key = folder / "cert.pem", folder / "key.pem"
    subject = "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1"
    files = "-keyout", key, "-out", cert
    command = found("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", *subject, *files
    process = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.DEVNULL)
    assert await process.wait() == 0
    return cert, key


async def test_tls_and_a_renewed_certificate(database: str, tmp_path: Path) -> None:
    """Connections take turns, and half of all are relayed; SIGHUP renews the certificate."""
    cert, key = await make_certificate(tmp_path, "old")
    tls = "--tls-cert", str(cert), "--tls-key", str(key)
    process = await prepared.start(
        program("ttt-server"),
        *("--store", database, "--port", "0", "--data", str(tmp_path / "data"), *TWO, *tls),
        env=environment(),
    )
    assert process.stdout is not None
    line = (await process.stdout.readline()).decode()
    port = int(line.rpartition(":")[2])
    assert line == f"ttt-server listening on wss://127.0.0.1:{port}\n"
    trust = ssl.create_default_context(cafile=cert)
    address = f"wss://127.0.0.1:{port}"
    try:
        for number in range(3):
            path = f"{address}/ws/rooms/den{number}"
            dial_tls = partial(connect, path, subprotocols=[Subprotocol("ttt.v1")], ssl=trust)
            async with dial_tls() as one, dial_tls() as two:
                x, o = SimpleClient(one), SimpleClient(two)
                await x.join()
                await o.join()
                await x.play(0, 4)
                await o.until_ply(1)
                await o.play(1, 0)
        await make_certificate(tmp_path, "new")
        process.send_signal(signal.SIGHUP)
        trust = ssl.create_default_context(cafile=cert)

        async def is_renewed() -> bool:
            with suppress(OSError):
                reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=trust)
                writer.write(
                    b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
                )
                text = (await reader.read()).decode()
                writer.close()
                assert "\nttt_processes 2.0\n" in text
                return "\nttt_relayed_moves_total 0.0\n" not in text
            return False

        await eventually(is_renewed)
        await eventually(is_renewed)  # by the other process
        cert.write_text("nonsense")
        process.send_signal(signal.SIGHUP)
        await eventually(is_renewed)
    finally:
        process.terminate()
        log = (await process.communicate())[1].decode()
    assert process.returncode == 0
    check_log(log)
    assert "is not a certificate for the key" in log
    assert "keeping the previous certificate" in log


async def test_what_cannot_start(start_cluster: StartCluster, database: str) -> None:
    many = str(len(os.sched_getaffinity(0)) + 1)
    (server,) = await start_cluster(1, "--processes", many)
    busy = "--store", database, "--port", str(server.port)
    for store, options, status, words in (
        (database, ("abc",), 2, "--processes: must be auto, or how many: 1 to 256"),
        ("sqlite:", ("2",), 2, "--processes: sqlite: serves one process; several share the rooms"),
        ("postgresql://ttt@127.0.0.1:1/no", TWO[1:], 1, "127.0.0.1:1"),
        (database, ("2", *busy), 1, f"127.0.0.1:{server.port}: Address already in use"),
    ):
        arguments = "--store", store, "--port", "0", "--processes", *options
        ended, out, err = await run_server(*arguments)
        assert (ended, out) == (status, ""), err
        told = [line for line in err.splitlines() if line.startswith("ttt-server: ")]
        assert len(told) == 1, err
        assert words in told[0]
    assert await server.stop() == 0
    assert "processors to share" in await server.log()
