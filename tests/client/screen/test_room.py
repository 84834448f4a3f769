"""A room on a screen in memory, with a scripted server on the other side."""

import asyncio
import json
from collections.abc import Awaitable, Callable

import pytest
from websockets.asyncio.server import ServerConnection

from tests.client.conftest import build_room, build_update, build_welcome
from tests.client.screen.conftest import Window
from ttt_client.link import Ending, Link
from ttt_client.screen.room import RoomScene
from ttt_client.screen.show import stay
from ttt_client.screen.stage import Stage
from ttt_protocol.codec import encode_message
from ttt_protocol.commands import Join
from ttt_protocol.messages import Message

Start = Callable[..., Awaitable[str]]
Open = Callable[..., Window]


class Peer:
    """The server's side of a connection."""

    def __init__(self, connection: ServerConnection) -> None:
        self.connection = connection

    async def tell(self, message: Message) -> None:
        await self.connection.send(encode_message(message), text=True)

    async def hears(self, type_: str, **fields: object) -> None:
        heard = json.loads(await self.connection.recv())
        assert heard == {"type": type_, **fields}


async def visit(window: Window, url: str) -> Ending:
    """Play on the window until it ends."""

    async def at_once(_: float) -> None:
        await asyncio.sleep(0)

    scene = RoomScene(
        Stage("den", "here"),
        window.shell.changed,
        asyncio.get_running_loop().time,
        ascii_only=False,
    )
    link = Link(url, Join(name="ada"), sleep=at_once)
    return await window.shell.run(scene, stay(scene, link))


async def run(window: Window, url: str, hand: Callable[[Window], Awaitable[None]]) -> Ending:
    """Visit while `hand` types and looks."""
    visiting = asyncio.create_task(visit(window, url))
    try:
        await hand(window)
        async with asyncio.timeout(20):
            return await visiting
    finally:
        visiting.cancel()
        await asyncio.gather(visiting, return_exceptions=True)


async def test_a_move_by_number_by_name_by_cursor_and_by_mouse(
    scripted: Start, open_window: Open
) -> None:
    async def script(connection: ServerConnection) -> None:
        peer = Peer(connection)
        await peer.hears("join", name="ada")
        await peer.tell(build_welcome(build_room()))
        moves: tuple[int, ...] = ()
        for cell, answer in [(4, 0), (1, 2), (3, 5), (7, None)]:
            await peer.hears("play", game=1, ply=len(moves), cell=cell)
            moves = (*moves, cell)
            await peer.tell(build_update(build_room(moves=moves)))
            if answer is not None:
                moves = (*moves, answer)
                await peer.tell(build_update(build_room(moves=moves)))
        await connection.wait_closed()

    async def hand(window: Window) -> None:
        await window.shows("YOUR TURN (X)")
        window.type("5")
        await window.shows("last move: O at 1", "YOUR TURN")
        window.type("b1")
        await window.shows("last move: O at 3", "YOUR TURN")
        window.type("h\r")
        await window.shows("last move: O at 6", "YOUR TURN")
        window.click("8")
        await window.shows("last move: X at 8", "bob (O) to move")
        window.type("qy")

    end = await run(open_window(), await scripted(script), hand)
    assert (end.code, "your seat is kept" in (end.words or "")) == (0, True)


@pytest.mark.parametrize(("keys", "code"), [("\x03", 130), ("\x04", 0)], ids=["ctrl-c", "ctrl-d"])
async def test_it_ends_at_once(scripted: Start, open_window: Open, keys: str, code: int) -> None:
    async def script(connection: ServerConnection) -> None:
        await Peer(connection).tell(build_welcome(build_room()))
        await connection.wait_closed()

    async def hand(window: Window) -> None:
        await window.shows("YOUR TURN")
        window.type(keys)

    window = open_window()
    end = await run(window, await scripted(script), hand)
    assert end.code == code
    assert window.terminal.written.rstrip().endswith("\x1b[?25h")
