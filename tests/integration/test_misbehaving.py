"""Strategies that misbehave, in a real server: their seats forfeit, and nothing else happens."""

import asyncio
import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import misbehaving
from tests.integration.programs import (
    PATIENCE_S,
    Dial,
    Message,
    ServerProcess,
    SimpleClient,
    StartServer,
    eventually,
)
from tests.integration.test_http import request

pytestmark = pytest.mark.heavy

LINE = [0, 4, 1, 3, 2]
SOONER = """
from functools import partial
from ttt_server import app
from ttt_server.ai import plugins
app.StrategyRunner = partial(app.StrategyRunner, think_limit_s=6)
plugins.PROBE_LIMIT_S = 6
plugins.ASK_AGAIN_S = 0.5
"""
"""The server's own limits are 20 s and 8 s, which a strategy that never ends burns whole."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    misbehaving.install(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return tmp_path


def processes_with(folder: Path) -> list[str]:
    """The processes that think, of servers that were started with this folder."""
    return [
        command for command in _commands(str(folder).encode()) if "ttt_server.ai.worker" in command
    ]


def _commands(word: bytes) -> Iterator[str]:
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if word in (process / "environ").read_bytes():
                yield (process / "cmdline").read_text()
        except OSError:  # it has ended, or is somebody else's
            continue


async def against(server: ServerProcess, dial: Dial, strategy: str) -> SimpleClient:
    ada = await dial(server, f"vs-{strategy}")
    await ada.join(settings={"seats": {"O": {"strategy": strategy}}})
    await ada.send("play", game=1, ply=0, cell=4)
    return ada


async def end_of(ada: SimpleClient) -> Message:
    """The event with which the game ends, be it late."""
    while True:
        message = await ada.receive(3 * PATIENCE_S)
        ended: list[Message] = [e for e in message.get("events", ()) if e["type"] == "ended"]
        if ended:
            return ended[0]


async def play_a_game(server: ServerProcess, dial: Dial, room: str) -> None:
    """Two people, start to end."""
    ada, bob = await dial(server, room), await dial(server, room)
    await ada.join(name="ada")
    await bob.join(name="bob")
    for ply, (cell, who) in enumerate(zip(LINE, itertools.cycle((ada, bob)), strict=False)):
        await who.play(ply, cell)


async def test_each_forfeits_and_everyone_else_plays_on(
    folder: Path, start_server: StartServer, dial: Dial
) -> None:
    server = await start_server("--ai-memory-mb", "256", before=SOONER)
    quick = {
        "raises": "failed: RuntimeError",
        "nothing": "failed: InvalidThought",
        "unthought": "failed: InvalidThought",
        "hungry": "failed: MemoryError",
        "taken": "chose an illegal cell",
        "outside": "chose an illegal cell",
        "truth": "chose something that is not a cell",
        "word": "chose something that is not a cell",
        "exits": "ended its process",
        "dies": "ended its process",
        "crashes": "ended its process",
        "closesall": "ended its process",
    }
    slow = dict.fromkeys(("endless", "deaf", "stops"), "took too long")
    expected = quick | slow
    games = {strategy: await against(server, dial, strategy) for strategy in expected}
    for strategy in quick:
        ended = await end_of(games[strategy])
        assert ended["outcome"] == {"winner": "X", "reason": "forfeit", "line": None}
        assert ended["detail"] == f"{strategy} {expected[strategy]}"
    # While the others hang, everything else goes on.
    await play_a_game(server, dial, "people")
    behaved = await against(server, dial, "behaved")
    assert (await behaved.until_ply(2))["events"][-1]["reason"] == "first"
    hinted = await dial(server, "hinted")
    await hinted.join(
        settings={
            "rules": {"columns": 5, "rows": 5, "in_a_row": 4},
            "seats": {"O": {"strategy": "search", "level": 0}},
            "hints": True,
        }
    )
    await hinted.send("hint")
    assert (await hinted.until("hint"))["best"]
    await hinted.play(0, 12)
    await hinted.until_ply(2)
    for strategy in slow:
        ended = await end_of(games[strategy])
        assert ended["detail"] == f"{strategy} {expected[strategy]}"
    await games["raises"].send("offer", kind="rematch")
    assert (await end_of(games["raises"]))["game"] == 2, "now it begins, and fails again"
    assert await server.stop() == 0
    assert not processes_with(folder)


@pytest.mark.usefixtures("folder")
async def test_one_that_does_not_work_is_refused_and_left_out_of_the_list(
    start_server: StartServer, dial: Dial
) -> None:
    server = await start_server(before=SOONER)
    for strategy, code in {
        "missing": "unknown_strategy",
        "unmade": "unknown_strategy",
        "unsure": "strategy_cannot_play",
        "unwilling": "strategy_cannot_play",
        "unimported": "unknown_strategy",
    }.items():
        ada = await dial(server, "refused")
        refused = await ada.refusal("join", settings={"seats": {"O": {"strategy": strategy}}})
        assert refused["code"] == code
    asking = [await dial(server, f"hangs-{number}") for number in range(3)]
    for ada in asking:
        await ada.send("join", settings={"seats": {"O": {"strategy": "undecided"}}})
    await play_a_game(server, dial, "people")
    for ada in asking:
        assert (await ada.until("refused"))["code"] == "strategy_cannot_play"

    async def has_one_that_works() -> bool:  # a busy machine may have to ask it twice
        status, _, body = await request(server, "GET /api/strategies")
        assert status in {200, 503}  # where those that hang took too long to ask
        assert '"missing"' not in body
        return '"behaved"' in body

    await eventually(has_one_that_works, 3 * PATIENCE_S)


async def test_stopping_does_not_wait_for_one_that_hangs(
    folder: Path, start_server: StartServer, dial: Dial
) -> None:
    server = await start_server()
    for strategy in ("endless", "deaf"):
        await against(server, dial, strategy)
    while len(processes_with(folder)) < 2:  # noqa: ASYNC110 - no event tells of it
        await asyncio.sleep(0.05)
    assert await server.stop() == 0
    assert not processes_with(folder)
