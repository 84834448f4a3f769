"""What a server reads of the others each second, and what it makes of it."""

import asyncio
from collections.abc import Mapping
from typing import Any, cast
from unittest.mock import AsyncMock, Mock
from uuid import UUID, uuid4

import pytest

from ttt_server.cluster import maintenance
from ttt_server.cluster.lease import Lease
from ttt_server.cluster.maintenance import Directory, Maintenance
from ttt_server.cluster.ownership import Adoption, Ownership
from ttt_server.cluster.siblings import ALONE
from ttt_server.rooms.registry import RoomRegistry
from ttt_server.storage.base import StorageFailed
from ttt_server.storage.postgres import statements
from ttt_server.storage.postgres.store import PostgresStore

ME, BOB, EVE = uuid4(), uuid4(), uuid4()
ADDRESSES = {ME: "ws://192.0.2.1:8765", BOB: "ws://192.0.2.2:8765", EVE: "ws://192.0.2.3:8765"}

FAILS = frozenset({UUID(int=0)})
"""In place of the servers of a round: the database does not answer."""


def adoption() -> Adoption:
    """One of which nothing is due."""
    return cast("Adoption", Mock(take_over=AsyncMock(), waiting={}))


class World:
    """A database whose servers change from round to round; each round takes a minute."""

    def __init__(self, *rounds: frozenset[UUID]) -> None:
        self.asked: set[str] = set()
        """The statements."""
        self.met: list[Mapping[UUID, int]] = []
        """The servers that were there, from round to round, and how many rooms they list."""
        self.taught: list[int] = []
        """The rounds that looked for the lessons of others, from 1."""
        self.gone: list[frozenset[str]] = []
        self.looked = asyncio.Event()
        """Whether rooms without an owner were looked for."""
        self.is_over = asyncio.Event()
        self._rounds = list(rounds)
        self._minutes = 0

    def now(self) -> float:
        return 60.0 * self._minutes

    async def fetch(self, statement: str, *_: Any) -> list[Any]:
        self.asked.add(statement)
        if statement != statements.SERVERS:
            return []
        self._minutes += 1
        if not self._rounds:
            self.is_over.set()
            await asyncio.Event().wait()
        there = self._rounds.pop(0)
        if there == FAILS:
            raise StorageFailed("no answer")
        return [
            {"id": id_, "is_alive": True, "address": ADDRESSES[id_], "listed": 7}
            for id_ in {ME, *there}
        ]

    async def learn(self) -> None:
        self.taught.append(self._minutes)

    async def live(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Let all rounds pass."""
        running = self.begin(monkeypatch)
        await self.is_over.wait()
        running.cancel()

    def begin(self, monkeypatch: pytest.MonkeyPatch) -> "asyncio.Task[None]":
        """Work without pauses."""
        monkeypatch.setattr(maintenance, "EVERY_S", 0)
        monkeypatch.setattr(maintenance, "TAKE_OVER_EVERY_S", 0)
        monkeypatch.setattr(maintenance, "now", self.now)
        store = Mock(readers=Mock(fetch=self.fetch), follow_lessons=self.learn, purge=AsyncMock())
        looking = adoption()
        cast("AsyncMock", looking.take_over).side_effect = self.looked.set
        going = Maintenance(
            cast("PostgresStore", store),
            cast("RoomRegistry", Mock(all=())),
            cast("Lease", Mock(owner=ME)),
            Mock(spec=Ownership, siblings=ALONE),
            Mock(spec=Directory, meet=self.met.append),
            needs=Mock(),
            adoption=looking,
            on_gone=self.gone.append,
        )
        return asyncio.create_task(going.run())


async def test_no_room_of_another_server_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(frozenset({BOB}), FAILS, frozenset({BOB, EVE}), frozenset())
    await world.live(monkeypatch)
    assert world.met == [{BOB: 7}, {BOB: 7, EVE: 7}, {}]
    assert world.asked <= {statements.SERVERS, statements.ORPHANS}


async def test_the_last_lessons_of_a_server_that_is_gone_are_learned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World(frozenset(), frozenset({BOB}), FAILS, frozenset(), frozenset())
    await world.live(monkeypatch)
    assert world.taught == [2, 4]


async def test_the_relays_are_told_which_servers_are_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(frozenset({BOB, EVE}), frozenset({EVE}), frozenset({EVE}), frozenset())
    await world.live(monkeypatch)
    assert world.gone == [{ADDRESSES[BOB]}, {ADDRESSES[EVE]}]


async def test_rooms_are_taken_over_while_a_round_has_no_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World()
    running = world.begin(monkeypatch)
    await world.is_over.wait()
    async with asyncio.timeout(5):
        for _ in range(3):
            world.looked.clear()
            await world.looked.wait()
    running.cancel()


async def test_rooms_without_an_owner_are_read_for_the_learner() -> None:
    orphans = [("den",), ("lair",)]
    asked: list[tuple[str, object]] = []

    async def fetch(statement: str, *arguments: Any) -> list[Any]:
        asked.append((statement, arguments[0]))
        return orphans if statement == statements.ORPHANS else []

    store = Mock(readers=Mock(fetch=fetch), learn=AsyncMock())
    going = Maintenance(
        cast("PostgresStore", store),
        cast("RoomRegistry", Mock()),
        cast("Lease", Mock(owner=ME)),
        Mock(spec=Ownership, siblings=ALONE),
        Mock(spec=Directory),
        needs=Mock(),
        adoption=adoption(),
        on_gone=Mock(),
    )
    await going._look_after_orphans()
    store.learn.assert_awaited_once_with({"den": (), "lair": ()})
    assert asked[-1] == (statements.DROP_ORPHANS, ["den", "lair"])
