"""Jobs that become one transaction."""

import asyncio
from pathlib import Path

import pytest

from tests.server.storage.appends import DEN, LAIR, append, events, load
from tests.server.storage.sqlite.stores import (
    Gate,
    handed_in,
    outcomes,
    waiting,
)
from ttt_protocol.codec import InvalidWire
from ttt_protocol.state import RoomName
from ttt_server.storage.base import Conflict
from ttt_server.storage.sqlite import store as module
from ttt_server.storage.sqlite.store import SqliteStore


async def test_many_appends_are_few_transactions(path: Path, gate: Gate) -> None:
    store = SqliteStore(path)
    statements: list[str] = []
    store._tables.database.set_trace_callback(statements.append)
    first = await gate.hold(store)
    rooms = [RoomName(f"room{number}") for number in range(200)]
    tasks = [waiting(store, room, 1, 1) for room in rooms]
    await handed_in()
    gate.release()
    await asyncio.gather(first, *tasks)
    assert gate.batches == [1, 200]
    written = [text for text in statements if not text.startswith("SELECT")]
    assert len(written) == 1, "a statement is a transaction"
    assert written[0].startswith("INSERT OR IGNORE INTO journal")
    looks = [text for text in statements if "VALUES" in text and text not in written]
    assert len(looks) == 25, "eight new rooms are looked for at once"
    assert await load(store, rooms[-1]) == events(1, 1)
    assert store.commits.buckets[-1] == ("+Inf", 200), "to read is none"
    await store.close()


async def test_jobs_of_one_round_are_one_transaction(path: Path, gate: Gate) -> None:
    store = SqliteStore(path)
    gate.release()
    await asyncio.gather(*(waiting(store, RoomName(f"room{n}"), 1, 1) for n in range(9)))
    assert gate.batches == [9]
    await append(store, DEN, events(1, 1))
    assert gate.batches == [9, 1], "alone, it does not wait"
    await store.close()


async def test_each_commit_is_as_long_as_it_took(
    path: Path, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = 0.0
    monkeypatch.setattr(module, "perf_counter", lambda: seconds)
    store = SqliteStore(path)
    first = await gate.hold(store)
    early = waiting(store, DEN, 1, 1)
    await handed_in()
    seconds = 2.0
    late = waiting(store, LAIR, 1, 2)
    await handed_in()
    seconds = 2.25
    gate.release()
    await asyncio.gather(first, early, late)
    assert gate.batches == [1, 2], "together"
    assert store.commits.sum == 2.25 + 0.25
    await store.close()


async def test_what_was_not_kept_is_no_commit(store: SqliteStore) -> None:
    await append(store, DEN, events(1, 2))
    with pytest.raises(Conflict):
        await append(store, DEN, events(2, 2))
    assert store.commits.buckets[-1] == ("+Inf", 1)


async def test_a_transaction_has_its_limits(
    path: Path, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_BATCH", 3)
    store = SqliteStore(path)
    first = await gate.hold(store)
    tasks = []
    for number in range(7):
        tasks.append(waiting(store, RoomName(f"room{number}"), 1, 1))
        await handed_in()
    gate.release()
    await asyncio.gather(first, *tasks)
    assert gate.batches == [1, 3, 3, 1]
    await store.close()


@pytest.mark.parametrize("opens_again", [True, False])
async def test_new_rooms_of_a_batch_are_told_from_rooms_that_are_kept(
    path: Path, gate: Gate, opens_again: bool
) -> None:
    gate.release()
    store = SqliteStore(path)
    rooms = [RoomName(f"room{number}") for number in range(20)]
    kept = rooms[::3]
    for room in kept:
        await append(store, room, events(1, 1))
    if opens_again:  # and the journal is settled
        await store.close()
        store = SqliteStore(path)
    found = await outcomes(*(waiting(store, room, 1, 2) for room in rooms))
    assert found == [Conflict if room in kept else None for room in rooms]
    for room in rooms:
        assert await load(store, room) == events(1, 1 if room in kept else 2)
    await store.close()


async def test_a_conflict_leaves_the_others_of_its_batch(path: Path, gate: Gate) -> None:
    store = SqliteStore(path)
    first = await gate.hold(store)
    tasks = [
        waiting(store, DEN, 1, 2),
        waiting(store, DEN, 2, 4),
        waiting(store, LAIR, 1, 1),
        waiting(store, DEN, 3, 3),
    ]
    await handed_in()
    gate.release()
    assert await outcomes(first, *tasks) == [None, None, Conflict, None, None]
    assert gate.batches == [1, 4]
    assert await load(store, DEN) == events(1, 3)
    assert await load(store, LAIR) == events(1, 1)
    await store.close()


async def test_one_room_that_cannot_be_read_stops_no_other(path: Path, gate: Gate) -> None:
    store = SqliteStore(path)
    store._tables.database.execute("INSERT INTO events VALUES ('den', 1, CAST(x'a5a5' AS TEXT))")
    first = await gate.hold(store)
    tasks = [asyncio.create_task(load(store, DEN)), waiting(store, LAIR, 1, 1)]
    await handed_in()
    gate.release()
    assert await outcomes(first, *tasks) == [None, InvalidWire, None]
    assert gate.batches == [1, 2]
    await store.close()
