import asyncio
from collections.abc import Awaitable, Callable
from io import StringIO

from websockets.asyncio.server import ServerConnection

from tests.client.conftest import build_summary
from ttt_client.net.session import Ending, RoomSession
from ttt_client.play.frontends import PlainFrontend
from ttt_client.play.lobby import show_rooms
from ttt_client.terminal.stdout import Output
from ttt_protocol.codec import encode_message
from ttt_protocol.messages import Rooms
from ttt_protocol.state import Summary

Start = Callable[..., Awaitable[str]]


async def tell(connection: ServerConnection, *rooms: Summary) -> None:
    await connection.send(encode_message(Rooms(rooms=rooms)), text=True)


async def test_the_rooms_are_listed_once(scripted: Start) -> None:
    async def script(connection: ServerConnection) -> None:
        await tell(connection, build_summary("den"))
        await connection.wait_closed()

    out = StringIO()
    plain = PlainFrontend(Output(out, StringIO(), ascii_only=True))
    session = RoomSession(await scripted(script), None)
    assert await show_rooms(session, plain, follow=False) == Ending(0)
    assert out.getvalue().splitlines()[1].split() == [
        "den",
        "playing",
        "3x3x3",
        "ada",
        "bob",
        "0",
        "0",
    ]


async def test_the_rooms_are_followed_over_a_lost_connection(scripted: Start) -> None:
    async def losing(connection: ServerConnection) -> None:
        await tell(connection, build_summary("den"))
        await tell(connection, build_summary("attic"))
        await connection.close(1012)

    async def ending(connection: ServerConnection) -> None:
        await tell(connection)
        await connection.close(1000)

    async def at_once(_: float) -> None:
        await asyncio.sleep(0)

    out = StringIO()
    plain = PlainFrontend(Output(out, StringIO(), ascii_only=True))
    session = RoomSession(await scripted(losing, ending), None, sleep=at_once)
    assert (await show_rooms(session, plain, follow=True)).code == 0
    shown = out.getvalue()
    assert shown.index("den") < shown.index("attic") < shown.index("connection was lost")
    assert "no public rooms" in shown
