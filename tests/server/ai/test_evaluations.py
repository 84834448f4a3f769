import asyncio

import pytest

from ttt_engine import Position
from ttt_engine.evaluation import Evaluation
from ttt_server.ai import evaluations as explorer_module
from ttt_server.ai.evaluations import MOST_OF_AN_ADDRESS, MOST_WAITING, Evaluations
from ttt_server.concurrency.fair_semaphore import KeyTooBusy, TooBusy

FOUND = Evaluation((4,), {}, 0, "centre")


class Evaluator:
    """Counts what it is asked; answers when it may."""

    def __init__(self) -> None:
        self.asked: list[Position] = []
        self.may_answer = asyncio.Event()

    async def evaluate(self, position: Position, seconds: float) -> Evaluation:
        assert seconds < 1
        self.asked.append(position)
        await self.may_answer.wait()
        return FOUND


async def test_one_at_a_time_and_each_once() -> None:
    evaluator = Evaluator()
    explorer = Evaluations(evaluator)
    start, other = Position.start(), Position.after([4])
    asking = [asyncio.create_task(explorer.evaluate(each)) for each in (start, start, other)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert evaluator.asked == [start]
    evaluator.may_answer.set()
    assert await asyncio.gather(*asking) == [FOUND] * 3
    assert evaluator.asked == [start, other]
    assert await explorer.evaluate(start) is FOUND
    assert evaluator.asked == [start, other]


async def test_too_many_are_turned_away() -> None:
    explorer = Evaluations(Evaluator())
    start = Position.start()
    asking = [
        asyncio.create_task(explorer.evaluate(start, key=str(n // MOST_OF_AN_ADDRESS)))
        for n in range(MOST_WAITING - 1)
    ]
    await asyncio.sleep(0)
    with pytest.raises(KeyTooBusy):
        await explorer.evaluate(start, key="0")
    asking.append(asyncio.create_task(explorer.evaluate(start, key="another")))
    await asyncio.sleep(0)
    with pytest.raises(TooBusy):
        await explorer.evaluate(start, key="late")
    for task in asking:
        task.cancel()


async def test_those_that_were_asked_last_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explorer_module, "MOST_KEPT", 2)
    evaluator = Evaluator()
    evaluator.may_answer.set()
    explorer = Evaluations(evaluator)
    first, second, third = (Position.after(moves) for moves in ((), (0,), (0, 1)))
    for position in (first, second, first, third, first):
        await explorer.evaluate(position)
    assert evaluator.asked == [first, second, third]
    await explorer.evaluate(second)
    assert evaluator.asked == [first, second, third, second]
