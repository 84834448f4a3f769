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
