"""A program of the operator's own in an AI seat."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from tests.client.bots.programs import scripted
from tests.integration.programs import Dial, SimpleClient, StartServer, run_server

pytestmark = pytest.mark.heavy

BOTS = Path(__file__).parents[2] / "client/examples/bots"
TABLE = """
[strategies.{name}]
exec = {command}
protocol = "{protocol}"
boards = "{boards}"
about = "Plays as a test wants."
"""


def table(name: str, command: list[str], protocol: str = "json", boards: str = "") -> str:
    quoted = json.dumps(shlex.join(command))
    return TABLE.format(name=name, command=quoted, protocol=protocol, boards=boards)


async def test_programs_sit_in_seats_as_any_strategy_and_a_bad_one_forfeits_by_name(
    start_server: StartServer, dial: Dial, tmp_path: Path
) -> None:
    config = tmp_path / "server.toml"
    config.write_text(
        table("lasts", scripted("say(legal[-1], reason='the last')"))
        + table("broken", scripted("sys.exit(3)"))
        + table("engine", [sys.executable, f"{BOTS}/gomoku.py"], "gomocup", "15x15x5")
    )
    server = await start_server("--config", str(config))
    _, listed = await server.get("/api/strategies")
    offered = {one["name"]: one for one in listed["strategies"]}
    assert offered["lasts"]["about"] == "Plays as a test wants."
    assert offered["engine"]["boards"] == "15x15x5"

    ada = await dial(server, "den")
    await ada.join(settings={"seats": {"O": {"strategy": "lasts"}}})
    await ada.send("play", game=1, ply=0, cell=0)
    played = (await ada.until_ply(2))["events"][-1]
    assert (played["cell"], played["reason"]) == (8, "the last")

    bob = await dial(server, "table")
    rules = {"columns": 15, "rows": 15, "in_a_row": 5}
    await bob.join(settings={"rules": rules, "seats": {"O": {"strategy": "engine"}}})
    await bob.send("play", game=1, ply=0, cell=112)
    assert (await bob.until_ply(2))["events"][-1]["cell"] != 112
    eve = await dial(server, "small")
    await eve.send("join", settings={"seats": {"O": {"strategy": "engine"}}})
    assert (await eve.until("refused"))["code"] == "strategy_cannot_play"

    joe = await dial(server, "end")
    await joe.join(settings={"seats": {"O": {"strategy": "broken"}}})
    await joe.send("play", game=1, ply=0, cell=0)
    over = await joe.until_over()
    assert over["room"]["game"]["outcome"]["reason"] == "forfeit"
    assert over["events"][-1]["detail"] == "broken failed: crashed: exit status 3"


SWAPS_AFTER_FOUR = """while read line; do case $line in
    *choose*) echo '{"choice":"swap"}';;
    *'"moves":[]'*) echo '{"cell":4}';;
    *turn*) echo '{"cell":0}';; esac; done"""
ENGINE = """while read line; do case $line in
    ABOUT) echo name;; START*|RESTART) echo OK;; SWAP2BOARD) stones=0;;
    [0-9]*) stones=$((stones+1));;
    DONE) if [ $stones = 0 ]; then echo 7,7 8,7 9,9; else echo 0,1 0,2; fi;;
    BEGIN) echo 7,7;; END) exit;; esac; done"""


async def test_programs_open_as_far_as_their_languages_have_words_for_it(
    start_server: StartServer, dial: Dial, tmp_path: Path
) -> None:
    config = tmp_path / "server.toml"
    config.write_text(
        table("swaps", ["sh", "-c", SWAPS_AFTER_FOUR])
        + table("engine", ["sh", "-c", ENGINE], "gomocup")
    )
    server = await start_server("--config", str(config))

    async def sit(room: str, seat: str, strategy: str, opening: str, **rules: int) -> SimpleClient:
        client = await dial(server, room)
        settings = {"seats": {seat: {"strategy": strategy}}, "opening": opening, "rules": rules}
        await client.join(settings=settings)
        return client

    ada = await sit("swaps", "O", "swaps", "pie")
    await ada.send("play", game=1, ply=0, cell=8)
    room = (await ada.until_event("chosen"))["room"]
    assert room["seats"]["X"]["name"] == "swaps"

    gomoku = {"columns": 15, "rows": 15, "in_a_row": 5}
    bob = await sit("places", "X", "engine", "swap2", **gomoku)
    room = (await bob.until_ply(3))["room"]
    assert room["game"]["moves"] == [112, 113, 144]
    assert room["game"]["choosing"] == "O"

    eve = await sit("more", "O", "engine", "swap2", **gomoku)
    for ply, cell in enumerate((112, 128, 83)):
        await eve.play(ply, cell)
    chosen = await eve.until_event("chosen")
    assert (chosen["events"][-1]["choice"], chosen["room"]["game"]["to_place"]) == ("more", 2)
    room = (await eve.until_ply(5))["room"]
    assert room["game"]["moves"][3:] == [15, 30]
    assert room["game"]["choosing"] == "X"

    dan = await sit("pie", "O", "engine", "pie", **gomoku)  # for which Gomocup has no word
    await dan.send("play", game=1, ply=0, cell=112)
    room = (await dan.until_event("chosen"))["room"]
    assert room["seats"]["X"]["name"] == "engine"  # swapped, as the side ahead is X


async def test_a_table_that_cannot_be_used_is_one_line(tmp_path: Path) -> None:
    config = tmp_path / "server.toml"
    for text, words in (
        ('[strategies.random]\nexec = "x"\n', "'random' is a strategy of the server itself"),
        ('[strategies."my bot"]\nexec = "x"\n', "is no name of a strategy"),
        ('[strategies.mine]\nexec = ""\n', "must name a program"),
        ('[strategies.mine]\nexec = "x"\nboards = "2x2x2"\n', "each must be 3 to 20"),
    ):
        config.write_text(text)
        status, out, err = await run_server("--config", str(config))
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert words in err
