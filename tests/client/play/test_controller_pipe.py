"""The input from a pipe or a file: what waits, and when the client ends."""

import asyncio
import os
from collections.abc import Callable

import pytest
from websockets.asyncio.server import ServerConnection

from tests.client.play.scripts import (
    LINE,
    OFFERED,
    PLAYED,
    MakeRoom,
    RecordedOutput,
    Start,
    play,
    seated,
    typed,
)
from ttt_client.model.view import View
from ttt_client.net.session import Ending, RoomSession
from ttt_client.play import controller
from ttt_client.play.controller import (
    NO_MORE_INPUT,
    SAME_COMMAND,
    RoomController,
    kept,
)
from ttt_client.play.frontends import PlainFrontend
from ttt_protocol.codes import Choice, CloseCode, RefusalCode
from ttt_protocol.commands import Choose, Claim, Command, Join, Leave, Offer, Play, Resign, Say
from ttt_protocol.messages import Refused, Said, Update, Welcome
from ttt_protocol.state import OfferKind, Role


async def test_moves_from_a_pipe_wait_for_their_turn_and_nothing_else_does(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    update: Callable[..., Update],
    recorded: RecordedOutput,
    pipe: tuple[int, int],
) -> None:
    async def script(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room("ada", None))) as peer:
            assert await peer.receive() == Say(text="hi"), "though it was typed behind a move"
            await peer.send(Said(name="me", role=Role.PLAYER, text="hi"))
            await peer.send(update(room()))
            assert await peer.receive() == Play(game=1, ply=0, cell=0)
            await peer.send(update(room(moves=(0,))))
            await peer.send(update(room(moves=(0, 3))))
            assert await peer.receive() == Play(game=1, ply=2, cell=1)
            await peer.send(update(room(moves=(0, 3, 1))))
            await peer.send(update(room(moves=(0, 3, 1, 4))))
            assert await peer.receive() == Play(game=1, ply=4, cell=2)
            await peer.send(update(room(moves=(0, 3, 1, 4, 2), outcome=LINE)))
            await peer.expect_nothing()

    lines = typed(pipe, "1", "say hi", "2", "3", "9")
    url = await scripted(script)
    assert await play(url, PlainFrontend(recorded.output), lines) == Ending(0)
    assert recorded.lines[-1] == "the game is over: 9 is not played"
    assert "you won: a line, 1 2 3" in recorded.lines


async def test_a_refused_move_makes_way_for_the_next_line(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    update: Callable[..., Update],
    recorded: RecordedOutput,
    pipe: tuple[int, int],
) -> None:
    async def script(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room(moves=(0, 1)))) as peer:
            assert await peer.receive() == Play(game=1, ply=2, cell=2)
            off = RefusalCode.OUT_OF_BOARD
            await peer.send(Refused(command="play", code=off, reason="off", legal=(4,)))
            assert await peer.receive() == Play(game=1, ply=2, cell=4)
            await peer.send(update(room(moves=(0, 1, 4), outcome=LINE)))
            await peer.expect_nothing()

    assert await play(
        await scripted(script), PlainFrontend(recorded.output), typed(pipe, "1", "3", "5")
    ) == (Ending(0))
    assert "1 is taken: free are 3, 4, 5, 6, 7, 8, 9" in recorded.lines, "without the server"
    assert "you may play 5" in recorded.lines


async def test_a_rematch_from_a_pipe_waits_for_the_end_and_for_its_answer(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    update: Callable[..., Update],
    recorded: RecordedOutput,
    pipe: tuple[int, int],
) -> None:
    async def script(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room(moves=(0, 1)))) as peer:
            await peer.send(update(room(moves=(0, 1), outcome=LINE)))
            assert await peer.receive() == Offer(kind=OfferKind.REMATCH)
            await peer.send(update(room(outcome=LINE, offers={"rematch": "X"})))
            await peer.send(update(room("bob", "ada", number=2)))
            await peer.send(update(room("bob", "ada", number=2, moves=(0,))))
            assert await peer.receive() == Play(game=2, ply=1, cell=4)
            await peer.send(update(room("bob", "ada", number=2, moves=(0, 4), outcome=LINE)))
            await peer.expect_nothing()

    lines = typed(pipe, "rematch", "5")
    assert await play(await scripted(script), PlainFrontend(recorded.output), lines) == Ending(0)


def test_an_open_offer_of_a_rematch_is_waited_for_after_the_end_of_input(
    recorded: RecordedOutput, room: MakeRoom, view: Callable[..., View]
) -> None:
    controller = RoomController(
        RoomSession("ws://127.0.0.1:1", Join()), PlainFrontend(recorded.output), terminal=False
    )
    controller._input_ended = True
    controller.view = view(room(outcome=LINE, offers={"rematch": "X"}))
    assert controller._over() is None
    controller.view = view(room(outcome=LINE))
    assert controller._over() == Ending(0)


@pytest.mark.parametrize(
    ("line", "sent"),
    [
        ("resign", Resign(game=1)),
        ("draw", Offer(kind=OfferKind.DRAW)),
        ("takeback", Offer(kind=OfferKind.TAKEBACK)),
    ],
)
async def test_a_resignation_and_offers_do_not_overtake_moves(
    line: str,
    sent: Command,
    *,
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    update: Callable[..., Update],
    recorded: RecordedOutput,
    pipe: tuple[int, int],
) -> None:
    async def script(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room(moves=(0,)))) as peer:
            await peer.send(update(room(moves=(0, 3))))
            assert await peer.receive() == Play(game=1, ply=2, cell=4)
            await peer.send(update(room(moves=(0, 3, 4))))
            await peer.send(update(room(moves=(0, 3, 4, 5))))
            assert await peer.receive() == Play(game=1, ply=4, cell=8)
            assert await peer.receive() == sent
            await connection.close(CloseCode.ROOM_CLOSED)

    lines = typed(pipe, "5", "9", line)
    end = await play(await scripted(script), PlainFrontend(recorded.output), lines)
    assert end == Ending(0, "the room was closed")


async def test_a_claim_does_not_wait_behind_a_move(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    update: Callable[..., Update],
    recorded: RecordedOutput,
    pipe: tuple[int, int],
) -> None:
    async def script(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room(moves=(0,)))) as peer:
            assert await peer.receive() == Claim(game=1)
            await peer.send(update(room(moves=(0,), outcome=LINE)))
            await peer.expect_nothing()

    url = await scripted(script)
    lines = typed(pipe, "5", "help", "what?", "claim")
    assert await play(url, PlainFrontend(recorded.output), lines) == Ending(0)
    assert recorded.lines[-1] == "the game is over: 5 is not played"
    assert "resign           gives the game up" in recorded.lines
    assert '"what?" was not understood; help lists what can be typed' in recorded.lines


async def test_quit_does_not_wait_behind_a_move(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    recorded: RecordedOutput,
    pipe: tuple[int, int],
) -> None:
    async def script(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room(moves=(0,)))) as peer:
            assert await peer.receive() == Say(text="bye")
            await peer.send(Said(name="me", role=Role.PLAYER, text="bye"))
            await peer.expect_nothing()

    url = await scripted(script)
    lines = typed(pipe, "5", "board", "say bye", "quit", end=False)
    assert await play(url, PlainFrontend(recorded.output), lines) == Ending(0, kept(SAME_COMMAND))
    os.close(pipe[1])
    assert recorded.lines[-2] == "me: bye", "the answer to what was said is waited for"
    assert recorded.lines[-1] == "not played: 5"
    assert recorded.lines.count("[X]| 2 | 3") == 2, "the board that was asked for, too"


async def test_quit_from_a_pipe_lets_the_lines_before_it_out_and_shows_their_answers(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    update: Callable[..., Update],
    recorded: RecordedOutput,
    pipe: tuple[int, int],
) -> None:
    async def script(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room())) as peer:
            assert await peer.receive() == Play(game=1, ply=0, cell=4)
            await peer.send(update(room(moves=(4,)), {**PLAYED, "cell": 4}))
            await peer.expect_nothing()

    url = await scripted(script)
    lines = typed(pipe, "5", "quit", end=False)
    assert await play(url, PlainFrontend(recorded.output), lines) == Ending(0, kept(SAME_COMMAND))
    os.close(pipe[1])
    assert "you (X) played 5" in recorded.lines


async def test_a_lone_quit_waits_for_the_welcome_which_keeps_the_seat(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    recorded: RecordedOutput,
    pipe: tuple[int, int],
) -> None:
    async def script(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room())) as peer:
            await peer.expect_nothing()

    url = await scripted(script)
    lines = typed(pipe, "quit", end=False)
    end = await play(url, PlainFrontend(recorded.output), lines)
    assert end == Ending(0, kept(SAME_COMMAND))
    os.close(pipe[1])


async def test_after_the_end_of_input_a_move_still_waits_for_its_turn(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    update: Callable[..., Update],
    recorded: RecordedOutput,
    pipe: tuple[int, int],
) -> None:
    async def script(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room("ada", None))) as peer:
            await peer.send(update(room("bob", "ada")))
            await peer.send(update(room("bob", "ada", moves=(0,))))
            assert await peer.receive() == Play(game=1, ply=1, cell=4)
            await peer.send(update(room("bob", "ada", moves=(0, 4))))
            await peer.send(update(room("bob", "ada", moves=(0, 4, 8))))
            await peer.expect_nothing()

    url = await scripted(script)
    end = await play(url, PlainFrontend(recorded.output), typed(pipe, "5"))
    assert end == Ending(0, f"{NO_MORE_INPUT}; {kept(SAME_COMMAND)}")
    assert recorded.lines[-1] == "your turn, O", "the answer to the last move was shown"


async def test_the_end_of_input_on_your_turn_waits_for_the_answer_to_your_offer(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    update: Callable[..., Update],
    recorded: RecordedOutput,
    pipe: tuple[int, int],
) -> None:
    async def script(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room())) as peer:
            assert await peer.receive() == Offer(kind=OfferKind.DRAW)
            await peer.send(update(room(offers={"draw": "X"}), {**OFFERED, "seat": "X"}))
            await peer.send(update(room(outcome=LINE)))
            await peer.expect_nothing()

    url = await scripted(script)
    assert await play(url, PlainFrontend(recorded.output), typed(pipe, "draw")) == Ending(0)


async def test_leave_at_the_end_of_input_ends_as_the_server_says(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    update: Callable[..., Update],
    recorded: RecordedOutput,
    pipe: tuple[int, int],
) -> None:
    async def script(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room())) as peer:
            assert await peer.receive() == Leave()
            await peer.send(update(room(), OFFERED))
            await connection.close(1000)

    url = await scripted(script)
    lines = typed(pipe, "leave", "quit")
    end = await play(url, PlainFrontend(recorded.output), lines)
    assert end == Ending(0, "you left the room")


async def test_no_more_lines_are_read_than_may_wait(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    update: Callable[..., Update],
    recorded: RecordedOutput,
    pipe: tuple[int, int],
) -> None:
    most_waiting = 20

    async def script(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room(moves=(0,)))) as peer:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.2):  # time enough to read one line more, if it did
                    await peer.receive()
            await peer.send(update(room(moves=(0, 1))))
            assert await peer.receive() == Play(game=1, ply=2, cell=4)
            assert await peer.receive() == Say(text="hi"), "there is place for a line again"
            await peer.send(Said(name="me", role=Role.PLAYER, text="hi"))
            await peer.send(update(room(moves=(0, 1, 4), outcome=LINE)))
            await peer.expect_nothing()

    url = await scripted(script)
    lines = typed(pipe, *["5"] * most_waiting, "say hi")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(controller, "MOST_WAITING", most_waiting)
        assert await play(url, PlainFrontend(recorded.output), lines) == Ending(0)
    assert recorded.lines.count("the game is over: 5 is not played") == most_waiting - 1


async def test_a_choice_overtakes_a_move_that_waits_for_it(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    update: Callable[..., Update],
    recorded: RecordedOutput,
    pipe: tuple[int, int],
) -> None:
    async def script(connection: ServerConnection) -> None:
        fields = {"moves": (4,), "opening": "pie"}
        choosing = room(**fields, choosing="O", choices=("stay", "swap"))
        async with seated(connection, welcome(choosing, "O")) as peer:
            assert await peer.receive() == Choose(game=1, ply=1, choice=Choice.STAY)
            chosen = {"type": "chosen", "game": 1, "ply": 1, "seat": "O", "choice": "stay"}
            await peer.send(update(room(**fields), chosen))
            assert await peer.receive() == Play(game=1, ply=1, cell=0)
            over = {"winner": "X", "reason": "resignation"}
            await peer.send(update(room(moves=(4, 0), outcome=over)))
            await peer.expect_nothing()

    url = await scripted(script)
    assert await play(url, PlainFrontend(recorded.output), typed(pipe, "1", "stay")) == Ending(0)
    assert "you (O) chose to stay" in recorded.lines
