import asyncio
import json
from collections.abc import AsyncIterator
from datetime import date

import pytest

from ttt_engine import CannotPlay, InvalidLevel, Position, Rules, UnknownStrategy
from ttt_engine.learning.memory import Lesson, Memory
from ttt_engine.outcome import Mark
from ttt_engine.puzzles import Kind, daily, make_set
from ttt_server.ai import laboratory as module
from ttt_server.ai.laboratory import (
    MOST_OF_AN_ADDRESS,
    MOST_WAITING,
    PATIENCE_S,
    STUDY_S,
    Laboratory,
    PuzzleWish,
    StrategyWish,
    Study,
)
from ttt_server.ai.process_pool import NoAnswer
from ttt_server.ai.runner import AiFailed
from ttt_server.concurrency.fair_semaphore import KeyTooBusy, TooBusy
from ttt_server.endpoints.gateway import HANDSHAKE_TIMEOUT_S

START = Study(Position.start(), ())
MEMORY = Memory()
MEMORY.learn(Lesson.of((4, 0, 2, 1, 6), Mark.X))


@pytest.fixture
async def laboratory() -> AsyncIterator[Laboratory]:
    laboratory = Laboratory(MEMORY, 512)
    yield laboratory
    await laboratory.close()


def steps(lines: bytes) -> list[dict[str, object]]:
    return [json.loads(line) for line in lines.splitlines()]


async def test_the_learner_thinks_here_with_the_memory_as_it_is(laboratory: Laboratory) -> None:
    told = steps(await laboratory.trace(START, StrategyWish("learner", None), 100))
    remembered = [step for step in told if step["step"] == "remember"]
    assert [step["won"] for step in remembered] == [0, 0, 0, 0, 1, 0, 0, 0, 0]
    assert told[-1]["reason"] == "pursue a win"


async def test_the_learner_remembers_what_a_study_gives_it(laboratory: Laboratory) -> None:
    study = START._replace(memory=Memory())
    told = steps(await laboratory.trace(study, StrategyWish("learner", None), 100))
    assert told[-1]["reason"] == "random"


async def test_others_think_in_a_process(
    laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "STUDY_S", 60.0)  # a busy machine is no failure
    study = Study(Position.parse("X...O...."), None)
    told = steps(await laboratory.trace(study, StrategyWish("minimax", 9), 10, counts=True))
    assert len(told) == 14
    assert told[1]["step"] == "node_counts"
    assert told[1]["minimax"] == 7332
    assert told[-1]["reason"] == "depth 7, 0"
    board = Study(Position.start(Rules(7, 6, 4, gravity=True)), ())
    long = await laboratory.trace(board, StrategyWish("search", 9), 10**9)
    assert len(long) > 1 << 16  # more than other questions may answer
    compared = json.loads(await laboratory.compare(study))
    named = [(one["strategy"], one["level"]) for one in compared["strategies"]]
    assert ("minimax", 9) in named
    assert ("learner", None) in named
    assert all("error" not in one for one in compared["strategies"])
    assert compared["node_counts"]["value"] == 0


async def test_puzzles_are_made_once(
    laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "STUDY_S", 60.0)  # a busy machine is no failure
    day, kinds = date(2026, 1, 2), (Kind.WIN_IN_TWO, Kind.WHO_WINS)
    of_day, of_set = PuzzleWish(day), PuzzleWish(None, "a", kinds, Rules(), 4)
    asking = [laboratory.puzzles(each) for each in (of_day, of_set, of_day)]
    assert await asyncio.gather(*asking) == [
        (daily(day),),
        make_set("a", kinds, Rules(), 4),
        (daily(day),),
    ]
    monkeypatch.setattr(laboratory, "_pool", Failing())
    assert await laboratory.puzzles(of_day) == (daily(day),)
    with pytest.raises(AiFailed):
        await laboratory.puzzles(PuzzleWish(date(2026, 1, 3)))


async def test_a_wish_that_cannot_be(laboratory: Laboratory) -> None:
    with pytest.raises(UnknownStrategy):
        await laboratory.trace(START, StrategyWish("rulez", None), 10)
    with pytest.raises(InvalidLevel):
        await laboratory.trace(START, StrategyWish("minimax", 10), 10)
    with pytest.raises(CannotPlay):
        await laboratory.trace(
            Study(Position.start(Rules(4, 4, 4)), ()), StrategyWish("rules", None), 10
        )


async def test_a_study_that_takes_too_long(
    laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "STUDY_S", 0.0)
    compared = json.loads(await laboratory.compare(START))
    errors = {one["strategy"] for one in compared["strategies"] if "error" in one}
    assert "minimax" in errors
    assert "learner" not in errors
    assert "error" in compared["node_counts"]
    monkeypatch.setattr(laboratory, "_pool", Failing())
    with pytest.raises(AiFailed, match="the thought took too long"):
        await laboratory.trace(START, StrategyWish("minimax", 9), 10)


class Failing:
    async def ask(self, *_: object) -> dict[str, object]:
        raise NoAnswer("took too long")

    async def warm_up(self) -> None:
        """Nothing to start."""

    async def close(self) -> None:
        """Nothing to close."""


class Noting(Failing):
    """Notes who is asked, and for how long."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, float]] = []

    async def ask(self, *given: object) -> dict[str, object]:
        question, limit_s = given
        assert isinstance(question, dict)
        assert isinstance(limit_s, float)
        self.asked.append((question["strategy"], limit_s))
        return {"cells": []}


async def test_in_a_comparison_the_quick_ones_come_first_and_nobody_takes_the_time_of_others(
    laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch
) -> None:
    noting = Noting()
    monkeypatch.setattr(laboratory, "_pool", noting)
    ultimate = Study(Position.start(Rules.parse("ultimate")), ())
    compared = json.loads(await laboratory.compare(ultimate))
    told = [(one["strategy"], one["level"]) for one in compared["strategies"]]
    assert told == sorted(told, key=str)
    *asked, counting = noting.asked
    names = [name for name, _ in asked]
    assert names == ["guard", "random", "rules", "mcts", "minimax", "search", "search"]
    limits = [limit for _, limit in asked]
    assert limits[0] < module.STUDY_S / 6
    assert limits == sorted(limits)
    assert counting[1] > module.STUDY_S / 2
    assert compared["boards"] == "........."


class Gated(Failing):
    """Answers a question once it may."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.may_answer = asyncio.Event()
        self.ended = 0

    async def ask(self, *given: object) -> dict[str, object]:
        (question, *_) = given
        assert isinstance(question, dict)
        self.asked.append(question["board"])
        try:
            await self.may_answer.wait()
        finally:
            self.ended += 1
        return {"lines": b""}


@pytest.fixture
def gated(laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch) -> Gated:
    gated = Gated()
    monkeypatch.setattr(laboratory, "_pool", gated)
    return gated


def traced(laboratory: Laboratory, cell: int, key: str) -> asyncio.Task[bytes]:
    """A trace of the board with a mark there, asked for by an address."""
    study = Study(Position.after([cell]), None)
    return asyncio.create_task(laboratory.trace(study, StrategyWish("minimax", 9), 10, key=key))


async def test_addresses_take_turns_and_none_has_all_places(
    laboratory: Laboratory, gated: Gated
) -> None:
    tasks = [traced(laboratory, 0, "many") for _ in range(MOST_OF_AN_ADDRESS)]
    await asyncio.sleep(0)
    with pytest.raises(KeyTooBusy):
        await traced(laboratory, 0, "many")
    tasks += [traced(laboratory, 1, "one"), traced(laboratory, 2, "another")]
    await asyncio.sleep(0)
    gated.may_answer.set()
    await asyncio.gather(*tasks)
    first = [board.index("X") for board in gated.asked[:4]]
    assert first == [0, 0, 1, 2], "the second was next before the others came"


async def test_too_many_studies_at_once(
    laboratory: Laboratory, gated: Gated, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = [traced(laboratory, 0, str(n)) for n in range(MOST_WAITING)]
    await asyncio.sleep(0)
    with pytest.raises(TooBusy):
        await traced(laboratory, 0, "late")
    for task in waiting[1:]:
        task.cancel()
    await asyncio.wait(waiting[1:])
    monkeypatch.setattr(module, "PATIENCE_S", 0.0)
    with pytest.raises(TooBusy):
        await traced(laboratory, 0, "late")
    assert len(gated.asked) == 1
    waiting[0].cancel()
    await asyncio.wait(waiting[:1])
    assert gated.ended == 1, "no thought goes on without a reader"


def test_an_address_waits_for_no_more_than_one_study_of_another() -> None:
    assert STUDY_S < PATIENCE_S
    assert STUDY_S + PATIENCE_S < HANDSHAKE_TIMEOUT_S
