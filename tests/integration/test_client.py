"""`ttt-client` as a process, with the real server on the other side."""

import asyncio
import json
import os
import pty
import re
from asyncio.subprocess import PIPE
from functools import partial
from pathlib import Path

import pytest

from tests.integration.players import Run
from tests.integration.programs import (
    PATIENCE_S,
    ServerProcess,
    SharedServer,
    StartServer,
    environment,
    program,
)


async def test_two_people_play_and_one_watches(
    shared: SharedServer, room_name: str, run: Run
) -> None:
    to = ("--server", shared.address)
    ada = await run(*to, "--name", "ada", "join", room_name, home="ada")
    await ada.until("X: ada")
    bob = await run(*to, "--name", "bob", "join", room_name, home="bob")
    await bob.until("O: bob")
    eve = await run(*to, "watch", room_name, home="eve")
    await eve.until("ada's turn .X.")

    for turn, (player, cell) in enumerate([(ada, "5"), (bob, "a1"), (ada, "3"), (bob, "2")]):
        await player.until("your turn")
        await player.type(cell)
        await eve.until(f"{('ada', 'bob')[turn % 2]} .[XO]. played")
    await ada.until("your turn")
    await ada.type("7")

    await ada.until("you won")
    await bob.until("you lost")
    await eve.until("ada .X. w[oi]n")
    await bob.type("say good game")
    await eve.until("bob: good game")
    await ada.type("rematch")
    await bob.until("offered a rematch")
    await bob.type("accept")
    await bob.until("your turn, X")
    for player in (ada, bob, eve):
        await player.type("quit")
        assert (await player.end())[0] == 0


async def test_a_whole_game_against_an_ai_from_a_pipe(shared: SharedServer, run: Run) -> None:
    ada = await run("--server", shared.address, "join", "ai", "--vs", "minimax:9")
    await ada.type(*"123456789")
    status, out, err = await ada.end()
    assert (status, err) == (0, "")
    assert "minimax 9 (O) played" in out
    assert re.search("you lost|draw", out)
    assert "\x1b" not in out


async def test_only_moves_wait_for_their_turn_on_a_pipe(
    shared: SharedServer, room_name: str, run: Run
) -> None:
    to = ("--server", shared.address)
    ada = await run(*to, "--name", "ada", "join", room_name, home="ada")
    await ada.until("X: ada")
    bob = await run(*to, "--name", "bob", "join", room_name, home="bob")
    await bob.until("ada's turn .X.")

    await bob.type("1", "say hello", "help", "2")
    await ada.until("bob: hello")
    await bob.until("gives the game up")
    await ada.type("5")
    await ada.until("bob .O. played 1")
    await bob.type("resign")  # behind the move that waits
    await ada.type("3")
    await ada.until("bob .O. played 2")
    await ada.until("you won: by resignation")
    status, out, err = await bob.end()
    assert (status, err) == (0, "")

    cyd = await run(
        *to,
        "--name",
        "cyd",
        "join",
        f"{room_name}-attic",
        "--vs",
        "rules",
        "--seat",
        "O",
        home="cyd",
    )
    await cyd.type("9")
    status, out, err = await cyd.end()
    assert (status, err) == (0, "")
    assert re.search("you .O. played 9", out)
    assert out.endswith("your turn; your seat is kept: the same command takes it back\n")


async def test_two_ais_are_watched_to_the_end_of_their_series(
    shared: SharedServer, room_name: str, run: Run
) -> None:
    play = ("watch", room_name, "--play", "rules,minimax:9", "--games", "1")
    eve = await run("--server", shared.address, *play)
    status, out, err = await eve.end()
    assert (status, err) == (0, "")
    assert "rules" in out
    assert "score" in out


async def test_the_game_goes_on_by_itself_after_the_server_was_killed(
    server: ServerProcess, run: Run
) -> None:
    to = ("--server", server.address)
    ada = await run(*to, "--name", "ada", "join", "room42", home="ada")
    await ada.until("X: ada")
    bob = await run(*to, "--name", "bob", "join", "room42", home="bob")
    await ada.until("your turn")
    await ada.type("5")
    await bob.until("your turn")

    await server.kill()
    await bob.until("connection")
    await server.start()

    await bob.until("your turn")
    await bob.type("1")
    await ada.until("your turn")
    await ada.type("9")
    await bob.until("your turn")


async def test_the_same_command_takes_the_same_seat_back(
    shared: SharedServer, room_name: str, run: Run
) -> None:
    command = ("--server", shared.address, "join", room_name, "--seat", "O", "--vs", "rules")
    ada = await run(*command, "--name", "ada")
    move = await ada.until("rules .X. played .*")
    await ada.until("your turn")
    ada.process.kill()
    again = await run(*command, "--name", "ada")
    await again.until("O: ada .you.")
    await again.until(re.escape(move))  # with the reason of the AI
    stranger = await run(*command, home="elsewhere")
    status, _, err = await stranger.end()
    assert status == 4
    assert "taken" in err


async def test_a_seat_that_cannot_be_remembered_is_not_said_to_be_kept(
    shared: SharedServer, room_name: str, run: Run, tmp_path: Path
) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "ttt-client").write_text("a file, and no folder")
    ada = await run("--server", shared.address, "join", room_name, "--vs", "rules")
    await ada.until("your turn")
    await ada.until("the seat cannot be remembered")
    await ada.type("quit")
    status, out, _ = await ada.end()
    assert status == 0
    assert "your seat is kept" not in out


async def test_json_mode_speaks_the_protocol(
    shared: SharedServer, room_name: str, run: Run
) -> None:
    ada = await run("--server", shared.address, "--json", "join", room_name, "--vs", "random")
    assert json.loads(await ada.until("^.*welcome.*$"))["you"]["seat"] == "X"
    await ada.type('{"type":"play","game":1,"ply":0,"cell":4}')
    update = json.loads(await ada.until('^.*"played".*$'))
    assert update["room"]["game"]["moves"][0] == 4
    await ada.type("not JSON", '{"type":"resign","game":1}')
    _, out, _ = await ada.end()
    assert all(json.loads(line)["type"] for line in out.splitlines() if line)


async def test_the_rooms_and_the_doctor(shared: SharedServer, room_name: str, run: Run) -> None:
    ada = await run("--server", shared.address, "join", room_name)
    await ada.until("X: ")
    status, out, _ = await (await run("--server", shared.address, "rooms")).end()
    assert status == 0
    assert room_name in out
    status, out, _ = await (await run("--server", shared.address, "doctor")).end()
    assert status == 0
    assert "failed" not in out


async def test_a_server_of_this_machine_is_not_looked_for_behind_a_proxy(
    shared: SharedServer, room_name: str, run: Run
) -> None:
    nowhere = dict.fromkeys(("http_proxy", "all_proxy", "ALL_PROXY"), "http://127.0.0.1:9")
    rooms = await run("--server", shared.address, "rooms", **nowhere)
    assert (await rooms.end())[0] == 0
    watch = await run("--server", shared.address, "watch", room_name, **nowhere)
    assert (await watch.end())[0] == 4


async def test_the_list_of_rooms_is_followed(
    shared: SharedServer, room_name: str, run: Run
) -> None:
    rooms = await run("--server", shared.address, "rooms", "--follow")
    ada = await run("--server", shared.address, "--name", "ada", "join", room_name, home="ada")
    await rooms.until(f"{room_name} .*waiting.* ada")
    bob = await run("--server", shared.address, "--name", "bob", "join", room_name, home="bob")
    await rooms.until(f"{room_name} .*playing.* ada +bob")
    await bob.type("quit")
    await ada.type("quit")


async def test_without_a_room_the_liveliest_is_watched_and_then_the_next(
    server: ServerProcess, run: Run
) -> None:
    to = ("--server", server.address)
    ada = await run(*to, "--name", "ada", "join", "first", home="ada")
    await ada.until("X: ada")
    bob = await run(*to, "--name", "bob", "join", "first", home="bob")
    await ada.until("your turn")
    eve = await run(*to, "watch", home="eve")
    await eve.until("room first")
    cyd = await run(*to, "--name", "cyd", "join", "second", "--vs", "minimax:9", home="cyd")
    await cyd.until("your turn")
    await bob.type("resign")
    await eve.until("room second")


async def test_a_game_is_replayed_move_by_move(
    shared: SharedServer, room_name: str, run: Run
) -> None:
    to = ("--server", shared.address)
    ada = await run(*to, "--name", "ada", "join", room_name, "--vs", "rules")
    await ada.type("5")
    await ada.until("rules .O. played .*\n(.*\n)*your turn")
    await ada.type("resign")
    assert (await ada.end())[0] == 0
    status, out, err = await (await run(*to, "replay", room_name, "1")).end()
    assert (status, err) == (0, "")
    assert re.search("ada .X. played 5", out)
    assert re.search("rules .O. played .*: corner", out)
    assert re.search("resign", out)
    status, _, err = await (await run(*to, "replay", room_name, "7")).end()
    assert status == 4
    assert "no such game" in err


async def test_a_locked_room_opens_with_its_password(
    shared: SharedServer, room_name: str, run: Run
) -> None:
    to = ("--server", shared.address)
    command = ("join", room_name, "--private", "--password")
    ada = await run(*to, "--name", "ada", *command, "sesame", home="ada")
    await ada.until("X: ada")
    stranger = await run(*to, "--name", "eve", *command, "simsim", home="eve")
    assert (await stranger.end())[0] == 4
    bob = await run(*to, "--name", "bob", *command, "sesame", home="bob")
    await bob.until("O: bob")


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["--server", "ws://127.0.0.1:1", "join", "room42"], 3),
        (["--server", "ws://127.0.0.1:1", "watch", "room42"], 3),
        (["--server", "ws://127.0.0.1:1", "rooms"], 3),
        (["--server", "ftp://nowhere", "rooms"], 2),
        (["join", "no_such_name"], 2),
        (["join", "room42", "--rules", "2x2x2"], 2),
        (["join", "room42", "--clock", "soon"], 2),
        (["join", "room42", "--vs", "minimax:10"], 2),
        (["fly"], 2),
        (["--fly", "rooms"], 2),
        ([], 2),
    ],
)
async def test_what_cannot_be_done_is_told_in_a_line(
    run: Run, arguments: list[str], status: int
) -> None:
    ended, out, err = await (await run(*arguments)).end()
    assert (ended, out) == (status, "")
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("unbuffered", ["1", ""])
@pytest.mark.parametrize(
    "arguments", ["--help", "bot --help", "--version", "--print-completion bash", "rooms"]
)
@pytest.mark.slow
async def test_a_full_disk_behind_the_output_is_told_in_a_line(
    shared: SharedServer, tmp_path: Path, arguments: str, unbuffered: str
) -> None:
    client = await asyncio.create_subprocess_exec(
        *("sh", "-c", 'exec "$@" >/dev/full', "sh"),
        *(program("ttt-client"), "--server", shared.address, *arguments.split()),
        stderr=PIPE,
        env=environment(HOME=str(tmp_path), PYTHONUNBUFFERED=unbuffered),
    )
    err = (await client.communicate())[1].decode()
    told = "ttt-client: standard output: No space left on device\n"
    assert (client.returncode, err) == (1, told)


async def test_a_refusal_is_told_with_the_servers_reason(
    shared: SharedServer, room_name: str, run: Run
) -> None:
    join = await run("--server", shared.address, "join", room_name, "--vs", "zap")
    status, _, err = await join.end()
    assert status == 4
    assert "no such strategy" in err
    watch = await run("--server", shared.address, "watch", "nowhere")
    assert (await watch.end())[0] == 4


async def test_ctrl_c_on_a_terminal_is_130(start_server: StartServer, tmp_path: Path) -> None:
    server = await start_server()
    master, slave = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        program("ttt-client"),
        *("--server", server.address, "--name", "ada", "join", "room42"),
        env=environment(XDG_STATE_HOME=str(tmp_path), TERM="xterm"),
        preexec_fn=partial(os.login_tty, slave),
    )
    os.close(slave)
    screen = b""
    while b"ada (you)" not in screen:
        screen += await asyncio.to_thread(os.read, master, 1024)
    os.write(master, b"\x03")
    async with asyncio.timeout(PATIENCE_S):
        assert await process.wait() == 130
    os.close(master)
    assert b"Traceback" not in screen


async def test_a_command_without_a_full_screen_prints_lines_on_a_terminal(tmp_path: Path) -> None:
    master, slave = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *(program("ttt-client"), "seats", "ada", "bob"),
        env=environment(XDG_STATE_HOME=str(tmp_path), TERM="xterm"),
        preexec_fn=partial(os.login_tty, slave),
    )
    os.close(slave)
    async with asyncio.timeout(PATIENCE_S):
        assert await process.wait() == 0
    assert os.read(master, 1024).startswith(b"X,link of X,O,link of O\r\n")
    os.close(master)
