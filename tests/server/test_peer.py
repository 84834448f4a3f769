from typing import cast

from ttt_server.peer import Connections, Peer


class Caller:
    """What connections need of a peer."""

    def __init__(self, address: str = "here") -> None:
        self.address = address


def opened(connections: Connections, address: str = "here") -> Peer:
    peer = cast("Peer", Caller(address))
    connections.open(peer)
    return peer


def test_so_many_are_let_in_and_no_more() -> None:
    connections = Connections(limit=2, limit_per_address=9)
    first, second, third = (opened(connections, name) for name in "abc")
    assert connections.let_in(first)
    assert connections.let_in(second)
    assert not connections.let_in(third)
    connections.close(first)
    assert connections.let_in(third)
    assert connections.peers == {second, third}


def test_so_many_from_one_address() -> None:
    connections = Connections(limit=9, limit_per_address=1)
    first, second, other = opened(connections), opened(connections), opened(connections, "there")
    assert connections.let_in(first)
    assert not connections.let_in(second)
    assert connections.let_in(other)
    connections.close(first)
    assert connections.let_in(second)


def test_those_who_are_refused_take_no_place() -> None:
    connections = Connections(limit=9, limit_per_address=3)
    peers = [opened(connections) for _ in range(50)]
    assert [connections.let_in(peer) for peer in peers] == [True] * 3 + [False] * 47
    for peer in peers[3:]:
        connections.close(peer)
    assert not connections.let_in(opened(connections))


def test_who_has_gone_is_forgotten() -> None:
    connections = Connections(limit=9, limit_per_address=9)
    peers = [opened(connections, f"2001:db8::{number}") for number in range(9)]
    peers += [opened(connections, "never let in")]
    for peer in peers[:9]:
        connections.let_in(peer)
    for peer in peers:
        connections.close(peer)
    assert not connections.peers
    assert not connections._by_address
