from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.server.examples import NAME
from tests.server.fakes import RecordingListener
from tests.server.hubs import join_room
from ttt_protocol.state import GivenSettings
from ttt_server.lobby import room_list as lobby_module
from ttt_server.lobby.room_list import Lobby
from ttt_server.rooms.hub import Hub


@pytest.fixture
async def lobby(hub: Hub) -> AsyncIterator[Lobby]:
    lobby = Lobby(hub)
    yield lobby
    lobby.close()


async def join(hub: Hub, name: str = NAME, **settings: Any) -> None:
    given = GivenSettings(**settings)
    await join_room(hub, room=name, settings=given)


def names(told: dict[str, Any]) -> list[str]:
    return [room["name"] for room in told["rooms"]]


async def test_the_list_comes_at_once(hub: Hub, lobby: Lobby) -> None:
    await join(hub)
    ear = RecordingListener()
    lobby.enter(ear)
    (told,) = ear.messages
    assert names(told) == [NAME]
    assert told["rooms"][0]["seats"] == {"X": "ada", "O": None}
    assert ear.states == ear.payloads, "a newer list makes it worthless"


async def test_a_room_that_is_not_public_is_not_listed(hub: Hub, lobby: Lobby) -> None:
    await join(hub, public=False)
    ear = RecordingListener()
    lobby.enter(ear)
    assert names(ear.messages[0]) == []


async def test_changes_are_told(hub: Hub, lobby: Lobby, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby_module, "INTERVAL_S", 0)
    ears = [RecordingListener(), RecordingListener()]
    for ear in ears:
        lobby.enter(ear)
    await join(hub)
    for ear in ears:
        assert names((await ear.hears("rooms", 2))[1]) == [NAME]
    assert ears[0].states[1] is ears[1].states[1]


async def test_many_changes_become_one(
    hub: Hub, lobby: Lobby, monkeypatch: pytest.MonkeyPatch
) -> None:
    ear = RecordingListener()
    lobby.enter(ear)
    await join(hub, "first")
    await ear.hears("rooms", 2)
    for name in ("second", "third"):
        await join(hub, name)
    assert lobby._timer is not None
    assert lobby._timer.when() == lobby._sent[ear].at + lobby_module.INTERVAL_S
    assert len(ear.messages) == 2
    lobby._timer.cancel()
    monkeypatch.setattr(lobby_module, "INTERVAL_S", 0)
    lobby._send_all()
    assert names(ear.messages[2]) == ["first", "second", "third"]


async def test_the_same_list_is_not_told_again(
    hub: Hub, lobby: Lobby, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lobby_module, "INTERVAL_S", 0)
    ear = RecordingListener()
    lobby.enter(ear)
    await join(hub, public=False)
    lobby._send_all()
    assert len(ear.messages) == 1


async def test_nobody_is_told_twice_within_the_interval(hub: Hub, lobby: Lobby) -> None:
    ear = RecordingListener()
    lobby.enter(ear)
    await join(hub)
    lobby._send_all()
    assert len(ear.messages) == 1
    assert lobby._timer is not None
    assert lobby._timer.when() == lobby._sent[ear].at + lobby_module.INTERVAL_S


async def test_nobody_listens(hub: Hub, lobby: Lobby) -> None:
    ear = RecordingListener()
    lobby.enter(ear)
    lobby.exit(ear)
    lobby.exit(ear)
    await join(hub)
    assert lobby._timer is None
    assert len(ear.messages) == 1


async def test_closing_ends_the_timer(hub: Hub, lobby: Lobby) -> None:
    lobby.enter(RecordingListener())
    await join(hub)
    lobby.close()
    assert lobby._timer is not None
    assert lobby._timer.cancelled()
