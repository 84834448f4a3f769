"""What becomes of logs and lessons in PostgreSQL, and of writes whose outcome is not known."""

import asyncio
import time
from uuid import uuid4

import asyncpg
import pytest

from tests.integration.proxy import FaultProxy
from tests.postgres import PostgresServer
from tests.server.examples import NOW, log_of_two_games
from tests.server.storage.appends import DEN, LAIR, append, events, load
from ttt_engine import Mark
from ttt_engine.learning.memory import Lesson
from ttt_protocol.state import RoomName
from ttt_server.storage.base import CannotOpen, Conflict, OutcomeUnknown, StorageFailed
from ttt_server.storage.lessons import HOUR_MS
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
    assert isinstance(outcomes[0], StorageFailed)
    assert outcomes[1] is None
    await connection.close()
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
        store = await PostgresStore.open(proxied(postgres, proxy, name), patience_s=0.3)
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
        store = await PostgresStore.open(proxied(postgres, proxy, name), patience_s=0.3)
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
    owner = [me]
    store.require(lambda: owner[0] if owner else None)
    connection = await asyncpg.connect(database)
    await connection.execute("INSERT INTO rooms VALUES ('den', $1, NULL, now())", uuid4())
    with pytest.raises(StorageFailed, match="another server"):
        await store.delete(DEN)
    await connection.execute("UPDATE rooms SET owner = $1", me)
    owner.clear()
    with pytest.raises(StorageFailed, match="lost its rooms"):
        await append(store, DEN, events(2, 2))
    with pytest.raises(StorageFailed, match="another server"):
        await store.delete(DEN)
    owner.append(me)
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
        await store.learn_from_others(are_there=True)
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
