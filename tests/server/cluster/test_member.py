"""One server of many, as it leaves."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, cast
from unittest.mock import Mock
from uuid import uuid4

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request

from ttt_protocol.state import RoomName
from ttt_server.cluster import member as module
from ttt_server.cluster.lease import Lease
from ttt_server.cluster.maintenance import Maintenance
from ttt_server.cluster.member import ClusterMember
from ttt_server.lobby.room_list import PublicRooms
from ttt_server.rooms.event_log import EventLog
from ttt_server.rooms.eviction import Eviction
from ttt_server.rooms.hub import Hub
from ttt_server.rooms.registry import RoomRegistry
from ttt_server.storage.base import StorageFailed
from ttt_server.storage.postgres import statements
from ttt_server.storage.postgres.store import PostgresStore
from ttt_server.tournaments.registry import TournamentRegistry
from ttt_server.transport.responses import HttpError

DEN = RoomName("den")
SOMEBODY = "00000000-0000-4000-8000-000000000000"


def make_member(fetch: Callable[..., Awaitable[list[Any]]]) -> ClusterMember:
    return ClusterMember(
        cast("PostgresStore", Mock(readers=Mock(fetch=fetch))),
        Mock(
            spec=Hub,
            registry=Mock(spec=RoomRegistry),
            log=Mock(spec=EventLog),
            eviction=Mock(spec=Eviction),
        ),
        Mock(spec=TournamentRegistry),
        Mock(spec=PublicRooms),
        b"a secret",
        seeking=lambda: b"[]",
        connections=lambda: 0,
        lease_s=2,
        join_timeout_s=5,
    )


async def test_a_server_that_stops_does_not_take_over_the_rooms_that_it_leaves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, said = asyncio.Event(), list[str]()

    async def run(_: Maintenance) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            said.append("the last round is over")

    async def nothing(*_: object, **__: object) -> None:
        pass

    async def fetch(statement: str, *_: Any) -> list[Any]:
        assert statement == statements.HAND_OVER
        said.append("the rooms are left")
        return []

    monkeypatch.setattr(Maintenance, "run", run)
    monkeypatch.setattr(Lease, "start", nothing)
    monkeypatch.setattr(Lease, "owner", object())
    monkeypatch.setattr(ClusterMember, "_introduce", nothing)
    member = make_member(fetch)
    await member.start("ws://192.0.2.1:8765")
    await begun.wait()
    await member.hand_over()
    assert said == ["the last round is over", "the rooms are left"]
    await member.close()


class Owners:
    """A database in which another server has a room, until it is asked for it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, gives: bool) -> None:
        self.asked: list[str] = []
        self._gives = gives
        monkeypatch.setattr(Lease, "owner", uuid4())
        monkeypatch.setattr(Lease, "serves", True)
        monkeypatch.setattr(module, "ask", self._ask)
        self.member = make_member(self._fetch)

    async def _ask(self, address: str, path: str, _: object) -> bytes:
        self.asked.append(f"{address}{path}")
        return b""

    async def _fetch(self, statement: str, *asked: Any) -> list[Any]:
        if statement == statements.CLAIM and self._gives and self.asked:
            return [(name,) for name in asked[0]]
        return [("den", "ws://192.0.2.2:8765")] if statement == statements.OWNERS else []


async def test_a_room_of_another_server_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    owners = Owners(monkeypatch, gives=True)
    assert await owners.member.take(DEN), "it was another's"
    number = owners.member._lease.number
    assert owners.asked == [f"ws://192.0.2.2:8765/cluster/give/{number}/den"]
    assert not await owners.member.take(DEN)
    assert len(owners.asked) == 1


async def test_a_room_that_another_server_keeps(monkeypatch: pytest.MonkeyPatch) -> None:
    owners = Owners(monkeypatch, gives=False)
    with pytest.raises(StorageFailed, match="another server has it"):
        await owners.member.take(DEN)
    assert len(owners.asked) == 3


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("no-number/den", 503),
        (f"{SOMEBODY}/lair", 404),  # which is not this server's
        (f"{SOMEBODY}/event/den", 404),
        ("", 404),
    ],
)
async def test_what_is_not_given(monkeypatch: pytest.MonkeyPatch, path: str, status: int) -> None:
    owners = Owners(monkeypatch, gives=True)
    await owners.member.take(DEN)
    request = Request(f"/cluster/give/{path}", Headers())
    with pytest.raises(HttpError) as caught:
        await owners.member.answer_probe(request, "192.0.2.2")
    assert caught.value.status == status
    assert owners.member.has(DEN)
