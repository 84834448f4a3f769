import asyncio
import gc
from collections.abc import Awaitable, Callable

import pytest
from websockets.asyncio.server import ServerConnection

from tests.client.conftest import build_room, build_summary, build_welcome
from ttt_client import sync
from ttt_client.library.errors import RoomClosed
from ttt_protocol.codec import encode_message
from ttt_protocol.messages import Rooms

Start = Callable[..., Awaitable[str]]


async def list_a_room(connection: ServerConnection) -> None:
    await connection.send(encode_message(Rooms(rooms=(build_summary("den"),), total=1)))
    await connection.wait_closed()


def first_of_a_loop(url: str) -> int:
    for listed in sync.lobby(url):
        return len(listed)
    return 0


@pytest.mark.parametrize("read", [first_of_a_loop, lambda url: len(next(iter(sync.lobby(url))))])
async def test_the_lobby_may_be_left_at_any_time(
    read: Callable[[str], int], scripted: Start, caplog: pytest.LogCaptureFixture
) -> None:
    assert await asyncio.to_thread(read, await scripted(list_a_room)) == 1
    gc.collect()
    assert caplog.messages == []


async def test_after_its_block_a_room_is_closed(scripted: Start) -> None:
    async def welcome(connection: ServerConnection) -> None:
        await connection.recv()
        await connection.send(encode_message(build_welcome(build_room())))
        await connection.wait_closed()

    def play(url: str) -> None:
        with sync.join(url, "den") as room:
            assert room.state.name == "den"
        with pytest.raises(RoomClosed, match="this program left the room"):
            room.say("hello")
        with pytest.raises(RoomClosed):
            next(room.turns())

    await asyncio.to_thread(play, await scripted(welcome))
