"""Games with days for each move, in rooms that leave memory."""

import asyncio
import logging

import pytest

from tests.server.examples import NAME, NOW
from tests.server.fakes import Time
from tests.server.hubs import Hubs, changed, join_room, two_players
from tests.server.storage.appends import load
from ttt_protocol.codes import Reason, RefusalCode
from ttt_protocol.commands import Resign
from ttt_protocol.events import Ended
from ttt_protocol.state import GivenSettings, RoomName, Status
from ttt_server.core.errors import Refused
from ttt_server.rooms import timers
from ttt_server.rooms.hub import Hub
from ttt_server.rooms.live_room import LiveRoom
from ttt_server.rooms.timers import AGAIN_MS, LOOK_S, Correspondence
from ttt_server.storage.base import StorageFailed
from ttt_server.storage.memory import MemoryStore

DAY = 86_400_000
DAYS = GivenSettings(days=2)


@pytest.fixture
def time() -> Time:
    return Time(NOW)


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
async def hub(hubs: Hubs, time: Time, store: MemoryStore) -> Hub:
    return hubs.open(store, time=time, room_idle_s=0.001, room_abandon_s=0.001)


@pytest.fixture
def keeper(hub: Hub, time: Time, store: MemoryStore) -> Correspondence:
    return Correspondence(store, lambda: time.now, hub.upkeep.look_at)


async def leave(hub: Hub, *cells: int) -> None:
    ada, bob = await two_players(hub, *cells, settings=DAYS)
    ada.exits()
    bob.exits()
    await changed(hub, lambda: not hub.registry.all)


async def types(store: MemoryStore) -> list[str]:
    return [event.type for event in await load(store, NAME)]


async def test_a_room_needs_no_memory(hub: Hub, store: MemoryStore) -> None:
    await leave(hub, 4)
    assert await store.deadlines(9) == [(NAME, NOW + 2 * DAY)]
    assert (await types(store))[-1] == "played", "it is not abandoned"


async def test_the_flag_falls_there(
    hub: Hub, store: MemoryStore, time: Time, keeper: Correspondence
) -> None:
    await leave(hub, 4)
    time.passes(2 * DAY - 1500)
    assert await keeper.settle() == 1.5
    assert (await types(store))[-1] == "played"
    time.passes(1500)
    await keeper.settle()
    (ended,) = (await load(store, NAME))[-1:]
    assert isinstance(ended, Ended)
    assert ended.outcome.reason is Reason.TIMEOUT
    assert await keeper.settle() == LOOK_S
    assert await store.deadlines(9) == []


async def test_a_sleep_of_the_machine_gives_nothing_back(
    hub: Hub, store: MemoryStore, time: Time, keeper: Correspondence
) -> None:
    ada, _ = await two_players(hub, 4, settings=DAYS)
    time.jumps(3 * DAY)
    await keeper.settle()
    assert ada.ear.events[-1]["type"] == "ended"
    assert "slept" not in await types(store)


async def test_a_game_that_ended_is_forgotten(
    hub: Hub, store: MemoryStore, time: Time, keeper: Correspondence
) -> None:
    ada, _ = await two_players(hub, settings=DAYS)
    await ada.says(Resign(game=1))
    time.passes(2 * DAY)
    await keeper.settle()
    assert await store.deadlines(9) == []
    assert (await types(store)).count("ended") == 1


async def test_a_room_that_came_back_has_time_from_its_last_move(
    hub: Hub, store: MemoryStore, time: Time, keeper: Correspondence
) -> None:
    ada, bob = await two_players(hub, 4, settings=DAYS)
    token = bob.token
    ada.exits()
    bob.exits()
    await changed(hub, lambda: not hub.registry.all)
    time.passes(DAY)
    bob = await join_room(hub, "bob", token=token)
    clock = bob.ear.of("welcome")[0]["room"]["game"]["clock"]
    assert clock == {"X": 2 * DAY, "O": DAY, "running": "O"}
    await bob.plays(0)
    assert await store.deadlines(9) == [(NAME, NOW + 3 * DAY)]
    time.passes(DAY)
    await keeper.settle()
    assert (await types(store))[-1] == "played"


async def test_a_room_that_cannot_be_opened_waits(time: Time, store: MemoryStore) -> None:
    async def look_at(_: RoomName) -> LiveRoom | None:
        raise Refused(RefusalCode.SERVER_FULL)

    store.note_deadline(NAME, NOW)
    await Correspondence(store, lambda: time.now, look_at).settle()
    assert await store.deadlines(9) == [(NAME, NOW + AGAIN_MS)]


async def test_a_room_of_another_server_is_its_own(time: Time, store: MemoryStore) -> None:
    async def look_at(_: RoomName) -> LiveRoom | None:
        return None

    store.note_deadline(NAME, NOW)
    await Correspondence(store, lambda: time.now, look_at).settle()
    assert await store.deadlines(9) == [(NAME, NOW)]


async def test_it_goes_on_when_the_store_works_again(
    hub: Hub,
    store: MemoryStore,
    time: Time,
    keeper: Correspondence,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    await leave(hub, 4)
    time.passes(2 * DAY)
    works = store.deadlines
    failures = 0

    async def fail(most: int) -> list[tuple[RoomName, int]]:
        nonlocal failures
        failures += 1
        if failures == 1:
            raise StorageFailed("the disk is away")
        return list(await works(most))

    monkeypatch.setattr(store, "deadlines", fail)
    monkeypatch.setattr(timers, "LOOK_S", 0.001)
    caplog.set_level(logging.DEBUG)
    running = asyncio.create_task(keeper.run())
    rooms = hub.registry.all
    await changed(hub, lambda: any(live.room.status is Status.FINISHED for live in rooms))
    running.cancel()
    assert "the disk is away" in caplog.text
