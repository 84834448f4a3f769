"""The places of connections that wait for another request."""

from tests.server.limits.test_connections import PROXY, connections, let_in, opened


def test_a_connection_that_waits_takes_no_place() -> None:
    here = connections(connections=1)
    first, second = opened(here), opened(here)
    assert let_in(here, first)
    here.rest(first, first.host)
    assert let_in(here, second)
    assert not let_in(here, first), "its place was given away"
    here.rest(second, second.host)
    assert let_in(here, first)


def test_each_further_request_counts_as_a_connection_does() -> None:
    here = connections(connect_burst=2)
    peer = opened(here)
    assert let_in(here, peer)
    here.rest(peer, peer.host)
    assert let_in(here, peer)
    here.rest(peer, peer.host)
    assert not let_in(here, peer)
    here.rest(peer, peer.host)
    here.close(peer)
    assert not here.all


def test_a_connection_of_a_proxy_serves_one_client_after_another() -> None:
    here = connections(connections=1, connect_burst=2)
    peer = opened(here, PROXY)
    for client in ("198.51.100.1", "198.51.100.2", "198.51.100.1"):
        account = let_in(here, peer, [client])
        assert account
        assert (account.source, account.known, account.let_in) == (client, 1, 1)
        here.rest(peer, PROXY)
        assert (account.known, account.let_in) == (0, 0), "it waits on the proxy's account"
    assert not let_in(here, peer, ["198.51.100.1"]), "too often"


def test_half_of_the_places_stay_free() -> None:
    here = connections(limit=6)
    peers = [opened(here, f"203.0.113.{number}") for number in range(3)]
    assert all(map(here.may_rest, peers))
    last = opened(here, "203.0.113.9")
    assert not here.may_rest(last)
    here.close(last)
    assert here.may_rest(peers[0])
    assert not here.may_rest(last), "it is gone"


def test_half_of_the_places_of_an_address_stay_free() -> None:
    here = connections(limit=99, connections=4)
    first, second = opened(here), opened(here)
    assert here.may_rest(first)
    opened(here)
    assert not here.may_rest(second)
    assert here.may_rest(opened(here, "198.51.100.1"))
