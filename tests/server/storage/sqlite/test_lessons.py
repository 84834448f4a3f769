"""What every store remembers for the learner, and how it lies in the database."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.server.examples import NOW, log_of_two_games
from tests.server.storage.appends import DEN, LAIR, append, events, load
from ttt_engine import Mark
from ttt_engine.learning.memory import Lesson, Memory, Tally
from ttt_protocol.events import Ended, Event
from ttt_protocol.state import RoomName
from ttt_server.core.evolve import evolve_all
from ttt_server.core.lessons import lesson_of
from ttt_server.core.room import Room
from ttt_server.storage.base import CannotOpen, Conflict, EventStore, StorageFailed
from ttt_server.storage.lessons import HOUR_MS
from ttt_server.storage.memory import MemoryStore
from ttt_server.storage.sqlite import lessons as learned
from ttt_server.storage.sqlite.forgetting_lessons import forget_since
from ttt_server.storage.sqlite.store import SqliteStore

LOST = Lesson((4, 0), Mark.O)
DRAWN = Lesson((0, 4), None)
LOG = log_of_two_games()
PLAYED = Lesson.of((0, 3, 1, 8, 2), Mark.X)
"""The one game in it that is over."""


@pytest.fixture(params=["memory", "sqlite"])
async def store(request: pytest.FixtureRequest, path: Path) -> AsyncIterator[EventStore]:
    made: EventStore = MemoryStore() if request.param == "memory" else SqliteStore(path)
    yield made
    await made.close()


def content(memory: Memory) -> dict[tuple[int, ...], Tally]:
    prefixes = set().union(*memory._won.values())
    return {prefix: memory.tally(prefix) for prefix in prefixes}


async def reopened(path: Path, *, relearn: bool = False) -> Memory:
    store = SqliteStore(path, relearn=relearn)
    await store.close()
    return store.memory


async def keep(store: EventStore, room: RoomName, log: tuple[Event, ...]) -> None:
    """As a server keeps them, one by one."""
    state = Room(room)
    for event in log:
        state = evolve_all(state, (event,))
        lesson = lesson_of(state, event) if isinstance(event, Ended) else None
        await append(store, room, (event,), lesson)


async def test_it_remembers_nothing_at_first(store: EventStore) -> None:
    assert store.memory.games == 0
    await append(store, DEN, events(1, 3))
    assert store.memory.games == 0


async def test_it_remembers_what_was_appended(store: EventStore) -> None:
    await append(store, DEN, events(1, 1), LOST)
    await append(store, DEN, events(2, 2), LOST)
    await append(store, LAIR, events(1, 1), DRAWN)
    assert store.memory.games == 3
    assert store.memory.tally((4,)) == Tally(o=2)
    assert store.memory.tally((0, 4)) == Tally(draws=1)


async def test_it_remembers_what_it_was_taught(store: EventStore) -> None:
    await store.teach((LOST, DRAWN, LOST))
    await store.teach(())
    assert store.memory.games == 3
    assert store.memory.tally((4, 0)) == Tally(o=2)
    assert await load(store, DEN) == ()


async def test_it_remembers_what_a_cancelled_caller_taught(path: Path) -> None:
    store = SqliteStore(path)
    teaching = asyncio.create_task(store.teach((LOST,)))
    await asyncio.sleep(0)
    teaching.cancel()
    await asyncio.gather(teaching, return_exceptions=True)
    await store.close()
    assert store.memory.games == 1
    assert (await reopened(path)).games == 1


async def test_a_conflict_teaches_nothing(store: EventStore) -> None:
    await append(store, DEN, events(1, 1))
    with pytest.raises(Conflict):
        await append(store, DEN, events(1, 1), LOST)
    assert store.memory.games == 0


async def test_it_is_there_after_reopening(path: Path) -> None:
    store = SqliteStore(path)
    every = (LOST, DRAWN, LOST, Lesson((), Mark.X), Lesson((0, 1, 2, 3, 4, 5, 7, 6, 8), None))
    await store.teach(every)
    await keep(store, DEN, LOG)
    await store.close()
    assert store.memory.games == 6
    assert content(await reopened(path)) == content(store.memory)


async def test_a_write_that_fails_teaches_nothing(path: Path) -> None:
    store = SqliteStore(path)
    for table in ("lessons", "journal"):
        store._tables.database.execute(
            f"CREATE TEMP TRIGGER no_{table} BEFORE INSERT ON main.{table} "
            "BEGIN SELECT json('the disk is full'); END"
        )
    with pytest.raises(StorageFailed):
        await append(store, DEN, events(1, 2), LOST)
    with pytest.raises(StorageFailed):
        await store.teach((LOST,))
    assert store.memory.games == 0
    assert await load(store, DEN) == (), "neither without the other"
    await store.close()
    assert (await reopened(path)).games == 0


async def test_lessons_that_are_not_counted_yet_are_there_all_the_same(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = SqliteStore(path)
    store._tables.database.execute(
        "CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT json('the disk is full'); END"
    )
    await store.teach((LOST,))
    await append(store, DEN, events(1, 2), LOST)
    await append(store, LAIR, events(1, 1), DRAWN)
    await store.close()
    expected = content(lessons(LOST, LOST, DRAWN))
    assert content(await reopened(path)) == expected
    assert "the journal stays" in caplog.text
    assert counted(path) == 1
    with closing(sqlite3.connect(path)) as database:
        database.execute("DROP TRIGGER full")
    for _ in range(2):
        assert content(await reopened(path)) == expected
        assert counted(path) == 3


def counted(path: Path) -> int:
    """The games that do not lie in the journal any more."""
    with closing(sqlite3.connect(path)) as database:
        (games,) = database.execute("SELECT sum(games) FROM lessons").fetchone()
    assert isinstance(games, int)
    return games


async def test_what_a_room_has_taught_outlives_it(path: Path) -> None:
    store = SqliteStore(path)
    await append(store, DEN, events(1, 2), LOST)
    await append(store, LAIR, events(1, 1), DRAWN)
    await store.delete(DEN)
    await store.close()
    assert content(await reopened(path)) == content(store.memory) == content(lessons(LOST, DRAWN))


async def test_a_cancelled_append_teaches_all_the_same(path: Path) -> None:
    store = SqliteStore(path)
    waiting = asyncio.ensure_future(append(store, DEN, events(1, 1), LOST))
    await asyncio.sleep(0)  # it is handed in
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert await load(store, DEN) == events(1, 1)
    assert store.memory.games == 1
    await store.close()
    assert (await reopened(path)).games == 1


def lessons(*learned: Lesson) -> Memory:
    memory = Memory()
    for lesson in learned:
        memory.learn(lesson)
    return memory


async def test_learning_it_all_again(path: Path) -> None:
    store = SqliteStore(path)
    await keep(store, DEN, LOG)
    await keep(store, LAIR, LOG)
    before = content(store.memory)
    await store.teach((LOST, DRAWN))
    await store.close()
    assert content(await reopened(path, relearn=True)) == before
    assert content(await reopened(path)) == before == content(lessons(PLAYED, PLAYED))


async def test_a_new_database_has_nothing_to_learn_again(path: Path) -> None:
    assert (await reopened(path, relearn=True)).games == 0


async def test_a_log_that_cannot_be_read_costs_its_own_lessons_alone(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = SqliteStore(path)
    for room in (DEN, LAIR, RoomName("nest")):
        await keep(store, room, LOG)
    await store.close()
    with closing(sqlite3.connect(path)) as database, database:
        broken = "UPDATE events SET event = replace(event, 'played', 'plaid') WHERE room = ?"
        database.execute(broken, (LAIR,))
    assert (await reopened(path, relearn=True)).games == 2
    (warning,) = [each.getMessage() for each in caplog.records if each.name == learned.__name__]
    assert warning.startswith(f"room {LAIR}: no lessons from its log")


async def test_a_database_without_its_lessons_is_damaged(path: Path) -> None:
    await reopened(path)
    with closing(sqlite3.connect(path)) as database:
        database.execute("DROP TABLE lessons")
    with pytest.raises(
        CannotOpen, match=f"^{path}: the database is damaged: it has no table lessons$"
    ):
        SqliteStore(path)


async def test_the_lessons_since_an_hour_are_forgotten(path: Path) -> None:
    store = SqliteStore(path)
    await keep(store, DEN, LOG)
    await keep(store, LAIR, LOG)
    await store.teach((LOST, DRAWN, LOST))  # of today, long after the games in the log
    await store.close()
    after_the_log = NOW // HOUR_MS + 1
    assert forget_since(path, after_the_log, dry=True) == 3
    assert (await reopened(path)).games == 5
    assert forget_since(path, after_the_log, dry=False) == 3
    assert content(await reopened(path)) == content(lessons(PLAYED, PLAYED))
    assert forget_since(path, after_the_log, dry=False) == 0
    assert forget_since(path, NOW // HOUR_MS, dry=False) == 2
    assert (await reopened(path)).games == 0
    assert (await reopened(path, relearn=True)).games == 2, "the games are there"
    assert forget_since(path, NOW // HOUR_MS, dry=True) == 2, "and of their own time"


async def test_what_an_older_version_has_learned_is_not_forgotten(path: Path) -> None:
    store = SqliteStore(path)
    await store.teach((LOST, DRAWN))
    await store.close()
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("DELETE FROM lessons_by_hour")
    store = SqliteStore(path)
    await store.teach((LOST,))
    await store.close()
    assert forget_since(path, 0, dry=False) == 1
    assert content(await reopened(path)) == content(lessons(LOST, DRAWN))


async def test_a_folder_in_use_forgets_nothing(path: Path) -> None:
    store = SqliteStore(path)
    await store.teach((LOST,))
    with pytest.raises(CannotOpen, match="another server is using it"):
        forget_since(path, 0, dry=False)
    await store.close()
    assert (await reopened(path)).games == 1
