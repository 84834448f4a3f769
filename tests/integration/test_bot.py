"""`ttt-client bot`: programs in four languages play on a real server, and bad ones hurt no game."""

import asyncio
import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.client.bots.programs import scripted
from tests.integration.players import Run
from tests.integration.programs import PATIENCE_S, Dial, SharedServer, SimpleClient

BOTS = Path(__file__).parents[2] / "client/examples/bots"


def quoted(command: list[str]) -> str:
    return shlex.join(command)


async def bot(run: Run, shared: SharedServer, *arguments: str) -> tuple[int, str, str]:
    """Run a bot to its end; return its status, output and errors."""
    client = await run("--server", shared.address, "bot", *arguments)
    async with asyncio.timeout(PATIENCE_S):
        out, err = await client.process.communicate()
    assert client.process.returncode is not None
    return client.process.returncode, out.decode(), err.decode()


@pytest.fixture(scope="module")
def c_bot(tmp_path_factory: pytest.TempPathFactory) -> str:
    if (compiler := shutil.which("cc")) is None:
        pytest.skip("there is no C compiler")
    made = tmp_path_factory.mktemp("bots") / "first"
    subprocess.run([compiler, "-O2", "-o", made, BOTS / "first.c"], check=True)
    return str(made)


async def games_against_random(run: Run, shared: SharedServer, room: str, program: str) -> None:
    status, out, err = await bot(
        run, shared, room, "--exec", program, "--vs", "random", "--games", "3"
    )
    assert (status, err) == (0, "")
    assert out.count(", game ") == 3
    assert re.search(r"3 of 3 games, \d won, \d drawn, \d lost: \d+ % \(\d+ to \d+\)", out)


@pytest.mark.parametrize(
    "program",
    ["sh {}/first.sh", f"{sys.executable} {{}}/chance.py", "node {}/last.js"],
    ids=["shell", "python", "javascript"],
)
async def test_the_examples_play(
    run: Run, shared: SharedServer, room_name: str, program: str
) -> None:
    if shutil.which(program.split(maxsplit=1)[0]) is None:
        pytest.skip(f"there is no {program.split(maxsplit=1)[0]}")
    await games_against_random(run, shared, room_name, program.format(BOTS))


async def test_the_example_in_c_plays(
    run: Run, shared: SharedServer, room_name: str, c_bot: str
) -> None:
    await games_against_random(run, shared, room_name, c_bot)


@pytest.mark.parametrize(
    ("program", "boards"),
    [
        ("sh {}/first.sh", ["misere:3x3x3", "torus:3x3x3"]),
        (f"{sys.executable} {{}}/chance.py", ["vanishing:3x3x3", "notakto:3x3x3"]),
        ("node {}/last.js", ["connect6", "cube:3"]),
        ("c", ["ultimate", "cube:4"]),
    ],
    ids=["shell", "python", "javascript", "c"],
)
async def test_the_examples_play_the_family(
    run: Run, shared: SharedServer, room_name: str, c_bot: str, program: str, boards: list[str]
) -> None:
    if program != "c" and shutil.which(program.split(maxsplit=1)[0]) is None:
        pytest.skip(f"there is no {program.split(maxsplit=1)[0]}")
    command = c_bot if program == "c" else program.format(BOTS)
    for number, board in enumerate(boards):
        room = f"{room_name}-{number}"
        options = ("--exec", command, "--rules", board, "--vs", "random")
        status, out, err = await bot(run, shared, room, *options)
        assert (status, err) == (0, ""), board
        assert "1 of 1 game" in out


async def test_a_program_that_does_not_name_a_variant_takes_no_seat_there(
    run: Run, shared: SharedServer, dial: Dial, room_name: str
) -> None:
    why = "the program does not name cube among the variants in its answer to hello"
    ada = await dial(shared, room_name)
    await ada.join(name="ada", settings={"rules": {"variant": "cube", "columns": 3, "rows": 9}})
    names = "print(json.dumps({'variants': ['ultimate']}), flush=True)\nsay(legal[0])"
    for body in ("say(legal[0])", names):
        answer = await bot(run, shared, room_name, "--exec", quoted(scripted(body)))
        assert answer == (1, "", f"ttt-client: {why}\n")
    options = ("--lobby", "--rules", "cube:3", "--exec", quoted(scripted("say(legal[0])")))
    client = await run("--server", shared.address, "bot", *options)
    async with asyncio.timeout(PATIENCE_S):
        assert client.process.stdout is not None
        line = await client.process.stdout.readline()
    assert line.decode() == f"{room_name}: {why}; on to another room\n"
    client.process.terminate()
    await client.process.wait()
    _, room = await shared.get(f"/api/rooms/{room_name}")
    assert room["seats"]["O"] is None


async def test_where_the_variant_is_hidden_it_leaves_before_its_first_move(
    run: Run, shared: SharedServer, dial: Dial, room_name: str
) -> None:
    ada = await dial(shared, room_name)
    rules = {"variant": "cube", "columns": 3, "rows": 9}
    await ada.join(name="ada", seat="O", settings={"rules": rules, "password": "tea"})
    options = ("--password", "tea", "--exec", quoted(scripted("say(legal[0])")))
    status, _, err = await bot(run, shared, room_name, *options)
    assert (status, "does not name cube" in err) == (1, True)
    assert (await ada.until_event("left"))["room"]["seats"]["X"] is None


async def test_an_engine_of_gomocup_plays_on_fifteen(
    run: Run, shared: SharedServer, room_name: str
) -> None:
    status, out, err = await bot(
        run,
        shared,
        *(room_name, "--exec", f"{sys.executable} {BOTS}/gomoku.py", "--protocol", "gomocup"),
        *("--rules", "15x15x5", "--vs", "random"),
    )
    assert (status, err) == (0, "")
    assert "won as X, a line" in out


async def test_a_person_sees_that_a_bot_plays_and_what_it_thought(
    run: Run, shared: SharedServer, dial: Dial, room_name: str, tmp_path: Path
) -> None:
    ada = await dial(shared, room_name)
    await ada.join(name="ada", seat="O")
    program = quoted(scripted("print('deep', file=sys.stderr)\nsay(legal[0], reason='first')"))
    client = await run(
        *("--server", shared.address, "--name", "deep", "bot", room_name, "--exec", program),
        *("--share-log", "--log", str(tmp_path / "log")),
    )
    update = await ada.until_ply(1)
    assert update["room"]["seats"]["X"]["bot"] is True
    for ply, cell in ((1, 3), (3, 4)):
        await ada.play(ply, cell)
        await ada.until_ply(ply + 2)
    async with asyncio.timeout(PATIENCE_S):
        out, err = await client.process.communicate()
    assert "won as X" in out.decode()
    assert "deep" in err.decode()
    _, game = await shared.get(f"/api/rooms/{room_name}/games/1")
    log = next(event for event in game["events"] if event["type"] == "played")["log"]
    assert (log["reason"], log["stderr"]) == ("first", "deep\n".strip())
    assert log["time_ms"] > 0
    assert " < " in (tmp_path / "log").read_text()


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("say(9)", "illegal: cell 9; legal were 0, 1"),
        ("sys.exit(3)", "crashed: exit status 3"),
        ("print('well')\nsys.stdout.flush()", "not understood: 'well', which is not JSON"),
    ],
    ids=["illegal", "crashed", "rubbish"],
)
async def test_a_failure_is_named_on_the_terminal_and_in_the_log_of_the_game(
    run: Run, shared: SharedServer, room_name: str, body: str, name: str
) -> None:
    program = quoted(scripted(body))
    status, out, err = await bot(run, shared, room_name, "--exec", program, "--vs", "random")
    assert (status, f"lost as X, {name}" in out) == (1, True)
    assert name in err
    assert f"ttt-client: every game was forfeited, the first: {name}" in err
    _, game = await shared.get(f"/api/rooms/{room_name}/games/1")
    ended = game["events"][-1]
    assert ended["outcome"]["reason"] == "forfeit"
    assert ended["detail"].startswith(name)


async def test_a_log_on_a_full_disk_is_one_line(
    run: Run, shared: SharedServer, room_name: str
) -> None:
    program = quoted(scripted("say(legal[0])"))
    status, _, err = await bot(
        run, shared, room_name, "--exec", program, "--vs", "random", "--log", "/dev/full"
    )
    assert (status, err) == (1, "ttt-client: /dev/full: No space left on device\n")


async def test_a_slow_one_is_killed_and_named(
    run: Run, shared: SharedServer, room_name: str
) -> None:
    program = quoted(scripted("if message['moves']: time.sleep(60)\nsay(4)"))
    status, out, err = await bot(
        run,
        shared,
        *(room_name, "--exec", program, "--vs", "random", "--time", "50ms"),
    )
    assert status == 1
    for told in (err, out):
        slow = re.search(r"too slow: (\S+) s of 0.05 s", told)
        assert slow, told
        assert float(slow[1]) >= 0.3  # later on a busy machine
    assert "lost as X, " in out


async def test_games_are_played_in_parallel(
    run: Run, shared: SharedServer, room_name: str, tmp_path: Path
) -> None:
    (here := tmp_path / "here").mkdir()
    come = f"import os; from pathlib import Path; here = Path({str(here)!r})"
    meet = "(here / str(os.getpid())).touch()"
    wait = "while len(list(here.iterdir())) < 3: time.sleep(0.01)"
    program = quoted(scripted(f"{meet}\n{wait}\nsay(legal[0])", come))
    several = ("--parallel", "3", "--games", "5", "--vs", "random", "--time", "60s")
    status, out, err = await bot(run, shared, room_name, "--exec", program, *several)
    assert (status, err) == (0, "")
    assert all(f"{room_name}-{number}, game 1: " in out for number in (1, 2, 3))
    assert "5 of 5 games" in out


async def test_an_engine_that_refuses_the_board_takes_no_seat(
    run: Run, shared: SharedServer, dial: Dial, room_name: str
) -> None:
    ada = await dial(shared, room_name)
    await ada.join(name="ada", settings={"rules": {"columns": 15, "rows": 15, "in_a_row": 5}})
    refuses = "while read word rest; do case $word in START) echo error size; esac; done"
    engine = ("--protocol", "gomocup", "--exec", quoted(["sh", "-c", refuses]))
    status, out, err = await bot(run, shared, room_name, *engine)
    why = "ttt-client: the engine does not play on 15x15: it says 'error size'\n"
    assert (status, out, err) == (1, "", why)


async def test_ctrl_c_ends_the_game_in_order(
    run: Run, shared: SharedServer, dial: Dial, room_name: str
) -> None:
    ada = await dial(shared, room_name)
    await ada.join(name="ada", seat="X")
    program = quoted(scripted("say(legal[0])"))
    client = await run("--server", shared.address, "bot", room_name, "--exec", program)
    await ada.until("update")
    await ada.play(0, 4)
    await ada.until_ply(2)
    client.process.send_signal(signal.SIGINT)
    over = await ada.until_event("left")
    assert over["room"]["game"]["outcome"]["reason"] == "resignation"
    async with asyncio.timeout(PATIENCE_S):
        await client.process.communicate()
    assert client.process.returncode == 130


async def test_a_room_without_bots_refuses_it(
    run: Run, shared: SharedServer, dial: Dial, room_name: str
) -> None:
    ada = await dial(shared, room_name)
    await ada.join(name="ada", settings={"bots": False})
    status, _, err = await bot(run, shared, room_name, "--exec", "cat")
    assert status == 4
    assert "no bots" in err or "not_allowed" in err


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--exec", "/nosuch"), "cannot start /nosuch: No such file or directory"),
        (
            ("--exec", "cat", "--protocol", "gomocup"),
            "the board is 3x3x3: Gomocup engines play five in a row, without gravity: 15x15x5",
        ),
    ],
)
async def test_a_program_that_cannot_play_takes_no_seat(
    run: Run, shared: SharedServer, dial: Dial, room_name: str, options: tuple[str, ...], why: str
) -> None:
    ada = await dial(shared, room_name)
    await ada.join(name="ada")
    assert await bot(run, shared, room_name, *options) == (1, "", f"ttt-client: {why}\n")
    _, room = await shared.get(f"/api/rooms/{room_name}")
    assert room["seats"]["O"] is None
    assert room["game"] is None


async def test_in_the_lobby_it_takes_an_open_seat(
    run: Run, shared: SharedServer, dial: Dial, room_name: str
) -> None:
    rules = {"columns": 5, "rows": 3, "in_a_row": 3}
    ada = await dial(shared, room_name)
    await ada.join(name="ada", settings={"rules": rules})
    program = quoted(scripted("say(legal[-1])"))
    client = await run(
        *("--server", shared.address, "--json", "bot", "--lobby", "--rules", "5x3x3"),
        *("--games", "1", "--exec", program),
    )
    await ada.until("update")
    await ada.play(0, 0)
    await ada.until_ply(2)
    await ada.send("resign", game=1)
    async with asyncio.timeout(PATIENCE_S):
        out, _ = await client.process.communicate()
    assert client.process.returncode == 0
    assert json.loads(out)["won"] == 1


async def test_in_the_lobby_it_plays_in_two_rooms_at_once_as_long_as_it_is_wanted(
    run: Run, shared: SharedServer, dial: Dial, room_name: str
) -> None:
    async def sit(name: str) -> SimpleClient:
        client = await dial(shared, f"{room_name}-{name}")
        await client.join(name=name, settings={"rules": {"columns": 6, "rows": 3, "in_a_row": 3}})
        return client

    async def begin(client: SimpleClient) -> None:
        await client.until_event("started")
        await client.play(0, 17)
        await client.until_ply(2)

    ada, bob = await sit("ada"), await sit("bob")
    options = "--rules", "6x3x3", "--games", "4"
    program = quoted(scripted("say(legal[0])"))
    client = await run(
        *("--server", shared.address, "--json", "bot", "--lobby", "2", *options, "--exec", program)
    )
    await begin(ada)
    await begin(bob)  # both games run
    await bob.send("resign", game=1)
    await bob.until_event("offered")
    await bob.send("decline", kind="rematch")
    await bob.until_event("left")
    cid = await sit("cid")
    await begin(cid)
    await ada.send("resign", game=1)
    await ada.until_event("offered")
    await ada.send("accept", kind="rematch")
    await ada.until_ply(1, game=2)
    await cid.send("resign", game=1)  # the fourth game runs, so that a fifth is not offered
    await cid.until_event("left")
    await ada.send("resign", game=2)
    async with asyncio.timeout(PATIENCE_S):
        out, _ = await client.process.communicate()
    assert client.process.returncode == 0
    rooms = [json.loads(line)["room"].rpartition("-")[2] for line in out.splitlines()]
    assert rooms == ["bob", "ada", "cid", "ada"]


async def test_check_tells_what_a_program_does(run: Run, shared: SharedServer) -> None:
    status, out, _ = await bot(run, shared, "check", "--exec", f"sh {BOTS}/first.sh")
    assert (status, out.splitlines()[-1]) == (0, "ready to play")
    status, out, _ = await bot(run, shared, "check", "--exec", "false")
    assert (status, out.splitlines()[-1]) == (1, "1 of 1 check failed")


async def test_wrong_usage_is_one_line(run: Run, shared: SharedServer) -> None:
    for arguments, words in (
        (("--exec", "x"), "say where to play: ROOM, --lobby or --event"),
        (("r", "--exec", ""), "--exec: name a program"),
        (("r", "--exec", "x", "--time", "soon"), "--time: a time is 10ms to 3600s"),
        (("--lobby", "0", "--exec", "x"), "--lobby: a bot plays in 1 to 64 rooms"),
    ):
        status, out, err = await bot(run, shared, *arguments)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert words in err
    status, _, err = await bot(run, shared, "r", "--exec", "./nothing", "--vs", "random")
    assert (status, err) == (1, "ttt-client: cannot start ./nothing: No such file or directory\n")
    status, _, err = await bot(run, shared, "r", "--exec", "cat", "--log", "/nosuch/log")
    assert (status, err) == (1, "ttt-client: /nosuch/log: No such file or directory\n")
