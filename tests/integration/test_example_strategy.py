"""A package of a user's is installed, and its strategy is one like ours."""

import asyncio
import json
import re
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from tests.integration.programs import (
    PATIENCE_S,
    Dial,
    StartServer,
    environment,
    program,
)

pytestmark = pytest.mark.heavy

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "tests" / "example_strategy"


@pytest.fixture
async def installed(tmp_path: Path) -> str:
    """The folder into which pip has put the example, without a network."""
    folder = tmp_path / "site"
    pip = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
        *("--no-index", "--no-build-isolation", "--no-deps", "--target", folder, PACKAGE),
        stderr=PIPE,
        env=environment(),
    )
    async with asyncio.timeout(3 * PATIENCE_S):
        _, complaints = await pip.communicate()
    assert pip.returncode == 0, complaints.decode()
    return str(folder)


async def test_it_plays_a_seat(start_server: StartServer, dial: Dial, installed: str) -> None:
    server = await start_server(under=("env", f"PYTHONPATH={installed}"))
    _, told = await server.get("/api/strategies")
    described = {one["name"]: one for one in told["strategies"]}
    assert described["corners"] == {
        "name": "corners",
        "levels": False,
        "about": "Takes a corner while there is one, then any cell.",
        "boards": "every board without gravity",
    }

    ada = await dial(server, "corners")
    seats = {"O": {"strategy": "corners"}}
    welcome = await ada.join(name="ada", seat="X", settings={"seats": seats})
    assert welcome["room"]["seats"]["O"]["name"] == "corners"
    reasons = []
    for ply, cell in ((0, 4), (2, 1), (4, 3)):
        board = (await ada.play(ply, cell))["room"]["game"]["board"]
        answered = await ada.until_ply(ply + 2)
        event = answered["events"][0]
        assert board[event["cell"]] == "."
        reasons.append((event["cell"] in {0, 2, 6, 8}, event["reason"]))
    assert reasons == [(True, "corner")] * 3

    tower = await dial(server, "tower")
    falls = {"columns": 7, "rows": 6, "in_a_row": 4, "gravity": True}
    refused = await tower.refusal("join", settings={"rules": falls, "seats": seats})
    assert refused["code"] == "strategy_cannot_play"
    assert refused["reason"].endswith("; there are: exact, guard, mcts, minimax, random, search")


async def test_it_is_in_the_arena(installed: str) -> None:
    arena = await asyncio.create_subprocess_exec(
        *(program("ttt-server"), "arena", "all", "-n", "10", "--json"),
        stdout=PIPE,
        env=environment(PYTHONPATH=installed),
    )
    async with asyncio.timeout(PATIENCE_S):
        out, _ = await arena.communicate()
    standings = {one["strategy"]: one for one in json.loads(out)["standings"]}
    assert "corners" in standings
    assert standings["corners"]["forfeits"] == 0
    assert standings["corners"]["games"] == 10 * (len(standings) - 1)


def test_the_page_of_strategies_shows_it() -> None:
    shown = re.search(
        r"```python\n(class .*?)```", (ROOT / "docs/strategies.md").read_text(), re.DOTALL
    )
    assert shown
    assert shown[1] in (PACKAGE / "ttt_corners.py").read_text()
