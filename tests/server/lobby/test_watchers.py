import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.server.examples import NAME
from tests.server.fakes import RecordingListener
from tests.server.hubs import join_room, spectate
from tests.server.lobby.test_room_list import rounds
from ttt_protocol.codec import decode_message
from ttt_protocol.messages import Rooms, RoomsChanged
from ttt_protocol.state import GivenSettings
from ttt_server.lobby import room_list, watchers
from ttt_server.lobby.room_list import PublicRooms
from ttt_server.lobby.watchers import Lobby
from ttt_server.rooms.hub import Hub


@pytest.fixture
async def lobby(hub: Hub) -> AsyncIterator[Lobby]:
    rooms = PublicRooms(hub)
    lobby = Lobby(rooms)
    yield lobby
    lobby.close()
    rooms.close()


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Changes are told without a pause."""
    monkeypatch.setattr(room_list, "INTERVAL_S", 0)


async def join(hub: Hub, name: str = NAME, **settings: Any) -> None:
    await join_room(hub, room=name, settings=GivenSettings(**settings))


def names(told: dict[str, Any]) -> list[str]:
    return [room["name"] for room in told["rooms"]]


async def test_the_list_comes_at_once(hub: Hub, lobby: Lobby) -> None:
    await join(hub)
    for wants_changes in (False, True):
        ear = RecordingListener()
        lobby.enter(ear, wants_changes=wants_changes)
        (told,) = ear.messages
        assert names(told) == [NAME]
        assert told["rooms"][0]["seats"] == {"X": "ada", "O": None}
        assert isinstance(decode_message(ear.payloads[0]), Rooms)
        is_worthless_later = ear.states == ear.payloads
        assert is_worthless_later is not wants_changes


async def test_a_room_that_is_not_public_is_not_listed(hub: Hub, lobby: Lobby) -> None:
    await join(hub, public=False)
    ear = RecordingListener()
    lobby.enter(ear)
    assert names(ear.messages[0]) == []


@pytest.mark.usefixtures("soon")
async def test_the_list_is_told_again_after_changes(hub: Hub, lobby: Lobby) -> None:
    ears = [RecordingListener(), RecordingListener()]
    for ear in ears:
        lobby.enter(ear)
    await join(hub)
    for ear in ears:
        assert names((await ear.hears("rooms", 2))[1]) == [NAME]
    assert ears[0].states[1] is ears[1].states[1]


@pytest.mark.usefixtures("soon")
async def test_changes_alone_are_told_where_they_are_asked_for(hub: Hub, lobby: Lobby) -> None:
    await join(hub, "first")
    ear = RecordingListener()
    lobby.enter(ear, wants_changes=True)
    await join(hub, "second")
    await spectate(hub, room="second")
    await rounds()
    (room,) = ear.messages[-1]["rooms"]
    assert (room["name"], room["spectators"]) == ("second", 1)
    hub.give_up()
    await rounds()
    assert sorted(ear.messages[-1]["gone"]) == ["first", "second"]
    assert ear.messages[-1]["rooms"] == []
    assert len(ear.of("rooms")) == 1
    for payload in ear.payloads[1:]:
        assert isinstance(decode_message(payload), RoomsChanged)


async def test_many_changes_become_one(
    hub: Hub, lobby: Lobby, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room_list, "INTERVAL_S", 3600)
    ear = RecordingListener()
    await join(hub, "first")
    lobby.enter(ear)
    for name in ("second", "third"):
        await join(hub, name)
    assert names(ear.messages[-1]) == ["first"]
    lobby._rooms._refresh()
    assert names(ear.messages[-1]) == ["first", "second", "third"]
    assert len(ear.messages) == 2


@pytest.mark.usefixtures("soon")
async def test_the_same_list_is_not_told_again(hub: Hub, lobby: Lobby) -> None:
    ear = RecordingListener()
    lobby.enter(ear)
    await join(hub, public=False)
    await lobby._rooms.fresh()
    assert len(ear.messages) == 1


async def test_long_lists_are_sent_one_in_a_round_of_the_loop(
    hub: Hub, lobby: Lobby, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watchers, "BYTES_A_ROUND", 1)
    await join(hub)
    ears = [RecordingListener() for _ in range(4)]
    for ear in ears:
        lobby.enter(ear)
    assert [len(ear.messages) for ear in ears] == [1, 0, 0, 0]
    await asyncio.sleep(0)
    assert [len(ear.messages) for ear in ears] == [1, 1, 0, 0]
    lobby.exit(ears[2])
    await asyncio.sleep(0)
    assert [len(ear.messages) for ear in ears] == [1, 1, 0, 1]


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("wants_changes", [True, False])
async def test_a_listener_that_does_not_read_gets_the_list_when_it_does(
    hub: Hub, lobby: Lobby, monkeypatch: pytest.MonkeyPatch, wants_changes: bool
) -> None:
    monkeypatch.setattr(watchers, "INTERVAL_S", 0)
    ear = RecordingListener()
    lobby.enter(ear, wants_changes=wants_changes)
    ear.is_behind = True
    for name in ("first", "second"):
        await join(hub, name)
        await rounds()
    assert len(ear.messages) == 1
    ear.is_behind = False
    await rounds()
    assert names(ear.messages[1]) == ["first", "second"]
    assert len(ear.of("rooms")) == len(ear.messages) == 2
    await join(hub, "third")
    await rounds()
    assert ear.messages[2]["type"] == ("rooms_changed" if wants_changes else "rooms")


async def test_a_listener_that_has_gone_is_told_nothing(
    hub: Hub, lobby: Lobby, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room_list, "STEP", 1)
    for name in ("first", "second"):
        await join(hub, name)
    ear = RecordingListener()
    lobby.enter(ear)
    lobby.exit(ear)
    lobby.exit(ear)
    await lobby._rooms.fresh()
    assert not ear.messages


async def test_nothing_is_refreshed_for_no_listeners(hub: Hub, lobby: Lobby) -> None:
    ear = RecordingListener()
    lobby.enter(ear)
    lobby.exit(ear)
    await join(hub)
    assert lobby._rooms._next is None
    assert len(ear.messages) == 1
