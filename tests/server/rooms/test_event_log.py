import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from math import inf

import pytest

from tests.server.examples import ADA, BOB, NAME, NOW, X, duel, seated
from tests.server.fakes import FragileStore, ImmediateBroadcaster
from tests.server.hubs import Hubs, Joiner
from tests.server.storage.appends import append, load
from ttt_protocol.codec import encode_event, encode_log
from ttt_protocol.commands import Join, Play
from ttt_protocol.events import Created, Event, Left, Offered, Played
from ttt_protocol.state import (
    ClockSetting,
    Mark,
    OfferKind,
    Role,
    RoomName,
    Rules,
    Settings,
    Status,
)
from ttt_server.concurrency.tasks import CallbackFuture, TaskOwner
from ttt_server.core.archive.saved_room import SNAPSHOT_EVENTS, restore
from ttt_server.core.evolve import Decision, evolve_all
from ttt_server.core.play import next_game, play
from ttt_server.core.room import Room
from ttt_server.core.seating import admit, create
from ttt_server.rooms.announcer import Announcer
from ttt_server.rooms.change import Changes
from ttt_server.rooms.event_log import EventLog, Feed, GameNotKept
from ttt_server.rooms.live_room import LiveRoom
from ttt_server.storage.base import StorageFailed

CREATED = create(NAME, Settings(), NOW)
LEFT = Left(seq=2, at=NOW, seat=X)


@pytest.fixture
def store() -> FragileStore:
    return FragileStore()


@pytest.fixture
def handed_on() -> list[RoomName]:
    """Rooms that are left to other servers."""
    return []


@pytest.fixture
async def log(
    store: FragileStore, handed_on: list[RoomName], monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[EventLog]:
    monkeypatch.setattr("ttt_server.rooms.event_log.PROBE_S", 0)
    tasks = TaskOwner()
    yield EventLog(store, tasks, handed_on.append)
    await tasks.close()


@pytest.fixture
async def live() -> LiveRoom:
    return LiveRoom(Room(NAME), lambda: NOW)


async def write(log: EventLog, live: LiveRoom, events: Decision) -> None:
    """As the first change of a room, or one of a room that is known."""
    tasks = TaskOwner()
    changes = Changes(
        log,
        Announcer(ImmediateBroadcaster()),
        tasks,
        abandon_s=inf,
        now=at_now,
        answer=Decision,
        on_change=lambda _: None,
        on_end=lambda _: None,
        feed=Feed(log.store),
    )
    outcome = CallbackFuture()

    def decide(room: Room, _: int) -> Decision:
        return events if events.events[0].seq == room.seq + 1 else Decision(room)

    changes.change(live, decide, outcome.settle, is_guess=True)
    await outcome.future


async def test_what_is_appended_is_on_disk_and_in_the_room(
    log: EventLog, store: FragileStore, live: LiveRoom
) -> None:
    await write(log, live, CREATED)
    assert await load(store, NAME) == CREATED.events
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
    assert live.room.seq == 1
    assert not caplog.records


async def test_another_was_first(log: EventLog, store: FragileStore, live: LiveRoom) -> None:
    store.rivals = [CREATED.events]
    await write(log, live, CREATED)
    assert log.is_healthy, "the store is well"
    assert store.loads == 1
    assert live.room.seq == 1


async def test_the_log_is_read_when_it_may_be_ahead(
    log: EventLog, store: FragileStore, live: LiveRoom
) -> None:
    await append(store, NAME, CREATED.events)
    assert await log.catch_up(live, at_now) == ()
    await append(store, NAME, (LEFT,))
    live.is_stale = True
    assert await log.catch_up(live, at_now) == encode_log((LEFT,))
    assert await log.catch_up(live, at_now) is None
    assert store.loads == 2


@pytest.mark.parametrize(
    "event", [Left(seq=9, at=NOW, seat=X), Played(seq=2, at=NOW, game=1, ply=0, seat=X, cell=0)]
)
async def test_a_log_that_makes_no_sense(
    log: EventLog, store: FragileStore, live: LiveRoom, event: Event
) -> None:
    await append(store, NAME, (*CREATED, event))
    with pytest.raises(StorageFailed, match="is inconsistent"):
        await log.catch_up(live, at_now)
    assert live.is_stale
    assert live.room.seq == 0
    assert log.is_healthy, "the store is well"


async def test_an_event_that_cannot_be_read(
    log: EventLog, store: FragileStore, live: LiveRoom, handed_on: list[RoomName]
) -> None:
    store.tamper(NAME, b'{"type": "born"}')
    with pytest.raises(StorageFailed, match=f"the log of {NAME} cannot be read"):
        await log.catch_up(live, at_now)
    assert handed_on == [NAME], "to a newer server, perhaps"
    with pytest.raises(StorageFailed):
        await log.read_game(NAME, 1)
    assert log.is_healthy, "the store is well"


async def test_a_log_that_needs_a_package(
    log: EventLog, store: FragileStore, live: LiveRoom, handed_on: list[RoomName]
) -> None:
    rules = Rules(variant="chaos", columns=5, rows=5, in_a_row=4)
    (created,) = CREATED
    assert isinstance(created, Created)
    lacking = replace(created, settings=Settings(rules=rules), package="ttt-chaos")
    await append(store, NAME, (lacking,))
    with pytest.raises(StorageFailed) as caught:
        await log.catch_up(live, at_now)
    reason = caught.value.reason
    assert reason is not None, "the clients are told why"
    assert "which needs the package ttt-chaos" in reason
    assert str(caught.value) == f"the log of {NAME} is kept unread: {reason}"
    assert handed_on == [NAME], "to a server that has it, perhaps"


async def test_nobody_pays_for_the_time_in_which_nobody_served_the_room(
    log: EventLog, store: FragileStore, live: LiveRoom
) -> None:
    before = duel(4, clock=ClockSetting(initial_s=60))
    live.follow(before)
    live.begin_write()
    # It was O's to move for 3 seconds when somebody offered something, which is the last we know.
    offered = Offered(seq=before.seq + 1, at=NOW + 3000, kind=OfferKind.DRAW, seat=X)
    await append(store, NAME, tuple(range_of(before.seq)))
    store.tamper(NAME, encode_event(offered))
    await log.catch_up(live, lambda: NOW + 10**9)
    assert live.room.flag_falls_at == NOW + 10**9 + 57_000


async def test_nor_for_the_time_that_it_takes_to_read_the_log(
    log: EventLog, store: FragileStore, live: LiveRoom
) -> None:
    live.follow(duel(4, clock=ClockSetting(initial_s=60)))
    live.begin_write()
    offered = Offered(seq=live.room.seq + 1, at=NOW, kind=OfferKind.DRAW, seat=X)
    await append(store, NAME, tuple(range_of(live.room.seq)))
    store.tamper(NAME, encode_event(offered))
    await log.catch_up(live, lambda: NOW + 50_000 * store.loads)
    assert live.room.flag_falls_at == NOW + 110_000


async def test_a_clock_that_went_back_gives_and_takes_nothing(
    log: EventLog, store: FragileStore, live: LiveRoom
) -> None:
    live.follow(duel(4, clock=ClockSetting(initial_s=60)))
    live.begin_write()
    await append(store, NAME, tuple(range_of(live.room.seq)))
    offered = Offered(seq=live.room.seq + 1, at=NOW + 9000, kind=OfferKind.DRAW, seat=X)
    store.tamper(NAME, encode_event(offered))
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


def many_games(count: int) -> list[Decision]:
    """The decisions of a room with so many games, which X wins."""
    room, decisions = Room(NAME), list[Decision]()

    def add(decision: Decision) -> None:
        nonlocal room
        decisions.append(decision)
        room = evolve_all(room, decision)

    add(CREATED)
    for session in (ADA, BOB):
        add(admit(room, session, Join(name=session), NOW))
    for number in range(1, count + 1):
        if number > 1:
            add(next_game(room, NOW))
        for ply, cell in enumerate((0, 3, 1, 4, 2)):
            move = Play(game=number, ply=ply, cell=cell)
            add(play(room, (Mark.X, Mark.O)[ply % 2], move, NOW))
    return decisions


@pytest.fixture
async def long(log: EventLog, live: LiveRoom) -> LiveRoom:
    """A room of 40 games, 280 events or so."""
    for decision in many_games(40):
        await write(log, live, decision)
    return live


def opened(live: LiveRoom) -> LiveRoom:
    """The same room, of which nothing is known yet."""
    return LiveRoom(Room(live.room.name), lambda: NOW)


def forget_snapshots(store: FragileStore) -> None:
    """Forget all but that at which the log begins."""
    store._tables.database.execute("DELETE FROM snapshots WHERE NOT is_start")


async def test_a_snapshot_comes_with_the_end_of_a_game_now_and_then(
    store: FragileStore, long: LiveRoom
) -> None:
    taken = store._tables.snapshots(NAME)
    assert 3 <= len(taken) <= long.room.seq // SNAPSHOT_EVENTS
    for snap in taken:
        room = restore(NAME, snap.saved)
        assert (room.seq, room.status) == (snap.seq, Status.FINISHED)
        assert room.game is not None
        assert room.game.number == snap.game


async def test_few_events_are_read_of_a_long_log(
    log: EventLog, store: FragileStore, long: LiveRoom
) -> None:
    again = opened(long)
    assert await log.catch_up(again, at_now) is not None
    assert again.room == long.room
    assert again.snapshot_seq == long.snapshot_seq > 0
    assert len((await store.load(NAME)).lines) < 2 * SNAPSHOT_EVENTS
    for number in (1, 17, 40):
        assert len((await store.load_game(NAME, number)).lines) < 3 * SNAPSHOT_EVENTS


@pytest.mark.parametrize("saved", [None, b"", b"{}", b'{"version": 2}'])
async def test_snapshots_change_nothing_but_time(
    log: EventLog, store: FragileStore, long: LiveRoom, saved: bytes | None
) -> None:
    """Without them, and with some that this version does not know."""
    games = [await log.read_game(NAME, number) for number in range(1, 42)]
    assert [game is not None for game in games] == [True] * 40 + [False]
    if saved is None:
        forget_snapshots(store)
    else:
        store._tables.database.execute("UPDATE snapshots SET saved = ?", (saved,))
    again = opened(long)
    await log.catch_up(again, at_now)
    assert again.room == long.room
    assert [await log.read_game(NAME, number) for number in range(1, 42)] == games


async def test_a_room_that_is_behind_by_a_snapshot_is_told_each_event(
    log: EventLog, store: FragileStore, long: LiveRoom
) -> None:
    behind = opened(long)
    behind.follow(evolve_all(Room(NAME), (await load(store, NAME))[:20]))
    behind.is_stale = True
    missed = await log.catch_up(behind, at_now)
    assert missed is not None
    assert len(missed) == long.room.seq - 20
    assert behind.room == long.room


async def test_of_games_that_were_dropped_nothing_but_the_room_is_left(
    log: EventLog, store: FragileStore, long: LiveRoom
) -> None:
    games = {number: await log.read_game(NAME, number) for number in range(1, 41)}
    while await store.trim(NAME, 10):
        pass
    first = store._tables.snapshots(NAME)[0].game + 1
    assert 20 < first <= 31
    for number in range(1, first):
        with pytest.raises(GameNotKept):
            await log.read_game(NAME, number)
    for number in range(first, 41):
        assert await log.read_game(NAME, number) == games[number]
    assert await log.read_game(NAME, 41) is None
    again = opened(long)
    await log.catch_up(again, at_now)
    assert again.room == long.room, "score, game and seq are what they were"
    forget_snapshots(store)
    again = opened(long)
    await log.catch_up(again, at_now)
    assert again.room == long.room


async def test_a_start_that_cannot_be_read_is_a_fault_of_the_log(
    log: EventLog, store: FragileStore, long: LiveRoom
) -> None:
    while await store.trim(NAME, 10):
        pass
    forget_snapshots(store)
    store._tables.database.execute("UPDATE snapshots SET saved = ?", (b"{}",))
    with pytest.raises(StorageFailed, match="is inconsistent"):
        await log.catch_up(opened(long), at_now)
    assert log.is_healthy


async def test_a_room_that_is_far_behind_a_cut_log_goes_on_from_its_start(
    log: EventLog, store: FragileStore, long: LiveRoom
) -> None:
    behind = opened(long)
    behind.follow(evolve_all(Room(NAME), (await load(store, NAME))[:20]))
    behind.is_stale = True
    while await store.trim(NAME, 10):
        pass
    await log.catch_up(behind, at_now)
    assert behind.room == long.room


async def without_snapshots(store: FragileStore, room: str, games: int) -> RoomName:
    """A log as an older version has written it."""
    name = RoomName(room)
    events = [event for decision in many_games(games) for event in decision]
    await append(store, name, tuple(events))
    return name


@pytest.mark.parametrize("page", [1, 7, 64, 1000])
async def test_a_log_is_read_in_pages(
    log: EventLog,
    store: FragileStore,
    live: LiveRoom,
    monkeypatch: pytest.MonkeyPatch,
    page: int,
) -> None:
    monkeypatch.setattr("ttt_server.rooms.event_log.PAGE", page)
    await without_snapshots(store, NAME, 30)
    whole = await load(store, NAME)
    pages: list[RoomName] = []
    store.on_load = pages.append
    assert await log.catch_up(live, at_now) == ()
    assert live.room == evolve_all(Room(NAME), whole)
    assert len(pages) == len(whole) // page + 1
    behind = opened(live)
    behind.follow(evolve_all(Room(NAME), whole[:20]))
    behind.is_stale = True
    assert await log.catch_up(behind, at_now) == encode_log(whole[20:])
    assert behind.room == live.room


async def test_what_was_read_of_a_long_log_is_kept_for_the_next(
    log: EventLog, store: FragileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ttt_server.rooms.event_log.PAGE", 16)
    monkeypatch.setattr("ttt_server.rooms.event_log._LONG", 32)
    await without_snapshots(store, NAME, 30)
    whole = await load(store, NAME)
    pages: list[RoomName] = []
    impatient = LiveRoom(Room(NAME), at_now)

    def leave_after_some(name: RoomName) -> None:
        pages.append(name)
        if len(pages) == 5:
            reading.cancel()

    store.on_load = leave_after_some
    reading = asyncio.create_task(log.catch_up(impatient, at_now))
    await asyncio.wait([reading])
    assert reading.cancelled()
    patient = LiveRoom(Room(NAME), at_now)
    store.on_load = pages.append
    assert await log.catch_up(patient, at_now) == ()
    assert patient.room == evolve_all(Room(NAME), whole)
    assert len(pages) <= len(whole) // 16 + 3, "it went on where the first had stopped"
    pages.clear()
    assert await log.catch_up(LiveRoom(Room(NAME), at_now), at_now) == ()
    assert len(pages) == 1
    await log.delete(patient)
    again = LiveRoom(Room(NAME), at_now)
    await log.catch_up(again, at_now)
    assert not again.room.seq


async def test_logs_that_no_address_asks_for_are_read_together(
    log: EventLog, store: FragileStore
) -> None:
    """As flags are to fall in them, and each answer may take a while."""
    names = [await without_snapshots(store, f"den{number}", 1) for number in range(6)]
    read: list[str] = []
    store.on_load = read.append
    store.may_load.clear()
    reading = [
        asyncio.create_task(log.catch_up(LiveRoom(Room(name), at_now), at_now)) for name in names
    ]
    for _ in range(9):
        await asyncio.sleep(0)
    assert read == names[:4]
    store.may_load.set()
    await asyncio.gather(*reading)
    assert read == names


async def test_a_short_log_waits_for_one_page_of_another_addresss_long_ones(
    log: EventLog, store: FragileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ttt_server.rooms.event_log.PAGE", 16)
    names = [
        await without_snapshots(store, room, games)
        for room, games in (("a1", 6), ("a2", 6), ("b1", 1))
    ]
    read: list[str] = []
    store.on_load = read.append
    rooms = [LiveRoom(Room(name), at_now) for name in names]
    for live in rooms:
        live.opened_from = live.room.name[0]
    store.may_load.clear()
    reading = [asyncio.create_task(log.catch_up(live, at_now)) for live in rooms]
    await asyncio.sleep(0)
    store.may_load.set()
    await asyncio.gather(*reading)
    assert read == ["a1", "b1", "a1", "a1", "a2", "a2", "a2"]


async def test_a_read_that_is_cancelled_leaves_its_turn_to_the_next(
    log: EventLog, store: FragileStore
) -> None:
    store.may_load.clear()
    rooms = [LiveRoom(Room(await without_snapshots(store, name, 2)), at_now) for name in ("a", "b")]
    reading, waiting = (asyncio.create_task(log.catch_up(live, at_now)) for live in rooms)
    await asyncio.sleep(0)
    reading.cancel()
    await asyncio.wait([reading])
    store.may_load.set()
    await waiting
    assert rooms[1].room.seq == len(await load(store, rooms[1].room.name))


async def test_who_waits_for_a_long_log_hears_how_far_it_is_read(
    hubs: Hubs, store: FragileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ttt_server.rooms.event_log.PAGE", 16)
    monkeypatch.setattr("ttt_server.rooms.joining.PROGRESS_S", 0)
    await without_snapshots(store, NAME, 30)
    hub, loads = hubs.open(store), list[RoomName]()

    def stop_after_some(name: RoomName) -> None:
        loads.append(name)
        if len(loads) == 4:
            store.may_load.clear()

    store.on_load = stop_after_some
    join = Join(role=Role.SPECTATOR)
    reader, late = Joiner(hub, join), Joiner(hub, join)
    for each in (reader, late):
        await each.ear.until(lambda ear: 48 in [told["seq"] for told in ear.of("reading")])
    store.may_load.set()
    for each in (reader, late):
        await each.member()
        assert each.ear.of("welcome")
    in_memory = Joiner(hub, join)
    await in_memory.member()
    await asyncio.sleep(0.15)  # for longer than a tick of the deadlines
    assert not in_memory.ear.of("reading")
    assert not list(hub.joining.waiting)
