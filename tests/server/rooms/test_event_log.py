import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.server.examples import ADA, NAME, NOW, X, duel, seated
from tests.server.fakes import FragileStore
from tests.server.storage.appends import append, load
from ttt_protocol.state import ClockSetting, OfferKind, Settings
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.core.events import Event, Left, Offered, Played, encode, encode_log
from ttt_server.core.evolve import evolve_all
from ttt_server.core.play import Decision
from ttt_server.core.room import Room
from ttt_server.core.seating import create
from ttt_server.core.transition import transition
from ttt_server.rooms.event_log import EventLog
from ttt_server.rooms.live_room import LiveRoom
from ttt_server.storage.base import Conflict, StorageFailed

CREATED = create(NAME, Settings(), NOW)
LEFT = Left(seq=2, at=NOW, seat=X)


@pytest.fixture
def store() -> FragileStore:
    return FragileStore()


@pytest.fixture
async def log(store: FragileStore, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[EventLog]:
    monkeypatch.setattr("ttt_server.rooms.event_log.PROBE_S", 0)
    tasks = TaskOwner()
    yield EventLog(store, tasks)
    await tasks.close()


@pytest.fixture
async def live() -> LiveRoom:
    return LiveRoom(NAME, lambda: NOW)


async def write(log: EventLog, live: LiveRoom, events: Decision) -> None:
    """As a transaction does it."""
    step = transition(live.room, events)
    kept: asyncio.Future[Exception | None] = asyncio.get_running_loop().create_future()

    def appended(error: Exception | None) -> None:
        if not kept.cancelled():
            kept.set_result(error)

    log.append(live, (step,), appended)
    error = await kept
    log.appended((step,), error)
    if error is not None:
        raise error
    live.advance(step.after)
    live.validate()


async def test_what_is_appended_is_on_disk_and_in_the_room(
    log: EventLog, store: FragileStore, live: LiveRoom
) -> None:
    await write(log, live, CREATED)
    assert await load(store, NAME) == CREATED
    assert live.room == evolve_all(Room(NAME), CREATED)
    assert not live.is_stale


async def test_what_failed_is_neither(log: EventLog, store: FragileStore, live: LiveRoom) -> None:
    store.failures = 1
    with pytest.raises(StorageFailed):
        await write(log, live, CREATED)
    assert not log.is_healthy
    assert live.is_stale, "who knows"
    assert await log.catch_up(live, at_now) is None
    assert live.room == Room(NAME)
    await write(log, live, CREATED)
    assert log.is_healthy


def at_now() -> int:
    return NOW


async def test_it_finds_out_by_itself_that_the_store_is_well_again(
    log: EventLog, store: FragileStore, live: LiveRoom
) -> None:
    store.failures = 4
    store.probed.clear()
    for _ in range(2):
        with pytest.raises(StorageFailed):
            await write(log, live, CREATED)
    assert not log.is_healthy
    await asyncio.wait_for(store.probed.wait(), 10)
    assert store.failures == 0
    await asyncio.sleep(0)
    assert log.is_healthy
    assert len(store.appends) == 2, "the probes kept nothing"


async def test_it_is_kept_when_nobody_waits_for_it_any_more(
    log: EventLog, store: FragileStore, live: LiveRoom, caplog: pytest.LogCaptureFixture
) -> None:
    store.gate.clear()
    appending = asyncio.create_task(write(log, live, CREATED))
    await store.next_write()
    appending.cancel()
    await asyncio.wait([appending])
    store.gate.set()
    await asyncio.gather(*store._held)
    assert live.is_stale, "the log has to tell"
    assert await log.catch_up(live, at_now) == encode_log(CREATED)
    assert not caplog.records


async def test_another_was_first(log: EventLog, store: FragileStore, live: LiveRoom) -> None:
    store.rivals = [CREATED]
    with pytest.raises(Conflict):
        await write(log, live, CREATED)
    assert log.is_healthy, "the store is well"
    assert await log.catch_up(live, at_now) == encode_log(CREATED)
    assert live.room.seq == 1


async def test_the_log_is_read_when_it_may_be_ahead(
    log: EventLog, store: FragileStore, live: LiveRoom
) -> None:
    await append(store, NAME, (*CREATED, LEFT))
    assert await log.catch_up(live, at_now) == encode_log((*CREATED, LEFT))
    assert await log.catch_up(live, at_now) is None
    assert store.loads == 1


@pytest.mark.parametrize(
    "event", [Left(seq=9, at=NOW, seat=X), Played(seq=2, at=NOW, game=1, ply=0, seat=X, cell=0)]
)
async def test_a_log_that_makes_no_sense(
    log: EventLog, store: FragileStore, live: LiveRoom, event: Event
) -> None:
    await append(store, NAME, (*CREATED, event))
    with pytest.raises(StorageFailed, match="makes no sense"):
        await log.catch_up(live, at_now)
    assert live.is_stale
    assert live.room.seq == 0
    assert log.is_healthy, "the store is well"


async def test_an_event_that_cannot_be_read(
    log: EventLog, store: FragileStore, live: LiveRoom
) -> None:
    store.tamper(NAME, b'{"type": "born"}')
    with pytest.raises(StorageFailed, match=f"the log of {NAME} cannot be read"):
        await log.catch_up(live, at_now)
    with pytest.raises(StorageFailed):
        await log.read_game(NAME, 1)
    assert log.is_healthy, "the store is well"


async def test_nobody_pays_for_the_time_in_which_nobody_served_the_room(
    log: EventLog, store: FragileStore, live: LiveRoom
) -> None:
    before = duel(4, clock=ClockSetting(initial_s=60))
    live.follow(before)
    live.begin_write()
    # It was O's to move for 3 seconds when somebody offered something, which is the last we know.
    offered = Offered(seq=before.seq + 1, at=NOW + 3000, kind=OfferKind.DRAW, seat=X)
    await append(store, NAME, tuple(range_of(before.seq)))
    store.tamper(NAME, encode(offered))
    await log.catch_up(live, lambda: NOW + 10**9)
    assert live.room.flag_falls_at == NOW + 10**9 + 57_000


async def test_nor_for_the_time_that_it_takes_to_read_the_log(
    log: EventLog, store: FragileStore, live: LiveRoom
) -> None:
    live.follow(duel(4, clock=ClockSetting(initial_s=60)))
    live.begin_write()
    offered = Offered(seq=live.room.seq + 1, at=NOW, kind=OfferKind.DRAW, seat=X)
    await append(store, NAME, tuple(range_of(live.room.seq)))
    store.tamper(NAME, encode(offered))
    await log.catch_up(live, lambda: NOW + 50_000 * store.loads)
    assert live.room.flag_falls_at == NOW + 110_000


async def test_a_clock_that_went_back_gives_and_takes_nothing(
    log: EventLog, store: FragileStore, live: LiveRoom
) -> None:
    live.follow(duel(4, clock=ClockSetting(initial_s=60)))
    live.begin_write()
    await append(store, NAME, tuple(range_of(live.room.seq)))
    offered = Offered(seq=live.room.seq + 1, at=NOW + 9000, kind=OfferKind.DRAW, seat=X)
    store.tamper(NAME, encode(offered))
    await log.catch_up(live, at_now)
    assert live.room.flag_falls_at == NOW + 51_000


async def test_what_is_deleted_is_as_if_it_had_never_been(
    log: EventLog, store: FragileStore, live: LiveRoom
) -> None:
    await write(log, live, CREATED)
    live.follow(seated(live.room, ADA))
    await log.delete(live)
    assert live.room == Room(NAME)
    assert await load(store, NAME) == ()
    assert await log.catch_up(live, at_now) is None


async def test_what_could_not_be_deleted_is_still_there(
    log: EventLog, store: FragileStore, live: LiveRoom
) -> None:
    await write(log, live, CREATED)
    store.fails_to_delete = True
    with pytest.raises(StorageFailed):
        await log.delete(live)
    assert live.room.seq == 1
    assert live.is_stale
    assert await log.catch_up(live, at_now) is None


def range_of(seq: int) -> list[Event]:
    """Events up to `seq`, which nobody reads."""
    return [Left(seq=number, at=NOW, seat=X) for number in range(1, seq + 1)]
