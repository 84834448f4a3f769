"""One server of many, as it leaves."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, cast
from unittest.mock import Mock

import pytest

from ttt_server.cluster.lease import Lease
from ttt_server.cluster.maintenance import Maintenance
from ttt_server.cluster.member import ClusterMember
from ttt_server.lobby.room_list import PublicRooms
from ttt_server.rooms.event_log import EventLog
from ttt_server.rooms.eviction import Eviction
from ttt_server.rooms.hub import Hub
from ttt_server.rooms.registry import RoomRegistry
from ttt_server.storage.postgres import statements
from ttt_server.storage.postgres.store import PostgresStore
from ttt_server.tournaments.registry import TournamentRegistry


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
