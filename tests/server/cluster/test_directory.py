"""The list of all servers' rooms: this one's own, and a page of the others' from the database."""

import asyncio
from collections.abc import Callable
from typing import Any, cast
from unittest.mock import Mock
from uuid import UUID, uuid4

import pytest

from ttt_protocol.state import RoomName
from ttt_server.cluster import maintenance as module
from ttt_server.cluster.lease import Lease
from ttt_server.cluster.maintenance import Directory
from ttt_server.cluster.ownership import Adoption
from ttt_server.lobby.room_list import Page, PageWish, PublicRooms
from ttt_server.rooms.event_log import EventLog
from ttt_server.rooms.registry import RoomRegistry
from ttt_server.storage.postgres import statements
from ttt_server.storage.postgres.connecting import Readers

ME, BOB = uuid4(), uuid4()


class World:
    """Rooms by name: in this server's memory, and in the database."""

    def __init__(self, own: str, stored: dict[str, UUID], waiting: str = "") -> None:
        self.own = own
        self.stored = stored
        self.reads = 0
        adoption = Mock(spec=Adoption, waiting=dict.fromkeys(waiting, True))
        registry = Mock(spec=RoomRegistry, all=[Mock(is_public=True) for _ in own])
        self.directory = Directory(
            registry,
            Mock(spec=EventLog, is_healthy=True),
            cast("PublicRooms", self),
            cast("Lease", Mock(spec=Lease, owner=ME)),
            cast("Readers", self),
            cast("Adoption", adoption),
        )
        others = sum(owner == BOB for owner in stored.values())
        self.directory.meet({BOB: others} if others else {})

    async def page(self, wish: PageWish) -> Page:
        after = [name for name in sorted(self.own) if name > (wish.after or "")]
        rooms = ((RoomName(name), b"mine") for name in after)
        return Page.cut(wish, rooms, len(self.own))

    async def fetch(self, statement: str, after: str, owners: list[str], most: int) -> list[Any]:
        assert statement == statements.LISTED
        self.reads += 1
        rows = [
            {"name": name, "owner": owner, "listed": "theirs"}
            for name, owner in sorted(self.stored.items())
            if name > after and str(owner) in owners
        ]
        return [Row(row) for row in rows[:most]]


class Row(dict[str, Any]):
    """A record of `asyncpg`: by name, and unpacked as values."""

    def __iter__(self) -> Any:
        return iter(self.values())


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "INTERVAL_S", 0)


async def all_of(world: World, limit: int) -> tuple[str, int]:
    """The names on all pages, and the total."""
    names, wish = "", PageWish(limit)
    while True:
        page = await world.directory.page(wish)
        assert len(page.rooms) <= limit
        names += "".join(page.rooms)
        if not page.has_more:
            return names, page.total
        wish = PageWish(limit, next(reversed(page.rooms)))


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 100])
async def test_the_pages_have_every_room_once(limit: int) -> None:
    world = World("bdf", dict.fromkeys("ace", BOB) | dict.fromkeys("bdf", ME))
    assert await all_of(world, limit) == ("abcdef", 6)
    assert await all_of(World("bdf", {}), limit) == ("bdf", 3)
    many = World("", dict.fromkeys("abcdefgh", ME) | {"i": BOB})
    assert await all_of(many, limit) == ("i", 1)
    assert many.reads == 1, "its own rooms are not read"
    assert await all_of(World("", dict.fromkeys("ace", BOB)), limit) == ("ace", 3)


async def test_a_room_that_was_taken_over_is_listed_before_it_is_opened() -> None:
    """One that has left memory since the database was told is not."""
    world = World("d", {"a": ME, "b": ME, "c": ME, "d": ME}, waiting="b")
    assert await all_of(world, 1) == ("bd", 2)
    assert world.directory.listed == 2


async def test_nothing_is_read_where_nobody_else_is() -> None:
    world = World("ab", {})
    await all_of(world, 1)
    assert world.reads == 0


async def test_a_page_is_read_once_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "INTERVAL_S", 3600)
    world = World("", {"a": BOB})
    pages = [await world.directory.page(PageWish()) for _ in range(3)]
    assert world.reads == 1
    assert pages[0] is pages[2]
    for limit in range(1, 30):
        await world.directory.page(PageWish(limit))
    assert len(world.directory._pages) <= 8


async def test_changes_of_its_own_are_told() -> None:
    told: list[Callable[[], None]] = []
    world = World("", {})
    world.subscribe = told.append  # type: ignore[attr-defined]
    wake = asyncio.Event()
    world.directory.subscribe(wake.set)
    assert told == [wake.set]
