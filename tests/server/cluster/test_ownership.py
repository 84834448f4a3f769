"""The rooms of one server, with a database that gives each room to it."""

import asyncio
from collections.abc import Sequence
from typing import Any, cast
from unittest.mock import Mock
from uuid import uuid4

import pytest

from ttt_protocol.state import RoomName
from ttt_server.cluster import ownership as module
from ttt_server.cluster.lease import Lease
from ttt_server.cluster.ownership import Ownership
from ttt_server.storage.base import StorageFailed
from ttt_server.storage.postgres import statements
from ttt_server.storage.postgres.connecting import Readers

DEN = RoomName("den")


class Giving:
    """Readers of which each claim is granted."""

    async def fetch(self, _: str, names: Sequence[str], *__: object) -> list[tuple[str]]:
        return [(name,) for name in names]


@pytest.fixture
def ownership() -> Ownership:
    lease = Mock(spec=Lease, owner=uuid4(), may_judge=False)
    return Ownership(cast("Readers", Giving()), cast("Lease", lease), hold_s=10)


async def test_a_room_is_claimed_once_for_all_that_ask(ownership: Ownership) -> None:
    assert await asyncio.gather(*(ownership.locate(DEN) for _ in range(3))) == [None] * 3
    assert ownership.has(DEN)


async def test_a_room_given_up_before_its_claim_is_answered(ownership: Ownership) -> None:
    async def lose() -> None:
        assert await ownership.locate(DEN) is None
        ownership.give_up()

    losing = asyncio.create_task(lose())
    with pytest.raises(StorageFailed, match="given up in the meantime"):
        await asyncio.gather(losing, ownership.locate(DEN))


class Told:
    """A database that says which server has each room, and counts the questions."""

    def __init__(self) -> None:
        self.address = "ws://192.0.2.2:8765"
        self.questions = 0

    async def fetch(self, statement: str, names: Sequence[str], *_: object) -> list[Any]:
        if statement != statements.OWNERS:
            return []
        self.questions += 1
        return [(name, self.address) for name in names]


async def test_where_a_room_is_is_remembered_until_it_proves_wrong() -> None:
    told = Told()
    lease = Mock(spec=Lease, owner=uuid4(), may_judge=False)
    ownership = Ownership(cast("Readers", told), cast("Lease", lease), hold_s=10)
    for _ in range(3):
        assert await ownership.find(DEN) == told.address
        assert await ownership.look_up(DEN) == told.address
    assert told.questions == 1
    ownership.forget(DEN)
    told.address = "ws://192.0.2.3:8765"
    assert await ownership.look_up(DEN) == await ownership.find(DEN) == told.address
    assert told.questions == 2
    ownership.leave({told.address})
    assert await ownership.find(DEN) == told.address
    assert told.questions == 3
    await ownership.locate(DEN)
    assert told.questions == 4, "who would open the room does not rely on memory"


async def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_REMEMBERED", 2)
    told = Told()
    lease = Mock(spec=Lease, owner=uuid4(), may_judge=False)
    ownership = Ownership(cast("Readers", told), cast("Lease", lease), hold_s=10)
    for name in ("a", "b", "c", "a"):
        await ownership.find(RoomName(name))
    assert told.questions == 4
    assert len(ownership._elsewhere) == 2


class Breaking:
    """A database that removes a dead server, and fails before its rooms are free."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def fetch(self, statement: str, *_: object) -> list[Any]:
        self.asked.append(statement)
        if statement == statements.FREE:
            raise StorageFailed("the database: there is no answer")
        return [(uuid4(),)] if statement == statements.REAP else []


async def test_rooms_of_a_server_that_was_removed_in_doubt_are_freed_at_once() -> None:
    breaking = Breaking()
    lease = Mock(spec=Lease, owner=uuid4(), may_judge=False)
    ownership = Ownership(cast("Readers", breaking), cast("Lease", lease), hold_s=10)
    await ownership.adopt()
    for _ in range(2):
        with pytest.raises(StorageFailed):
            await ownership.reap()
        breaking.asked.clear()
        await ownership.adopt()
        assert breaking.asked == [statements.FREE_LOST, statements.ADOPT]
        await ownership.adopt()
        assert breaking.asked[2:] == [statements.ADOPT]
