"""How a server ends, and what it says when it cannot begin."""

import asyncio
import signal
import socket
from pathlib import Path

import pytest

from tests.integration.programs import (
    PATIENCE_S,
    Dial,
    ServerProcess,
    StartServer,
    run_server,
)
from ttt_server.cli.main import run


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_all_clients_are_told_before_it_ends(
    server: ServerProcess, dial: Dial, number: signal.Signals
) -> None:
    ada, eve = await dial(server, "room42"), await dial(server, "/ws/lobby")
    await ada.join(name="ada")
    server.process.send_signal(number)
    goodbye = await ada.until("goodbye")
    assert goodbye["code"] == 1012
    assert goodbye["retry_after_s"] > 0
    assert await ada.close_code() == await eve.close_code() == 1012
    assert await server.process.wait() == 0


async def test_it_outlives_its_window_under_nohup(start_server: StartServer, dial: Dial) -> None:
    server = await start_server(under=("nohup",))
    ada = await dial(server, "room42")
    server.process.send_signal(signal.SIGHUP)
    await ada.join(name="ada")
    assert await server.stop() == 0


@pytest.mark.parametrize("closed", ["<&-", "2>&-", "<&- 2>&-"])
async def test_it_runs_without_its_standard_streams(
    start_server: StartServer, dial: Dial, closed: str
) -> None:
    server = await start_server(under=("sh", "-c", f'exec "$@" {closed}', "sh"))
    ada = await dial(server, "room42")
    await ada.join(settings={"seats": {"O": {"strategy": "minimax"}}, "rules": {"columns": 4}})
    await ada.send("play", game=1, ply=0, cell=0)
    await ada.until_ply(2)
    assert await server.stop() == 0


async def test_a_client_that_does_not_read_cannot_hold_up_a_stop(
    start_server: StartServer, dial: Dial
) -> None:
    server = await start_server("--drain-s", "1", "--command-burst", "100000")
    ada = await dial(server, "room42")
    await ada.join(name="ada")
    stalled = socket.create_connection(("127.0.0.1", server.port))  # never finishes a handshake
    stalled.sendall(b"GET /ws/rooms/room42 HTTP/1.1\r\n")
    loop = asyncio.get_running_loop()
    began = loop.time()
    assert await server.stop() == 0
    assert loop.time() - began < PATIENCE_S / 2
    stalled.close()


async def test_a_client_that_does_not_read_is_cut_and_the_others_play_on(
    start_server: StartServer, dial: Dial
) -> None:
    server = await start_server(
        "--send-timeout-s", "0.3", "--command-burst", "100000", "--commands-per-10s", "1000000"
    )
    ada = await dial(server, "room42")
    await ada.join(name="ada")
    deaf = await dial(server, "room42", max_queue=1)
    await deaf.join(name="deaf", role="spectator")
    deaf.socket.transport.pause_reading()
    while (await ada.until("presence"))["spectators"] != 1:
        pass
    gone = False
    while not gone:
        for _ in range(50):  # within `--outbox`: she, too, skips what her own line cannot hold
            await ada.send("say", text="x" * 200)
        for _ in range(50):
            message = await ada.receive()
            gone = gone or (message["type"] == "presence" and message["spectators"] == 0)
    bob = await dial(server, "room42")
    await bob.join(name="bob")
    await ada.play(0, 4)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--port", "70000"], "--port"),
        (["--port", "many"], "--port"),
        (["--store", "floppy:"], "--store"),
        (["--drain-s", "0"], "--drain-s"),
        (["--log-format", "xml"], "--log-format"),
        (["--tls-cert", "cert.pem"], "--tls-key"),
        (["--config", "nowhere.toml"], "--config"),
        (["--fly"], "--fly"),
    ],
)
def test_an_impossible_option_is_one_line_and_status_2(
    tmp_path: Path, options: list[str], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status: object = run([*options, "--data", str(tmp_path / "data")])
    except SystemExit as ended:
        status = ended.code
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert named in err
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--tls-cert", "nowhere.pem", "--tls-key", "/etc/hostname"], "--tls-cert: nowhere.pem"),
        (["--tls-cert", "/etc/hostname", "--tls-key", "nowhere.pem"], "--tls-key: nowhere.pem"),
        (["--tls-cert", "/etc/hostname", "--tls-key", "/etc/hostname"], "--tls-cert: /etc/host"),
        (["--host", "no host"], "--host: no host: "),
        (["--host", "a..b"], "--host: a..b: "),
    ],
)
async def test_what_proves_impossible_at_the_start_is_one_line_and_status_2(
    tmp_path: Path, options: list[str], named: str
) -> None:
    status, out, err = await run_server(*options, "--data", str(tmp_path / "data"))
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert named in err
    assert not (tmp_path / "data").exists()


async def test_options_come_from_flags_then_variables_then_the_file(tmp_path: Path) -> None:
    file = tmp_path / "ttt.toml"
    file.write_text('port = "a"\ndrain_s = -1\n')
    _, _, err = await run_server("--config", str(file), TTT_PORT="b")
    assert "--port" in err
    _, _, err = await run_server("--config", str(file), "--port", "0", TTT_PORT="b")
    assert "--drain-s" in err
    status, _, err = await run_server("--port", "0", TTT_CONFIG=str(file), TTT_DRAIN_S="x")
    assert status == 2
    assert "--drain-s: must be a number" in err


async def test_a_data_folder_in_use_is_one_line_and_status_1(server: ServerProcess) -> None:
    status, out, err = await run_server("--port", "0", "--data", str(server.data))
    assert (status, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert "another server" in err


async def test_a_port_in_use_is_one_line_and_status_1(
    server: ServerProcess, tmp_path: Path
) -> None:
    status, out, err = await run_server(
        "--port", str(server.port), "--data", str(tmp_path / "other")
    )
    assert (status, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert str(server.port) in err


async def test_what_is_no_database_of_ours_is_left_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "ttt.sqlite3"
    file.write_bytes(b"not a database, " * 100)
    status, out, err = await run_server("--port", "0", "--data", str(tmp_path))
    assert (status, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert file.read_bytes() == b"not a database, " * 100


async def test_memory_keeps_nothing_on_disk(start_server: StartServer, dial: Dial) -> None:
    server = await start_server("--store", "memory:")
    ada = await dial(server, "room42")
    await ada.join(name="ada")
    assert not server.data.exists()


@pytest.mark.parametrize("option", ["--help", "--version"])
async def test_help_and_version(option: str) -> None:
    status, out, err = await run_server(option)
    assert (status, err) == (0, "")
    assert out.startswith(("usage: ttt-server", "ttt-rooms "))


async def test_files_are_for_their_owner_alone(server: ServerProcess) -> None:
    modes = {file.name: file.stat().st_mode & 0o777 for file in server.data.iterdir()}
    assert set(modes.values()) == {0o600}
    assert {"secret", "ttt.sqlite3"} <= set(modes)
