"""Connections that other servers of the installation pass on."""

from collections.abc import Sequence

from ttt_server.limits.client_address import Source
from ttt_server.limits.connections import ConnectionTable
from ttt_server.limits.rates import AddressLimits, Rate

PEER = "10.0.0.2"
LIMITS = AddressLimits(
    connections=2,
    connects=Rate(1, 2),
    commands=Rate(1, 5),
    guesses=Rate(1, 5),
)


def let_in(table: ConnectionTable[int], numbers: Sequence[int], client: str) -> list[Source | None]:
    accounts: list[Source | None] = []
    for number in numbers:
        assert table.open(number, PEER) is not None, "another server has no limit of its own"
        account = table.let_in(number, PEER, relayed_for=client)
        accounts.append(None if account is None else account.source)
    return accounts


def test_they_count_for_their_clients() -> None:
    table: ConnectionTable[int] = ConnectionTable(99, LIMITS, lambda: 0.0, is_peer=PEER.__eq__)
    assert let_in(table, range(3), "203.0.113.7") == ["203.0.113.7", "203.0.113.7", None]
    assert let_in(table, range(3, 5), "203.0.113.8") == ["203.0.113.8", "203.0.113.8"]


def test_a_server_s_own_have_no_limit() -> None:
    table: ConnectionTable[int] = ConnectionTable(4, LIMITS, lambda: 0.0, is_peer=PEER.__eq__)
    assert let_in(table, range(5), "") == ["local"] * 4 + [None]


def test_another_address_is_no_server() -> None:
    table: ConnectionTable[int] = ConnectionTable(99, LIMITS, lambda: 0.0)
    assert [table.open(number, PEER) is not None for number in range(3)] == [True, True, False]
