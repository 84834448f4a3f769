import asyncio

import pytest

from ttt_server.concurrency.fair_semaphore import FairSemaphore


class Line:
    """Those who want a slot, and in which order they have it."""

    def __init__(self, slots: FairSemaphore) -> None:
        self.slots = slots
        self.served: list[str] = []
        self.gates: dict[str, asyncio.Event] = {}

    def comes(self, name: str, whose: str) -> asyncio.Task[None]:
        self.gates[name] = asyncio.Event()
        return asyncio.create_task(self._work(name, whose))

    async def _work(self, name: str, whose: str) -> None:
        async with self.slots.take(whose):
            self.served.append(name)
            await self.gates[name].wait()

    async def all_go(self) -> None:
        for gate in self.gates.values():
            gate.set()


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.fixture
def line() -> Line:
    return Line(FairSemaphore(1))


async def test_so_many_at_once() -> None:
    slots = FairSemaphore(2)
    async with slots.take():
        assert not slots.locked()
        async with slots.take():
            assert slots.locked()
        assert not slots.locked()


async def test_many_of_one_keep_nobody_else_waiting(line: Line) -> None:
    tasks = [line.comes(f"a{n}", "a") for n in range(4)]
    await settled()
    tasks += [line.comes(name, name[0]) for name in ("b0", "c0", "b1")]
    await settled()
    assert line.served == ["a0"]
    await line.all_go()
    await asyncio.gather(*tasks)
    assert line.served == ["a0", "a1", "b0", "c0", "a2", "b1", "a3"]
    assert not line.slots.locked()


async def test_who_went_away_is_passed_over(line: Line) -> None:
    tasks = [line.comes(name, name) for name in "abc"]
    await settled()
    tasks[1].cancel()
    await settled()
    await line.all_go()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert line.served == ["a", "c"]
    assert not line.slots.locked()


async def test_who_goes_away_when_their_turn_comes_passes_it_on(line: Line) -> None:
    async with line.slots.take("a"):
        b, c = line.comes("b", "b"), line.comes("c", "c")
        await settled()
    b.cancel()  # it has its turn, and has not run since
    await settled()
    await line.all_go()
    await asyncio.gather(b, c, return_exceptions=True)
    assert line.served == ["c"]
    assert not line.slots.locked()


async def test_who_goes_away_in_the_moment_in_which_a_slot_is_free(line: Line) -> None:
    async with line.slots.take("a"):
        b, other, c = line.comes("b", "b"), line.comes("other b", "b"), line.comes("c", "c")
        await settled()
        b.cancel()
        other.cancel()  # neither has run since
    await settled()
    await line.all_go()
    await asyncio.gather(b, other, c, return_exceptions=True)
    assert line.served == ["c"]
    assert not line.slots.locked()


async def test_who_went_away_has_not_used_up_the_turn_of_others(line: Line) -> None:
    async with line.slots.take("a"):
        tasks = [line.comes(name, name[0]) for name in ("b0", "b1", "c0")]
        await settled()
        tasks[0].cancel()
        await settled()
    await line.all_go()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert line.served == ["b1", "c0"]


async def in_steps(slots: FairSemaphore, name: str, steps: int, done: list[str]) -> None:
    """Hold a slot for some steps, and give way between them."""
    async with slots.take(name[0]) as slot:
        for step in range(steps):
            if step:
                await slot.give_way()
            done.append(name)
            await asyncio.sleep(0)


async def test_long_work_gives_way_to_others_and_not_to_its_own() -> None:
    slots, done = FairSemaphore(1), list[str]()
    names = ("a0", 3), ("a1", 2), ("b0", 1), ("c0", 2), ("b1", 1)
    await asyncio.gather(*(in_steps(slots, name, steps, done) for name, steps in names))
    assert done == ["a0", "b0", "c0", "a0", "b1", "c0", "a0", "a1", "a1"]
    assert not slots.locked()


async def test_work_without_others_goes_on() -> None:
    slots, done = FairSemaphore(1), list[str]()
    await in_steps(slots, "a", 3, done)
    assert done == ["a"] * 3
    assert not slots.locked()


async def test_work_that_is_cancelled_while_it_gives_way_holds_nothing(line: Line) -> None:
    done: list[str] = []
    long = asyncio.create_task(in_steps(line.slots, "a", 9, done))
    b, c = line.comes("b", "b"), line.comes("c", "c")
    await settled()
    assert line.served == ["b"]
    long.cancel()
    await settled()
    await line.all_go()
    await asyncio.gather(long, b, c, return_exceptions=True)
    assert (done, line.served) == (["a"], ["b", "c"])
    assert not line.slots.locked()
