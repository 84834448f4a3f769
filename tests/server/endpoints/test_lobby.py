from collections.abc import AsyncIterator

import pytest

from tests.server.fakes import RecordingListener, nobody_seeks
from ttt_protocol.codes import CloseCode
from ttt_server.endpoints.lobby import LobbyEndpoint
from ttt_server.lobby.room_list import PublicRooms
from ttt_server.lobby.watchers import FIRST, Lobby
from ttt_server.rooms.hub import Hub


@pytest.fixture
async def listener() -> RecordingListener:
    return RecordingListener()


@pytest.fixture
async def lobby(hub: Hub) -> AsyncIterator[Lobby]:
    lobby = Lobby(PublicRooms(hub.registry.summary, hub.observers.subscribe), nobody_seeks)
    yield lobby
    await lobby.close()


@pytest.fixture
async def endpoint(listener: RecordingListener, lobby: Lobby) -> LobbyEndpoint:
    lobby.enter(listener, FIRST)
    return LobbyEndpoint(listener, lobby)


async def test_the_list_comes_at_once(endpoint: LobbyEndpoint, listener: RecordingListener) -> None:
    await listener.hears("rooms", 1)
    assert listener.states == listener.payloads
    endpoint.on_close()


async def test_there_is_no_command(endpoint: LobbyEndpoint, listener: RecordingListener) -> None:
    endpoint.on_message(b'{"type":"join"}')
    assert listener.dismissed is CloseCode.POLICY
    assert "takes no messages" in listener.dismissed_for


async def test_binary_data_is_no_command(
    endpoint: LobbyEndpoint, listener: RecordingListener
) -> None:
    endpoint.on_binary()
    assert listener.dismissed is CloseCode.BINARY_FRAME


async def test_it_leaves_the_lobby_with_its_connection(
    endpoint: LobbyEndpoint, listener: RecordingListener, lobby: Lobby
) -> None:
    await listener.hears("rooms", 1)
    endpoint.on_close()
    assert not lobby._watched
