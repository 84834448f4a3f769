from hypothesis import given
from hypothesis import strategies as st

from ttt_server.limits.rates import TokenBucket


def test_a_burst_and_no_more() -> None:
    budget = TokenBucket(per_second=1, burst=3, now=100)
    assert [budget.spend(100) for _ in range(5)] == [True, True, True, False, False]


def test_it_comes_back_with_time() -> None:
    budget = TokenBucket(per_second=2, burst=1, now=0)
    assert budget.spend(0)
    assert not budget.spend(0.25)
    assert budget.spend(0.5)
    assert not budget.spend(0.75)


def test_it_never_holds_more_than_the_burst() -> None:
    budget = TokenBucket(per_second=10, burst=2, now=0)
    assert [budget.spend(1000) for _ in range(3)] == [True, True, False]


def test_what_was_refused_costs_nothing() -> None:
    budget = TokenBucket(per_second=1, burst=1, now=0)
    assert budget.spend(0)
    assert not any(budget.spend(0) for _ in range(10))
    assert budget.spend(1)


def test_what_was_given_back_can_be_spent_again() -> None:
    budget = TokenBucket(per_second=1, burst=2, now=0)
    budget.spend(0)
    budget.refund()
    budget.refund()
    assert [budget.spend(0) for _ in range(3)] == [True, True, False]


def test_a_burst_is_whole_however_its_sums_are_rounded() -> None:
    now = 114.90323012874893
    budget = TokenBucket(per_second=0.1, burst=5, now=now)
    assert [budget.spend(now) for _ in range(6)] == [True] * 5 + [False]


def test_half_full() -> None:
    budget = TokenBucket(per_second=1, burst=4, now=0)
    assert [budget.is_half_full(0) for _ in range(4) if budget.spend(0)] == [
        True,
        True,
        False,
        False,
    ]
    assert not budget.is_half_full(1)
    assert budget.is_half_full(2)


@given(st.lists(st.floats(0, 10), max_size=60), st.integers(1, 5), st.integers(1, 5))
def test_never_more_than_burst_and_rate_allow(
    pauses: list[float], per_second: int, burst: int
) -> None:
    budget = TokenBucket(per_second, burst, now=0)
    now, spent = 0.0, 0
    for pause in pauses:
        now += pause
        spent += budget.spend(now)
        assert spent <= burst + now * per_second + 1e-5


def test_it_is_filled_at_once() -> None:
    budget = TokenBucket(per_second=1, burst=2, now=100)
    assert [budget.spend(100) for _ in range(3)] == [True, True, False]
    budget.fill()
    assert [budget.spend(100) for _ in range(3)] == [True, True, False]
