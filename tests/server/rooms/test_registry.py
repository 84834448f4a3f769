"""Rooms by name, and how many each address has made."""

import pytest

from tests.server.examples import NAME, NOW
from tests.server.fakes import Time
from ttt_protocol.state import RoomName
from ttt_server.core.errors import Refused
from ttt_server.rooms.live_room import LiveRoom
from ttt_server.rooms.registry import RoomLimits, RoomRegistry


def registry_of(rooms: int = 99, per_address: int = 99, time: Time | None = None) -> RoomRegistry:
    limits = RoomLimits(rooms, per_address, idle_s=60, abandon_s=60)
    return RoomRegistry(limits, (time or Time(NOW)).clock)


def rooms(registry: RoomRegistry, count: int) -> list[LiveRoom]:
    return [registry.open(RoomName(f"room{number}")) for number in range(count)]


def is_full(registry: RoomRegistry, live: LiveRoom, address: str) -> bool:
    with pytest.raises(Refused) as caught:
        registry.charge(live, address)
    return caught.value.code == "server_full"


async def test_a_name_has_one_room() -> None:
    registry = registry_of()
    live = registry.open(NAME)
    assert registry.open(NAME) is registry.get(NAME) is live
    assert live in registry
    assert [*registry.all] == [live]


async def test_a_room_that_is_only_read_is_not_there() -> None:
    registry = registry_of()
    live = registry.unregistered(NAME)
    assert live not in registry
    assert registry.get(NAME) is None
    registry.open(NAME)
    assert live not in registry


async def test_more_rooms_than_there_may_be() -> None:
    registry = registry_of(rooms=1)
    live = registry.open(NAME)
    assert registry.is_full
    with pytest.raises(Refused) as caught:
        registry.open(RoomName("lair"))
    assert caught.value.code == "server_full"
    assert registry.open(NAME) is live
    registry.forget(live)
    assert registry.get(NAME) is None
    registry.open(RoomName("lair"))


async def test_a_step_of_the_clock_is_passed_on() -> None:
    time = Time(NOW)
    registry = registry_of(time=time)
    live = registry.open(NAME)
    live.members.were_last_here(NOW)
    time.jumps(60_000)
    assert registry.now() == NOW + 60_000
    assert registry.clock_shift == 60_000
    assert live.members.emptied_at == NOW + 60_000


async def test_a_forgotten_room_counts_for_no_address() -> None:
    registry = registry_of(per_address=1)
    first, second = rooms(registry, 2)
    registry.charge(first, "here")
    assert is_full(registry, second, "here")
    registry.forget(first)
    registry.charge(second, "here")


async def test_so_many_from_one_address() -> None:
    registry = registry_of(per_address=2)
    first, second, third = rooms(registry, 3)
    registry.charge(first, "here")
    registry.charge(second, "here")
    assert is_full(registry, third, "here")
    assert registry._made == {"here": 2}
    registry.charge(third, "there")


async def test_one_room_counts_once() -> None:
    registry = registry_of(per_address=1)
    first, second = rooms(registry, 2)
    for _ in range(3):
        registry.charge(first, "here")
    registry.discharge(first)
    registry.charge(second, "here")


async def test_a_room_counts_for_the_last_who_makes_it() -> None:
    registry = registry_of(per_address=1)
    first, second = rooms(registry, 2)
    registry.charge(first, "here")
    registry.charge(first, "there")
    registry.charge(second, "here")
    assert registry._made == {"here": 1, "there": 1}


async def test_who_is_full_is_not_charged_for_another_either() -> None:
    registry = registry_of(per_address=1)
    first, second = rooms(registry, 2)
    registry.charge(first, "here")
    registry.charge(second, "there")
    assert is_full(registry, first, "there")
    assert registry._made == {"here": 1, "there": 1}


async def test_what_is_gone_is_forgotten() -> None:
    registry = registry_of(per_address=9)
    for number, live in enumerate(rooms(registry, 99)):
        registry.charge(live, f"2001:db8::{number}")
        registry.discharge(live)
        registry.discharge(live)
    assert not registry._made


async def test_a_room_that_nobody_here_made() -> None:
    registry = registry_of(per_address=1)
    (live,) = rooms(registry, 1)
    registry.discharge(live)
    assert not registry._made
