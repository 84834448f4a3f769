"""`ttt-server arena`, as a program with its processes."""

import asyncio
import json
import os
import pty
import shlex
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration import prepared
from tests.integration.programs import PATIENCE_S, environment, program

pytestmark = pytest.mark.heavy

PATIENT = "--time", "10"
"""A program has a second for a move, which a busy machine can take from it."""


async def arena(*arguments: str, **variables: str) -> tuple[int, str, str]:
    """Its exit status, and what it wrote on standard output and standard error."""
    process = await prepared.start(
        program("ttt-server"), "arena", *arguments, env=environment(**variables)
    )
    async with asyncio.timeout(PATIENCE_S):
        out, err = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


async def told(*arguments: str, forfeits: str | None = None, **variables: str) -> dict[str, Any]:
    """Return the table; `forfeits` names the contestant that is to forfeit every game."""
    status, out, err = await arena(*arguments, "--json", **variables)
    if forfeits is None:
        assert (status, err) == (0, "")
    else:
        assert (status, err) == (1, f"ttt-server arena: {forfeits} forfeited every game\n")
    answer: dict[str, Any] = json.loads(out)
    return answer


async def test_everyone_against_everyone_the_same_with_any_number_of_processes() -> None:
    alone, together = [
        await told("all", "-n", "30", "--seed", "5", "--workers", workers) for workers in "13"
    ]
    assert alone == together
    assert (alone["games"], alone["seed"]) == (30, 5)
    names = {one["strategy"] for one in alone["standings"]}
    assert {"brute", "lines", "minimax", "perfect", "random", "rules", "search:0"} <= names
    assert len(alone["matches"]) == len(names) * (len(names) - 1) / 2
    for match in alone["matches"]:
        assert match["games"] == match["wins"] + match["draws"] + match["losses"] == 30
    losses = {one["strategy"]: one["losses"] for one in alone["standings"]}
    assert losses["perfect"] == losses["minimax"] == 0


@pytest.mark.parametrize("words", [("all", "rules"), ("rules", "all"), ("all", "rules", "all")])
async def test_who_is_named_beside_everyone_plays_once(words: tuple[str, ...]) -> None:
    answer = await told(*words, "-n", "2")
    names = [one["strategy"] for one in answer["standings"]]
    assert len(names) == len(set(names))
    assert {match["games"] for match in answer["matches"]} == {2}
    assert len(answer["matches"]) == len(names) * (len(names) - 1) / 2


async def test_another_seed_makes_other_games() -> None:
    one, other = [await told("random", "rules", "-n", "50", "--seed", seed) for seed in "12"]
    assert one["matches"] != other["matches"]


async def test_a_match_in_words() -> None:
    status, out, err = await arena("rules", "-n", "20", "minimax:3", "--rules", "3x3x3")
    assert (status, err) == (0, "")
    assert out.startswith("3x3x3, 20 games a pair")
    assert "Elo of rules above minimax:3: +" in out
    assert "\x1b" not in out


async def test_a_terminal_of_letters_alone() -> None:
    status, out, err = await arena("rules", "random", "lines", "-n", "2", PYTHONIOENCODING="ascii")
    assert (status, err) == (0, "")
    assert out.isascii()
    assert "won/drawn/lost" in out


async def test_bad_input_is_one_line() -> None:
    status, out, err = await arena("zap", "rules")
    assert (status, out) == (2, "")
    assert err.startswith("ttt-server arena: no strategy 'zap'; there are: brute, ")
    assert err.count("\n") == 1
    status, _, err = await arena("perfect", "random", "--rules", "7x6x4g")
    assert status == 2
    assert "perfect does not play 7x6x4g; there are: exact, " in err


async def on_a_terminal(*arguments: str, **variables: str) -> tuple[Process, int]:
    """The program with a terminal for standard error, and the terminal's other end."""
    master, slave = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *(program("ttt-server"), "arena", *arguments),
        stdout=PIPE,
        stderr=slave,
        env=environment(TERM="xterm", COLUMNS="80", **variables),
    )
    os.close(slave)
    return process, master


def read_on(terminal: int) -> bytes:
    """What comes next; nothing once no process has the terminal any more."""
    try:
        return os.read(terminal, 65536)
    except OSError:  # so Linux tells of the end
        return b""


async def screen_until(terminal: int, words: bytes) -> bytes:
    screen = b""
    async with asyncio.timeout(PATIENCE_S):
        while words not in screen:
            screen += (more := await asyncio.to_thread(read_on, terminal))
            assert more, screen
    return screen


async def screen_until_all_end(terminal: int) -> bytes:
    """The rest of the screen; the workers have it open for as long as they live."""
    screen = b""
    async with asyncio.timeout(PATIENCE_S):
        while more := await asyncio.to_thread(read_on, terminal):
            screen += more
    os.close(terminal)
    return screen


async def test_a_bar_grows_on_a_terminal() -> None:
    process, terminal = await on_a_terminal("random", "rules", "-n", "400")
    screen = await screen_until_all_end(terminal)
    out, _ = await process.communicate()
    assert process.returncode == 0
    assert b"0 of 400 games" in screen
    assert screen.endswith(b"\r\x1b[K")
    assert out.startswith(b"3x3x3, 400 games a pair")


PLUGINS = """
import os
import time

from ttt_engine.strategies import Thought


class Last:
    name = "last"

    def plays(self, rules):
        return True

    def think(self, position):
        print("thinking aloud")
        return Thought(position.legal_moves[-1:], "last")


class Raises(Last):
    def think(self, position):
        raise ValueError("no idea")


class Cheats(Last):
    def think(self, position):
        return Thought((4,), "mine")


class Ends(Last):
    def think(self, position):
        os._exit(0)


class Sleeps(Last):
    def think(self, position):
        print("thinking aloud", flush=True)
        while True:
            try:
                time.sleep(1000)
            except BaseException:
                pass
"""


Install = Callable[..., dict[str, str]]


@pytest.fixture
def install(tmp_path: Path) -> Install:
    """Variables with which a package with these strategies is installed."""

    def with_strategies(*names: str) -> dict[str, str]:
        (tmp_path / "arena_plugins.py").write_text(PLUGINS)
        metadata = tmp_path / "arena_plugins-1.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: arena-plugins\nVersion: 1\n"
        )
        entries = [f"{name} = arena_plugins:{name.title()}" for name in names]
        (metadata / "entry_points.txt").write_text("\n".join(["[ttt.strategies]", *entries]))
        return {"PYTHONPATH": str(tmp_path)}

    return with_strategies


async def test_who_gives_no_move_forfeits_and_is_told_of(install: Install) -> None:
    variables = install("last", "raises", "cheats")
    arguments = ("raises", "cheats", "rules", "last", "-n", "10")
    status, out, err = await arena(*arguments, "--json", **variables)
    assert status == 1
    assert "ttt-server arena: raises forfeited every game" in err
    standings = {one["strategy"]: one for one in json.loads(out)["standings"]}
    assert standings["raises"]["losses"] == standings["raises"]["forfeits"] == 30
    assert standings["raises"]["first_forfeit"] == "ValueError: no idea"
    assert standings["cheats"]["first_forfeit"] == "it chose 4, which may not be played"
    assert standings["rules"]["forfeits"] == standings["last"]["forfeits"] == 0
    text = (await arena(*arguments, **variables))[1]
    assert "raises forfeited 30 of 30 games; the first: ValueError: no idea" in text


async def test_a_strategy_that_ends_its_process_is_named(install: Install) -> None:
    status, out, err = await arena("rules", "ends", **install("ends"))
    assert (status, out) == (1, "")
    told = "in a game of rules and ends one ended the process that it plays in"
    assert err == f"ttt-server arena: {told}\n"


async def test_a_strategy_that_never_answers_is_named(install: Install) -> None:
    status, out, err = await arena(
        "sleeps", "last", "--limit-s", "0.3", **install("sleeps", "last")
    )
    assert (status, out) == (1, "")
    told = "in a game of sleeps and last one took longer than 0.3 s for a move"
    assert err.endswith(f"ttt-server arena: {told}\n")


async def test_all_are_those_that_work(install: Install) -> None:
    variables = install("last", "missing")
    status, out, err = await arena("all", "-n", "1", "--json", **variables)
    assert status == 0
    assert "last" in {one["strategy"] for one in json.loads(out)["standings"]}
    assert "without a broken one: strategy 'missing' cannot be imported" in err


async def test_after_ctrl_c_no_process_thinks_on(install: Install) -> None:
    process, terminal = await on_a_terminal("sleeps", "last", **install("sleeps", "last"))
    await screen_until(terminal, b"thinking aloud")
    process.send_signal(signal.SIGINT)
    out, _ = await process.communicate()
    assert b"Traceback" not in await screen_until_all_end(terminal)
    assert (process.returncode, out) == (130, b"")


async def test_no_process_outlives_it() -> None:
    process, terminal = await on_a_terminal("random", "rules", "-n", "100000000")
    await screen_until(terminal, b"left")
    process.kill()
    await process.communicate()
    assert b"Traceback" not in await screen_until_all_end(terminal)


BOTS = Path(__file__).parents[2] / "client/examples/bots"


async def test_programs_play_and_a_bad_one_forfeits_by_name(tmp_path: Path) -> None:
    picture = tmp_path / "table.svg"
    shell, chance = f"exec:sh {BOTS}/first.sh", f"exec:python3 {BOTS}/chance.py"
    rubbish = "exec:yes"
    options = "-n", "4", "--plot", str(picture), *PATIENT
    answer = await told(shell, chance, rubbish, "random", *options, forfeits=rubbish)
    standings = {one["strategy"]: one for one in answer["standings"]}
    assert standings[rubbish]["forfeits"] == 12
    # Its first line, or all that was there when a busy machine read it.
    assert standings[rubbish]["first_forfeit"].startswith("not understood: ")
    assert standings[shell]["forfeits"] == standings[chance]["forfeits"] == 0
    assert 0 < standings[shell]["ms_per_move"] <= standings[shell]["longest_ms"]
    assert picture.read_text().startswith("<svg ")


SLOW = """read hello; read turn; echo '{"cell":0}'; sleep 60"""


async def test_a_slow_program_forfeits_and_the_arena_goes_on() -> None:
    # It answers once, for the first answer has time to start the program, too.
    script = f"exec:{shlex.join(['sh', '-c', SLOW])}"
    answer = await told(script, "random", "-n", "1", "--time", "0.05", forfeits=script)
    slow = next(one for one in answer["standings"] if "exec" in one["strategy"])
    assert slow["forfeits"] == 1
    assert slow["first_forfeit"].startswith("too slow: 0.3")


async def test_the_tolerance_is_an_option() -> None:
    script = f"exec:{shlex.join(['sh', '-c', SLOW])}"
    options = "-n", "1", "--time", "0.05", "--tolerance", "0"
    answer = await told(script, "random", *options, forfeits=script)
    slow = next(one for one in answer["standings"] if "exec" in one["strategy"])
    assert slow["first_forfeit"].startswith("too slow: 0.0")


def is_running(pid: str) -> bool:
    return Path("/proc", pid).exists()


async def test_few_games_of_a_program_are_played_in_parallel_and_its_children_end(
    tmp_path: Path,
) -> None:
    pids, children = tmp_path / "pids", tmp_path / "children"
    script = f"""echo $$ >> {pids}
setsid sleep 300 > /dev/null 2>&1 & echo $! >> {children}
exec sh {BOTS}/first.sh"""
    program = f"exec:{shlex.join(['sh', '-c', script])}"
    await told(program, "random", "-n", "2", "--workers", "2", *PATIENT)
    assert len(set(pids.read_text().split())) == 2
    assert not any(map(is_running, children.read_text().split()))


async def test_an_engine_plays_on_twenty_by_twenty() -> None:
    engine = f"gomocup:python3 {BOTS}/gomoku.py"
    answer = await told(engine, "random", "-n", "1", "--rules", "20x20x5", *PATIENT)
    assert answer["standings"][0]["wins"] == 1


async def test_an_engine_of_gomocup_plays() -> None:
    engine = f"gomocup:python3 {BOTS}/gomoku.py"
    answer = await told(engine, "random", "-n", "2", "--rules", "15x15x5", *PATIENT)
    assert answer["standings"][0]["wins"] == 2


@pytest.mark.parametrize("opening", ["pie", "swap2"])
async def test_programs_and_strategies_open_fairly(opening: str) -> None:
    programs = f"gomocup:python3 {BOTS}/gomoku.py", f"exec:python3 {BOTS}/chance.py"
    options = "-n", "2", "--rules", "13x13x5!", "--opening", opening
    answer = await told(*programs, "lines", *options, *PATIENT)
    assert answer["opening"] == opening
    assert [one["first_forfeit"] for one in answer["standings"]] == [None] * 3


async def test_a_match_ends_when_it_is_decided_with_any_number_of_processes() -> None:
    alone, together = [
        await told("rules", "random", "--sprt", "0,50", "--workers", workers) for workers in "13"
    ]
    assert alone == together
    assert alone["sprt"]["accepted"] is True
    assert alone["matches"][0]["games"] < 200


async def test_a_killed_arena_goes_on_and_counts_each_game_once(tmp_path: Path) -> None:
    games = "random", "rules", "lines", "-n", "3000", "--openings", "2"
    file = tmp_path / "games.jsonl"
    process = await asyncio.create_subprocess_exec(
        *(program("ttt-server"), "arena", *games, "--save", str(file)),
        stdout=PIPE,
        env=environment(),
    )
    async with asyncio.timeout(PATIENCE_S):
        while not file.exists() or len(file.read_bytes()) < 20_000:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    process.kill()
    await process.communicate()
    resumed = await told(*games, "--save", str(file), "--resume")
    assert resumed == await told(*games)
    lines = map(json.loads, file.read_text().splitlines()[1:])
    pairs = [(*line["pair"], line["game"]) for line in lines]
    assert len(pairs) == len(set(pairs)) == 9000
