import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from io import StringIO
from typing import Literal

import pytest
from websockets.asyncio.server import ServerConnection

from tests.client.conftest import (
    SEATS,
    Script,
    build_room,
    build_summary,
    build_update,
    build_welcome,
)
from ttt_client.model.view import View
from ttt_client.net.address import parse_server
from ttt_client.net.session import Ending, Heard, Reporter, RoomSession
from ttt_client.play.events import EventQueue, Typed
from ttt_client.play.frontends import PlainFrontend
from ttt_client.play.television import (
    NONE_PLAYING,
    Spectating,
    TelevisionSession,
    television_session,
)
from ttt_client.terminal.stdin import StandardInput
from ttt_client.terminal.stdout import Output
from ttt_protocol.codec import encode_message
from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import Join
from ttt_protocol.messages import Message, Presence, Refused, Rooms, Update, Welcome
from ttt_protocol.state import BySeat, Role, RoomName, RoomState, Status, Summary

MakeRoom = Callable[..., RoomState]
Start = Callable[..., Awaitable[str]]
LINE = {"winner": "X", "reason": "line", "line": [0, 1, 2]}


async def tell(connection: ServerConnection, *rooms: Summary) -> None:
    await connection.send(encode_message(Rooms(rooms=rooms)), text=True)


def frontend() -> tuple[PlainFrontend, StringIO]:
    out = StringIO()
    return PlainFrontend(Output(out, StringIO(), ascii_only=True)), out


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
        await tell(connection, build_summary("den", spectators=2), build_summary("attic"))
        await connection.wait_closed()

    async def den(connection: ServerConnection) -> None:
        await connection.recv()
        await connection.send(encode_message(welcome(room(), None)), text=True)
        await connection.send(encode_message(update(room(outcome=LINE))), text=True)
        await connection.wait_closed()

    async def second_lobby(connection: ServerConnection) -> None:
        await tell(connection, build_summary("den", status=Status.FINISHED), build_summary("attic"))
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
    assert "there is no room yet; quit ends the program" in shown
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

    async def run(self, tell: Reporter) -> Ending:
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
        rooms = Rooms(rooms=(build_summary("den", spectators=2), build_summary("attic")))

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


def away(*seats: str) -> dict[str, object]:
    """Return the seats of a room, with these players away."""
    found: dict[str, object] = {}
    for seat, name in (("X", "ada"), ("O", "bob")):
        found[seat] = {**SEATS[name], "connected": seat not in seats}  # type: ignore[dict-item]
    return found


async def dull(
    url: str, *, livelier: bool = False, quiet_s: float = 60, deserted_s: float = 60
) -> tuple[Ending, int]:
    """Watch until the room is dull; return the end, and how often other rooms were looked at."""
    looks = 0

    async def elsewhere() -> bool:
        nonlocal looks
        looks += 1
        return livelier or looks > 2

    session = TelevisionSession(url, Join(role=Role.SPECTATOR), elsewhere)
    session.deserted_s, session.quiet_s = deserted_s, quiet_s

    async def nothing(_: object) -> None:
        """Show nothing."""

    async with asyncio.timeout(10):
        return await session.run(nothing), looks


def showing(*messages: Message) -> Script:
    async def script(connection: ServerConnection) -> None:
        await connection.recv()
        for message in messages:
            await connection.send(encode_message(message), text=True)
        await connection.wait_closed()

    return script


async def test_a_room_without_players_is_left(scripted: Start) -> None:
    gone = Presence(seats=BySeat[bool](X=False, O=False), spectators=1)
    url = await scripted(showing(build_welcome(build_room(), None), gone))
    assert await dull(url, deserted_s=0.05) == (Ending(0, "the players are gone"), 0)


async def test_a_room_with_one_player_or_two_ais_is_not_deserted(scripted: Start) -> None:
    one = build_room(seats=away("X"))
    url = await scripted(
        showing(build_welcome(one, None)),
        showing(build_welcome(build_room("rules", "minimax"), None)),
    )
    for _ in range(2):
        end, looks = await dull(url, deserted_s=0.001, quiet_s=0.05, livelier=True)
        assert (end, looks) == (Ending(0, "no move for a while"), 1)


async def test_a_quiet_room_is_left_only_for_a_livelier_one(scripted: Start) -> None:
    gone = build_welcome(build_room(seats=away("X", "O")), None)
    back = build_update(build_room(moves=(4,)))
    url = await scripted(showing(gone, back))
    assert await dull(url, quiet_s=0.05) == (Ending(0, "no move for a while"), 3)


async def test_the_list_of_the_server_tells_what_is_livelier(
    pages: Callable[..., str], answer: Callable[..., bytes]
) -> None:
    listed = [
        json.loads(build_summary("den", changed_at=5).to_json().decode()),
        json.loads(build_summary("attic", changed_at=7, deserted=True).to_json().decode()),
    ]
    later = json.loads(build_summary("hall", changed_at=6).to_json().decode())

    async def look(rooms: object, room: str = "den") -> bool:
        address = pages({"/api/rooms": answer(json.dumps(rooms))})
        join = Join(role=Role.SPECTATOR)
        session = television_session(parse_server(address), RoomName(room), join)
        return await session._elsewhere()

    assert not await look({"rooms": listed})
    assert await look({"rooms": [*listed, later]})
    assert not await look({"rooms": [*listed, later]}, "hall")
    assert await look({"rooms": listed}, "gone")
    assert not await look({"rooms": 5})
    assert not await look([])
