"""What every store does."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.server.storage.appends import DEN, EVERY_KIND, LAIR, append, events, load
from ttt_protocol.codec import decode_log, encode_log
from ttt_protocol.state import RoomName
from ttt_server.storage.base import Conflict, EventStore, Excerpt, Snapshot
from ttt_server.storage.memory import MemoryStore
from ttt_server.storage.postgres.store import PostgresStore
from ttt_server.storage.sqlite import tables
from ttt_server.storage.sqlite.store import SqliteStore
from ttt_server.storage.sqlite.tables import EventTables


@pytest.fixture(params=["memory", "sqlite", "settled", "postgres"])
async def store(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[EventStore]:
    """A store; `settled` has a journal that is settled after each few events, into short rows."""
    if request.param == "settled":
        monkeypatch.setattr(tables, "_LONG", 3)
        monkeypatch.setattr(tables, "_ROW", 7)
    made: EventStore
    match request.param:
        case "memory":
            made = MemoryStore()
        case "sqlite" | "settled":
            made = SqliteStore(tmp_path / "ttt.sqlite3")
        case _:
            made = await PostgresStore.open(request.getfixturevalue("database"))
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


def snapshot(game: int) -> Snapshot:
    return Snapshot(game, f"after game {game}".encode())


async def play(store: EventStore, room: RoomName, games: int, *, every: int = 2) -> None:
    """Keep ten events for each game, and a snapshot after every second; settle the journal."""
    for game in range(1, games + 1):
        last = 10 * game
        taken = snapshot(game) if game % every == 0 else None
        await append(store, room, events(last - 9, last), snapshot=taken)
    if isinstance(store, SqliteStore):
        await store._perform(EventTables.settle, EventTables.settle)


def numbers(excerpt: Excerpt) -> tuple[int, int]:
    """The numbers of the first and the last event."""
    found = decode_log(excerpt.lines)
    assert [event.seq for event in found] == list(range(found[0].seq, found[-1].seq + 1))
    return found[0].seq, found[-1].seq


async def test_a_reader_begins_at_the_newest_snapshot(store: EventStore) -> None:
    await play(store, DEN, 5)
    await append(store, LAIR, events(1, 3))
    found = await store.load(DEN)
    assert (found.start, numbers(found)) == (b"after game 4", (41, 50))
    found = await store.load(LAIR)
    assert (found.start, numbers(found)) == (None, (1, 3)), "there is none"
    await append(store, DEN, events(51, 60), snapshot=snapshot(6))
    assert await store.load(DEN) == Excerpt(b"after game 6", ())


async def test_a_reader_begins_after_the_event_that_it_knows(store: EventStore) -> None:
    await play(store, DEN, 5)
    for after in (0, 7, 10, 40, 49):
        found = await store.load(DEN, after)
        assert (found.start, numbers(found)) == (None, (after + 1, 50))
    assert await store.load(DEN, 50) == Excerpt(None, ())


async def test_a_log_can_be_read_in_pages(store: EventStore) -> None:
    await play(store, DEN, 5)
    await append(store, DEN, events(51, 60))
    for after, most, last in ((0, 7, 7), (7, 1, 8), (40, 20, 60), (45, 10, 55), (55, 9, 60)):
        found = await store.load(DEN, after, most)
        assert (found.start, numbers(found)) == (None, (after + 1, last))
    assert await store.load(DEN, 60, 5) == Excerpt(None, ())
    found = await store.load(DEN, None, 3)
    assert (found.start, numbers(found)) == (b"after game 4", (41, 43))
    await trim(store, DEN, 2)
    found = await store.load(DEN, 0, 3)
    assert (found.start, numbers(found)) == (b"after game 2", (21, 23))


@pytest.mark.parametrize(
    ("game", "start", "first", "last"),
    [
        (1, None, 1, 20),
        (2, None, 1, 20),
        (3, b"after game 2", 21, 40),
        (4, b"after game 2", 21, 40),
        (5, b"after game 4", 41, 50),
        (6, b"after game 4", 41, 50),
    ],
)
async def test_a_game_lies_between_two_snapshots(
    store: EventStore, game: int, start: bytes | None, first: int, last: int
) -> None:
    await play(store, DEN, 5)
    found = await store.load_game(DEN, game)
    assert (found.start, numbers(found)) == (start, (first, last))
    assert await store.load_game(LAIR, game) == Excerpt(None, ())


async def test_a_write_that_is_refused_leaves_no_snapshot(store: EventStore) -> None:
    await play(store, DEN, 2)
    with pytest.raises(Conflict):
        await append(store, DEN, events(20, 21), snapshot=snapshot(9))
    assert await store.load(DEN) == Excerpt(b"after game 2", ())


async def trim(store: EventStore, room: RoomName, keep: int) -> None:
    while await store.trim(room, keep):
        pass


async def test_the_last_games_are_kept(store: EventStore) -> None:
    await play(store, DEN, 9)
    await append(store, LAIR, events(1, 3))
    await trim(store, DEN, 100)
    assert await load(store, DEN) == events(1, 90)
    await trim(store, DEN, 3)
    found = await store.load(DEN, 0)
    assert (found.start, numbers(found)) == (b"after game 4", (41, 90)), "games 5 to 9"
    assert await store.load_game(DEN, 4) == Excerpt(b"after game 4", ()), "it is not kept"
    assert numbers(await store.load_game(DEN, 5)) == (41, 60)
    found = await store.load(DEN, 30)
    assert (found.start, numbers(found)) == (b"after game 4", (41, 90))
    assert await store.load(DEN, 60) == Excerpt(None, (await store.load(DEN, 0)).lines[20:])
    assert await load(store, LAIR) == events(1, 3)
    assert not await store.trim(LAIR, 1)
    assert not await store.trim(RoomName("nowhere"), 1)


async def test_a_log_that_was_cut_goes_on(store: EventStore) -> None:
    await play(store, DEN, 8)
    await trim(store, DEN, 1)
    with pytest.raises(Conflict):
        await append(store, DEN, events(1, 1))
    with pytest.raises(Conflict):
        await append(store, DEN, events(80, 80))
    await append(store, DEN, events(81, 82))
    assert numbers(await store.load(DEN, 0)) == (61, 82)


async def test_a_room_that_is_deleted_after_a_cut_begins_anew(store: EventStore) -> None:
    await play(store, DEN, 8)
    await trim(store, DEN, 1)
    await store.delete(DEN)
    assert await store.load(DEN) == await store.load(DEN, 0) == Excerpt(None, ())
    assert await store.load_game(DEN, 1) == Excerpt(None, ())
    await append(store, DEN, events(1, 2))
    assert await store.load(DEN) == Excerpt(None, encode_log(events(1, 2)))


async def test_the_rooms_can_be_gone_through(store: EventStore) -> None:
    rooms = [RoomName(f"room{number}") for number in range(5)]
    for number, room in enumerate(rooms, 1):
        await append(store, room, events(1, number))
    first = await store.browse("", 3)
    assert [room for room, _ in first] == rooms[:3]
    assert decode_log(line for _, line in first) == tuple(events(n, n)[0] for n in (1, 2, 3))
    assert [room for room, _ in await store.browse(first[-1].room, 3)] == rooms[3:]
    assert await store.browse(rooms[-1], 3) == []


async def test_deadlines_come_soonest_first(store: EventStore) -> None:
    assert await store.deadlines(9) == []
    for room, at, seq in ((DEN, 300, 1), (LAIR, 200, 1), (DEN, 100, 2)):
        store.note_deadline(room, at)
        await append(store, room, events(seq, seq))
    assert await store.deadlines(9) == [(DEN, 100), (LAIR, 200)]
    assert await store.deadlines(1) == [(DEN, 100)]


async def test_a_deadline_is_forgotten_alone_and_with_its_room(store: EventStore) -> None:
    for room in (DEN, LAIR):
        store.note_deadline(room, 100)
        await append(store, room, events(1, 1))
    await store.delete(DEN)
    assert await store.deadlines(9) == [(LAIR, 100)]
    store.note_deadline(LAIR, None)
    await append(store, LAIR, events(2, 2))
    assert await store.deadlines(9) == []
