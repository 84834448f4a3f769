from collections.abc import Callable
from typing import Any

import pytest

from ttt_server.concurrency import deadlines as module
from ttt_server.concurrency.deadlines import Deadlines


class Timer:
    def __init__(self, at: float, call: Callable[[], Any]) -> None:
        self.at = at
        self.call = call
        self.is_cancelled = False

    def cancel(self) -> None:
        self.is_cancelled = True


class Loop:
    """An event loop's clock, which goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0
        self.timers: list[Timer] = []

    def time(self) -> float:
        return self.now

    def call_at(self, at: float, call: Callable[[], Any]) -> Timer:
        self.timers.append(Timer(at, call))
        return self.timers[-1]

    @property
    def armed(self) -> list[Timer]:
        return [timer for timer in self.timers if not timer.is_cancelled]

    def pass_(self, seconds: float) -> None:
        end = self.now + seconds
        while due := [timer for timer in self.armed if timer.at <= end]:
            timer = min(due, key=lambda timer: timer.at)
            self.timers.remove(timer)
            self.now = max(self.now, timer.at)
            timer.call()
        self.now = end


@pytest.fixture
def loop(monkeypatch: pytest.MonkeyPatch) -> Loop:
    loop = Loop()
    monkeypatch.setattr(module, "get_running_loop", lambda: loop)
    return loop


@pytest.fixture
def over() -> list[str]:
    return []


@pytest.fixture
def deadlines(loop: Loop, over: list[str]) -> Deadlines[str]:
    assert not loop.timers
    return Deadlines(10, over.append)


def test_each_is_due_once(deadlines: Deadlines[str], loop: Loop, over: list[str]) -> None:
    deadlines.add("ada")
    loop.pass_(5)
    deadlines.add("bob")
    loop.pass_(4.9)
    assert over == []
    loop.pass_(0.1)
    assert over == ["ada"]
    loop.pass_(5)
    assert over == ["ada", "bob"]
    loop.pass_(100)
    assert over == ["ada", "bob"]
    assert loop.timers == []


def test_who_is_added_again_begins_again(
    deadlines: Deadlines[str], loop: Loop, over: list[str]
) -> None:
    deadlines.add("ada")
    deadlines.add("bob")
    loop.pass_(9)
    deadlines.add("ada")
    loop.pass_(2)
    assert over == ["bob"]
    loop.pass_(8)
    assert over == ["bob", "ada"]


def test_who_is_discarded_is_not_due(
    deadlines: Deadlines[str], loop: Loop, over: list[str]
) -> None:
    deadlines.add("ada")
    loop.pass_(1)
    deadlines.add("bob")
    deadlines.discard("ada")
    deadlines.discard("nobody")
    assert ("ada" in deadlines, "bob" in deadlines) == (False, True)
    loop.pass_(100)
    assert over == ["bob"]


def test_a_timer_that_finds_nobody_is_the_last(
    deadlines: Deadlines[str], loop: Loop, over: list[str]
) -> None:
    for _ in range(3):
        deadlines.add("ada")
        deadlines.discard("ada")
    assert len(loop.armed) == 1
    loop.pass_(10)
    assert (loop.armed, over) == ([], [])
    deadlines.add("bob")
    loop.pass_(10)
    assert over == ["bob"]


def test_the_next_one_that_is_due_comes_first(deadlines: Deadlines[str]) -> None:
    for name in ("ada", "bob", "ada"):
        deadlines.add(name)
    assert [*deadlines] == ["bob", "ada"]


def test_all_are_dropped(deadlines: Deadlines[str], loop: Loop, over: list[str]) -> None:
    deadlines.clear()
    deadlines.add("ada")
    deadlines.clear()
    assert ([*deadlines], loop.armed) == ([], [])
    deadlines.add("bob")
    loop.pass_(10)
    assert over == ["bob"]


def test_there_is_one_timer_and_it_looks_ten_times_a_second(
    deadlines: Deadlines[str], loop: Loop, over: list[str]
) -> None:
    for number in range(100):
        deadlines.add(str(number))
        assert len(loop.armed) == 1
        loop.pass_(0.001)
    looks = 0
    while loop.armed:
        loop.now = loop.armed[0].at
        loop.timers.pop(0).call()
        looks += 1
    assert looks == 2
    assert over == [str(number) for number in range(100)]


def test_one_that_is_due_may_be_added_at_once(loop: Loop) -> None:
    def again(name: str) -> None:
        over.append(name)
        again_and_again.add(name)

    over: list[str] = []
    again_and_again = Deadlines(10, again)
    again_and_again.add("ada")
    loop.pass_(35)
    assert over == ["ada"] * 3
    assert len(loop.armed) == 1
