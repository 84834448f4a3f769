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
from ttt_server.lobby.room_list import News, PublicRooms
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
    rooms = PublicRooms(source)
    yield rooms
    rooms.close()


def listed(rooms: PublicRooms) -> dict[str, int]:
    """The rooms of the list, in order, and who watches them."""
    found = [json.loads(room) for room in rooms.all()]
    return {room["name"]: room["spectators"] for room in found}


async def rounds() -> None:
    """Let the loop come to what is due."""
    for _ in range(5):
        await asyncio.sleep(0)


def told(rooms: PublicRooms) -> list[dict[str, Any]]:
    """What subscribers hear of the list."""
    heard: list[dict[str, Any]] = []

    def hear(news: News) -> None:
        items = news.items()
        heard.append({name: room and json.loads(room)["spectators"] for name, room in items})

    rooms.subscribe(hear)
    return heard


async def test_rooms_stand_on_it_by_name(source: Source, rooms: PublicRooms) -> None:
    for name in ("c", "a", "b"):
        source.change(name, 1)
    await rooms.fresh()
    assert list(listed(rooms)) == ["a", "b", "c"]
    source.change("b", None)
    source.change("a", 5)
    source.change("aa", 2)
    await rooms.fresh()
    assert list(listed(rooms).items()) == [("a", 5), ("aa", 2), ("c", 1)]


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


async def test_news_are_what_has_changed(source: Source, rooms: PublicRooms) -> None:
    heard = told(rooms)
    source.change("a", 1)
    source.change("b", 1)
    source.change("secret", None)
    await rooms.fresh()
    source.change("a", 1)
    await rooms.fresh()
    source.change("a", None)
    source.change("b", 2)
    await rooms.fresh()
    assert heard == [{"a": 1, "b": 1}, {"a": None, "b": 2}]


async def test_each_change_gives_another_tag(source: Source, rooms: PublicRooms) -> None:
    tags = [rooms.tag]
    for name, spectators in (("a", 1), ("a", 2), ("b", 1), ("a", None)):
        source.change(name, spectators)
        await rooms.fresh()
        tags.append(rooms.tag)
    assert len(set(tags)) == 5
    source.change("b", 1)
    await rooms.fresh()
    assert rooms.tag == tags[-1]
    assert PublicRooms(source).tag not in tags, "another start"


async def test_pages(source: Source, rooms: PublicRooms) -> None:
    for name in "abcde":
        source.change(name, 1)
    await rooms.fresh()

    def page(after: str | None, most: int) -> tuple[str, str | None]:
        page = rooms.page(None if after is None else RoomName(after), most)
        return "".join(json.loads(room)["name"] for room in page.rooms), page.after

    assert page(None, 2) == ("ab", "b")
    assert page("b", 2) == ("cd", "d")
    assert page("d", 2) == ("e", None)
    assert page("c", 2) == ("de", None)
    assert page("bb", 1) == ("c", "c"), "of a room that is gone"
    assert page("e", 2) == page("z", 2) == ("", None)
    assert page(None, 5) == page(None, 1000) == ("abcde", None)


async def test_it_is_refreshed_once_a_second_at_most(
    source: Source, rooms: PublicRooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "INTERVAL_S", 3600)
    source.change("a", 1)
    await rooms.fresh()
    source.change("b", 1)
    await rooms.fresh()
    assert listed(rooms) == {"a": 1}
    monkeypatch.setattr(module, "INTERVAL_S", 0)
    await rooms.fresh()
    assert listed(rooms) == {"a": 1, "b": 1}


async def test_many_changes_are_taken_in_in_steps(
    source: Source, rooms: PublicRooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "STEP", 3)
    heard = told(rooms)
    for number in range(10):
        source.change(f"r{number}", number)
    refreshing = [asyncio.create_task(rooms.fresh()) for _ in range(2)]
    seen = []
    while not all(task.done() for task in refreshing):
        seen.append(len(source.asked))
        await asyncio.sleep(0)
    assert {3, 6, 9} <= set(seen)
    assert len(source.asked) == 10, "both waited for the same refresh"
    assert len(heard) == 1
    assert len(listed(rooms)) == 10


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
    assert listed(rooms) == {"a": 2, "b": 2}


async def test_it_refreshes_itself_while_it_is_watched(source: Source, rooms: PublicRooms) -> None:
    heard = told(rooms)
    source.change("a", 1)
    await asyncio.sleep(0)
    assert heard == []
    rooms.keep_fresh(is_wanted=True)
    await rounds()
    source.change("a", 2)
    await rounds()
    assert heard == [{"a": 1}, {"a": 2}]
    rooms.keep_fresh(is_wanted=False)
    source.change("a", 3)
    assert rooms._next is None


async def test_a_list_that_is_never_read_does_not_grow_for_ever(
    source: Source, rooms: PublicRooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST_MARKS", 5)
    for number in range(6):
        source.change(f"gone{number}", None)
    assert rooms._next is not None
    await rounds()
    assert not rooms._marked
    assert listed(rooms) == {}


async def test_after_the_close_nothing_is_refreshed(source: Source, rooms: PublicRooms) -> None:
    rooms.keep_fresh(is_wanted=True)
    source.change("a", 1)
    rooms.close()
    assert rooms._next is not None
    assert rooms._next.cancelled()


async def test_the_rooms_of_a_hub(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "INTERVAL_S", 0)
    rooms = PublicRooms(hub)
    ada = await join_room(hub)
    await join_room(hub, room="secret", settings=GivenSettings(public=False))
    await rooms.fresh()
    (room,) = (json.loads(each) for each in rooms.all())
    assert (room["name"], room["seats"]) == (NAME, {"X": "ada", "O": None})
    assert "deserted" not in room
    ada.exits()
    await rooms.fresh()
    (room,) = (json.loads(each) for each in rooms.all())
    assert room["deserted"]
    hub.give_up()
    await rooms.fresh()
    assert rooms.all() == []
