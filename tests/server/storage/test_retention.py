"""The sweeps over all rooms, on a store in memory."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.server.examples import NOW, X
from tests.server.storage.appends import DEN, append, load
from ttt_protocol.events import Created, Event, Left, Played, Seated
from ttt_protocol.state import Human, RoomName, SessionId, Settings
from ttt_server.storage import retention as module
from ttt_server.storage.base import Snapshot, StorageFailed
from ttt_server.storage.memory import MemoryStore
from ttt_server.storage.retention import Retention, Sweeper
from ttt_server.telemetry.logging import TextFormatter, about_room

DAY_MS = 86_400_000


class Forgetting(MemoryStore):
    """A store that is asked to forget rooms; a busy one is not forgotten."""

    def __init__(self) -> None:
        super().__init__()
        self.busy: set[RoomName] = set()
        self.swept = asyncio.Event()

    async def forget(self, room: RoomName, before: int) -> bool:
        assert before < NOW
        about_room(room)
        if room in self.busy:
            return False
        await self.delete(room)
        return True


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PAUSE_S", 0)
    monkeypatch.setattr(module, "_ROOMS_AT_ONCE", 2)


@pytest.fixture
async def store() -> AsyncIterator[Forgetting]:
    store = Forgetting()
    yield store
    await store.close()


def sweeper(store: Forgetting, **kept: float) -> Sweeper:
    retention = Retention(**kept)  # type: ignore[arg-type]  # a count is given as an int
    return Sweeper(store, retention, store.forget, lambda: NOW)


def left(first: int, last: int, at: int = NOW) -> tuple[Event, ...]:
    return tuple(Left(seq=seq, at=at, seat=X) for seq in range(first, last + 1))


async def games(store: Forgetting, room: RoomName, count: int) -> None:
    for number in range(1, count + 1):
        events = left(3 * number - 2, 3 * number)
        await append(store, room, events, snapshot=Snapshot(number, b"saved"))


async def test_the_last_games_of_each_room_are_kept(store: Forgetting) -> None:
    rooms = [RoomName(f"room{number}") for number in range(5)]
    for number, room in enumerate(rooms):
        await games(store, room, 3 * number + 1)
    await sweeper(store, keep_games=4).sweep()
    kept = [len(await load(store, room)) for room in rooms]
    assert kept == [3, 12, 12, 12, 12]


async def test_a_silent_room_is_forgotten(
    store: Forgetting, caplog: pytest.LogCaptureFixture
) -> None:
    names = {days: RoomName(f"silent{days}") for days in (1, 89, 91, 400)}
    for days, room in names.items():
        await append(store, room, left(1, 1, NOW - days * DAY_MS))
    store.busy = {names[400]}
    caplog.handler.setFormatter(TextFormatter("%(message)s"))
    with caplog.at_level("INFO"):
        await sweeper(store, forget_after_s=90 * 86_400).sweep()
    assert [room for room, _ in await store.browse("", 9)] == sorted(
        names[days] for days in (1, 89, 400)
    )
    assert caplog.text == "retention: 1 room deleted, 0 logs trimmed\n"


async def test_a_log_that_cannot_be_read_is_kept(store: Forgetting) -> None:
    await append(store, DEN, left(1, 1, 0))
    await store.rewrite(DEN, lambda _: b"a diary")
    await sweeper(store, forget_after_s=1).sweep()
    assert len((await store.load(DEN, 0)).lines) == 1


def test_nothing_is_dropped_unless_it_is_asked_for() -> None:
    assert Retention().keeps_all
    assert not Retention(keep_games=1).keeps_all
    assert not Retention(forget_after_s=1).keeps_all


async def test_a_sweep_that_fails_is_tried_again(
    store: Forgetting, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "SWEEP_EVERY_S", 0)
    await games(store, DEN, 9)
    browse, faults = store.browse, [StorageFailed("the disk is gone")]

    async def failing(after: str, most: int) -> object:
        if faults:
            raise faults.pop()
        return await browse(after, most)

    monkeypatch.setattr(store, "browse", failing)
    sweeping = asyncio.create_task(sweeper(store, keep_games=2).run())
    async with asyncio.timeout(10):
        while len(await load(store, DEN)) > 6:  # noqa: ASYNC110 - the store tells of nothing
            await asyncio.sleep(0)
    sweeping.cancel()
    assert "retention failed; retrying: the disk is gone" in caplog.text


def seated(at: int) -> tuple[Event, ...]:
    ada = Human(id=SessionId("ada"), name="ada")
    return (
        Created(seq=1, at=at, settings=Settings(), lock=None, host=None),
        Seated(seq=2, at=at, seat=X, player=ada),
    )


async def test_a_room_in_which_nothing_was_played_is_forgotten_sooner(store: Forgetting) -> None:
    long_ago = NOW - 2 * DAY_MS
    left_x = Left(seq=3, at=long_ago, seat=X)
    played = Played(seq=3, at=long_ago, game=1, ply=0, seat=X, cell=4)
    logs = {
        "unplayed": seated(long_ago),
        "unplayed-left": (*seated(long_ago), left_x),
        "busy": seated(long_ago),
        "new": seated(NOW - DAY_MS // 2),
        "played": (*seated(long_ago), played),
        "played-left": (*seated(long_ago), played, *left(4, 4, long_ago)),
        "long": (*seated(long_ago), *left(3, 65, long_ago)),
    }
    for name, events in logs.items():
        await append(store, RoomName(name), events)
    store.busy = {RoomName("busy")}
    await sweeper(store, forget_unplayed_after_s=86_400).sweep()
    kept = {room for room, _ in await store.browse("", 99)}
    assert kept == {"busy", "new", "played", "played-left", "long"}


async def test_an_unplayed_log_that_cannot_be_read_is_kept(store: Forgetting) -> None:
    await append(store, DEN, seated(0))
    await store.rewrite(DEN, lambda _: b"a diary")
    await sweeper(store, forget_unplayed_after_s=1).sweep()
    assert len((await store.load(DEN, 0)).lines) == 2


def test_unplayed_rooms_are_no_history() -> None:
    retention = Retention(forget_unplayed_after_s=1)
    assert (retention.keeps_all, retention.keeps_played) == (False, True)
