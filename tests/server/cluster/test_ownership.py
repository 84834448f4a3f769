"""The rooms of one server, with a database that gives each room to it."""

import asyncio
from collections.abc import Sequence
from typing import cast
from unittest.mock import Mock
from uuid import uuid4

import pytest

from ttt_protocol.state import RoomName
from ttt_server.cluster.lease import Lease
from ttt_server.cluster.ownership import Ownership
from ttt_server.storage.base import StorageFailed
from ttt_server.storage.postgres.readers import Readers

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
