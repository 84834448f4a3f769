import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.server.examples import NOW, O, X
from ttt_protocol.state import ClockSetting, Mark, Settings, TimeLeft
from ttt_server.core.clock import GameClock, after_move, start

MARKS = st.sampled_from(Mark)
TIMES = st.integers(0, 10**9)
CLOCKS = st.builds(GameClock, st.builds(TimeLeft, X=TIMES, O=TIMES), TIMES)


def left(x: int, o: int) -> TimeLeft:
    return TimeLeft(X=x, O=o)


def test_both_begin_with_the_same() -> None:
    for initial_s, ms in ((300, 300_000), (0.25, 250)):
        settings = Settings(clock=ClockSetting(initial_s=initial_s))
        assert start(settings, NOW) == GameClock(left(ms, ms), NOW)
    assert start(Settings(days=2), NOW) == GameClock(left(172_800_000, 172_800_000), NOW)
    assert start(Settings(), NOW) is None


def test_the_side_to_move_pays() -> None:
    clock = GameClock(left(5000, 7000), NOW)
    assert clock.at(NOW, X) == left(5000, 7000)
    assert clock.at(NOW + 1200, X) == left(3800, 7000)
    assert clock.at(NOW + 1200, O) == left(5000, 5800)


def test_one_that_stands_still_costs_nobody() -> None:
    assert GameClock(left(5000, 7000), NOW).at(NOW + 10**9, None) == left(5000, 7000)


def test_nobody_has_less_than_nothing() -> None:
    assert GameClock(left(5000, 7000), NOW).at(NOW + 10**9, X) == left(0, 7000)


def test_a_time_before_the_last_event_costs_nothing() -> None:
    assert GameClock(left(5000, 7000), NOW).at(NOW - 300, X) == left(5000, 7000)


@pytest.mark.parametrize(("mark", "falls_at"), [(X, NOW + 5000), (O, NOW + 7000)])
def test_when_the_flag_falls(mark: Mark, falls_at: int) -> None:
    clock = GameClock(left(5000, 7000), NOW)
    assert clock.falls_at(mark) == falls_at
    assert clock.at(falls_at - 1, mark)[mark] == 1
    assert clock.at(falls_at, mark)[mark] == 0


def test_a_move_gains_the_increment() -> None:
    clock = GameClock(left(5000, 7000), NOW)
    setting = ClockSetting(initial_s=5, increment_s=2)
    assert after_move(clock, setting, X, NOW + 1500) == left(5500, 7000)
    assert after_move(clock, setting, O, NOW) == left(5000, 9000)
    assert after_move(clock, ClockSetting(initial_s=5), X, NOW + 1500) == left(3500, 7000)
    fraction = ClockSetting(initial_s=5, increment_s=0.25)
    assert after_move(clock, fraction, X, NOW) == left(5250, 7000)


@given(CLOCKS, MARKS, TIMES, st.integers(0, 10**6))
def test_what_passed_while_nobody_could_play_is_given_back(
    clock: GameClock, running: Mark, now: int, by: int
) -> None:
    assert clock.shifted(by).at(now + by, running) == clock.at(now, running)
    assert clock.shifted(by).falls_at(running) == clock.falls_at(running) + by


@given(CLOCKS, MARKS, TIMES, TIMES, st.integers(0, 100))
def test_time_runs_down_and_grows_by_the_increment_alone(
    clock: GameClock, running: Mark, now: int, later: int, increment: int
) -> None:
    early, late = sorted((now, later))
    assert 0 <= clock.at(late, running)[running] <= clock.at(early, running)[running]
    assert clock.at(late, running)[running] <= clock.left[running]
    assert clock.at(late, running)[running.other] == clock.left[running.other]
    moved = after_move(clock, ClockSetting(initial_s=1, increment_s=increment), running, late)
    assert moved[running] == clock.at(late, running)[running] + increment * 1000
    assert moved[running.other] == clock.left[running.other]


@given(CLOCKS, MARKS, TIMES)
def test_the_flag_has_fallen_when_nothing_is_left(
    clock: GameClock, running: Mark, now: int
) -> None:
    has_fallen = now >= clock.falls_at(running)
    assert has_fallen == (clock.at(now, running)[running] == 0 and now >= clock.falls_at(running))
    if clock.at(now, running)[running] == 0 and clock.left[running] > 0:
        assert has_fallen
