"""What becomes of logs and lessons in PostgreSQL, and of writes whose outcome is not known."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from random import Random
from unittest.mock import AsyncMock, Mock
from uuid import uuid4

import asyncpg
import pytest

from tests.integration.proxy import FaultProxy
from tests.postgres import PostgresServer, own_server
from tests.server.examples import NOW, log_of_two_games
from tests.server.storage.appends import DEN, LAIR, append, events, load
from ttt_engine import Mark
from ttt_engine.learning.memory import Lesson
from ttt_protocol.codec import decode_event, decode_log
from ttt_protocol.state import RoomName
from ttt_server.concurrency.guard import caught
from ttt_server.storage.base import CannotOpen, Conflict, OutcomeUnknown, Snapshot, StorageFailed
from ttt_server.storage.lessons import HOUR_MS
from ttt_server.storage.postgres import statements
from ttt_server.storage.postgres import store as store_module
from ttt_server.storage.postgres.store import PostgresStore, forget_lessons

LOST = Lesson((4, 0), Mark.O)
DRAWN = Lesson((0, 4), None)
LOG = log_of_two_games()
PLAYED = Lesson.of((0, 3, 1, 8, 2), Mark.X)


@pytest.fixture
def name(database: str) -> str:
    """The name of the new database."""
    return database.rpartition("/")[2]


def proxied(postgres: PostgresServer, proxy: FaultProxy, name: str) -> str:
    return postgres.url(name, port=int(proxy.address.rpartition(":")[2]))


async def settled(*appends: asyncio.Future[None]) -> list[object]:
    outcomes: list[object] = list(await asyncio.gather(*appends, return_exceptions=True))
    return outcomes


async def test_a_log_with_a_gap_cannot_be_made(database: str) -> None:
    store = await PostgresStore.open(database)
    await append(store, DEN, events(1, 3))
    with pytest.raises(Conflict):
        await append(store, DEN, events(5, 6))
    with pytest.raises(Conflict):
        await append(store, LAIR, events(2, 2))
    assert await load(store, DEN) == events(1, 3)
    await store.close()


async def test_of_two_servers_one_has_the_number(database: str) -> None:
    one, other = await PostgresStore.open(database), await PostgresStore.open(database)
    await append(one, DEN, events(1, 2))
    outcomes = await settled(
        *(append(store, DEN, events(3, last)) for store, last in ((one, 3), (other, 5)) * 20),
    )
    assert outcomes.count(None) == 1
    assert sum(isinstance(outcome, Conflict) for outcome in outcomes) == 39
    assert len(await load(one, DEN)) in {3, 5}, "all of an append is kept, or nothing"
    await one.close()
    await other.close()


async def test_one_bad_append_harms_no_other(database: str) -> None:
    store = await PostgresStore.open(database)
    connection = await asyncpg.connect(database)
    await connection.execute("INSERT INTO events VALUES ('den', 2, 'of nobody')")
    outcomes = await settled(append(store, DEN, events(1, 2)), append(store, LAIR, events(1, 2)))
    assert isinstance(outcomes[0], Conflict)
    assert outcomes[1] is None
    await connection.close()
    await store.close()


async def test_many_rooms_at_once(database: str) -> None:
    """However many appends come together, each is kept, and each is told its own fate."""
    store = await PostgresStore.open(database)
    rooms = [RoomName(f"room{number}") for number in range(700)]
    for first, snapshot in ((1, None), (3, Snapshot(1, b"saved")), (5, None)):
        log = events(first, first + 1)
        appends = [
            append(store, room, log, snapshot if number % 7 else None)
            for number, room in enumerate(rooms)
        ]
        assert await settled(*appends) == [None] * len(rooms)
    taken = append(store, rooms[33], events(7, 7)), append(store, rooms[33], events(7, 9))
    outcomes = await settled(*taken, *(append(store, room, events(7, 8)) for room in rooms[34:]))
    assert outcomes[0] is None
    assert isinstance(outcomes[1], Conflict)
    assert outcomes[2:] == [None] * len(rooms[34:])
    for number in (0, 33, 34, 699):
        assert len(await load(store, rooms[number])) == {0: 6, 33: 7}.get(number, 8)
    await store.close()


async def rows_in(database: str) -> list[tuple[object, ...]]:
    """The rows of `events`, without what they hold."""
    connection = await asyncpg.connect(database)
    found = await connection.fetch(
        "SELECT room, seq, event <> '', life, dropped_at IS NULL FROM events ORDER BY room, seq"
    )
    await connection.close()
    return [tuple(row) for row in found]


async def test_an_append_is_one_row(database: str) -> None:
    store = await PostgresStore.open(database)
    await append(store, DEN, events(1, 3))
    await append(store, DEN, events(4, 9), Snapshot(1, b"saved"))
    await append(store, LAIR, events(1, 1))
    here = 0, True
    assert await rows_in(database) == [
        ("den", 1, True, *here),
        ("den", 4, True, *here),
        ("lair", 1, True, *here),
    ]
    await store.close()


async def test_consecutive_appends_to_one_room_are_kept_together_or_not(database: str) -> None:
    one, other = await PostgresStore.open(database), await PostgresStore.open(database)
    kept = [append(one, DEN, events(first, first + 9)) for first in (1, 11, 21)]
    lair = append(one, LAIR, events(1, 1)), append(one, LAIR, events(2, 2), Snapshot(1, b"saved"))
    after = append(one, LAIR, events(3, 3)), append(one, LAIR, events(3, 3))
    last = append(one, DEN, events(31, 70))
    assert await settled(*kept, *lair, after[0], last) == [None] * 7
    assert isinstance(await caught(after[1]), Conflict)
    rows = [row[:2] for row in await rows_in(database)]
    assert rows == [("den", 1), ("den", 31), ("lair", 1), ("lair", 3)]
    await append(other, DEN, events(71, 73))
    outcomes = await settled(*(append(one, DEN, events(first, first + 1)) for first in (71, 73)))
    assert [type(outcome) for outcome in outcomes] == [Conflict] * 2
    assert await load(one, DEN) == events(1, 73)
    await one.close()
    await other.close()


async def test_after_an_error_of_the_database_others_are_kept(database: str) -> None:
    """Also where consecutive appends are one transaction."""
    store = await PostgresStore.open(database)
    connection = await asyncpg.connect(database)
    await connection.execute("ALTER TABLE events ADD CHECK (room <> 'den' OR seq <> 3)")
    await append(store, DEN, events(1, 2))
    for appends in ([events(3, 3)], [events(3, 3), events(4, 4)]):
        outcomes = await settled(*(append(store, DEN, log) for log in appends))
        assert [type(outcome) for outcome in outcomes] == [StorageFailed] * len(appends)
        await append(store, RoomName(f"lair{len(appends)}"), events(1, 2))
    assert await load(store, DEN) == events(1, 2)
    await connection.close()
    await store.close()


async def saved_games(store: PostgresStore, games: int) -> None:
    """Games of four events each, with a snapshot after each."""
    for game in range(1, games + 1):
        await append(store, DEN, events(4 * game - 3, 4 * game), Snapshot(game, b"%d" % game))


async def test_who_knows_an_old_end_keeps_nothing_after_a_trim(database: str) -> None:
    for seq in (5, 9, 13):
        stale, other = await PostgresStore.open(database), await PostgresStore.open(database)
        await other.delete(DEN)
        await saved_games(other, (seq - 1) // 4)
        assert await load(stale, DEN) == events(1, seq - 1)
        for game in range(seq // 4 + 1, 12):
            log = events(4 * game - 3, 4 * game)
            await append(other, DEN, log, Snapshot(game, b"%d" % game))
        connection = await asyncpg.connect(database)
        await connection.execute("INSERT INTO learned VALUES ('den', 2147483647, 0, 0)")
        await connection.close()
        assert await other.trim(DEN, 1)
        assert not await other.trim(DEN, 1)
        assert len(await load(other, DEN)) == 4
        for _ in range(2):
            with pytest.raises(Conflict):
                await append(stale, DEN, events(seq, seq + 1))
        assert len(await load(other, DEN)) == 4
        await append(stale, DEN, events(45, 46))
        assert await load(other, DEN) == events(41, 46)
        await stale.close()
        await other.close()


async def test_who_knows_a_deleted_log_keeps_nothing(database: str) -> None:
    stale, behind = await PostgresStore.open(database), await PostgresStore.open(database)
    other = await PostgresStore.open(database)
    await append(other, DEN, events(1, 4))
    await load(behind, DEN)
    await append(other, DEN, events(5, 9))
    await load(stale, DEN)
    await other.delete(DEN)
    for store, seq in ((stale, 10), (behind, 5), (stale, 10)):
        with pytest.raises(Conflict):
            await append(store, DEN, events(seq, seq))
    assert await load(other, DEN) == await load(stale, DEN) == ()
    for first in range(1, 30, 3):  # over the numbers that are still taken
        await append(other, DEN, events(first, first + 2))
    for seq in (10, 5):
        with pytest.raises(Conflict):
            await append(behind, DEN, events(seq, seq))
    assert await load(behind, DEN) == events(1, 30)
    await append(behind, DEN, events(31, 31))
    for store in (stale, behind, other):
        await store.close()


async def test_stale_owners_race_with_trims_and_deletes(database: str) -> None:
    """Whoever is told that events are kept finds them, unless they were dropped after that."""
    stores = [await PostgresStore.open(database) for _ in range(3)]
    random = Random(7)
    told: list[tuple[int, int]] = []

    async def write(store: PostgresStore, number: int) -> None:
        for turn in range(60):
            before = deletes[0]
            end = (await store.load(DEN)).lines
            seq = 1 + (decode_event(end[-1]).seq if end else 0)
            at = 1000 * number + turn
            for first in (seq, seq + 1):
                event = replace(events(first, first)[0], at=at)
                if (await settled(append(store, DEN, (event,))))[0] is not None:
                    break
                if before == deletes[0]:
                    told.append((first, at))
                    if random.random() < 0.3:
                        await asyncio.sleep(0.001)

    async def delete(store: PostgresStore) -> None:
        for _ in range(20):
            await asyncio.sleep(random.random() / 50)
            deletes[0] += 1
            told.clear()
            with suppress(StorageFailed):
                await store.delete(DEN)
            deletes[0] += 1
            told.clear()

    deletes = [0]
    await asyncio.gather(*(write(store, n) for n, store in enumerate(stores)), delete(stores[0]))
    found = {(event.seq, event.at) for event in await load(stores[1], DEN)}
    assert found >= set(told)
    assert sorted(seq for seq, _ in found) == list(range(1, len(found) + 1))
    for store in stores:
        await store.close()


async def test_dropped_rows_are_purged_after_an_hour(database: str) -> None:
    store = await PostgresStore.open(database)
    await append(store, DEN, events(1, 4))
    await store.delete(DEN)
    await append(store, LAIR, events(1, 4))
    await store.purge()
    assert len(await rows_in(database)) == 3, "with the number after the last event"
    connection = await asyncpg.connect(database)
    await connection.execute("UPDATE events SET dropped_at = dropped_at - interval '61 min'")
    await store.purge()
    assert [row[0] for row in await rows_in(database)] == ["lair"]
    await connection.close()
    await store.close()


async def test_a_page_begins_and_ends_within_a_row(database: str) -> None:
    store = await PostgresStore.open(database)
    for first in (1, 8, 9):
        await append(store, DEN, events(first, first + 6 if first != 8 else 8))
    for after in range(15):
        for most in (1, 3, 7, 20):
            found = decode_log((await store.load(DEN, after, most)).lines)
            assert found == events(after + 1, min(after + most, 15))
    await store.close()


async def test_a_broken_connection_loses_and_doubles_nothing(database: str) -> None:
    store = await PostgresStore.open(database)
    breaker = await asyncpg.connect(database)
    outcomes: list[object] = []
    for seq in range(1, 60):
        kept = append(store, DEN, events(seq, seq))
        if seq % 10 == 0:
            await breaker.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE pid <> pg_backend_pid() AND datname = current_database()"
            )
        outcomes += await settled(kept)
    assert outcomes == [None] * 59
    assert await load(store, DEN) == events(1, 59)
    await breaker.close()
    await store.close()


@pytest.mark.parametrize("direction", ["to_server", "to_client"])
async def test_a_line_that_stands_still_leaves_doubt_until_it_moves(
    postgres: PostgresServer, name: str, direction: str
) -> None:
    async with FaultProxy(f"tcp://127.0.0.1:{postgres.port}") as proxy:
        store = await PostgresStore.open(proxied(postgres, proxy, name), patience_s=1)
        await append(store, DEN, events(1, 1))
        getattr(proxy, direction).is_open.clear()
        with pytest.raises(OutcomeUnknown):
            await append(store, DEN, events(2, 2))
        with pytest.raises(StorageFailed):
            await store.load(DEN)
        with pytest.raises(OutcomeUnknown):
            await append(store, DEN, events(2, 2))
        outcomes = await settled(append(store, LAIR, events(1, 1)))
        assert type(outcomes[0]) is StorageFailed, "it was not begun"
        proxy.heal()
        await asyncio.sleep(0.15)
        await store.probe()
        assert await load(store, DEN) == events(1, 2)
        await append(store, DEN, events(3, 3))
        await store.close()


async def test_a_number_that_another_took_meanwhile(postgres: PostgresServer, name: str) -> None:
    async with FaultProxy(f"tcp://127.0.0.1:{postgres.port}") as proxy:
        store = await PostgresStore.open(proxied(postgres, proxy, name), patience_s=1)
        other = await PostgresStore.open(postgres.url(name))
        proxy.to_server.is_open.clear()
        doubtful = append(store, DEN, events(1, 2))
        await asyncio.sleep(0.1)
        await append(other, DEN, events(1, 1))
        proxy.heal()
        with pytest.raises(Conflict):
            await doubtful
        assert await load(store, DEN) == events(1, 1)
        await store.close()
        await other.close()


async def test_a_server_without_its_lease_writes_and_deletes_nothing(database: str) -> None:
    store = await PostgresStore.open(database)
    await append(store, DEN, events(1, 1))
    me = uuid4()
    lease = Mock(owner=me, is_certain=AsyncMock(return_value=True))
    store.require(lease)
    connection = await asyncpg.connect(database)
    await connection.execute("INSERT INTO rooms VALUES ('den', $1, NULL, now())", uuid4())
    with pytest.raises(StorageFailed, match="another server"):
        await store.delete(DEN)
    await connection.execute("UPDATE rooms SET owner = $1", me)
    lease.is_certain.return_value = False
    with pytest.raises(StorageFailed, match="session of the lease broke"):
        await append(store, DEN, events(2, 2))
    lease.owner = None
    with pytest.raises(StorageFailed, match="lost its rooms"):
        await append(store, DEN, events(2, 2))
    with pytest.raises(StorageFailed, match="another server"):
        await store.delete(DEN)
    lease.owner, lease.is_certain.return_value = me, True
    await append(store, DEN, events(2, 2))
    await store.delete(DEN)
    assert await load(store, DEN) == ()
    await append(store, LAIR, events(1, 1))
    await store.delete(LAIR)  # of which no server has made a row
    assert [row[0] for row in await connection.fetch("SELECT name FROM rooms")] == ["den"]
    await connection.close()
    await store.close()


async def learned(*stores: PostgresStore) -> list[int]:
    """Have each store look at the lessons; the games that they know then."""
    for store in stores:
        await store.follow_lessons()
    return [store.memory.games for store in stores]


async def test_lessons_are_learned_everywhere_once(database: str) -> None:
    one, other = await PostgresStore.open(database), await PostgresStore.open(database)
    await append(one, DEN, LOG)
    await append(other, LAIR, LOG)
    await one.teach((LOST, LOST))
    rooms = {DEN: (), LAIR: ()}
    await asyncio.gather(*(store.learn(rooms) for store in (one, other) * 5))
    third = await PostgresStore.open(database)
    for _ in range(2):
        assert await learned(one, other, third) == [4, 4, 4]
    for store in (one, other, third):
        await store.close()


async def test_of_two_servers_that_read_a_room_one_counts_it(database: str) -> None:
    one, other = await PostgresStore.open(database), await PostgresStore.open(database)
    rooms = [RoomName(f"room{number}") for number in range(30)]
    await asyncio.gather(*(append(one, room, LOG) for room in rooms))
    halves = rooms[:20], rooms[:9:-1]
    work = [
        store.learn(dict.fromkeys(half, ()))
        for store, half in zip((one, other), halves, strict=True)
    ]
    await asyncio.gather(*work)
    assert await learned(one, other) == [30, 30]
    await one.close()
    await other.close()


async def test_a_count_whose_answer_is_lost_is_no_other(
    postgres: PostgresServer, name: str
) -> None:
    async with FaultProxy(f"tcp://127.0.0.1:{postgres.port}") as proxy:
        store = await PostgresStore.open(proxied(postgres, proxy, name), patience_s=1)
        await append(store, DEN, LOG)
        for direction in (proxy.to_client, proxy.to_server):
            direction.is_open.clear()
            with pytest.raises(StorageFailed):
                await store.learn({DEN: ()})
            proxy.heal()
            await asyncio.sleep(0.15)
        for _ in range(2):
            await store.learn({DEN: ()})
            assert store.memory.games == 1
        await store.close()


async def test_the_lessons_since_an_hour_are_forgotten(database: str) -> None:
    store = await PostgresStore.open(database)
    await append(store, DEN, LOG)  # which nobody has read
    await store.teach((LOST, DRAWN))
    await store.close()
    this_hour = time.time_ns() // 1_000_000 // HOUR_MS
    assert await forget_lessons(database, this_hour + 2, dry=False) == 0
    assert await forget_lessons(database, this_hour - 1, dry=True) == 2
    assert await forget_lessons(database, this_hour - 1, dry=False) == 2
    again = await PostgresStore.open(database)
    assert again.memory.games == 1
    await again.close()
    assert await forget_lessons(database, NOW // HOUR_MS, dry=False) == 1
    again = await PostgresStore.open(database)
    await again.learn({DEN: ()})
    assert again.memory.games == 0, "it is not learned again"
    await again.close()
    connection = await asyncpg.connect(database)
    await connection.execute(
        "INSERT INTO servers VALUES (gen_random_uuid(), 'x', now(), now() + interval '1 day', 0, 0)"
    )
    await connection.close()
    with pytest.raises(CannotOpen, match="servers run on it: stop them first"):
        await forget_lessons(database, 0, dry=False)


async def test_lessons_of_a_time_without_an_answer_are_made_up_for(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = await PostgresStore.open(database), await PostgresStore.open(database)
    await one.teach((LOST,))
    await other.teach((DRAWN,))
    connection = await asyncpg.connect(database)
    await connection.execute("UPDATE lessons SET learned_at = now() - interval '30 s'")
    await connection.close()
    monkeypatch.setattr(store_module, "monotonic", lambda: time.monotonic() + 60)
    for _ in range(2):
        assert await learned(one) == [2]
    await one.close()
    await other.close()


async def test_old_keys_are_forgotten(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store = await PostgresStore.open(database)
    await store.teach((LOST,))
    assert store._seen
    connection = await asyncpg.connect(database)
    await connection.execute("UPDATE lessons SET learned_at = now() - interval '90 s'")
    await connection.close()
    for later in (60, 120):
        monkeypatch.setattr(store_module, "monotonic", lambda: time.monotonic() + later)  # noqa: B023
        assert await learned(store) == [1]
    assert not store._seen
    await store.close()


async def test_the_memory_is_counted_again_from_the_logs(database: str) -> None:
    store = await PostgresStore.open(database)
    await append(store, DEN, LOG)
    await append(store, LAIR, events(1, 2))  # of which no log is made
    await store.teach((DRAWN,))
    await store.close()
    for relearn in (True, False):
        store = await PostgresStore.open(database, relearn_all=relearn)
        await store.learn({DEN: (), LAIR: ()})
        assert store.memory.games == 1
        assert store.memory.tally(PLAYED.cells).games == 1
        await store.close()


@pytest.fixture
def quiet_database() -> Iterator[str]:
    """The URL of a database beside which no transaction of another test keeps old rows needed."""
    with own_server() as server:
        yield server.url(server.new_database())


@pytest.mark.heavy
async def test_what_a_list_shows_is_changed_in_place(quiet_database: str) -> None:
    """Columns that change each second have no index: at least 90 % of the updates are HOT."""
    await (await PostgresStore.open(quiet_database)).close()
    connection, me = await asyncpg.connect(quiet_database), uuid4()
    names = [f"room{number}" for number in range(500)]

    async def summarize(number: int) -> None:
        columns = names, [f'{{"left": {number}}}'] * 500, [f'{{"ply":{number}}}'] * 500
        await connection.execute(statements.SUMMARIZE, *columns, me, 10.0)

    changed_at = "SELECT max(changed_at) FROM rooms"
    await connection.fetch(statements.CLAIM, names, me)
    for number in range(30):
        await summarize(number)
    first = await connection.fetchval(changed_at)
    await summarize(30)
    assert await connection.fetchval(changed_at) == first, "not again within 10 s"
    await connection.execute("SELECT pg_stat_force_next_flush()")
    counts = "SELECT n_tup_hot_upd, n_tup_upd FROM pg_stat_user_tables WHERE relname = 'rooms'"
    ((hot, updates),) = await connection.fetch(counts)
    assert updates >= 30 * 500
    assert hot >= 0.9 * updates
    await connection.execute("UPDATE rooms SET changed_at = now() - interval '11 s'")
    await summarize(31)
    assert await connection.fetchval(changed_at) > first
    await connection.close()
