import asyncio
from dataclasses import replace
from typing import cast

import pytest

from ttt_protocol.codes import CloseCode
from ttt_server.limits import connections as module
from ttt_server.limits.client_address import Proxies
from ttt_server.limits.connections import AddressAccount, AddressLimits, ConnectionTable
from ttt_server.transport.connection import Connection

LIMITS = AddressLimits(
    connections=9,
    connects_per_s=1,
    connect_burst=1000,
    commands_per_s=1,
    command_burst=5,
    guesses_per_s=1,
    guess_burst=5,
)
PROXY = "10.0.0.1"


class Caller:
    """What connections need of a peer."""

    account: AddressAccount
    is_proxied = False

    def __init__(self, host: str) -> None:
        self.host = host
        self.has_asked = False
        self.done: list[object] = []

    def dismiss(self, code: CloseCode, retry_after_s: float | None = None) -> None:
        self.done.append((code, retry_after_s))

    def cut(self) -> None:
        self.done.append("cut")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def connections(limit: int = 9, *, clock: Clock | None = None, **limits: float) -> ConnectionTable:
    allowed = replace(LIMITS, **limits)  # type: ignore[arg-type]  # whole numbers where they are
    return ConnectionTable(limit, allowed, clock or Clock(), Proxies.parse([PROXY]))


def caller(host: str = "203.0.113.7") -> Connection:
    return cast("Connection", Caller(host))


def opened(here: ConnectionTable, host: str = "203.0.113.7") -> Connection:
    peer = caller(host)
    assert here.open(peer)
    return peer


def done(connection: Connection) -> list[object]:
    return cast("Caller", connection).done


def test_connections_over_the_limit_are_not_let_in() -> None:
    here = connections(limit=2)
    first, second, third = (opened(here, f"203.0.113.{number}") for number in range(3))
    assert here.let_in(first)
    assert here.let_in(second)
    assert not here.let_in(third)
    here.close(first)
    assert here.let_in(third)
    assert here.peers == {second, third}


def test_a_connection_that_closed_while_its_request_was_read_takes_no_place() -> None:
    here = connections(limit=1)
    gone = opened(here)
    here.close(gone)
    assert not here.let_in(gone)
    assert here.let_in(opened(here))


def test_a_connection_that_asks_twice_takes_one_place() -> None:
    here = connections(connections=2)
    first = opened(here)
    assert here.let_in(first)
    assert here.let_in(first)
    assert here.let_in(opened(here))
    here.close(first)
    assert here.let_in(opened(here))


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


def test_all_are_dismissed_and_silent_ones_cut() -> None:
    here = connections()
    asked, silent = opened(here), opened(here)
    asked.has_asked = True
    here.dismiss_all(CloseCode.RESTARTING, 3)
    assert done(asked) == [(CloseCode.RESTARTING, 3)]
    assert done(silent) == [(CloseCode.RESTARTING, 3), "cut"]


def test_all_are_cut() -> None:
    here = connections()
    both = [opened(here), opened(here)]
    here.cut_all()
    assert [done(each) for each in both] == [["cut"], ["cut"]]


def test_connections_of_one_address_are_limited() -> None:
    here = connections(connections=1)
    first, second, other = opened(here), opened(here), opened(here, "203.0.113.8")
    assert here.let_in(first)
    assert not here.let_in(second)
    assert here.let_in(other)
    here.close(first)
    assert here.let_in(second)


def test_refused_connections_take_no_place() -> None:
    here = connections(limit=90, connections=3)
    peers = [opened(here) for _ in range(19)]
    assert [here.let_in(peer) for peer in peers] == [True] * 3 + [False] * 16
    for peer in peers[3:]:
        here.close(peer)
    assert not here.let_in(opened(here))


def test_silent_connections_take_no_place_of_other_addresses() -> None:
    here = connections(limit=90, connections=3)
    for _ in range(19):
        opened(here)
    assert not here.open(caller())
    assert here.let_in(opened(here, "203.0.113.8"))


def test_connections_that_have_not_asked_are_limited() -> None:
    here = connections(limit=3)
    for number in range(19):
        opened(here, f"203.0.113.{number}")
    assert not here.open(caller("198.51.100.1"))


def test_connections_in_a_time_are_limited() -> None:
    clock = Clock()
    here = connections(clock=clock, connect_burst=2)
    for peer in (opened(here), opened(here)):
        here.let_in(peer)
        here.close(peer)
    late = caller()
    assert not here.open(late)
    here.close(late)
    opened(here, "203.0.113.8")
    clock.now = 1
    opened(here)


def test_neighbours_of_ipv6_are_one() -> None:
    here = connections(connections=1)
    assert here.let_in(opened(here, "2001:db8::1"))
    assert not here.let_in(opened(here, "2001:db8::2"))
    assert here.let_in(opened(here, "2001:db8:0:1::1"))


def test_whoever_is_behind_a_proxy_counts_by_their_own_address() -> None:
    here = connections(connections=1)
    first, second, third = (opened(here, PROXY) for _ in range(3))
    assert here.let_in(first, ["198.51.100.1"])
    assert not here.let_in(second, ["198.51.100.1"])
    assert here.let_in(third, ["198.51.100.2"])
    assert [peer.account.source for peer in (first, third)] == ["198.51.100.1", "198.51.100.2"]
    for peer in (first, second, third):
        here.close(peer)
    assert here.let_in(opened(here, PROXY), ["198.51.100.1"])


def test_a_proxy_may_have_many_that_have_not_asked_yet() -> None:
    here = connections(limit=90, connections=1, connect_burst=1)
    for _ in range(50):
        opened(here, PROXY)


def test_whoever_comes_too_often_through_a_proxy() -> None:
    here = connections(connect_burst=1)
    assert here.let_in(opened(here, PROXY), ["198.51.100.1"])
    assert not here.let_in(opened(here, PROXY), ["198.51.100.1"])
    assert here.let_in(opened(here, PROXY), ["198.51.100.2"])


def test_only_a_proxy_that_is_trusted_is_believed() -> None:
    here = connections(connections=1)
    assert here.let_in(opened(here), ["198.51.100.1"])
    assert not here.let_in(opened(here), ["198.51.100.2"])


def test_a_socket_without_an_address() -> None:
    here = connections(connections=1)
    peer = opened(here, "")
    assert here.let_in(peer, ["198.51.100.1"])
    assert peer.account.source == "local"


def test_budgets_outlive_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_REMEMBERED", 2)
    here = connections(limit=90)
    peer = opened(here)
    account = peer.account
    here.close(peer)
    again = opened(here)
    assert again.account is account
    here.close(again)
    for number in range(2):
        here.close(opened(here, f"198.51.100.{number}"))
    assert opened(here).account is not account


def test_the_accounts_left_longest_ago_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_REMEMBERED", 5)
    here = connections(limit=90)
    stays = opened(here)
    for number in range(99):
        peer = opened(here, f"2001:db8:0:{number}::1")
        here.let_in(peer)
        here.close(peer)
    assert here.peers == {stays}
    assert len(here._accounts) == 6
    assert here._accounts[stays.account.source] is stays.account
