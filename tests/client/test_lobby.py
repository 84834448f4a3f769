import asyncio
import os
from collections.abc import Awaitable, Callable
from io import StringIO

from websockets.asyncio.server import ServerConnection

from ttt_client.keyboard import Keyboard
from ttt_client.link import Ending, Link
from ttt_client.lobby import NONE_PLAYING, Zapper, liveliest, show_rooms
from ttt_client.output import Output
from ttt_client.plain import Plain
from ttt_protocol.codec import encode_message
from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import Join
from ttt_protocol.messages import Refused, Rooms, Update, Welcome
from ttt_protocol.state import BySeat, Role, RoomName, RoomState, Rules, Status, Summary

MakeRoom = Callable[..., RoomState]
Start = Callable[..., Awaitable[str]]
LINE = {"winner": "X", "reason": "line", "line": [0, 1, 2]}


def summary(
    name: str,
    *,
    status: Status = Status.PLAYING,
    spectators: int = 0,
    ply: int = 0,
    locked: bool = False,
) -> Summary:
    return Summary(
        name=RoomName(name),
        status=status,
        rules=Rules(),
        seats=BySeat[str | None](X="ada", O="bob"),
        ply=ply,
        spectators=spectators,
        locked=locked,
    )


def test_the_liveliest_room_has_a_game_and_the_most_spectators() -> None:
    rooms = [
        summary("waiting", status=Status.WAITING, spectators=9),
        summary("finished", status=Status.FINISHED, spectators=9),
        summary("locked", spectators=9, locked=True),
        summary("quiet", spectators=1, ply=8),
        summary("lively", spectators=2, ply=1),
        summary("later", spectators=2, ply=3),
    ]
    assert liveliest(rooms, []) == "later"
    assert liveliest(rooms, [RoomName("later"), RoomName("lively")]) == "quiet"
    assert liveliest(rooms[:3], []) is None


async def tell(connection: ServerConnection, *rooms: Summary) -> None:
    await connection.send(encode_message(Rooms(rooms=rooms)), text=True)


def face() -> tuple[Plain, StringIO]:
    out = StringIO()
    return Plain(Output(out, StringIO(), ascii_only=True)), out


async def test_the_rooms_are_listed_once(scripted: Start) -> None:
    async def script(connection: ServerConnection) -> None:
        await tell(connection, summary("den"))
        await connection.wait_closed()

    plain, out = face()
    link = Link(await scripted(script), None)
    assert await show_rooms(link, plain, follow=False) == Ending(0)
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
        await tell(connection, summary("den"))
        await tell(connection, summary("attic"))
        await connection.close(1012)

    async def ending(connection: ServerConnection) -> None:
        await tell(connection)
        await connection.close(1000)

    async def at_once(_: float) -> None:
        await asyncio.sleep(0)

    plain, out = face()
    link = Link(await scripted(losing, ending), None, sleep=at_once)
    assert (await show_rooms(link, plain, follow=True)).code == 0
    shown = out.getvalue()
    assert shown.index("den") < shown.index("attic") < shown.index("connection was lost")
    assert "no public rooms" in shown


class Zapping:
    """A zapper on one server, whose scripts serve the lobby and the rooms in turn."""

    def __init__(self, url: str, *, terminal: bool = False) -> None:
        self.face, self.out = face()
        self.chosen: list[str] = []
        join = Join(role=Role.SPECTATOR)

        def room(name: RoomName) -> Link:
            self.chosen.append(name)
            return Link(url, join)

        self.zapper = Zapper(lambda: Link(url, None), room, self.face, terminal=terminal)

    async def run(self, *lines: str) -> Ending:
        reader, writer = os.pipe()
        os.write(writer, "".join(f"{line}\n" for line in lines).encode())
        os.close(writer)
        try:
            return await self.zapper.run(Keyboard(reader))
        finally:
            os.close(reader)


async def test_it_goes_on_from_room_to_room_until_none_is_left(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    update: Callable[..., Update],
) -> None:
    async def first_lobby(connection: ServerConnection) -> None:
        await tell(connection, summary("den", spectators=2), summary("attic"))
        await connection.wait_closed()

    async def den(connection: ServerConnection) -> None:
        await connection.recv()
        await connection.send(encode_message(welcome(room(), None)), text=True)
        await connection.send(encode_message(update(room(outcome=LINE))), text=True)
        await connection.wait_closed()

    async def second_lobby(connection: ServerConnection) -> None:
        await tell(connection, summary("den", status=Status.FINISHED), summary("attic"))
        await connection.wait_closed()

    async def attic(connection: ServerConnection) -> None:
        await connection.recv()
        off = Refused(command="join", code=RefusalCode.SPECTATORS_OFF, reason="no spectators")
        await connection.send(encode_message(off), text=True)
        await connection.wait_closed()

    zapping = Zapping(await scripted(first_lobby, den, second_lobby, attic, second_lobby))
    assert await zapping.run() == Ending(0)
    assert zapping.chosen == ["den", "attic"]
    shown = zapping.out.getvalue().splitlines()
    assert "den: the game is over; on to the next" in shown
    assert "attic: refused: no spectators (spectators_off); on to the next" in shown
    assert shown[-1] == NONE_PLAYING


async def test_while_it_waits_it_listens_to_what_is_typed(scripted: Start) -> None:
    async def lobby(connection: ServerConnection) -> None:
        await tell(connection)
        await connection.wait_closed()

    zapping = Zapping(await scripted(lobby), terminal=True)
    assert await zapping.run("help", "5", "what", "quit", "help") == Ending(0)
    shown = zapping.out.getvalue()
    assert "there is no room yet" in shown
    assert "that was not understood" in shown
    assert shown.count("ends this program") == 1


async def test_a_lobby_that_ends_is_the_end(scripted: Start) -> None:
    async def lobby(connection: ServerConnection) -> None:
        await connection.close(1000, "bye")

    async def losing(connection: ServerConnection) -> None:
        await connection.close(1012)

    assert (await Zapping(await scripted(losing)).run()).code == 3
    assert await Zapping(await scripted(lobby)).run() == Ending(
        0, "the server ended the connection: bye"
    )
