from math import inf

from ttt_server.limits.expiring_keys import ExpiringKeys


def test_a_key_counts_until_its_time() -> None:
    names: ExpiringKeys[str] = ExpiringKeys(4)
    assert names.left_s("ada", 10) == 0
    names.add("ada", 15)
    assert names.left_s("ada", 10) == 5
    assert names.left_s("ada", 15) == names.left_s("ada", 20) == 0
    assert names.left_s("bob", 10) == 0


def test_a_key_may_be_added_anew_and_dropped() -> None:
    names: ExpiringKeys[str] = ExpiringKeys(4)
    names.add("ada", 15)
    names.add("ada", inf)
    assert names.left_s("ada", 1e9) == inf
    names.discard("ada")
    names.discard("ada")
    assert names.left_s("ada", 0) == 0


def test_the_key_that_was_added_first_is_dropped_first() -> None:
    names: ExpiringKeys[str] = ExpiringKeys(2)
    for name in ("ada", "bob", "ada", "eve"):
        names.add(name, inf)
    assert [names.left_s(name, 0) > 0 for name in ("ada", "bob", "eve")] == [True, False, True]
