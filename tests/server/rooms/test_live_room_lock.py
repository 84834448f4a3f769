import asyncio
from functools import partial

import pytest

from ttt_server.rooms.live_room import CallbackLock


class Line:
    """Some who want the lock, and in which order they had it."""

    def __init__(self) -> None:
        self.lock = CallbackLock()
        self.had: list[str] = []

    def calls(self, name: str) -> None:
        self.lock.then(lambda: self.had.append(name))

    def waits(self, name: str) -> asyncio.Task[None]:
        return asyncio.create_task(self._wait(name))

    async def _wait(self, name: str) -> None:
        await self.lock.acquire()
        self.had.append(name)


async def test_a_free_lock_is_had_at_once() -> None:
    line = Line()
    line.calls("first")
    assert line.had == ["first"]
    assert line.lock.locked()
    line.lock.release()
    assert not line.lock.locked()
    await line.lock.acquire()
    assert line.lock.locked()


async def test_first_come_first_served() -> None:
    line = Line()
    line.calls("a")
    waiting = [line.waits("b")]
    await asyncio.sleep(0)
    line.calls("c")
    waiting.append(line.waits("d"))
    await asyncio.sleep(0)
    for _ in range(4):
        assert line.lock.locked()
        line.lock.release()
        await asyncio.sleep(0)
    assert line.had == ["a", "b", "c", "d"]
    assert not line.lock.locked()
    await asyncio.gather(*waiting)


async def test_it_is_never_free_while_somebody_waits() -> None:
    line = Line()
    line.calls("a")
    waiting = line.waits("b")
    await asyncio.sleep(0)
    line.lock.release()
    line.calls("late")
    await waiting
    assert line.had == ["a", "b"]


@pytest.mark.parametrize("when", ["long before", "just before", "as it comes"])
async def test_one_who_waits_no_more_has_no_turn(when: str) -> None:
    line = Line()
    line.calls("a")
    gone, stays = line.waits("gone"), line.waits("stays")
    await asyncio.sleep(0)
    if when == "as it comes":
        line.lock.release()
    gone.cancel()
    if when == "long before":
        await asyncio.gather(gone, return_exceptions=True)
    if when != "as it comes":
        line.lock.release()
    await asyncio.gather(gone, return_exceptions=True)
    await stays
    assert line.had == ["a", "stays"]
    line.lock.release()
    assert not line.lock.locked()


async def test_a_long_line_of_those_who_let_it_go_at_once() -> None:
    lock, had = CallbackLock(), []

    def glance(number: int) -> None:
        had.append(number)
        lock.release()

    lock.then(lambda: None)
    for number in range(5000):
        lock.then(partial(glance, number))
    lock.release()
    assert had == list(range(5000))
    assert not lock.locked()


async def test_it_is_let_go_whatever_happens() -> None:
    lock = CallbackLock()
    with pytest.raises(ZeroDivisionError):
        async with lock:
            raise ZeroDivisionError
    assert not lock.locked()
