import pytest

from tests.server.examples import NOW
from tests.server.fakes import ImmediateBroadcaster
from ttt_protocol.state import RoomName
from ttt_server.core.errors import Refused
from ttt_server.rooms.census import Census
from ttt_server.rooms.live_room import LiveRoom


def rooms(count: int) -> list[LiveRoom]:
    return [
        LiveRoom(RoomName(f"room{number}"), lambda: NOW, ImmediateBroadcaster())
        for number in range(count)
    ]


def is_full(census: Census, live: LiveRoom, address: str) -> bool:
    with pytest.raises(Refused) as caught:
        census.charge(live, address)
    return caught.value.code == "server_full"


async def test_so_many_from_one_address() -> None:
    census = Census(2)
    first, second, third = rooms(3)
    census.charge(first, "here")
    census.charge(second, "here")
    assert is_full(census, third, "here")
    assert third.made_from == ""
    census.charge(third, "there")


async def test_one_room_counts_once() -> None:
    census = Census(1)
    first, second = rooms(2)
    for _ in range(3):
        census.charge(first, "here")
    census.discharge(first)
    census.charge(second, "here")


async def test_a_room_counts_for_the_last_who_makes_it() -> None:
    census = Census(1)
    first, second = rooms(2)
    census.charge(first, "here")
    census.charge(first, "there")
    census.charge(second, "here")
    assert census._made_from == {"here": 1, "there": 1}


async def test_who_is_full_is_not_charged_for_another_either() -> None:
    census = Census(1)
    first, second = rooms(2)
    census.charge(first, "here")
    census.charge(second, "there")
    assert is_full(census, first, "there")
    assert first.made_from == "here"


async def test_what_is_gone_is_forgotten() -> None:
    census = Census(9)
    for number, live in enumerate(rooms(99)):
        census.charge(live, f"2001:db8::{number}")
        census.discharge(live)
        census.discharge(live)
    assert not census._made_from


async def test_a_room_that_nobody_here_made() -> None:
    census = Census(1)
    (live,) = rooms(1)
    census.discharge(live)
    assert not census._made_from
