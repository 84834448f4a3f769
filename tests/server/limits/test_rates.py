import pytest

from ttt_server.limits.client_address import NOWHERE, Source
from ttt_server.limits.rates import (
    AddressAccount,
    AddressLimits,
    Budgets,
    CommandLimiter,
    Rate,
)

LIMITS = Rate(per_second=1, burst=4)


def account(commands: int = 99, guesses: int = 2) -> AddressAccount:
    limits = AddressLimits(9, Rate(9, 9), Rate(0, commands), Rate(0, guesses))
    return AddressAccount(NOWHERE, limits, now=0)


def how_many(answers: list[bool]) -> int:
    return sum(answers)


def test_a_burst_of_commands_and_then_one_a_second() -> None:
    allowance = CommandLimiter(LIMITS, account(), now=0)
    assert how_many([allowance.takes(0) for _ in range(9)]) == 4
    assert how_many([allowance.takes(1) for _ in range(9)]) == 1


def test_as_many_again_are_answered() -> None:
    allowance = CommandLimiter(LIMITS, account(), now=0)
    assert how_many([allowance.refuses(0) for _ in range(9)]) == 4
    assert allowance.takes(0), "that is another matter"


def test_while_an_address_floods_its_calm_connections_go_on() -> None:
    home = account(commands=4)
    loud, quiet = CommandLimiter(LIMITS, home, now=0), CommandLimiter(LIMITS, home, now=0)
    assert how_many([loud.takes(0) for _ in range(9)]) == 4
    assert how_many([quiet.takes(0) for _ in range(9)]) == 2


def test_guesses_are_counted_by_address() -> None:
    home = account(guesses=2)
    ada, eve = CommandLimiter(LIMITS, home, now=0), CommandLimiter(LIMITS, home, now=0)
    assert eve.guesses(0)
    assert ada.guesses(0)
    assert not eve.guesses(0)
    ada.knew()
    assert eve.guesses(0)
    assert not ada.guesses(0)


def test_each_address_has_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Budgets, "_MOST", 2)
    budgets = Budgets(per_second=1, burst=2)
    ada, bob, eve = map(Source, ("ada", "bob", "eve"))
    assert [budgets.spend(ada, 0) for _ in range(3)] == [True, True, False]
    assert budgets.spend(bob, 0)
    budgets.refund(ada)
    budgets.refund(NOWHERE)
    assert budgets.spend(eve, 1.5), "bob's is full again, and forgotten"
    assert [budgets.spend(ada, 1.5) for _ in range(3)] == [True, True, False]
