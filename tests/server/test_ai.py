"""AI seats, and the processes that think for them."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from ttt_engine import Position, Rules
from ttt_protocol.state import Ai
from ttt_server.ai import AiFailed, Choice, Thinkers, Worker

WIDE = Rules(columns=4, rows=3, in_a_row=3)
WINS_AT_2 = Position.after((0, 4, 1, 8), WIDE)
START = Position.start()

STRATEGIES = """
import os, sys, time
from ttt_engine.strategies import Thought

class Base:
    name = "base"
    def plays(self, rules):
        return True
    def think(self, position):
        print('{"cells": [8], "reason": "what it prints is no answer"}', flush=True)
        os.write(1, b'{"cells": [8], "reason": "nor this"}\\n')
        return Thought((self.cell(position),), "as \\x1b[31mit\\n likes \\ud800")
    def cell(self, position):
        return position.legal_moves[0]

class Talkative(Base): pass
class Raises(Base):
    def cell(self, position): raise RuntimeError("no idea")
class Taken(Base):
    def cell(self, position): return 0
class Outside(Base):
    def cell(self, position): return 99
class Truth(Base):
    def cell(self, position): return True
class Word(Base):
    def cell(self, position): return "b2"
class Endless(Base):
    def cell(self, position):
        while True: pass
class Exits(Base):
    def cell(self, position): sys.exit(0)
class Dies(Base):
    def cell(self, position): os._exit(1)
class Nothing(Base):
    def think(self, position): return None
class Unmade(Base):
    def __init__(self): raise OSError("no book")
"""
NAMES = [
    "Talkative",
    "Raises",
    "Taken",
    "Outside",
    "Truth",
    "Word",
    "Endless",
    "Exits",
    "Dies",
    "Nothing",
    "Unmade",
    "Missing",
]


def ai(strategy: str, level: int | None = None) -> Ai:
    return Ai(name=strategy, strategy=strategy, level=level)


@pytest.fixture
def users_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package of a user's is installed where the worker processes look, and only there."""
    (tmp_path / "odd_strategies.py").write_text(STRATEGIES, encoding="utf-8")
    metadata = tmp_path / "odd_strategies-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: odd\nVersion: 1\n")
    entries = "".join(f"{name.lower()} = odd_strategies:{name}\n" for name in NAMES)
    (metadata / "entry_points.txt").write_text(f"[ttt.strategies]\n{entries}")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> list[Worker]:
    """The processes that were started."""
    started: list[Worker] = []
    start = Worker.start

    async def noted() -> Worker:
        started.append(await start())
        return started[-1]

    monkeypatch.setattr(Worker, "start", noted)
    return started


@pytest.fixture
async def thinkers() -> AsyncIterator[Thinkers]:
    thinkers = Thinkers(1, Random(0))
    yield thinkers
    await thinkers.close()


def is_dead(worker: Worker) -> bool:
    return not worker.is_alive


@pytest.mark.parametrize("strategy", ["random", "rules", "minimax"])
async def test_quick_strategies_need_no_process(
    strategy: str, thinkers: Thinkers, workers: list[Worker]
) -> None:
    wins_at_2 = Position.after((0, 3, 1, 4))
    choice = await thinkers.choose(ai(strategy, 9), wins_at_2)
    assert choice.cell in wins_at_2.legal_moves
    if strategy != "random":
        assert choice == Choice(2, "win")
    assert not workers


async def test_chance_is_among_equally_good_cells() -> None:
    thinkers = Thinkers(1, Random(1))
    cells = {(await thinkers.choose(ai("random"), START)).cell for _ in range(200)}
    assert cells == set(range(9))
    corners = {(await thinkers.choose(ai("rules"), START.play(4))).cell for _ in range(100)}
    assert corners == {0, 2, 6, 8}


async def test_a_seed_replays_the_choices() -> None:
    first, second = (Thinkers(1, Random(7)) for _ in range(2))
    for _ in range(20):
        choices = [await one.choose(ai("random"), START) for one in (first, second)]
        assert choices[0] == choices[1]


async def test_a_search_runs_in_a_process(thinkers: Thinkers, workers: list[Worker]) -> None:
    assert await thinkers.choose(ai("minimax", 9), WINS_AT_2) == Choice(2, "win")
    assert len(workers) == 1
    assert not is_dead(workers[0])
    await thinkers.close()
    assert is_dead(workers[0])


async def test_processes_are_used_again_and_bounded(
    thinkers: Thinkers, workers: list[Worker]
) -> None:
    choices = await asyncio.gather(
        *(thinkers.choose(ai("minimax", 9), WINS_AT_2) for _ in range(4))
    )
    assert set(choices) == {Choice(2, "win")}
    assert len(workers) == 1


async def test_several_think_side_by_side(workers: list[Worker]) -> None:
    thinkers = Thinkers(2, Random(0))
    await asyncio.gather(*(thinkers.choose(ai("minimax", 9), WINS_AT_2) for _ in range(4)))
    assert len(workers) == 2
    await thinkers.close()
    assert all(is_dead(worker) for worker in workers)


async def test_a_process_that_died_while_idle_costs_no_game(
    thinkers: Thinkers, workers: list[Worker]
) -> None:
    await thinkers.choose(ai("minimax", 9), WINS_AT_2)
    workers[0]._process.kill()
    await workers[0]._process.wait()
    assert await thinkers.choose(ai("minimax", 9), WINS_AT_2) == Choice(2, "win")
    assert len(workers) == 2


@pytest.mark.usefixtures("users_package")
@pytest.mark.parametrize(
    ("strategy", "words"),
    [
        ("raises", "raises failed: RuntimeError"),
        ("unmade", "unmade failed: BrokenStrategy"),
        ("missing", "missing failed: BrokenStrategy"),
        ("unheard_of", "unheard_of failed: UnknownStrategy"),
        ("nothing", "nothing failed: AttributeError"),
        ("taken", "taken chose an illegal cell"),
        ("outside", "outside chose an illegal cell"),
        ("truth", "what was chosen is no cell"),
        ("word", "what was chosen is no cell"),
        ("exits", "exits ended its process"),
        ("dies", "dies ended its process"),
    ],
)
async def test_a_strategy_that_gives_no_move(
    strategy: str, words: str, thinkers: Thinkers, workers: list[Worker]
) -> None:
    with pytest.raises(AiFailed, match=rf"^{words}$"):
        await thinkers.choose(ai(strategy), START.play(0))
    assert len(workers) == 1
    await thinkers.close()
    assert is_dead(workers[0])


@pytest.mark.usefixtures("users_package")
async def test_a_strategy_that_never_answers_is_killed(workers: list[Worker]) -> None:
    thinkers = Thinkers(1, Random(0), think_limit_s=0.3)
    loop = asyncio.get_running_loop()
    began = loop.time()
    with pytest.raises(AiFailed, match=r"^endless took too long$"):
        await thinkers.choose(ai("endless"), START)
    assert loop.time() - began < 5
    assert is_dead(workers[0])
    assert not thinkers._idle


@pytest.mark.usefixtures("users_package")
async def test_after_one_that_never_answers_another_does(workers: list[Worker]) -> None:
    thinkers = Thinkers(1, Random(0), think_limit_s=0.1)
    with pytest.raises(AiFailed, match="too long"):
        await thinkers.choose(ai("endless"), START)
    thinkers._think_limit_s = 20
    assert (await thinkers.choose(ai("talkative"), START)).cell == 0
    assert [is_dead(worker) for worker in workers] == [True, False]
    await thinkers.close()


@pytest.mark.usefixtures("users_package")
async def test_who_does_not_wait_any_more_leaves_no_process(
    thinkers: Thinkers, workers: list[Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = asyncio.Event()
    ask = Worker.ask

    async def noted(worker: Worker, question: dict[str, Any]) -> dict[str, Any]:
        asked.set()
        return await ask(worker, question)

    monkeypatch.setattr(Worker, "ask", noted)
    thinking = asyncio.create_task(thinkers.choose(ai("endless"), START))
    await asked.wait()
    thinking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await thinking
    assert is_dead(workers[0])


@pytest.mark.usefixtures("users_package")
async def test_what_a_strategy_prints_is_no_answer_and_its_reason_is_clean(
    thinkers: Thinkers,
) -> None:
    choice = await thinkers.choose(ai("talkative"), START)
    assert choice.cell == 0
    assert choice.reason == "as it  likes "


async def test_there_is_no_process_to_be_had(
    thinkers: Thinkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def none(*_: object, **__: object) -> None:
        raise OSError("too many processes")

    monkeypatch.setattr(asyncio, "create_subprocess_exec", none)
    with pytest.raises(AiFailed, match="minimax has no process to think in"):
        await thinkers.choose(ai("minimax", 9), WINS_AT_2)


@pytest.mark.parametrize(
    ("left_s", "seconds"), [(None, None), (0, 0), (10, 0.5), (40, 2), (600, 2), (10**6, 2)]
)
async def test_on_a_clock_it_spends_a_share_of_what_is_left(
    thinkers: Thinkers,
    monkeypatch: pytest.MonkeyPatch,
    left_s: float | None,
    seconds: float | None,
) -> None:
    asked: list[dict[str, Any]] = []

    async def ask(_: Worker, question: dict[str, Any]) -> dict[str, Any]:
        asked.append(question)
        return {"cells": [0], "reason": "first"}

    monkeypatch.setattr(Worker, "ask", ask)
    await thinkers.choose(ai("search", 3), Position.start(WIDE), left_s)
    assert asked == [
        {
            "strategy": "search",
            "level": 3,
            "seconds": seconds,
            "rules": str(WIDE),
            "board": "." * 12,
        }
    ]


async def test_3x3_is_judged_here(thinkers: Thinkers, workers: list[Worker]) -> None:
    judgement = await thinkers.judge(Position.after((0, 3, 1, 4)))
    assert (judgement.best, judgement.value, judgement.reason) == ((2,), 1, "win")
    assert not workers


async def test_other_boards_are_judged_in_a_process(
    thinkers: Thinkers, workers: list[Worker]
) -> None:
    judgement = await thinkers.judge(WINS_AT_2)
    assert (judgement.best, judgement.value) == ((2,), 1)
    assert set(judgement.values) == set(WINS_AT_2.legal_moves)
    assert len(workers) == 1


async def test_there_is_no_process_to_judge_in(
    thinkers: Thinkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def none(*_: object, **__: object) -> None:
        raise OSError("too many processes")

    monkeypatch.setattr(asyncio, "create_subprocess_exec", none)
    with pytest.raises(AiFailed, match="the judge has no process to think in"):
        await thinkers.judge(WINS_AT_2)
