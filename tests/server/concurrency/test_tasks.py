import asyncio
import logging

import pytest

from ttt_server.concurrency.tasks import TaskOwner


async def test_what_ends_is_forgotten() -> None:
    tasks, done = TaskOwner(), asyncio.Event()

    async def work() -> None:
        done.set()

    await tasks.start(work())
    assert done.is_set()
    assert not tasks._running


async def test_what_fails_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    tasks = TaskOwner()

    async def work() -> None:
        raise RuntimeError("a fault of ours")

    with pytest.raises(RuntimeError):
        await tasks.start(work())
    (record,) = caplog.records
    assert record.levelno == logging.ERROR
    assert record.exc_info is not None


async def test_closing_cancels_and_waits(caplog: pytest.LogCaptureFixture) -> None:
    tasks, ended = TaskOwner(), asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.set()

    task = tasks.start(work())
    await asyncio.sleep(0)
    await tasks.close()
    assert ended.is_set()
    assert task.cancelled()
    assert not tasks._running
    assert not caplog.records


async def test_one_may_wait_until_all_have_ended() -> None:
    tasks, done = TaskOwner(), []

    async def work(times: int) -> None:
        await asyncio.sleep(0)
        done.append(times)
        if times:
            tasks.start(work(times - 1))

    await tasks.ended()
    tasks.start(work(2))
    await tasks.ended()
    assert done == [2, 1, 0]


async def test_closing_what_has_nothing_to_do() -> None:
    await TaskOwner().close()


async def test_the_outcome_is_handed_on_and_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    tasks = TaskOwner()
    outcomes: list[BaseException | None] = []

    async def work(error: Exception | None) -> None:
        if error is not None:
            raise error

    failure = RuntimeError("a bug")
    for error in (None, failure):
        tasks.start(work(error), outcomes.append)
        await tasks.ended()
        await asyncio.sleep(0)
    assert outcomes == [None, failure]
    tasks.start(work(None), outcomes.append)
    await tasks.close()
    await asyncio.sleep(0)
    assert isinstance(outcomes[-1], asyncio.CancelledError)
    assert not caplog.records


async def test_a_task_that_another_one_starts_at_the_end_is_cancelled_too() -> None:
    tasks, ended = TaskOwner(), []

    async def work() -> None:
        await asyncio.Event().wait()

    def start_another(error: BaseException | None) -> None:
        ended.append(error)
        if len(ended) == 1:
            tasks.start(work(), start_another)

    tasks.start(work(), start_another)
    await tasks.close()
    await asyncio.sleep(0)
    assert len(ended) == 2
    assert not tasks._running
