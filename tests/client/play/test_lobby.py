import asyncio
import os
from collections.abc import Awaitable, Callable
from io import StringIO
from typing import Literal

import pytest
from websockets.asyncio.server import ServerConnection

from tests.client.conftest import build_room, build_welcome
from ttt_client.model.view import View
from ttt_client.net.session import Ending, Heard, Report, RoomSession
from ttt_client.play.events import EventQueue, Typed
from ttt_client.play.frontends import PlainFrontend
from ttt_client.play.lobby import NONE_PLAYING, Spectating, liveliest, show_rooms
from ttt_client.terminal.stdin import StandardInput
from ttt_client.terminal.stdout import Output
from ttt_protocol.codec import encode_message
from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import Join
from ttt_protocol.messages import Message, Refused, Rooms, Update, Welcome
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


def frontend() -> tuple[PlainFrontend, StringIO]:
    out = StringIO()
    return PlainFrontend(Output(out, StringIO(), ascii_only=True)), out


async def test_the_rooms_are_listed_once(scripted: Start) -> None:
    async def script(connection: ServerConnection) -> None:
        await tell(connection, summary("den"))
        await connection.wait_closed()

    plain, out = frontend()
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
        await tell(connection, summary("den"))
        await tell(connection, summary("attic"))
        await connection.close(1012)

    async def ending(connection: ServerConnection) -> None:
        await tell(connection)
        await connection.close(1000)

    async def at_once(_: float) -> None:
        await asyncio.sleep(0)

    plain, out = frontend()
    session = RoomSession(await scripted(losing, ending), None, sleep=at_once)
    assert (await show_rooms(session, plain, follow=True)).code == 0
    shown = out.getvalue()
    assert shown.index("den") < shown.index("attic") < shown.index("connection was lost")
    assert "no public rooms" in shown


class Spectator:
    """A spectator on a server with scripts for the lobby and the rooms in turn."""

    def __init__(self, url: str, *, terminal: bool = False) -> None:
        self.frontend, self.out = frontend()
        self.chosen: list[str] = []
        join = Join(role=Role.SPECTATOR)

        def room(name: RoomName) -> RoomSession:
            self.chosen.append(name)
            return RoomSession(url, join)

        self.spectating = Spectating(
            lambda: RoomSession(url, None), room, self.frontend, terminal=terminal
        )

    async def run(self, *lines: str) -> Ending:
        reader, writer = os.pipe()
        os.write(writer, "".join(f"{line}\n" for line in lines).encode())
        os.close(writer)
        try:
            return await self.spectating.run(StandardInput(reader))
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

    spectator = Spectator(await scripted(first_lobby, den, second_lobby, attic, second_lobby))
    assert await spectator.run() == Ending(0)
    assert spectator.chosen == ["den", "attic"]
    shown = spectator.out.getvalue().splitlines()
    assert "den: the game is over; on to the next" in shown
    assert "attic: refused: no spectators (spectators_off); on to the next" in shown
    assert shown[-1] == NONE_PLAYING


async def test_while_it_waits_it_listens_to_what_is_typed(scripted: Start) -> None:
    async def lobby(connection: ServerConnection) -> None:
        await tell(connection)
        await connection.wait_closed()

    spectator = Spectator(await scripted(lobby), terminal=True)
    assert await spectator.run("help", "5", "what", "quit", "help") == Ending(0)
    shown = spectator.out.getvalue()
    assert "there is no room yet" in shown
    assert '"what" was not understood' in shown
    assert shown.count("ends this program") == 1


async def test_a_lobby_that_ends_is_the_end(scripted: Start) -> None:
    async def lobby(connection: ServerConnection) -> None:
        await connection.close(1000, "bye")

    async def losing(connection: ServerConnection) -> None:
        await connection.close(1012)

    assert (await Spectator(await scripted(losing)).run()).code == 3
    assert await Spectator(await scripted(lobby)).run() == Ending(
        0, "the server ended the connection"
    )


class OneMessageSession(RoomSession):
    """A session without a connection, which reports one message and nothing more."""

    def __init__(self, message: Message) -> None:
        super().__init__("ws://nowhere", None)
        self._message = message

    async def run(self, tell: Report) -> Ending:
        await tell(Heard("{}", self._message))
        never: asyncio.Future[Ending] = asyncio.get_running_loop().create_future()
        return await never


Key = Literal["next", "quit"] | None


class Television(PlainFrontend):
    """A frontend with a viewer, who presses the next of these keys, or none, at every message."""

    def __init__(self, room: RoomState, *keys: Key) -> None:
        super().__init__(Output(StringIO(), StringIO(), ascii_only=True))
        self.shown: list[str] = []
        self._keys = [*keys]
        self._is_next = False
        self._typed: asyncio.Queue[str] = asyncio.Queue()
        self._welcome = build_welcome(room, None)

    def show_message(self, before: View, heard: Heard, after: View) -> None:
        super().show_message(before, heard, after)
        if (key := self._keys.pop(0)) is not None:
            self._is_next = key == "next"
            self._typed.put_nowait("quit")

    async def line(self) -> str:
        return await self._typed.get()

    def skipped(self) -> bool:
        is_next, self._is_next = self._is_next, False
        return is_next

    async def watch(self, *, rest_s: float) -> Ending:
        rooms = Rooms(rooms=(summary("den", spectators=2), summary("attic")))

        def room(name: RoomName) -> RoomSession:
            self.shown.append(name)
            return OneMessageSession(self._welcome)

        spectating = Spectating(
            lambda: OneMessageSession(rooms),
            room,
            self,
            terminal=True,
            rest_s=rest_s,
            skipped=self.skipped,
        )
        async with asyncio.timeout(10):
            return await spectating.run(self)


async def test_next_goes_through_all_rooms_and_begins_again() -> None:
    television = Television(build_room(), "next", "next", "next", "quit")
    assert (await television.watch(rest_s=0)).code == 0
    assert television.shown == ["den", "attic", "den", "attic"]


@pytest.mark.parametrize(("is_next", "end"), [(True, None), (False, Ending(0))])
def test_next_where_there_is_no_room_yet_is_not_the_end(is_next: bool, end: Ending | None) -> None:
    none = OneMessageSession(Rooms(rooms=()))
    spectating = Spectating(
        lambda: none, lambda _: none, frontend()[0], terminal=True, skipped=lambda: is_next
    )
    assert spectating._take(Typed("quit"), EventQueue()) == end


@pytest.mark.parametrize(
    ("keys", "rest_s", "shown"),
    [
        (("quit",), 60, ["den"]),
        (("next", "quit"), 60, ["den", "den"]),
        ((None, "quit"), 0.001, ["den", "den"]),
    ],
    ids=["quit", "next", "nothing"],
)
async def test_the_end_of_a_game_is_in_sight_until_a_key_is_pressed_or_it_was_long_enough(
    keys: tuple[Key, ...], rest_s: float, shown: list[str]
) -> None:
    television = Television(build_room(outcome=LINE), *keys)
    assert await television.watch(rest_s=rest_s) == Ending(0)
    assert television.shown == shown
