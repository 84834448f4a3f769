import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from ttt_server.limits import connections as module
from ttt_server.limits.client_address import Proxies
from ttt_server.limits.connections import ConnectionTable
from ttt_server.limits.rates import AddressAccount, AddressLimits, Rate

LIMITS = AddressLimits(
    connections=9,
    connects=Rate(1, 1000),
    commands=Rate(1, 5),
    guesses=Rate(1, 5),
)
PROXY = "10.0.0.1"


@dataclass(eq=False)
class Peer:
    """A connection, as far as the table knows it."""

    host: str = "203.0.113.7"


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


Table = ConnectionTable[Peer]


def connections(
    limit: int = 9, *, clock: Clock | None = None, connections: int = 9, connect_burst: int = 1000
) -> Table:
    allowed = LIMITS._replace(connections=connections, connects=Rate(1, connect_burst))
    return ConnectionTable(limit, allowed, clock or Clock(), Proxies.parse([PROXY]))


def opened(here: Table, host: str = "203.0.113.7") -> Peer:
    peer = Peer(host)
    assert here.open(peer, host)
    return peer


def let_in(here: Table, peer: Peer, forwarded_for: Sequence[str] = ()) -> AddressAccount | None:
    return here.let_in(peer, peer.host, forwarded_for)


def open_one(here: Table, host: str = "203.0.113.7") -> AddressAccount | None:
    return here.open(Peer(host), host)


def test_connections_over_the_limit_are_not_let_in() -> None:
    here = connections(limit=2)
    first, second, third = (opened(here, f"203.0.113.{number}") for number in range(3))
    assert let_in(here, first)
    assert let_in(here, second)
    assert not let_in(here, third)
    here.close(first)
    assert let_in(here, third)
    assert set(here.all) == {second, third}


def test_a_connection_that_closed_while_its_request_was_read_takes_no_place() -> None:
    here = connections(limit=1)
    gone = opened(here)
    here.close(gone)
    assert not let_in(here, gone)
    assert let_in(here, opened(here))


def test_a_connection_that_asks_twice_takes_one_place() -> None:
    here = connections(connections=2)
    first = opened(here)
    assert let_in(here, first)
    assert let_in(here, first)
    assert let_in(here, opened(here))
    here.close(first)
    assert let_in(here, opened(here))


async def test_it_is_drained_once_the_last_connection_has_gone() -> None:
    here = connections()
    await here.drained()
    first, second = opened(here), opened(here)
    drained = asyncio.ensure_future(here.drained())
    here.close(first)
    await asyncio.sleep(0)
    assert not drained.done()
    here.close(second)
    await drained


def test_connections_are_numbered() -> None:
    here = connections()
    numbers = []
    for _ in range(3):
        here.close(opened(here))
        numbers.append(here.opened)
    assert numbers == [1, 2, 3]


def test_connections_of_one_address_are_limited() -> None:
    here = connections(connections=1)
    first, second, other = opened(here), opened(here), opened(here, "203.0.113.8")
    assert let_in(here, first)
    assert not let_in(here, second)
    assert let_in(here, other)
    here.close(first)
    assert let_in(here, second)


def test_refused_connections_take_no_place() -> None:
    here = connections(limit=90, connections=3)
    peers = [opened(here) for _ in range(19)]
    let = [let_in(here, peer) is not None for peer in peers]
    assert let == [True] * 3 + [False] * 16
    for peer in peers[3:]:
        here.close(peer)
    assert not let_in(here, opened(here))


def test_silent_connections_take_no_place_of_other_addresses() -> None:
    here = connections(limit=90, connections=3)
    for _ in range(19):
        opened(here)
    assert not open_one(here)
    assert let_in(here, opened(here, "203.0.113.8"))


def test_connections_that_have_not_asked_are_limited() -> None:
    here = connections(limit=3)
    for number in range(19):
        opened(here, f"203.0.113.{number}")
    assert not open_one(here, "198.51.100.1")


def test_connections_in_a_time_are_limited() -> None:
    clock = Clock()
    here = connections(clock=clock, connect_burst=2)
    for peer in (opened(here), opened(here)):
        let_in(here, peer)
        here.close(peer)
    late = Peer()
    assert not here.open(late, late.host)
    here.close(late)
    opened(here, "203.0.113.8")
    clock.now = 1
    opened(here)


def test_neighbours_of_ipv6_are_one() -> None:
    here = connections(connections=1)
    assert let_in(here, opened(here, "2001:db8::1"))
    assert not let_in(here, opened(here, "2001:db8::2"))
    assert let_in(here, opened(here, "2001:db8:0:1::1"))


def test_whoever_is_behind_a_proxy_counts_by_their_own_address() -> None:
    here = connections(connections=1)
    first, second, third = (opened(here, PROXY) for _ in range(3))
    accounts = [let_in(here, first, ["198.51.100.1"])]
    assert not let_in(here, second, ["198.51.100.1"])
    accounts.append(let_in(here, third, ["198.51.100.2"]))
    assert [each and each.source for each in accounts] == ["198.51.100.1", "198.51.100.2"]
    for peer in (first, second, third):
        here.close(peer)
    assert let_in(here, opened(here, PROXY), ["198.51.100.1"])


def test_a_proxy_may_have_many_that_have_not_asked_yet() -> None:
    here = connections(limit=90, connections=1, connect_burst=1)
    for _ in range(50):
        opened(here, PROXY)


def test_whoever_comes_too_often_through_a_proxy() -> None:
    here = connections(connect_burst=1)
    assert let_in(here, opened(here, PROXY), ["198.51.100.1"])
    assert not let_in(here, opened(here, PROXY), ["198.51.100.1"])
    assert let_in(here, opened(here, PROXY), ["198.51.100.2"])


def test_only_a_proxy_that_is_trusted_is_believed() -> None:
    here = connections(connections=1)
    assert let_in(here, opened(here), ["198.51.100.1"])
    assert not let_in(here, opened(here), ["198.51.100.2"])


def test_a_socket_without_an_address() -> None:
    here = connections(connections=1)
    peer = opened(here, "")
    account = let_in(here, peer, ["198.51.100.1"])
    assert account is not None
    assert account.source == "local"


def test_budgets_outlive_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_REMEMBERED", 2)
    here = connections(limit=90)
    peer, again = Peer(), Peer()
    account = here.open(peer, peer.host)
    here.close(peer)
    assert here.open(again, again.host) is account
    here.close(again)
    for number in range(2):
        here.close(opened(here, f"198.51.100.{number}"))
    assert open_one(here) is not account


def test_the_accounts_left_longest_ago_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_REMEMBERED", 5)
    here = connections(limit=90)
    stays = Peer()
    account = here.open(stays, stays.host)
    assert account is not None
    for number in range(99):
        peer = opened(here, f"2001:db8:0:{number}::1")
        let_in(here, peer)
        here.close(peer)
    assert set(here.all) == {stays}
    assert len(here._accounts) == 6
    assert here._accounts[account.source] is account


def test_a_proxy_is_known_by_its_address() -> None:
    here = connections()
    assert here.is_proxy(PROXY)
    assert not here.is_proxy("10.0.0.2")
    assert not here.is_proxy("")
