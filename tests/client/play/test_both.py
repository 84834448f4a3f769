"""Two sessions of one keyboard, with a scripted server on the other side of both."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from websockets.asyncio.server import ServerConnection

from tests.client.conftest import build_room, build_update, build_welcome
from tests.client.play.scripts import ScriptedPeer, seated
from ttt_client.model.view import View, fold
from ttt_client.net.session import Ending, Heard, Note, RoomSession
from ttt_client.net.tokens import SeatTokenFile
from ttt_client.play.rooms import SharedSession
from ttt_protocol.codec import encode_command
from ttt_protocol.commands import Accept, Command, Join, Leave, Play
from ttt_protocol.state import OfferKind, RoomName

Start = Callable[..., Awaitable[str]]
MOVE = Play(game=1, ply=0, cell=4)
ANSWER = Play(game=1, ply=1, cell=0)


async def test_a_command_goes_over_the_connection_of_the_seat_that_it_is_for(
    scripted: Start,
) -> None:
    moved, answered = asyncio.Event(), asyncio.Event()

    async def first(connection: ServerConnection) -> None:
        async with seated(connection, build_welcome(build_room())) as peer:
            assert await peer.receive() == MOVE
            await peer.send(build_update(build_room(moves=(4,))))
            moved.set()
            await answered.wait()
            await peer.send(build_update(build_room(moves=(4, 0), offers={"draw": "X"})))
            await connection.wait_closed()

    async def second(connection: ServerConnection) -> None:
        async with seated(connection, build_welcome(build_room(), "O")) as peer:
            await moved.wait()
            # What the first is told already is not told again.
            await peer.send(build_update(build_room(moves=(4,))))
            assert await peer.receive() == ANSWER
            answered.set()
            assert await peer.receive() == Accept(kind=OfferKind.DRAW)
            await connection.close(1000)

    url = await scripted(first, second)
    both = SharedSession(RoomSession(url, Join(name="ada")), RoomSession(url, Join(name="bob")))
    view, reports = View(is_shared=True), 0
    waiting: list[Command] = [MOVE, ANSWER, Accept(kind=OfferKind.DRAW)]

    async def report(event: Heard | Note) -> None:
        nonlocal view, reports
        assert isinstance(event, Heard)
        assert event.message is not None
        view, reports = fold(view, event.message), reports + 1
        if view.partner is not None and both.connected:
            command = waiting.pop(0)
            await both.send(encode_command(command))

    assert await both.run(report) == Ending(0, "the server ended the connection") or not waiting
    assert (reports, waiting) == (4, [])
    assert not both.connected
    both.retry_now()
    assert (both.is_kept, both.trouble) == (True, None)


async def test_a_move_that_is_sent_again_is_the_same_players(scripted: Start) -> None:
    async def first(connection: ServerConnection) -> None:
        async with seated(connection, build_welcome(build_room())) as peer:
            assert await peer.receive() == MOVE
            await peer.send(build_update(build_room(moves=(4,))))  # now the other is to move
            assert await peer.receive() == MOVE
            await connection.close(1000)

    async def second(connection: ServerConnection) -> None:
        async with seated(connection, build_welcome(build_room(), "O")):
            await connection.wait_closed()

    url = await scripted(first, second)
    both = SharedSession(RoomSession(url, Join(name="ada")), RoomSession(url, Join(name="bob")))
    view = View(is_shared=True)

    async def report(event: Heard | Note) -> None:
        nonlocal view
        assert isinstance(event, Heard)
        assert event.message is not None
        view = fold(view, event.message)
        if view.partner is not None:
            await both.send(encode_command(MOVE))

    await both.run(report)
    assert view.game is not None
    assert view.game.ply == 1


async def test_the_end_of_one_is_the_end_of_both(scripted: Start) -> None:
    async def closing(connection: ServerConnection) -> None:
        await ScriptedPeer(connection).receive()
        await connection.close(4001)

    url = await scripted(closing)
    both = SharedSession(RoomSession(url, Join(name="ada")), RoomSession(url, Join(name="bob")))

    async def report(event: Heard | Note) -> None:
        raise AssertionError(event)

    assert (await both.run(report)).code == 1


async def test_leaving_waits_for_the_answers_to_both(scripted: Start, tmp_path: Path) -> None:
    async def first(connection: ServerConnection) -> None:
        async with seated(connection, build_welcome(build_room())) as peer:
            assert await peer.receive() == Leave()
            await connection.close(1000)

    async def second(connection: ServerConnection) -> None:
        async with seated(connection, build_welcome(build_room(), "O")) as peer:
            assert await peer.receive() == Leave()
            await asyncio.sleep(0.1)  # the answer to the first comes before
            await connection.close(1000)

    url = await scripted(first, second)
    den = RoomName("den")
    with (
        SeatTokenFile(tmp_path, url, den, "ada") as ada,
        SeatTokenFile(tmp_path, url, den, "bob") as bob,
    ):
        both = SharedSession(
            RoomSession(url, Join(name="ada"), ada), RoomSession(url, Join(name="bob"), bob)
        )

        async def report(_: Heard | Note) -> None:
            if both.connected and bob.is_kept:
                await both.leave()

        assert await both.run(report) == Ending(0, "you left the room")
    assert (ada.has_seat, bob.has_seat) == (False, False)
