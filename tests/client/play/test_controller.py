import asyncio
import os
from collections.abc import Callable
from typing import cast

import pytest
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.server import ServerConnection

from tests.client.conftest import build_room, build_view
from tests.client.play.scripts import (
    LINE,
    MakeRoom,
    RecordedOutput,
    ScriptedPeer,
    Start,
    play,
    seated,
    typed,
)
from ttt_client.model.typed import TypedMove
from ttt_client.model.view import View
from ttt_client.net.session import Ending, Heard, NotConnected, NoTokenStore, RoomSession
from ttt_client.play import controller as controller_module
from ttt_client.play.controller import (
    SAME_COMMAND,
    Recall,
    RoomController,
    kept,
)
from ttt_client.play.events import Typed
from ttt_client.play.frontends import JsonFrontend, PlainFrontend
from ttt_protocol.codec import encode_command, encode_message
from ttt_protocol.commands import Join, Leave, Play, Resign, Say
from ttt_protocol.events import Event, Played
from ttt_protocol.messages import Update, Welcome
from ttt_protocol.state import Mark, Role


async def test_a_lost_move_is_sent_again_if_the_game_is_still_there(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    update: Callable[..., Update],
    recorded: RecordedOutput,
    pipe: tuple[int, int],
) -> None:
    async def losing(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room())) as peer:
            assert await peer.receive() == Play(game=1, ply=0, cell=4)
            connection.transport.abort()

    async def resumed(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room())) as peer:
            assert await peer.receive() == Play(game=1, ply=0, cell=4)
            await peer.send(update(room(moves=(4,), outcome=LINE)))
            await peer.expect_nothing()

    assert await play(
        await scripted(losing, resumed), PlainFrontend(recorded.output), typed(pipe, "5")
    ) == Ending(0)


async def test_a_move_that_was_committed_before_the_loss_is_not_sent_again(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    update: Callable[..., Update],
    recorded: RecordedOutput,
    pipe: tuple[int, int],
) -> None:
    async def losing(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room())) as peer:
            await peer.receive()
            connection.transport.abort()

    async def resumed(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room(moves=(4, 0)))) as peer:
            assert await peer.receive() == Resign(game=1)
            await peer.send(update(room(moves=(4, 0), outcome=LINE)))
            await peer.expect_nothing()

    lines = typed(pipe, "5", "resign")
    assert await play(
        await scripted(losing, resumed), PlainFrontend(recorded.output), lines
    ) == Ending(0)


async def test_a_terminal_answers_at_once_and_quits_at_the_end_of_input(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    recorded: RecordedOutput,
    pipe: tuple[int, int],
) -> None:
    class Watched(PlainFrontend):
        """Types when the welcome is on the recorded."""

        def show_message(self, before: View, heard: Heard, after: View) -> None:
            super().show_message(before, heard, after)
            typed(pipe, "5", "help", "what?", "")

    async def script(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room(moves=(0,)))) as peer:
            await peer.expect_nothing()

    url = await scripted(script)
    end = await play(url, Watched(recorded.output), pipe[0], terminal=True)
    assert end == Ending(0, kept(SAME_COMMAND))
    assert "not your turn: bob (O) is to move" in recorded.lines
    assert "resign           gives the game up" in recorded.lines
    assert '"what?" was not understood; help lists what can be typed' in recorded.lines


async def test_typing_before_the_welcome_is_answered_on_a_terminal(
    scripted: Start, recorded: RecordedOutput, pipe: tuple[int, int]
) -> None:
    async def script(connection: ServerConnection) -> None:
        peer = ScriptedPeer(connection)
        await peer.receive()
        assert await peer.receive() == Leave(), "there was no welcome to keep the seat by"
        await peer.expect_nothing()

    lines = typed(pipe, "5", "quit", end=False)
    url = await scripted(script)
    assert await play(url, PlainFrontend(recorded.output), lines, terminal=True) == Ending(0)
    os.close(pipe[1])
    assert recorded.lines == ["not connected: 5 was not played"]


async def test_leave_gives_the_seat_up(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    recorded: RecordedOutput,
    pipe: tuple[int, int],
) -> None:
    async def script(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room())) as peer:
            assert await peer.receive() == Leave()
            await connection.close(1000)

    url = await scripted(script)
    end = await play(url, PlainFrontend(recorded.output), typed(pipe, "leave"))
    assert end == Ending(0, "you left the room")


async def test_a_watcher_of_two_ais_ends_with_their_last_game(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    update: Callable[..., Update],
    recorded: RecordedOutput,
    pipe: tuple[int, int],
) -> None:
    async def script(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room("rules", "minimax", games=2), None)) as peer:
            await peer.send(update(room("rules", "minimax", games=2, outcome=LINE)))
            await peer.send(update(room("rules", "minimax", games=2, number=2)))
            await peer.send(update(room("rules", "minimax", games=2, number=2, outcome=LINE)))
            await peer.expect_nothing()

    url = await scripted(script)
    lines = typed(pipe, end=False)
    assert await play(url, PlainFrontend(recorded.output), lines, role=Role.SPECTATOR) == Ending(0)
    os.close(pipe[1])


async def test_json_mode_shows_messages_as_they_came_and_sends_lines_as_they_are(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    update: Callable[..., Update],
    recorded: RecordedOutput,
    pipe: tuple[int, int],
) -> None:
    move = '{"type":"play", "id":"m1","game":1,"ply":0,"cell":4}'

    async def script(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room())) as peer:
            assert await connection.recv() == move
            await connection.send('{"type":\n"news"}')
            await peer.send(update(room(moves=(4,), outcome=LINE)))
            await peer.expect_nothing()

    lines = typed(pipe, "nonsense", "", '{"type":"dance"}', move)
    assert await play(await scripted(script), JsonFrontend(recorded.output), lines) == Ending(0)
    assert recorded.lines == [
        encode_message(welcome(room())).decode(),
        '{"type": "news"}',
        encode_message(update(room(moves=(4,), outcome=LINE))).decode(),
    ]
    told = recorded.err.getvalue().splitlines()
    assert told[0].endswith(", line 1 is not sent: this is not JSON")
    assert ", line 3 is not sent: type: must be one of " in told[1]
    assert len(told) == 2


PLAY = Play(game=1, ply=0, cell=4)


async def test_a_line_between_the_connection_and_its_welcome_waits(
    recorded: RecordedOutput, room: MakeRoom, view: Callable[..., View]
) -> None:
    session = RoomSession("ws://127.0.0.1:1", Join())
    session._connection = cast("ClientConnection", object())
    early = RoomController(session, PlainFrontend(recorded.output), terminal=False)
    assert not await early._carry_out(TypedMove("5", number=5))
    assert recorded.lines == []
    early.view = view(room(outcome=LINE))
    assert await early._carry_out(TypedMove("5", number=5))


class Dropping(RoomSession):
    """A session whose connection drops under every command until it is `up`."""

    def __init__(self) -> None:
        super().__init__("ws://127.0.0.1:1", Join())
        self._connection = cast("ClientConnection", object())
        self.up = False
        self.sent: list[str | bytes] = []

    async def send(self, command: str | bytes) -> None:
        if not self.up:
            raise NotConnected
        self.sent.append(command)


@pytest.mark.parametrize("terminal", [True, False])
async def test_what_is_said_while_the_connection_drops_is_said_on_the_next(
    recorded: RecordedOutput, room: MakeRoom, view: Callable[..., View], terminal: bool
) -> None:
    session = Dropping()
    talking = RoomController(session, PlainFrontend(recorded.output), terminal=terminal)
    talking.view = view(room())
    await talking._take(Typed("say hi"))
    await talking._go_on()
    assert talking._waiting
    session.up = True
    await talking._go_on()
    assert not talking._waiting
    assert session.sent == [encode_command(Say(text="hi"))]


async def test_a_move_while_the_connection_drops_is_sent_on_the_next_and_once(
    recorded: RecordedOutput,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    view: Callable[..., View],
) -> None:
    session = Dropping()
    playing = RoomController(session, PlainFrontend(recorded.output), terminal=True)
    playing.view = view(room())
    await playing._take(Typed("5"))
    await playing._go_on()
    assert not playing._waiting
    session.up = True
    await playing._hear(Heard("{}", welcome(room())))
    assert session.sent == [encode_command(PLAY)]


async def heard_first(recorded: RecordedOutput, message: Welcome, recall: Recall) -> list[str]:
    """What is told of the first welcome."""
    controller = RoomController(
        Dropping(), PlainFrontend(recorded.output), terminal=True, recall=recall
    )
    await controller._hear(Heard("{}", message))
    return recorded.lines


async def test_a_running_game_begins_with_what_happened_in_it(
    recorded: RecordedOutput, room: MakeRoom, welcome: Callable[..., Welcome]
) -> None:
    played = Played(seq=1, at=1, game=1, ply=0, seat=Mark.X, cell=4)

    async def recall(_: Welcome) -> list[Event]:
        return [played]

    lines = await heard_first(recorded, welcome(room(moves=(4,))), recall)
    assert "you (X) played 5" in lines


async def test_a_game_that_has_just_begun_has_no_past(
    recorded: RecordedOutput, room: MakeRoom, welcome: Callable[..., Welcome]
) -> None:
    async def recall(_: Welcome) -> list[Event]:
        raise AssertionError("there is nothing to read")

    assert await heard_first(recorded, welcome(room()), recall)


async def test_a_record_that_does_not_come_holds_nothing_up(
    recorded: RecordedOutput,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(controller_module, "RECALL_S", 0)

    async def recall(_: Welcome) -> list[Event]:
        await asyncio.Event().wait()
        return []

    lines = await heard_first(recorded, welcome(room(moves=(4,))), recall)
    assert any("turn" in line for line in lines)


class LostTokenStore(NoTokenStore):
    is_kept = False


@pytest.mark.parametrize(
    ("seen", "tokens", "words"),
    [
        (build_view(build_room()), NoTokenStore(), kept(SAME_COMMAND)),
        (build_view(build_room(outcome=LINE)), NoTokenStore(), None),
        (build_view(build_room(), None), NoTokenStore(), None),
        (build_view(build_room()), LostTokenStore(), None),
    ],
    ids=["a player", "after the game", "a spectator", "a seat that is not remembered"],
)
def test_quitting_tells_of_a_seat_that_is_worth_coming_back_to(
    recorded: RecordedOutput, seen: View, tokens: NoTokenStore, words: str | None
) -> None:
    session = RoomSession("ws://127.0.0.1:1", Join(), tokens)
    quitting = RoomController(session, PlainFrontend(recorded.output), terminal=True)
    quitting.view = seen
    assert quitting._quit() == Ending(0, words)
