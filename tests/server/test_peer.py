from typing import cast

from ttt_server.peer import Doors, Peer


class Caller:
    """What doors need of a peer."""

    def __init__(self, address: str = "here") -> None:
        self.address = address


def caller(address: str = "here") -> Peer:
    return cast("Peer", Caller(address))


def test_doors_count_all() -> None:
    doors = Doors(limit=2, limit_per_address=9)
    first, second, third = caller("a"), caller("b"), caller("c")
    for peer in (first, second):
        doors.open(peer)
        assert not doors.are_too_full_for(peer)
    doors.open(third)
    assert doors.are_too_full_for(third)
    doors.close(first)
    assert not doors.are_too_full_for(third)
    assert doors.peers == {second, third}


def test_doors_count_by_address() -> None:
    doors = Doors(limit=9, limit_per_address=1)
    first, second, other = caller(), caller(), caller("there")
    for peer in (first, second, other):
        doors.open(peer)
    assert doors.are_too_full_for(second)
    assert not doors.are_too_full_for(other)
    doors.close(first)
    assert not doors.are_too_full_for(second)


def test_doors_forget_who_has_gone() -> None:
    doors = Doors(limit=9, limit_per_address=9)
    peers = [caller(f"2001:db8::{number}") for number in range(99)]
    for peer in peers:
        doors.open(peer)
    for peer in peers:
        doors.close(peer)
    assert not doors.peers
    assert not doors._by_address
