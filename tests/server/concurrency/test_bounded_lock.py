import asyncio

import pytest

from ttt_server.concurrency.fair_semaphore import BoundedLock, KeyTooBusy, TooBusy


async def test_one_at_a_time_and_so_many_who_wait() -> None:
    turns, order, gate = BoundedLock(2), [], asyncio.Event()

    async def work(name: str) -> None:
        async with turns.take():
            order.append(f"{name} begins")
            await gate.wait()
            order.append(f"{name} ends")

    both = [asyncio.create_task(work(name)) for name in "ab"]
    await asyncio.sleep(0)
    with pytest.raises(TooBusy):
        await work("c")
    gate.set()
    await asyncio.gather(*both)
    assert order == ["a begins", "a ends", "b begins", "b ends"]
    await work("d")


async def test_one_who_fails_or_goes_away_leaves_a_place() -> None:
    turns = BoundedLock(1)
    with pytest.raises(ValueError, match="mine"):
        async with turns.take():
            raise ValueError("mine")
    async with turns.take():
        pass


async def test_a_wait_that_is_too_long_leaves_its_place() -> None:
    turns = BoundedLock(2)
    async with turns.take():
        with pytest.raises(TooBusy):
            async with turns.take(0):
                pass
        waiting = asyncio.create_task(has_turn(turns))
        await asyncio.sleep(0)
        assert not waiting.done(), "there is a place to wait in again"
    assert await waiting


async def has_turn(turns: BoundedLock) -> bool:
    async with turns.take(60):
        return True


async def test_keys_take_turns_and_none_fills_the_queue() -> None:
    turns, order = BoundedLock(8, 3), []

    async def work(key: str) -> None:
        async with turns.take(key=key):
            order.append(key)
            await asyncio.sleep(0)

    tasks = [asyncio.create_task(work(key)) for key in "aaabbc"]
    await asyncio.sleep(0)
    with pytest.raises(KeyTooBusy):
        await work("a")
    await asyncio.gather(*tasks)
    assert "".join(order) == "aabcab"
    await work("a")
