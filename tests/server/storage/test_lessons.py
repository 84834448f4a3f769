"""What every store counts for the learner, and when the logs are read for it."""

import asyncio
from dataclasses import replace

import pytest

from tests.server.examples import log_of_two_games
from tests.server.fakes import FragileStore
from tests.server.storage.appends import DEN, LAIR, Written, append, events, load
from ttt_engine import Mark
from ttt_engine.learning.memory import Lesson, Memory, Tally
from ttt_protocol.events import Ended, Started
from ttt_protocol.state import RoomName
from ttt_server.core.evolve import evolve_all
from ttt_server.core.lessons import lesson_of
from ttt_server.core.room import Room
from ttt_server.limits import lessons as limits
from ttt_server.storage import lessons as module
from ttt_server.storage.base import EventStore, Snapshot, StorageFailed
from ttt_server.storage.lessons import LessonReader, parse_tallied, tallied_text
from ttt_server.storage.memory import MemoryStore
from ttt_server.storage.sqlite.store import SqliteStore
from ttt_server.storage.sqlite.tables import EventTables

LOST = Lesson((4, 0), Mark.O)
DRAWN = Lesson((0, 4), None)
LOG = log_of_two_games()
END = next(event.seq for event in LOG if isinstance(event, Ended))
BEGUN = next(event.seq for event in LOG if isinstance(event, Started) and event.game == 2)
PLAYED = Lesson.of((0, 3, 1, 8, 2), Mark.X)
"""The one game in it that is over."""
OVER = evolve_all(Room(DEN), LOG[:END])
"""The room after that game."""
NEST = RoomName("nest")


@pytest.fixture
def store(each_store: EventStore) -> EventStore:
    return each_store


async def learn(store: EventStore, *rooms: RoomName) -> int:
    """Have the rooms read; the number of games that are known then."""
    await store.learn(dict.fromkeys(rooms, ()))
    return store.memory.games


def content(memory: Memory) -> dict[tuple[int, ...], Tally]:
    prefixes = set().union(*memory._won.values())
    return {prefix: memory.tally(prefix) for prefix in prefixes}


def test_lessons_as_text() -> None:
    counts = [(LOST, 3), (DRAWN, 1), (Lesson((), Mark.X), 2)]
    assert list(parse_tallied(tallied_text(counts))) == counts


async def test_a_game_is_counted_once(store: EventStore) -> None:
    await append(store, DEN, LOG[: END - 1])
    assert await learn(store, DEN) == 0, "it has not ended"
    await append(store, DEN, LOG[END - 1 :])
    for _ in range(3):
        assert await learn(store, DEN, LAIR) == 1
    assert store.memory.tally(PLAYED.cells) == Tally(x=1)
    await append(store, LAIR, LOG)
    assert await learn(store, LAIR, DEN) == 2


async def test_a_game_that_is_ignored_is_never_counted(store: EventStore) -> None:
    await append(store, DEN, LOG)
    await store.learn({DEN: {1}})
    assert await learn(store, DEN) == 0


async def test_it_remembers_what_it_was_taught(store: EventStore) -> None:
    await store.teach((LOST, DRAWN, LOST))
    await store.teach(())
    assert store.memory.games == 3
    assert store.memory.tally((4, 0)) == Tally(o=2)
    assert await load(store, DEN) == ()


async def test_a_room_is_read_before_it_is_deleted(store: EventStore) -> None:
    await append(store, DEN, LOG)
    await store.delete(DEN)
    assert store.memory.games == 1
    await append(store, DEN, LOG)
    assert await learn(store, DEN) == 2, "it is another room"


async def test_a_log_is_read_before_it_is_cut(store: EventStore) -> None:
    await append(store, DEN, LOG[:END], snapshot=Snapshot.of(OVER))
    await append(store, DEN, LOG[END : BEGUN - 1])
    await append(store, DEN, LOG[BEGUN - 1 :], snapshot=Snapshot(2, Snapshot.of(OVER).saved))
    if isinstance(store, SqliteStore):
        await store._perform(EventTables.settle, EventTables.settle)
    while await store.trim(DEN, 1):
        pass
    assert (await store.load(DEN, 0)).start is not None, "it is cut"
    assert store.memory.games == 1
    assert await learn(store, DEN) == 1


async def test_a_log_that_cannot_be_read_costs_only_its_own_lessons(
    store: EventStore, caplog: pytest.LogCaptureFixture
) -> None:
    await append(store, DEN, LOG)
    await append(store, LAIR, LOG[:1])
    kept = asyncio.get_running_loop().create_future()
    store.append([Written(LAIR, 2, (b'{"type":"plaid"}',), None, kept.set_result)])
    assert await kept is None
    assert await learn(store, LAIR, DEN) == 1
    (warning,) = [each.getMessage() for each in caplog.records if each.name == module.__name__]
    assert warning.startswith(f"room {LAIR}: no lessons from its log")


async def read_soon(reader: LessonReader, store: EventStore, games: int) -> None:
    reading = asyncio.create_task(reader.run())
    async with asyncio.timeout(10):
        while store.memory.games < games:  # noqa: ASYNC110 - of a store without events
            await asyncio.sleep(0)
    reading.cancel()


@pytest.fixture
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_GATHER_S", "_AGAIN_S", "_PAUSE_S"):
        monkeypatch.setattr(module, name, 0)


@pytest.mark.usefixtures("_at_once")
async def test_games_are_read_soon_after_they_ended() -> None:
    store = MemoryStore()
    reader = LessonReader(store)
    for room in (DEN, LAIR):
        await append(store, room, LOG)
        reader.note_end(OVER.replace(name=room), frozenset("ab"))
    await read_soon(reader, store, 2)


@pytest.mark.usefixtures("_at_once")
async def test_two_addresses_teach_so_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LESSONS", 1)
    store = MemoryStore()
    reader = LessonReader(store)
    for room, pair in ((DEN, "ab"), (LAIR, "ba"), (NEST, "ac")):
        await append(store, room, LOG)
        reader.note_end(OVER.replace(name=room), frozenset(pair))
    await reader.finish()
    await reader.read_all()
    assert store.memory.games == 2


async def test_what_is_no_lesson_is_not_read() -> None:
    reader = LessonReader(MemoryStore())
    reader.note_end(Room(DEN), frozenset("ab"))
    assert not reader._waiting


def after_a_rematch(room: Room) -> Room:
    """Return a room after another game like its last one."""
    assert room.game is not None
    over = replace(room.game, number=room.game.number + 1)
    return room.replace(game=over, seq=room.seq + 9)


@pytest.mark.parametrize("late", [1, 2])
async def test_games_that_follow_one_another_need_no_reading(store: EventStore, late: int) -> None:
    reader = LessonReader(store)
    await append(store, DEN, LOG[:END])
    room = OVER
    for games in range(1, 5):  # only the first is in the log
        reader.note_end(room, frozenset("ab"))
        if games != late:
            await reader.finish()
            assert store.memory.games == games
        room = after_a_rematch(room)
    await reader.read_all()
    assert store.memory.games == 4


async def test_a_log_is_read_where_games_are_unknown(store: EventStore) -> None:
    reader = LessonReader(store)
    await append(store, DEN, LOG)
    reader.note_end(after_a_rematch(OVER), frozenset("ab"))
    await reader.finish()
    assert store.memory.games == 1, "the log has one game, whatever was noted"
    assert await learn(store, DEN) == 1


async def test_a_log_is_read_where_games_were_noted_long_ago(store: EventStore) -> None:
    reader = LessonReader(store)
    await append(store, DEN, LOG[:END])
    reader.note_end(OVER, frozenset("ab"))
    reader.note_end(after_a_rematch(OVER), frozenset("ab"))
    reader._waiting[DEN].noted_at -= 60
    await reader.finish()
    assert store.memory.games == 1, "the log may be another by now"


async def test_a_log_is_read_where_its_mark_is_another(store: EventStore) -> None:
    reader = LessonReader(store)
    await append(store, DEN, LOG)
    assert await learn(store, DEN) == 1
    reader.note_end(OVER, frozenset("ab"))
    await reader.finish()
    assert store.memory.games == 1, "it was counted before"


def test_a_game_that_goes_on_teaches_nothing() -> None:
    assert lesson_of(evolve_all(Room(DEN), LOG[: END - 1])) is None


class Failing(FragileStore):
    """A store that fails to learn a few times."""

    left = 2

    async def learn(self, rooms: object, known: object = None) -> None:
        if self.left:
            self.left -= 1
            raise StorageFailed("the disk is gone")
        await super().learn(rooms, known)  # type: ignore[arg-type]


@pytest.mark.usefixtures("_at_once")
async def test_rooms_wait_while_the_store_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LESSONS", 1)
    store = Failing()
    reader = LessonReader(store)
    for room in (DEN, LAIR):
        await append(store, room, LOG)
        reader.note_end(OVER.replace(name=room), frozenset("ab"))
    with pytest.raises(StorageFailed):
        await reader.finish()
    await read_soon(reader, store, 1)
    await reader.finish()
    assert store.memory.games == 1, "one was not to be learned from"


@pytest.mark.usefixtures("_at_once")
async def test_what_was_left_unread_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_ROOMS_AT_ONCE", 2)
    store = Failing()
    rooms = [RoomName(f"room{number}") for number in range(5)]
    for room in rooms:
        await append(store, room, LOG)
    await append(store, NEST, events(1, 3))
    await LessonReader(store).resume()
    assert store.memory.games == 5
