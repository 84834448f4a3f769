import pytest

from ttt_engine.search.budget import SLICE, Budget, Exhausted, TimeBudget


class Clock:
    """Goes on by a second at every look."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


def spent(budget: Budget) -> int:
    """How many single positions the budget still holds."""
    for count in range(10_000):
        try:
            budget.spend(1)
        except Exhausted:
            return count
    raise AssertionError("no end")


def test_positions() -> None:
    budget = Budget(10)
    budget.spend(7)
    assert spent(budget) == 3


def test_nothing_at_all() -> None:
    assert spent(Budget(0)) == 0


def test_a_bite_too_large() -> None:
    with pytest.raises(Exhausted):
        Budget(10).spend(11)


def test_a_share_is_set_apart() -> None:
    budget = Budget(11)
    assert spent(budget.share(0.75)) == 8
    assert spent(budget) == 3


def test_what_a_share_leaves_stays() -> None:
    budget = Budget(11)
    budget.share(0.75).spend(5)
    assert spent(budget) == 6


def test_a_share_ends_with_the_whole() -> None:
    clock = Clock()
    budget = TimeBudget(3.0, clock)
    share = budget.share(1.0)
    spent(share)
    assert spent(budget) == 0


def test_the_clock_is_asked_once_a_slice() -> None:
    clock = Clock()
    budget = TimeBudget(3.0, clock)
    budget.spend(SLICE)
    assert clock.now == 0
    budget.spend(1)
    assert clock.now == 1
    assert clock.now + spent(budget) // SLICE == 3
    assert clock.now == 3


def test_a_share_of_the_time() -> None:
    clock = Clock()
    budget = TimeBudget(9.0, clock)
    share = budget.share(0.75)  # at 1: until 7
    spent(share)
    assert clock.now in {7, 8}  # the whole has looked, too
    spent(budget)
    assert clock.now == 9
