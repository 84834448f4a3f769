import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from tests.server.examples import NAME
from tests.server.hubs import join_room
from ttt_protocol.state import GivenSettings, RoomName, Summary
from ttt_server.core.room import Room
from ttt_server.core.snapshot import Here, summary
from ttt_server.lobby import room_list as module
from ttt_server.lobby.room_list import PageWish, PublicRooms
from ttt_server.rooms.hub import Hub


class Source:
    """Rooms by how many watch them."""

    def __init__(self) -> None:
        self.spectators: dict[RoomName, int] = {}
        self.asked: list[RoomName] = []
        self._calls: list[Callable[[RoomName], None]] = []

    def summary(self, name: RoomName) -> Summary | None:
        self.asked.append(name)
        if name not in self.spectators:
            return None
        return summary(Room(name), Here(X=True, O=True), self.spectators[name])

    def subscribe(self, call: Callable[[RoomName], None]) -> None:
        self._calls.append(call)

    def change(self, name: str, spectators: int | None) -> None:
        """Say that a room is so now; `None`: that it is gone."""
        if spectators is None:
            self.spectators.pop(RoomName(name), None)
        else:
            self.spectators[RoomName(name)] = spectators
        for call in self._calls:
            call(RoomName(name))


@pytest.fixture
def source() -> Source:
    return Source()


@pytest.fixture
async def rooms(source: Source, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[PublicRooms]:
    """A list that may be refreshed at any time."""
    monkeypatch.setattr(module, "INTERVAL_S", 0)
    rooms = PublicRooms(source.summary, source.subscribe)
    yield rooms
    rooms.close()


async def entries(rooms: PublicRooms) -> list[dict[str, Any]]:
    page = await rooms.page(PageWish())
    assert page.total == len(page.rooms)
    return [json.loads(room) for room in page.rooms.values()]


async def listed(rooms: PublicRooms) -> dict[str, int]:
    """The rooms of the list, in order, and who watches them."""
    return {room["name"]: room["spectators"] for room in await entries(rooms)}


async def rounds() -> None:
    """Let the loop come to what is due."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_rooms_stand_on_it_by_name(source: Source, rooms: PublicRooms) -> None:
    for name in ("c", "a", "b"):
        source.change(name, 1)
    await rooms.fresh()
    assert list(await listed(rooms)) == ["a", "b", "c"]
    source.change("b", None)
    source.change("a", 5)
    source.change("aa", 2)
    await rooms.fresh()
    assert list((await listed(rooms)).items()) == [("a", 5), ("aa", 2), ("c", 1)]


async def test_only_what_may_have_changed_is_looked_at(source: Source, rooms: PublicRooms) -> None:
    for name in ("a", "b"):
        source.change(name, 1)
    await rooms.fresh()
    source.asked.clear()
    source.change("b", 2)
    source.change("b", 3)
    await rooms.fresh()
    await rooms.fresh()
    assert source.asked == ["b"]


async def test_a_page_is_the_same_until_the_list_changes(
    source: Source, rooms: PublicRooms
) -> None:
    source.change("a", 1)
    page = await rooms.page(PageWish())
    source.change("a", 1)
    source.change("secret", None)
    assert await rooms.page(PageWish()) is page
    source.change("a", 2)
    assert await rooms.page(PageWish()) is not page
    for limit in range(1, 30):
        await rooms.page(PageWish(limit))
    assert len(rooms._pages) <= 8


async def test_pages(source: Source, rooms: PublicRooms) -> None:
    for name in "abcde":
        source.change(name, 1)

    async def page(after: str | None, limit: int) -> tuple[str, bool]:
        page = await rooms.page(PageWish(limit, None if after is None else RoomName(after)))
        assert page.total == 5
        return "".join(page.rooms), page.has_more

    assert await page(None, 2) == ("ab", True)
    assert await page("b", 2) == ("cd", True)
    assert await page("d", 2) == ("e", False)
    assert await page("c", 2) == ("de", False)
    assert await page("bb", 1) == ("c", True), "of a room that is gone"
    assert await page("e", 2) == await page("z", 2) == ("", False)
    assert await page(None, 5) == await page(None, 1000) == ("abcde", False)


async def test_the_first_change_after_a_refresh_is_told(source: Source, rooms: PublicRooms) -> None:
    told = []
    rooms.subscribe(lambda: told.append(len(rooms._marked)))
    for name in ("a", "b", "a"):
        source.change(name, 1)
    assert told == [1]
    await rooms.fresh()
    source.change("a", 2)
    assert told == [1, 1]


async def test_it_is_refreshed_once_a_second_at_most(
    source: Source, rooms: PublicRooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "INTERVAL_S", 3600)
    source.change("a", 1)
    await rooms.fresh()
    source.change("b", 1)
    await rooms.fresh()
    assert await listed(rooms) == {"a": 1}
    monkeypatch.setattr(module, "INTERVAL_S", 0)
    await rooms.fresh()
    assert await listed(rooms) == {"a": 1, "b": 1}


async def test_many_changes_are_taken_in_in_steps(
    source: Source, rooms: PublicRooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "STEP", 3)
    for number in range(10):
        source.change(f"r{number}", number)
    refreshing = [asyncio.create_task(rooms.fresh()) for _ in range(2)]
    seen = []
    while not all(task.done() for task in refreshing):
        seen.append(len(source.asked))
        await asyncio.sleep(0)
    assert {3, 6, 9} <= set(seen)
    assert len(source.asked) == 10, "both waited for the same refresh"
    assert len(await listed(rooms)) == 10


async def test_a_change_during_a_refresh_is_taken_in_by_the_next(
    source: Source, rooms: PublicRooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "STEP", 1)
    for name in ("a", "b"):
        source.change(name, 1)
    refreshing = asyncio.create_task(rooms.fresh())
    await asyncio.sleep(0)
    for name in ("a", "b"):
        source.change(name, 2)
    await refreshing
    await rooms.fresh()
    assert await listed(rooms) == {"a": 2, "b": 2}


async def test_a_list_that_is_never_read_does_not_grow_for_ever(
    source: Source, rooms: PublicRooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST_MARKS", 5)
    for number in range(6):
        source.change(f"gone{number}", None)
    assert rooms._next is not None
    await rounds()
    assert not rooms._marked
    assert await listed(rooms) == {}


async def test_after_the_close_nothing_is_refreshed(
    source: Source, rooms: PublicRooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST_MARKS", 5)
    for number in range(6):
        source.change(f"gone{number}", None)
    rooms.close()
    assert rooms._next is not None
    assert rooms._next.cancelled()


async def test_the_rooms_of_a_hub(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "INTERVAL_S", 0)
    rooms = PublicRooms(hub.registry.summary, hub.observers.subscribe)
    ada = await join_room(hub)
    await join_room(hub, room="secret", settings=GivenSettings(public=False))
    (room,) = await entries(rooms)
    assert (room["name"], room["seats"]) == (NAME, {"X": "ada", "O": None})
    assert "deserted" not in room
    ada.exits()
    (room,) = await entries(rooms)
    assert room["deserted"]
    hub.eviction.give_up()
    assert await entries(rooms) == []
