"""Rooms that other parts of the server make and change."""

from unittest.mock import Mock

import pytest

from tests.server.examples import NAME
from tests.server.hubs import Hubs, join_room, refused, two_players
from tests.server.storage.appends import load
from ttt_protocol.codes import RefusalCode
from ttt_protocol.state import Human, PersonId, RoomName, Settings
from ttt_server.core.archive.anonymous import without
from ttt_server.core.evolve import unchanged
from ttt_server.core.moderation import is_host
from ttt_server.core.seating import KeptName
from ttt_server.rooms.hub import Hub
from ttt_server.rooms.registry import Elsewhere, RoomOwnership
from ttt_server.storage.memory import MemoryStore

ANN = KeptName(PersonId("ann1"), "Ann")


async def test_a_person_is_the_host_of_a_room_made_for_them(hub: Hub) -> None:
    await hub.upkeep.make_room(NAME, Settings(), ANN)
    live = hub.registry.get(NAME)
    assert live is not None
    seated = live.room.seats.O
    assert isinstance(seated, Human)
    assert (seated.name, seated.person) == ("Ann", "ann1")
    assert is_host(live.room, seated.id)


async def test_a_room_that_is_there_is_not_made_again(hub: Hub) -> None:
    ada = await join_room(hub)
    before = ada.member.live.room
    await hub.upkeep.make_room(NAME, Settings(), ANN)
    assert ada.member.live.room is before


async def test_rooms_adopted_exceed_the_limit_and_others_do_not(hubs: Hubs) -> None:
    store = MemoryStore()
    before = hubs.open(store)
    for name in ("one", "two"):
        await two_players(before, room=name)
    await before.close()
    hub = hubs.open(store, max_rooms=1)
    await join_room(hub, room="full")
    await hub.upkeep.adopt(RoomName("one"))
    assert {live.room.name for live in hub.registry.all} == {"full", "one"}
    assert await refused(hub.upkeep.look_at(RoomName("two"))) is RefusalCode.SERVER_FULL


async def test_rooms_of_another_server(hub: Hub) -> None:
    ownership = Mock(spec=RoomOwnership, acquire=Mock(side_effect=Elsewhere))
    hub.registry.share(ownership)
    assert await hub.upkeep.look_at(NAME) is None
    await hub.upkeep.make_room(NAME, Settings(), ANN)  # it is there
    await hub.upkeep.adopt(NAME)
    assert not hub.registry.all
    ownership.take.assert_not_called()
    assert await hub.upkeep.change(NAME, unchanged) in hub.registry
    ownership.take.assert_awaited_once_with(NAME)


async def test_another_server_is_asked_for_a_room_only_once(hub: Hub) -> None:
    ownership = Mock(spec=RoomOwnership)
    hub.registry.share(ownership)
    assert await hub.upkeep.look_at(NAME) is not None
    ownership.acquire.assert_awaited_once_with(NAME)


async def test_a_room_of_another_server_goes_on_here_without_the_person(hubs: Hubs) -> None:
    store = MemoryStore()
    other = hubs.open(store)
    await join_room(other, person=ANN)
    await join_room(other, "bob")
    hub = hubs.open(store)

    async def take(_: RoomName) -> bool:
        other.eviction.give_up()
        return True

    hub.registry.share(Mock(spec=RoomOwnership, take=take))
    await hub.upkeep.rewrite(NAME, without(PersonId("ann1"), "Ann", "somebody"))
    live = hub.registry.get(NAME)
    assert live is not None, "or its clock would stand still"
    assert live.room.seats.X is not None
    assert live.room.seats.X.name == "somebody"
    assert "ann1" not in str(await load(store, NAME))


@pytest.mark.parametrize("is_in_memory", [True, False])
async def test_a_person_is_taken_out_of_a_room(hubs: Hubs, *, is_in_memory: bool) -> None:
    store = MemoryStore()
    hub = hubs.open(store)
    await join_room(hub, person=ANN)
    bob = await join_room(hub, "bob")
    if not is_in_memory:
        hub.eviction.give_up()
    await hub.upkeep.rewrite(NAME, without(PersonId("ann1"), "Ann", "somebody"))
    assert "ann1" not in str(await load(store, NAME))
    if is_in_memory:
        assert bob.ear.of("update")[-1]["room"]["seats"]["X"]["name"] == "somebody"
