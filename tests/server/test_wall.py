import time

import pytest

from tests.server.doubles import Time
from tests.server.rooms import NOW
from ttt_server.wall import WallClock


@pytest.fixture
def at() -> Time:
    return Time(NOW)


def test_it_runs_with_the_steady_clock(at: Time) -> None:
    wall = at.clock
    assert wall.now() == NOW
    at.passes(1500)
    assert (wall.step(), wall.now()) == (0, NOW + 1500)


def test_a_part_of_a_millisecond_is_not_lived_yet(at: Time) -> None:
    wall = at.clock
    at.steady += 999_999
    at.wall += 999_999
    assert wall.now() == NOW


@pytest.mark.parametrize("ms", [3_600_000, 1000, -1000, -3_600_000])
def test_a_jump_is_noticed_once(at: Time, ms: int) -> None:
    wall = at.clock
    at.jumps(ms)
    assert wall.now() == NOW, "it is not lived before it is noticed"
    assert wall.step() == ms
    assert wall.now() == NOW + ms
    assert wall.step() == 0


@pytest.mark.parametrize("ms", [999, -999, 1])
def test_a_clock_that_is_set_right_is_not_followed(at: Time, ms: int) -> None:
    wall = at.clock
    at.jumps(ms)
    assert wall.step() == 0
    assert wall.now() == NOW


def test_small_steps_add_up(at: Time) -> None:
    wall = at.clock
    at.jumps(600)
    assert wall.step() == 0
    at.jumps(600)
    assert (wall.step(), wall.now()) == (1200, NOW + 1200)


def test_it_is_the_machines_own_time() -> None:
    before = time.time_ns() // 1_000_000
    now = WallClock().now()
    assert before - 1 <= now <= time.time_ns() // 1_000_000 + 1
