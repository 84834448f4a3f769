"""What several processes have between them."""

from ttt_server.limits.census import ALONE, EVERYONE, Countable, SharedCensus, shared_memory
from ttt_server.limits.client_address import Source
from ttt_server.limits.connections import ConnectionTable
from ttt_server.limits.rates import AddressLimits, Rate

ADA, EVE = "203.0.113.7", "203.0.113.8"
LIMITS = AddressLimits(2, Rate(9, 99), Rate(9, 99), Rate(9, 99))


def two() -> tuple[SharedCensus, SharedCensus]:
    file = shared_memory(2)
    return SharedCensus(file, 2, 0), SharedCensus(file, 2, 1)


def tables(limit: int = 99) -> list[ConnectionTable[int]]:
    return [
        ConnectionTable(limit, LIMITS, lambda: 0.0, is_peer=lambda host: host == "", census=census)
        for census in two()
    ]


def connect(table: ConnectionTable[int], number: int, host: str) -> bool:
    return table.open(number, host) is not None and table.let_in(number, host) is not None


def test_who_is_alone_knows_of_nobody() -> None:
    ALONE.add(Countable.ROOMS, EVERYONE, 1)
    assert ALONE.elsewhere(Countable.ROOMS, EVERYONE) == 0


def test_each_sees_what_the_other_has() -> None:
    one, other = two()
    one.add(Countable.ROOMS, Source(ADA), 2)
    other.add(Countable.ROOMS, Source(ADA), 1)
    assert (
        one.elsewhere(Countable.ROOMS, Source(ADA)),
        other.elsewhere(Countable.ROOMS, Source(ADA)),
    ) == (
        1,
        2,
    )
    assert (
        one.elsewhere(Countable.ROOMS, Source(EVE))
        == one.elsewhere(Countable.OPEN, Source(ADA))
        == 0
    )


def test_what_a_dead_process_had_is_forgotten() -> None:
    one, other = two()
    one.add(Countable.OPEN, EVERYONE, 3)
    other.add(Countable.OPEN, EVERYONE, 4)
    one.clear(1)
    assert (one.elsewhere(Countable.OPEN, EVERYONE), other.elsewhere(Countable.OPEN, EVERYONE)) == (
        0,
        3,
    )


def test_an_address_has_its_connections_once_in_all_processes() -> None:
    one, other = tables()
    assert connect(one, 1, ADA)
    assert connect(other, 1, ADA)
    assert not connect(one, 2, ADA)
    assert not connect(other, 2, ADA)
    assert connect(other, 3, EVE)
    one.close(1)
    assert connect(other, 4, ADA)


def test_all_have_the_total_once() -> None:
    one, other = tables(limit=2)
    assert connect(one, 1, ADA)
    assert connect(other, 1, EVE)
    assert not connect(one, 2, "203.0.113.9")
    other.close(1)
    one.close(2)
    assert connect(one, 3, "203.0.113.9")


def test_half_of_the_places_of_all_stay_free_of_those_that_rest() -> None:
    one, other = tables(limit=4)
    assert connect(one, 1, ADA)
    assert one.may_rest(1)
    assert connect(other, 1, EVE)
    assert connect(other, 2, "203.0.113.9")
    assert not one.may_rest(1)
    assert not other.may_rest(7), "it is gone"


def test_who_is_passed_on_to_another_process_counts_there_no_second_time() -> None:
    one, other = tables()
    for number in (1, 2):
        assert connect(one, number, ADA)
        assert other.open(number, "") is not None
        account = other.let_in(number, "", relayed_for=ADA)
        assert account is not None
        assert account.source == ADA
        other.may_rest(number)
    assert not connect(other, 3, ADA), "it has both its places in the one process"
    assert not connect(one, 4, ADA)
    other.close(3)
    for number in (1, 2):
        one.close(number)
        other.close(number)
    assert connect(other, 5, ADA)
    assert connect(one, 5, ADA)
