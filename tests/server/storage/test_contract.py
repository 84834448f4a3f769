"""What every store does."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.server.storage.appends import DEN, EVERY_KIND, LAIR, append, events, load
from ttt_server.storage.base import Conflict, EventStore
from ttt_server.storage.memory import MemoryStore
from ttt_server.storage.sqlite.store import SqliteStore


@pytest.fixture(params=["memory", "sqlite"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[EventStore]:
    made: EventStore
    made = MemoryStore() if request.param == "memory" else SqliteStore(tmp_path / "ttt.sqlite3")
    yield made
    await made.close()


async def test_there_is_no_such_room(store: EventStore) -> None:
    assert await load(store, DEN) == ()


async def test_what_was_appended_is_loaded(store: EventStore) -> None:
    await append(store, DEN, EVERY_KIND[:1])
    await append(store, DEN, EVERY_KIND[1:])
    assert await load(store, DEN) == EVERY_KIND


async def test_each_room_has_its_log(store: EventStore) -> None:
    await append(store, DEN, events(1, 2))
    await append(store, LAIR, events(1, 3))
    assert await load(store, DEN) == events(1, 2)
    assert await load(store, LAIR) == events(1, 3)


async def test_a_log_is_in_order_of_seq(store: EventStore) -> None:
    for seq in range(1, 13):
        await append(store, DEN, events(seq, seq))
    assert await load(store, DEN) == events(1, 12)


@pytest.mark.parametrize(("first", "last"), [(1, 1), (1, 5), (2, 2), (3, 4)])
async def test_a_number_is_given_once(store: EventStore, first: int, last: int) -> None:
    await append(store, DEN, EVERY_KIND[:3])
    with pytest.raises(Conflict):
        await append(store, DEN, events(first, last))
    assert await load(store, DEN) == EVERY_KIND[:3], "nothing of it is kept"
    await append(store, DEN, events(4, 5))
    assert len(await load(store, DEN)) == 5


async def test_of_two_at_once_one_wins(store: EventStore) -> None:
    results = await asyncio.gather(
        *(append(store, DEN, events(1, 2)) for _ in range(5)), return_exceptions=True
    )
    assert [result for result in results if result is None] == [None]
    assert sum(isinstance(result, Conflict) for result in results) == 4
    assert await load(store, DEN) == events(1, 2)


async def test_many_rooms_at_once(store: EventStore) -> None:
    rooms = [type(DEN)(f"room{number}") for number in range(50)]
    await asyncio.gather(*(append(store, room, events(1, 3)) for room in rooms))
    logs = await asyncio.gather(*(load(store, room) for room in rooms))
    assert logs == [events(1, 3)] * 50


async def test_a_deleted_room_is_none(store: EventStore) -> None:
    await append(store, DEN, events(1, 3))
    await append(store, LAIR, events(1, 2))
    await store.delete(DEN)
    assert await load(store, DEN) == ()
    assert await load(store, LAIR) == events(1, 2)
    await append(store, DEN, events(1, 1))
    assert await load(store, DEN) == events(1, 1), "its name is free again"


async def test_there_is_nothing_to_delete(store: EventStore) -> None:
    await store.delete(DEN)
    await store.delete(DEN)
    assert await load(store, DEN) == ()
