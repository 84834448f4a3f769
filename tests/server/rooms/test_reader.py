"""What can be read of rooms, in memory or not."""

import asyncio
from unittest.mock import Mock

import pytest

from tests.server.examples import NAME, X, types
from tests.server.fakes import FragileStore
from tests.server.hubs import Hubs, join_room, two_players
from ttt_protocol.state import ClockSetting, GivenSettings
from ttt_server.concurrency.fair_semaphore import TooBusy
from ttt_server.rooms.reader import MOST_READERS
from ttt_server.rooms.registry import RoomOwnership
from ttt_server.storage.base import StorageFailed


@pytest.fixture
def store() -> FragileStore:
    return FragileStore()


async def test_of_many_who_look_into_it_some_have_to_come_back(
    hubs: Hubs, store: FragileStore
) -> None:
    hub = hubs.open(store)
    async with hub.reader._readers.take():
        looks = [asyncio.create_task(hub.reader.read(NAME)) for _ in range(MOST_READERS - 1)]
        await asyncio.sleep(0)
        with pytest.raises(TooBusy):
            await hub.reader.read(NAME)
        ada = await join_room(hub, room="lair")
        assert await hub.reader.read(ada.member.live.room.name) is not None, "it is in memory"
    assert await asyncio.gather(*looks) == [None] * (MOST_READERS - 1)


async def test_a_room_that_is_only_read_has_no_timers(hubs: Hubs, store: FragileStore) -> None:
    minute = GivenSettings(clock=ClockSetting(initial_s=60))
    await two_players(hubs.open(store), settings=minute)
    hub = hubs.open(store)
    state = await hub.reader.read(NAME)
    assert state is not None
    assert state.game is not None
    assert state.game.clock is not None
    assert state.game.clock.running is X
    assert not hub.registry.all


async def test_a_room_that_another_server_has_is_asked_for_there(
    hubs: Hubs, store: FragileStore
) -> None:
    owner = hubs.open(store)
    await two_players(owner)
    state = owner.reader.in_memory(NAME)
    assert state is not None
    hub = hubs.open(store)
    assert hub.reader.in_memory(NAME) is None
    elsewhere = Mock(spec=RoomOwnership)
    elsewhere.has.return_value = False
    elsewhere.read.return_value = state
    hub.registry.share(elsewhere)
    assert await hub.reader.read(NAME) is state
    elsewhere.read.return_value = None
    left = await hub.reader.read(NAME)
    assert left is not None
    assert left.seq == state.seq, "read from the log"
    elsewhere.has.return_value = True
    elsewhere.read.reset_mock()
    await hub.reader.read(NAME)
    elsewhere.read.assert_not_called()


async def test_a_game_can_be_read(hubs: Hubs, store: FragileStore) -> None:
    hub = hubs.open(store)
    await two_players(hub, 4)
    record = await hub.reader.read_game(NAME, 1)
    assert record is not None
    assert types(record.events) == ["started", "played"]
    assert await hub.reader.read_game(NAME, 2) is None
    store.fails_to_load = True
    with pytest.raises(StorageFailed):
        await hub.reader.read_game(NAME, 1)
