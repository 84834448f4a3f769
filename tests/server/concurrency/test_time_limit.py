import asyncio

from ttt_server.concurrency.tasks import TimeLimit, ends_by


async def test_a_limit_runs_from_the_first_question() -> None:
    limit, loop = TimeLimit(10), asyncio.get_running_loop()
    before = loop.time()
    half = limit.by(0.5)
    assert before + 5 <= half <= loop.time() + 5
    assert limit.by(1) == half + 5


async def test_work_ends_in_time_or_is_cancelled() -> None:
    now = asyncio.get_running_loop().time()
    never = asyncio.Event()

    async def wait() -> None:
        await never.wait()

    assert not await ends_by(now, wait())
    never.set()
    assert await ends_by(now + 10, wait())
