import time

import pytest

from tests.server.examples import NOW
from tests.server.fakes import Time
from ttt_server.concurrency.wall_clock import WallClock


@pytest.fixture
def at() -> Time:
    return Time(NOW)


@pytest.fixture
def steps(at: Time) -> list[int]:
    """By how many ms the time has jumped."""
    steps: list[int] = []
    at.clock.call_on_step(steps.append)
    return steps


def test_it_runs_with_the_steady_clock(at: Time, steps: list[int]) -> None:
    wall = at.clock
    assert wall.now() == NOW
    at.passes(1500)
    assert wall.now() == NOW + 1500
    assert not steps


def test_a_part_of_a_millisecond_is_not_lived_yet(at: Time) -> None:
    at.steady += 999_999
    at.wall += 999_999
    assert at.clock.now() == NOW


@pytest.mark.parametrize("ms", [3_600_000, 1000, -1000, -3_600_000])
def test_a_jump_is_told_once(at: Time, steps: list[int], ms: int) -> None:
    at.jumps(ms)
    assert at.clock.now() == NOW + ms
    assert at.clock.now() == NOW + ms
    assert steps == [ms]


@pytest.mark.parametrize("ms", [999, -999, 1])
def test_a_clock_that_is_set_right_is_not_followed(at: Time, steps: list[int], ms: int) -> None:
    at.jumps(ms)
    assert at.clock.now() == NOW
    assert not steps


def test_small_steps_add_up(at: Time, steps: list[int]) -> None:
    at.jumps(600)
    assert at.clock.now() == NOW
    at.jumps(600)
    assert at.clock.now() == NOW + 1200
    assert steps == [1200]


def test_it_is_the_machines_own_time() -> None:
    before = time.time_ns() // 1_000_000
    now = WallClock().now()
    assert before - 1 <= now <= time.time_ns() // 1_000_000 + 1


@pytest.fixture
def sleeps(at: Time) -> list[int]:
    """For how many ms beyond 2 s the program has slept."""
    sleeps: list[int] = []
    at.clock.call_on_sleep(sleeps.append)
    return sleeps


def test_a_sleep_is_told_once_before_the_time_is(
    at: Time, steps: list[int], sleeps: list[int]
) -> None:
    at.clock.look()
    at.passes(7500)
    assert at.clock.now() == NOW + 7500
    assert steps == sleeps == [5500]
    at.passes(2000)
    at.clock.look()
    assert steps == sleeps == [5500]


def test_looking_tells_of_a_sleep_too(at: Time, sleeps: list[int]) -> None:
    at.clock.look()
    at.passes(2001)
    at.clock.look()
    assert sleeps == [1]


def test_a_program_that_looks_in_time_does_not_sleep(at: Time, sleeps: list[int]) -> None:
    at.passes(9_000_000)  # before it runs
    for _ in range(9):
        at.clock.look()
        at.passes(2000)
    assert not sleeps


def test_a_machine_asleep_with_its_steady_clock_has_a_jump(
    at: Time, steps: list[int], sleeps: list[int]
) -> None:
    at.clock.look()
    at.jumps(60_000)
    at.clock.look()
    assert (steps, sleeps) == ([60_000], [])
