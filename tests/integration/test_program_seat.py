"""A program of the operator's own in an AI seat."""

import json
import shlex
import sys
from pathlib import Path

from tests.client.bots.programs import scripted
from tests.integration.programs import Dial, StartServer, run_server

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


async def test_a_table_that_cannot_be_used_is_one_line(tmp_path: Path) -> None:
    config = tmp_path / "server.toml"
    for text, words in (
        ('[strategies.random]\nexec = "x"\n', "'random' is a strategy of the server itself"),
        ('[strategies."my bot"]\nexec = "x"\n', "is no name of a strategy"),
        ('[strategies.mine]\nexec = ""\n', "must name a program"),
        ('[strategies.mine]\nexec = "x"\nboards = "2x2x2"\n', "each must be 3 to 19"),
    ):
        config.write_text(text)
        status, out, err = await run_server("--config", str(config))
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert words in err
