"""AI seats: who is asked, and what is made of the answer."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from random import Random
from typing import Any

import pytest

from ttt_engine import Mark, Position, Rules
from ttt_engine.learning.memory import Lesson, Memory
from ttt_engine.openings.opening import Choice as OpeningChoice
from ttt_engine.openings.opening import Opening
from ttt_protocol.state import Ai, AiSetting
from ttt_server.ai.process_pool import ProcessPool, Worker
from ttt_server.ai.runner import AiFailed, ChosenMove, StrategyRunner
from ttt_server.core.errors import Refused

WIDE = Rules(columns=4, rows=3, in_a_row=3)
FOUR = Rules(7, 6, 4, gravity=True)
WINS_AT_2 = Position.after((0, 4, 1, 8), WIDE)
START = Position.start()


def ai(strategy: str, level: int | None = None) -> Ai:
    return Ai(name=strategy, strategy=strategy, level=level)


@pytest.fixture
async def runner() -> AsyncIterator[StrategyRunner]:
    runner = StrategyRunner(1, Random(0))
    yield runner
    await runner.close()


def is_dead(worker: Worker) -> bool:
    return not worker.is_alive


@pytest.mark.parametrize("strategy", ["random", "rules", "minimax"])
async def test_quick_strategies_need_no_process(
    strategy: str, runner: StrategyRunner, workers: list[Worker]
) -> None:
    wins_at_2 = Position.after((0, 3, 1, 4))
    choice = await runner.choose(ai(strategy, 9), wins_at_2)
    assert choice.cell in wins_at_2.legal_moves
    if strategy != "random":
        assert choice == ChosenMove(2, "win")
    assert not workers


@pytest.mark.parametrize(
    ("strategy", "rules", "is_so"),
    [
        ("minimax", START.rules, True),
        ("minimax", Rules(gravity=True), True),
        ("minimax", WIDE, False),
        ("random", START.rules, True),
        ("lines", START.rules, True),
        ("lines", WIDE, False),
        ("search", START.rules, False),
        ("unheard_of", START.rules, False),
    ],
)
async def test_who_answers_at_once(
    strategy: str, rules: Rules, is_so: bool, runner: StrategyRunner
) -> None:
    assert runner.answers_at_once(ai(strategy), Position.start(rules)) is is_so


async def test_an_answer_at_once_is_a_thought_as_any_other(runner: StrategyRunner) -> None:
    wins_at_2 = Position.after((0, 3, 1, 4))
    assert runner.choose_at_once(ai("minimax", 9), wins_at_2, (0, 3, 1, 4)) == ChosenMove(2, "win")
    assert await runner.choose(ai("minimax", 9), wins_at_2) == ChosenMove(2, "win")
    assert runner.thoughts.buckets[-1][1] == 2


async def test_chance_is_among_equally_good_cells() -> None:
    runner = StrategyRunner(1, Random(1))
    cells = {(await runner.choose(ai("random"), START)).cell for _ in range(200)}
    assert cells == set(range(9))
    corners = {(await runner.choose(ai("rules"), START.play(4))).cell for _ in range(100)}
    assert corners == {0, 2, 6, 8}


async def test_a_seed_replays_the_choices() -> None:
    first, second = (StrategyRunner(1, Random(7)) for _ in range(2))
    for _ in range(20):
        choices = [await one.choose(ai("random"), START) for one in (first, second)]
        assert choices[0] == choices[1]


async def test_a_search_runs_in_a_process(runner: StrategyRunner, workers: list[Worker]) -> None:
    assert await runner.choose(ai("minimax", 9), WINS_AT_2) == ChosenMove(2, "win")
    assert len(workers) == 1
    assert not is_dead(workers[0])
    await runner.close()
    assert is_dead(workers[0])


@pytest.mark.usefixtures("misbehaving")
@pytest.mark.parametrize(
    ("strategy", "words"),
    [
        ("raises", "raises failed: RuntimeError"),
        ("unmade", "unmade failed: BrokenStrategy"),
        ("missing", "missing failed: BrokenStrategy"),
        ("unthought", "unthought failed: InvalidThought"),
        ("nothing", "nothing failed: InvalidThought"),
        ("hungry", "hungry failed: MemoryError"),
        ("taken", "taken chose an illegal cell"),
        ("outside", "outside chose an illegal cell"),
        ("truth", "truth chose something that is not a cell"),
        ("word", "word chose something that is not a cell"),
        ("many", "many chose an illegal cell"),
        ("ends", "ends ended its process"),
        ("exits", "exits ended its process"),
        ("dies", "dies ended its process"),
        ("crashes", "crashes ended its process"),
        ("closesall", "closesall ended its process"),
        ("unimported", "unimported failed: BrokenStrategy"),
        ("unheard_of", "unheard_of is no longer installed"),
    ],
)
async def test_a_strategy_that_gives_no_move(
    strategy: str, words: str, runner: StrategyRunner, workers: list[Worker]
) -> None:
    with pytest.raises(AiFailed, match=rf"^{words}$"):
        await runner.choose(ai(strategy), START.play(0))
    await runner.close()
    assert all(map(is_dead, workers))


@pytest.mark.usefixtures("misbehaving")
@pytest.mark.parametrize("strategy", ["endless", "deaf", "stops", "slowlymade", "hangs"])
async def test_a_strategy_that_never_answers_is_killed(
    strategy: str, workers: list[Worker]
) -> None:
    runner = StrategyRunner(1, Random(0), think_limit_s=0.5)
    with pytest.raises(AiFailed, match=rf"^{strategy} took too long$"):
        await runner.choose(ai(strategy), START)
    assert is_dead(workers[0])
    await runner.close()


@pytest.mark.usefixtures("misbehaving")
async def test_nobody_waits_for_a_move_after_the_flag_has_fallen(workers: list[Worker]) -> None:
    runner = StrategyRunner(1, Random(0), think_limit_s=3600)
    with pytest.raises(AiFailed, match="took too long"):
        await runner.choose(ai("endless"), START, left_s=0.1)
    assert is_dead(workers[0])


@pytest.mark.usefixtures("misbehaving")
async def test_who_never_answers_keeps_nobody_else_waiting(workers: list[Worker]) -> None:
    runner = StrategyRunner(1, Random(0), think_limit_s=3600)
    hanging = [asyncio.create_task(runner.choose(ai("endless"), START)) for _ in range(3)]
    assert (await runner.choose(ai("behaved"), START)).cell == 0
    assert await runner.choose(ai("minimax", 9), WINS_AT_2) == ChosenMove(2, "win")
    assert (await runner.evaluate(WINS_AT_2)).best == (2,)
    wish = AiSetting(strategy="endless")
    assert await runner.plugins.probe(wish, START.rules) == wish, "one may still join"
    assert not any(task.done() for task in hanging)
    for task in hanging:
        task.cancel()
    await asyncio.wait(hanging)
    await runner.close()
    assert all(map(is_dead, workers))


@pytest.mark.usefixtures("misbehaving")
@pytest.mark.parametrize(
    ("strategy", "reason"),
    [("talkative", "as it  likes " + "x" * 181), ("wordless", "wordless")],
)
async def test_what_else_a_strategy_does_is_no_answer_and_its_reason_is_clean(
    strategy: str, reason: str, runner: StrategyRunner
) -> None:
    for position in (START, START.play(0), START):
        choice = await runner.choose(ai(strategy), position)
        assert choice.cell == position.legal_moves[0]
        assert choice.reason == reason


@pytest.mark.usefixtures("misbehaving")
async def test_the_catalogue_has_what_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ttt_server.ai.plugins.PROBE_LIMIT_S", 5)
    runner = StrategyRunner(1, Random(0))
    monkeypatch.setattr(
        "ttt_server.ai.runner.strategies.names",
        lambda: ("behaved", "exact", "hangs", "missing", "rules"),
    )
    monkeypatch.setattr("ttt_engine.strategies.solvers._is_installed", lambda: False)
    described = await runner.catalogue()
    assert [one.name for one in described] == ["behaved", "rules"]
    assert described[0].about == "Takes the first cell."
    await runner.close()


async def test_there_is_no_process_to_be_had(
    runner: StrategyRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def none(*_: object) -> None:
        raise OSError("too many processes")

    monkeypatch.setattr(Worker, "start", none)
    with pytest.raises(AiFailed, match="minimax has no process to think in"):
        await runner.choose(ai("minimax", 9), WINS_AT_2)


async def test_the_learner_thinks_here_with_what_it_remembers_now(workers: list[Worker]) -> None:
    memory = Memory()
    runner = StrategyRunner(1, Random(0), memory=memory)
    position = Position.after((4, 0))
    at_random = {(await runner.choose(ai("learner"), position, None, (4, 0))) for _ in range(99)}
    assert at_random == {ChosenMove(cell, "random") for cell in position.legal_moves}
    memory.learn(Lesson.of((4, 0, 8), Mark.X))
    learned = {(await runner.choose(ai("learner"), position, None, (4, 0))) for _ in range(99)}
    assert learned == {ChosenMove(8, "pursue a win")}
    assert not workers


@pytest.mark.usefixtures("misbehaving")
@pytest.mark.parametrize(("moves", "words"), [((0, 4), "after 0, 4"), (None, "not told")])
async def test_who_wants_to_know_the_moves_is_told_them(
    moves: tuple[int, ...] | None, words: str, runner: StrategyRunner
) -> None:
    choice = await runner.choose(ai("curious"), Position.after((0, 4)), None, moves)
    assert choice.reason == words


@pytest.mark.parametrize(
    ("left_s", "seconds"),
    [(None, None), (0, 0), (0.1, 0), (10.12, 0.5), (40.12, 2), (600, 2), (10**6, 2)],
)
async def test_on_a_clock_it_spends_a_share_of_what_is_left(
    runner: StrategyRunner,
    monkeypatch: pytest.MonkeyPatch,
    left_s: float | None,
    seconds: float | None,
) -> None:
    asked: list[dict[str, Any]] = []

    async def ask(
        _: ProcessPool, question: dict[str, Any], _limit_s: float, key: str
    ) -> dict[str, Any]:
        assert key == "10.0.0.1"
        asked.append(question)
        return {"cells": [0], "reason": "first"}

    monkeypatch.setattr(ProcessPool, "ask", ask)
    await runner.choose(ai("search", 3), Position.start(WIDE), left_s, (), key="10.0.0.1")
    assert asked == [
        {
            "ask": "think",
            "strategy": "search",
            "level": 3,
            "seconds": seconds,
            "rules": str(WIDE),
            "board": "." * 12,
            "moves": (),
        }
    ]


async def test_3x3_is_evaluated_here(runner: StrategyRunner, workers: list[Worker]) -> None:
    evaluation = await runner.evaluate(Position.after((0, 3, 1, 4)))
    assert (evaluation.best, evaluation.value, evaluation.reason) == ((2,), 1, "win")
    assert not workers


async def test_other_boards_are_evaluated_in_a_process(
    runner: StrategyRunner, workers: list[Worker]
) -> None:
    evaluation = await runner.evaluate(WINS_AT_2)
    assert (evaluation.best, evaluation.value) == ((2,), 1)
    assert set(evaluation.values) == set(WINS_AT_2.legal_moves)
    assert len(workers) == 1


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> asyncio.Queue[Worker]:
    """The worker of each question that is under way."""
    questions = asyncio.Queue[Worker]()
    exchange = Worker._exchange

    async def noted(worker: Worker, line: bytes) -> bytes:
        questions.put_nowait(worker)
        return await exchange(worker, line)

    monkeypatch.setattr(Worker, "_exchange", noted)
    return questions


LARGE = Position.start(Rules(columns=9, rows=9, in_a_row=5))


async def test_an_evaluation_that_is_cancelled_frees_its_place(
    runner: StrategyRunner, asked: asyncio.Queue[Worker]
) -> None:
    first = asyncio.create_task(runner.evaluate(LARGE, 3600, key="ada"))
    await asked.get()
    second, third = [
        asyncio.create_task(runner.evaluate(WINS_AT_2, key=key)) for key in ("bob", "eve")
    ]
    await asyncio.sleep(0)  # both wait
    for task in (second, first):
        task.cancel()
    assert (await third).best == (2,)
    assert first.cancelled()
    assert second.cancelled()
    assert (await runner.evaluate(WINS_AT_2)).best == (2,)


async def test_an_evaluation_under_way_that_is_cancelled_is_given_up(
    runner: StrategyRunner, asked: asyncio.Queue[Worker], workers: list[Worker]
) -> None:
    task = asyncio.create_task(runner.evaluate(LARGE, 3600))
    await asked.get()
    task.cancel()
    await asyncio.wait((task,))
    assert is_dead(workers[0]), "and it does not think on"
    assert (await runner.evaluate(WINS_AT_2)).best == (2,)
    assert len(workers) == 2


async def kill_next(asked: asyncio.Queue[Worker]) -> None:
    os.kill((await asked.get()).pid, signal.SIGKILL)


async def test_a_worker_that_is_killed_from_outside_is_replaced(
    runner: StrategyRunner, asked: asyncio.Queue[Worker], workers: list[Worker]
) -> None:
    choosing = asyncio.create_task(runner.choose(ai("search", 3), LARGE))
    await kill_next(asked)
    assert (await choosing).cell in LARGE.legal_moves
    await asked.get()
    evaluating = asyncio.create_task(runner.evaluate(LARGE))
    await kill_next(asked)
    assert (await evaluating).best
    assert len(workers) == 4
    assert not runner.failures


async def test_a_worker_is_replaced_once_a_question(
    runner: StrategyRunner, asked: asyncio.Queue[Worker], workers: list[Worker]
) -> None:
    choosing = asyncio.create_task(runner.choose(ai("search", 9), LARGE))
    await kill_next(asked)
    await kill_next(asked)
    with pytest.raises(AiFailed, match=r"^search ended its process$"):
        await choosing
    assert len(workers) == 2
    assert runner.failures == {"search": 1}


@pytest.mark.usefixtures("misbehaving")
async def test_the_worker_of_a_plug_in_is_not_replaced(
    runner: StrategyRunner, asked: asyncio.Queue[Worker], workers: list[Worker]
) -> None:
    choosing = asyncio.create_task(runner.choose(ai("endless"), START))
    await kill_next(asked)
    with pytest.raises(AiFailed, match=r"^endless ended its process$"):
        await choosing
    assert len(workers) == 1


async def test_there_is_no_process_to_evaluate_in(
    runner: StrategyRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def none(*_: object) -> None:
        raise OSError("too many processes")

    monkeypatch.setattr(Worker, "start", none)
    with pytest.raises(AiFailed, match="the evaluation has no process to think in"):
        await runner.evaluate(WINS_AT_2)


async def test_a_process_to_evaluate_in_is_ready_before_it_is_needed(
    runner: StrategyRunner, workers: list[Worker]
) -> None:
    runner.expect_to_evaluate(START.rules)
    runner.expect_to_evaluate(WIDE)
    runner.expect_to_evaluate(WIDE)
    await asyncio.wait(runner._tasks._running)
    assert len(workers) == 1
    assert not is_dead(workers[0])
    assert (await runner.evaluate(WINS_AT_2)).best == (2,)
    assert len(workers) == 1


async def test_an_opening_is_thought_about_in_a_process(
    runner: StrategyRunner, workers: list[Worker]
) -> None:
    pie, start = Opening.begin("pie"), Position.start(FOUR)
    mark = await runner.open(ai("random"), start, pie, ())
    assert isinstance(mark, ChosenMove)
    assert mark.cell in start.legal_moves
    search = ai("search", 0)
    assert await runner.open(search, start.play(38), pie, (38,), left_s=60.0) is OpeningChoice.SWAP
    assert len(workers) == 1


async def test_a_mark_that_a_program_has_named_is_not_asked_for_again(
    runner: StrategyRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[dict[str, Any]] = [
        {"choice": "more", "marks": [7, 9]},
        {"choice": None, "marks": [5]},
    ]

    async def ask(*_: object) -> dict[str, Any]:
        return answers.pop(0)

    monkeypatch.setattr(ProcessPool, "ask", ask)
    course, moves = Opening.begin("swap2"), tuple(range(3))
    position = Position.after(moves, LARGE.rules)
    search = ai("search")
    assert await runner.open(search, position, course, moves) is OpeningChoice.MORE
    course = course.chosen(OpeningChoice.MORE)
    for cell in 7, 9:
        mark = await runner.open(search, position, course, moves)
        assert mark == ChosenMove(cell, "search")
        position, moves = position.play(cell), (*moves, cell)
    assert len(answers) == 1
    start = Position.start(LARGE.rules)
    first = await runner.open(search, start, Opening.begin("swap2"), ())
    assert first == ChosenMove(5, "search")


@pytest.mark.parametrize("answer", [{}, {"choice": "more"}, {"choice": 1}])
async def test_a_choice_that_is_none(
    answer: dict[str, Any], runner: StrategyRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ask(*_: object) -> dict[str, Any]:
        return answer

    monkeypatch.setattr(ProcessPool, "ask", ask)
    with pytest.raises(AiFailed, match="made a choice that is not offered"):
        await runner.open(ai("search"), START.play(0), Opening.begin("pie"), (0,))


@pytest.mark.usefixtures("misbehaving")
@pytest.mark.parametrize("answer", [{}, {"cells": 4}, {"cells": [None]}, {"cells": []}])
async def test_an_answer_that_no_worker_of_ours_gives(
    answer: dict[str, Any], runner: StrategyRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A strategy may have found the pipe."""

    async def ask(*_: object) -> dict[str, Any]:
        return answer

    monkeypatch.setattr(ProcessPool, "ask", ask)
    with pytest.raises(AiFailed, match="behaved chose"):
        await runner.choose(ai("behaved"), START)
    with pytest.raises(Refused):
        await runner.plugins.probe(AiSetting(strategy="behaved"), START.rules)
    described = await runner.plugins.describe("behaved")
    assert described is not None
    assert (described.levels, described.about) == (False, "")
