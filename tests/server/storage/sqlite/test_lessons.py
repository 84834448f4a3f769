"""How lessons are kept in the database."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.server.examples import NOW
from tests.server.storage.appends import DEN, LAIR, append, load
from tests.server.storage.test_lessons import DRAWN, LOG, LOST, PLAYED, content, learn
from ttt_engine import Mark
from ttt_engine.learning.memory import Lesson, Memory
from ttt_protocol.state import RoomName
from ttt_server.storage import lessons as module
from ttt_server.storage.base import CannotOpen, StorageFailed
from ttt_server.storage.lessons import HOUR_MS
from ttt_server.storage.sqlite.opening import forget_since
from ttt_server.storage.sqlite.store import SqliteStore


async def reopened(path: Path, *, relearn: bool = False) -> Memory:
    store = SqliteStore(path, relearn=relearn)
    await store.close()
    return store.memory


def lessons(*learned: Lesson) -> Memory:
    memory = Memory()
    for lesson in learned:
        memory.learn(lesson)
    return memory


async def test_it_remembers_what_a_cancelled_caller_taught(path: Path) -> None:
    store = SqliteStore(path)
    teaching = asyncio.create_task(store.teach((LOST,)))
    await asyncio.sleep(0)
    teaching.cancel()
    await asyncio.gather(teaching, return_exceptions=True)
    await store.close()
    assert store.memory.games == 1
    assert (await reopened(path)).games == 1


async def test_it_is_there_after_reopening(path: Path) -> None:
    store = SqliteStore(path)
    every = (LOST, DRAWN, LOST, Lesson((), Mark.X), Lesson((0, 1, 2, 3, 4, 5, 7, 6, 8), None))
    await store.teach(every)
    await append(store, DEN, LOG)
    assert await learn(store, DEN) == 6
    await store.close()
    assert content(await reopened(path)) == content(store.memory)


@pytest.mark.parametrize("table", ["lessons", "learned"])
async def test_a_write_that_fails_teaches_nothing(path: Path, table: str) -> None:
    store = SqliteStore(path)
    await append(store, DEN, LOG)
    store._tables.database.execute(
        f"CREATE TEMP TRIGGER no_{table} BEFORE INSERT ON main.{table} "
        "BEGIN SELECT json('the disk is full'); END"
    )
    with pytest.raises(StorageFailed):
        await learn(store, DEN)
    assert store.memory.games == 0
    store._tables.database.execute(f"DROP TRIGGER no_{table}")
    assert await learn(store, DEN) == 1
    await store.close()
    assert (await reopened(path)).games == 1


async def test_what_was_counted_though_the_commit_failed_is_known(path: Path) -> None:
    store = SqliteStore(path)
    await append(store, DEN, LOG)
    database = store._tables.database

    class DoubtfulEnd:
        """Commits, and then fails."""

        def __getattr__(self, name: str) -> object:
            return getattr(database, name)

        def execute(self, statement: str, *values: object) -> sqlite3.Cursor:
            cursor = database.execute(statement, *values)  # type: ignore[arg-type]
            if statement == "COMMIT":
                raise sqlite3.OperationalError("disk I/O error")
            return cursor

    store._tables.database = DoubtfulEnd()  # type: ignore[assignment]
    assert await learn(store, DEN) == 1
    store._tables.database = database
    assert await learn(store, DEN) == 1
    await store.close()


async def test_what_a_room_has_taught_outlives_it(path: Path) -> None:
    store = SqliteStore(path)
    await append(store, DEN, LOG)
    await append(store, LAIR, LOG)
    await store.delete(DEN)
    assert await learn(store, LAIR) == 2
    await store.close()
    assert content(await reopened(path)) == content(store.memory) == content(lessons(*[PLAYED] * 2))


async def test_learning_it_all_again(path: Path) -> None:
    store = SqliteStore(path)
    await append(store, DEN, LOG)
    await append(store, LAIR, LOG)
    await store.teach((LOST, DRAWN))
    assert await learn(store, DEN) == 3
    await store.close()
    expected = content(lessons(PLAYED, PLAYED))
    assert content(await reopened(path, relearn=True)) == expected
    store = SqliteStore(path)
    assert await learn(store, DEN, LAIR) == 2
    await store.close()


async def test_a_new_database_has_nothing_to_learn_again(path: Path) -> None:
    assert (await reopened(path, relearn=True)).games == 0


async def test_a_log_that_cannot_be_read_costs_its_own_lessons_alone(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = SqliteStore(path)
    for room in (DEN, LAIR, RoomName("nest")):
        await append(store, room, LOG)
    await store.close()
    with closing(sqlite3.connect(path)) as database, database:
        broken = "UPDATE events SET event = replace(event, 'played', 'plaid') WHERE room = ?"
        database.execute(broken, (LAIR,))
    assert (await reopened(path, relearn=True)).games == 2
    (warning,) = [each.getMessage() for each in caplog.records if each.name == module.__name__]
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
    await append(store, DEN, LOG)
    assert await learn(store, DEN) == 1
    await append(store, LAIR, LOG)  # which nobody has read
    await store.teach((LOST, DRAWN, LOST))  # of today, long after the games in the log
    await store.close()
    after_the_log = NOW // HOUR_MS + 1
    assert forget_since(path, after_the_log, dry=True) == 3
    assert (await reopened(path)).games == 5
    assert forget_since(path, after_the_log, dry=False) == 3
    assert content(await reopened(path)) == content(lessons(PLAYED, PLAYED))
    assert forget_since(path, after_the_log, dry=False) == 0
    assert forget_since(path, NOW // HOUR_MS, dry=False) == 2
    store = SqliteStore(path)
    assert await learn(store, DEN, LAIR) == 0, "they are not learned again"
    assert await load(store, DEN) == LOG
    await store.close()
    assert (await reopened(path, relearn=True)).games == 2, "the games are there"
    assert forget_since(path, NOW // HOUR_MS, dry=True) == 2, "and of their own time"


async def test_a_folder_in_use_forgets_nothing(path: Path) -> None:
    store = SqliteStore(path)
    await store.teach((LOST,))
    with pytest.raises(CannotOpen, match="another server is using it"):
        forget_since(path, 0, dry=False)
    await store.close()
    assert (await reopened(path)).games == 1
