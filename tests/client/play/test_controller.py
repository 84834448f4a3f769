import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from io import StringIO
from typing import Any, cast

import pytest
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.server import ServerConnection

from tests.client.conftest import build_room, build_update, build_view
from ttt_client.model.typed import Move
from ttt_client.model.view import View
from ttt_client.net.session import Ending, Heard, NotConnected, NoTokenStore, RoomSession
from ttt_client.play.controller import (
    KEPT,
    MOST_WAITING,
    NO_MORE_INPUT,
    RoomController,
    answers,
    still_unanswered,
)
from ttt_client.play.events import Typed
from ttt_client.play.frontends import Frontend, JsonFrontend, PlainFrontend
from ttt_client.terminal.stdin import StandardInput
from ttt_client.terminal.stdout import Output
from ttt_protocol.codec import decode_command, encode_command, encode_message
from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import AskHint, Claim, Command, Join, Leave, Offer, Play, Resign, Say
from ttt_protocol.messages import Hint, Message, Refused, Said, Update, Welcome
from ttt_protocol.state import OfferKind, Role, RoomState

MakeRoom = Callable[..., RoomState]
Start = Callable[..., Awaitable[str]]
LINE = {"winner": "X", "reason": "line", "line": [0, 1, 2]}
OFFERED = {"type": "offered", "kind": "draw", "seat": "O"}
PLAYED = {"type": "played", "game": 1, "ply": 0, "seat": "X"}


class Screen:
    """A frontend whose lines can be read."""

    def __init__(self) -> None:
        self.out, self.err = StringIO(), StringIO()
        self.output = Output(self.out, self.err, ascii_only=True)

    @property
    def lines(self) -> list[str]:
        return self.out.getvalue().splitlines()


@pytest.fixture
def screen() -> Screen:
    return Screen()


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """What is typed: the reading and the writing end."""
    reader, writer = os.pipe()
    yield reader, writer
    os.close(reader)


def typed(pipe: tuple[int, int], *lines: str, end: bool = True) -> int:
    os.write(pipe[1], "".join(f"{line}\n" for line in lines).encode())
    if end:
        os.close(pipe[1])
    return pipe[0]


async def visit(
    url: str,
    frontend: Frontend,
    descriptor: int,
    *,
    terminal: bool = False,
    role: Role = Role.PLAYER,
) -> Ending:
    async def at_once(_: float) -> None:
        await asyncio.sleep(0)

    session = RoomSession(url, Join(name="ada", role=role), sleep=at_once)
    return await RoomController(session, frontend, terminal=terminal).run(StandardInput(descriptor))


class Peer:
    """The server's side of one connection, in the order of the script."""

    def __init__(self, connection: ServerConnection) -> None:
        self.connection = connection

    async def tell(self, message: Message) -> None:
        await self.connection.send(encode_message(message), text=True)

    async def hear(self) -> Command:
        return decode_command(await self.connection.recv())

    async def silent(self) -> None:
        """Nothing more comes before the client closes."""
        rest = [frame async for frame in self.connection]
        assert rest == []


@asynccontextmanager
async def seated(connection: ServerConnection, welcome: Welcome) -> AsyncIterator[Peer]:
    peer = Peer(connection)
    assert isinstance(await peer.hear(), Join)
    await peer.tell(welcome)
    yield peer


async def test_moves_from_a_pipe_wait_for_their_turn_and_nothing_else_does(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    update: Callable[..., Update],
    screen: Screen,
    pipe: tuple[int, int],
) -> None:
    async def script(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room("ada", None))) as peer:
            assert await peer.hear() == Say(text="hi"), "though it was typed behind a move"
            await peer.tell(update(room()))
            assert await peer.hear() == Play(game=1, ply=0, cell=0)
            await peer.tell(update(room(moves=(0,))))
            await peer.tell(update(room(moves=(0, 3))))
            assert await peer.hear() == Play(game=1, ply=2, cell=1)
            await peer.tell(update(room(moves=(0, 3, 1))))
            await peer.tell(update(room(moves=(0, 3, 1, 4))))
            assert await peer.hear() == Play(game=1, ply=4, cell=2)
            await peer.tell(update(room(moves=(0, 3, 1, 4, 2), outcome=LINE)))
            await peer.silent()

    lines = typed(pipe, "1", "say hi", "2", "3", "9")
    url = await scripted(script)
    assert await visit(url, PlainFrontend(screen.output), lines) == Ending(0)
    assert screen.lines[-1] == "the game is over: 9 is not played"
    assert "you won: a line, 1 2 3" in screen.lines


async def test_a_refused_move_makes_way_for_the_next_line(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    update: Callable[..., Update],
    screen: Screen,
    pipe: tuple[int, int],
) -> None:
    async def script(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room(moves=(0, 1)))) as peer:
            assert await peer.hear() == Play(game=1, ply=2, cell=0)
            taken = RefusalCode.CELL_TAKEN
            await peer.tell(Refused(command="play", code=taken, reason="taken", legal=(4,)))
            assert await peer.hear() == Play(game=1, ply=2, cell=4)
            await peer.tell(update(room(moves=(0, 1, 4), outcome=LINE)))
            await peer.silent()

    assert await visit(
        await scripted(script), PlainFrontend(screen.output), typed(pipe, "1", "5")
    ) == (Ending(0))
    assert "you may play 5" in screen.lines


async def test_a_rematch_from_a_pipe_waits_for_the_end_and_for_its_answer(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    update: Callable[..., Update],
    screen: Screen,
    pipe: tuple[int, int],
) -> None:
    async def script(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room(moves=(0, 1)))) as peer:
            await peer.tell(update(room(moves=(0, 1), outcome=LINE)))
            assert await peer.hear() == Offer(kind=OfferKind.REMATCH)
            await peer.tell(update(room(outcome=LINE, offers={"rematch": "X"})))
            await peer.tell(update(room("bob", "ada", number=2)))
            await peer.tell(update(room("bob", "ada", number=2, moves=(0,))))
            assert await peer.hear() == Play(game=2, ply=1, cell=4)
            await peer.tell(update(room("bob", "ada", number=2, outcome=LINE)))
            await peer.silent()

    lines = typed(pipe, "rematch", "5")
    assert await visit(await scripted(script), PlainFrontend(screen.output), lines) == Ending(0)


def test_an_open_offer_of_a_rematch_is_waited_for_after_the_end_of_input(
    screen: Screen, room: MakeRoom, view: Callable[..., View]
) -> None:
    controller = RoomController(
        RoomSession("ws://127.0.0.1:1", Join()), PlainFrontend(screen.output), terminal=False
    )
    controller._input_ended = True
    controller._view = view(room(outcome=LINE, offers={"rematch": "X"}))
    assert controller._over() is None
    controller._view = view(room(outcome=LINE))
    assert controller._over() == Ending(0)


async def test_a_lost_move_is_sent_again_if_the_game_is_still_there(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    update: Callable[..., Update],
    screen: Screen,
    pipe: tuple[int, int],
) -> None:
    async def losing(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room())) as peer:
            assert await peer.hear() == Play(game=1, ply=0, cell=4)
            connection.transport.abort()

    async def resumed(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room())) as peer:
            assert await peer.hear() == Play(game=1, ply=0, cell=4)
            await peer.tell(update(room(moves=(4,), outcome=LINE)))
            await peer.silent()

    assert await visit(
        await scripted(losing, resumed), PlainFrontend(screen.output), typed(pipe, "5")
    ) == Ending(0)


async def test_a_move_that_was_committed_before_the_loss_is_not_sent_again(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    update: Callable[..., Update],
    screen: Screen,
    pipe: tuple[int, int],
) -> None:
    async def losing(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room())) as peer:
            await peer.hear()
            connection.transport.abort()

    async def resumed(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room(moves=(4, 0)))) as peer:
            assert await peer.hear() == Resign(game=1)
            await peer.tell(update(room(moves=(4, 0), outcome=LINE)))
            await peer.silent()

    lines = typed(pipe, "5", "resign")
    assert await visit(
        await scripted(losing, resumed), PlainFrontend(screen.output), lines
    ) == Ending(0)


async def test_a_terminal_answers_at_once_and_quits_at_the_end_of_input(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    screen: Screen,
    pipe: tuple[int, int],
) -> None:
    class Watched(PlainFrontend):
        """Types when the welcome is on the screen."""

        def show_message(self, before: View, heard: Heard, after: View) -> None:
            super().show_message(before, heard, after)
            typed(pipe, "5", "help", "what?", "")

    async def script(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room(moves=(0,)))) as peer:
            await peer.silent()

    url = await scripted(script)
    end = await visit(url, Watched(screen.output), pipe[0], terminal=True)
    assert end == Ending(0, KEPT)
    assert "not your turn: bob (O) is to move" in screen.lines
    assert "resign           gives the game up" in screen.lines
    assert "that was not understood; help lists what can be typed" in screen.lines


async def test_typing_before_the_welcome_is_answered_on_a_terminal(
    scripted: Start, screen: Screen, pipe: tuple[int, int]
) -> None:
    async def script(connection: ServerConnection) -> None:
        await Peer(connection).hear()
        await Peer(connection).silent()

    lines = typed(pipe, "5", "quit", end=False)
    url = await scripted(script)
    assert await visit(url, PlainFrontend(screen.output), lines, terminal=True) == Ending(0)
    os.close(pipe[1])
    assert screen.lines == ["not connected yet: try again"]


async def test_leave_gives_the_seat_up(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    screen: Screen,
    pipe: tuple[int, int],
) -> None:
    async def script(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room())) as peer:
            assert await peer.hear() == Leave()
            await connection.close(1000)

    url = await scripted(script)
    end = await visit(url, PlainFrontend(screen.output), typed(pipe, "leave"))
    assert end == Ending(0, "you left the room")


@pytest.mark.parametrize(("line", "sent"), [("claim", Claim(game=1)), ("resign", Resign(game=1))])
async def test_a_claim_and_a_resignation_do_not_wait_behind_a_move(
    line: str,
    sent: Command,
    *,
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    update: Callable[..., Update],
    screen: Screen,
    pipe: tuple[int, int],
) -> None:
    async def script(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room(moves=(0,)))) as peer:
            assert await peer.hear() == sent
            await peer.tell(update(room(moves=(0,), outcome=LINE)))
            await peer.silent()

    url = await scripted(script)
    lines = typed(pipe, "5", "help", "what?", line)
    assert await visit(url, PlainFrontend(screen.output), lines) == Ending(0)
    assert screen.lines[-1] == "the game is over: 5 is not played"
    assert "resign           gives the game up" in screen.lines
    assert "that was not understood; help lists what can be typed" in screen.lines


async def test_quit_does_not_wait_behind_a_move(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    screen: Screen,
    pipe: tuple[int, int],
) -> None:
    async def script(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room(moves=(0,)))) as peer:
            assert await peer.hear() == Say(text="bye")
            await peer.silent()

    url = await scripted(script)
    lines = typed(pipe, "5", "say bye", "quit", end=False)
    assert await visit(url, PlainFrontend(screen.output), lines) == Ending(0, KEPT)
    os.close(pipe[1])


async def test_quit_from_a_pipe_lets_the_lines_before_it_out_and_shows_their_answers(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    update: Callable[..., Update],
    screen: Screen,
    pipe: tuple[int, int],
) -> None:
    async def script(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room())) as peer:
            assert await peer.hear() == Play(game=1, ply=0, cell=4)
            await peer.tell(update(room(moves=(4,)), {**PLAYED, "cell": 4}))
            await peer.silent()

    url = await scripted(script)
    lines = typed(pipe, "5", "quit", end=False)
    assert await visit(url, PlainFrontend(screen.output), lines) == Ending(0, KEPT)
    os.close(pipe[1])
    assert "you (X) played 5" in screen.lines


async def test_a_lone_quit_waits_for_nothing(
    scripted: Start, screen: Screen, pipe: tuple[int, int]
) -> None:
    async def script(connection: ServerConnection) -> None:
        await connection.wait_closed()

    url = await scripted(script)
    lines = typed(pipe, "quit", end=False)
    assert await visit(url, PlainFrontend(screen.output), lines) == Ending(0)
    os.close(pipe[1])


async def test_after_the_end_of_input_a_move_still_waits_for_its_turn(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    update: Callable[..., Update],
    screen: Screen,
    pipe: tuple[int, int],
) -> None:
    async def script(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room("ada", None))) as peer:
            await peer.tell(update(room("bob", "ada")))
            await peer.tell(update(room("bob", "ada", moves=(0,))))
            assert await peer.hear() == Play(game=1, ply=1, cell=4)
            await peer.tell(update(room("bob", "ada", moves=(0, 4))))
            await peer.tell(update(room("bob", "ada", moves=(0, 4, 8))))
            await peer.silent()

    url = await scripted(script)
    end = await visit(url, PlainFrontend(screen.output), typed(pipe, "5"))
    assert end == Ending(0, f"{NO_MORE_INPUT}; {KEPT}")
    assert screen.lines[-1] == "your turn, O", "the answer to the last move was shown"


async def test_the_end_of_input_on_your_turn_waits_for_the_answer_to_your_offer(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    update: Callable[..., Update],
    screen: Screen,
    pipe: tuple[int, int],
) -> None:
    async def script(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room())) as peer:
            assert await peer.hear() == Offer(kind=OfferKind.DRAW)
            await peer.tell(update(room(offers={"draw": "X"}), {**OFFERED, "seat": "X"}))
            await peer.tell(update(room(outcome=LINE)))
            await peer.silent()

    url = await scripted(script)
    assert await visit(url, PlainFrontend(screen.output), typed(pipe, "draw")) == Ending(0)


async def test_leave_at_the_end_of_input_ends_as_the_server_says(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    update: Callable[..., Update],
    screen: Screen,
    pipe: tuple[int, int],
) -> None:
    async def script(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room())) as peer:
            assert await peer.hear() == Leave()
            await peer.tell(update(room(), OFFERED))
            await connection.close(1000)

    url = await scripted(script)
    lines = typed(pipe, "leave", "quit")
    end = await visit(url, PlainFrontend(screen.output), lines)
    assert end == Ending(0, "you left the room")


async def test_no_more_lines_are_read_than_may_wait(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    update: Callable[..., Update],
    screen: Screen,
    pipe: tuple[int, int],
) -> None:
    async def script(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room(moves=(0,)))) as peer:
            await peer.tell(update(room(moves=(0, 1))))
            assert await peer.hear() == Play(game=1, ply=2, cell=4)
            assert await peer.hear() == Say(text="hi"), "there is place for a line again"
            await peer.tell(update(room(moves=(0, 1, 4), outcome=LINE)))
            await peer.silent()

    url = await scripted(script)
    lines = typed(pipe, *["5"] * MOST_WAITING, "say hi")
    assert await visit(url, PlainFrontend(screen.output), lines) == Ending(0)
    assert screen.lines.count("the game is over: 5 is not played") == MOST_WAITING - 1


async def test_a_watcher_of_two_ais_ends_with_their_last_game(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    update: Callable[..., Update],
    screen: Screen,
    pipe: tuple[int, int],
) -> None:
    async def script(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room("rules", "minimax", games=2), None)) as peer:
            await peer.tell(update(room("rules", "minimax", games=2, outcome=LINE)))
            await peer.tell(update(room("rules", "minimax", games=2, number=2)))
            await peer.tell(update(room("rules", "minimax", games=2, number=2, outcome=LINE)))
            await peer.silent()

    url = await scripted(script)
    lines = typed(pipe, end=False)
    assert await visit(url, PlainFrontend(screen.output), lines, role=Role.SPECTATOR) == Ending(0)
    os.close(pipe[1])


async def test_json_mode_shows_messages_as_they_came_and_sends_lines_as_they_are(
    scripted: Start,
    room: MakeRoom,
    welcome: Callable[..., Welcome],
    update: Callable[..., Update],
    screen: Screen,
    pipe: tuple[int, int],
) -> None:
    play = '{"type":"play", "id":"m1","game":1,"ply":0,"cell":4}'

    async def script(connection: ServerConnection) -> None:
        async with seated(connection, welcome(room())) as peer:
            assert await connection.recv() == play
            await connection.send('{"type":\n"news"}')
            await peer.tell(update(room(moves=(4,), outcome=LINE)))
            await peer.silent()

    lines = typed(pipe, "nonsense", "", '{"type":"dance"}', play)
    assert await visit(await scripted(script), JsonFrontend(screen.output), lines) == Ending(0)
    assert screen.lines == [
        encode_message(welcome(room())).decode(),
        '{"type": "news"}',
        encode_message(update(room(moves=(4,), outcome=LINE))).decode(),
    ]
    told = screen.err.getvalue().splitlines()
    assert told[0] == "ttt-client: not sent: this is not JSON"
    assert told[1].startswith("ttt-client: not sent: type: must be one of ")
    assert len(told) == 2


PLAY = Play(game=1, ply=0, cell=4)
NO = RefusalCode.RATE_LIMITED


@pytest.mark.parametrize(
    ("message", "command", "answer"),
    [
        (Refused(command="play", code=NO, reason="no"), PLAY, True),
        (Refused(command=None, code=NO, reason="no"), PLAY, True),
        (Refused(command="say", code=NO, reason="no"), PLAY, False),
        (Hint(best=(), values={}, reason=""), AskHint(), True),
        (Hint(best=(), values={}, reason=""), PLAY, False),
        (Said(name="bob", role=Role.PLAYER, text="hi"), PLAY, False),
    ],
)
def test_what_answers_a_command(
    message: Message, command: Command, answer: bool, room: MakeRoom, view: Callable[..., View]
) -> None:
    assert answers(message, command, view(room())) is answer


@pytest.mark.parametrize(
    ("command", "after", "answer"),
    [
        (PLAY, {}, False),
        (PLAY, {"moves": (4,)}, True),
        (PLAY, {"outcome": LINE}, True),
        (PLAY, {"number": 2}, True),
        (Resign(game=1), {"moves": (4,)}, False),
        (Resign(game=1), {"outcome": LINE}, True),
        (Claim(game=1), {"number": 2}, True),
        (Offer(kind=OfferKind.DRAW), {}, True),
    ],
)
def test_an_update_of_something_else_is_no_answer(
    command: Command,
    after: dict[str, Any],
    answer: bool,
    room: MakeRoom,
    view: Callable[..., View],
    update: Callable[..., Update],
) -> None:
    now = room(**after)
    assert answers(update(now, OFFERED), command, view(now)) is answer
    assert answers(update(now), command, view(now))


def test_one_refusal_answers_one_command(room: MakeRoom, view: Callable[..., View]) -> None:
    asked: list[Command] = [AskHint(), PLAY, AskHint(), PLAY]
    seen = view(room(moves=(4,)))
    refused = Refused(command="hint", code=NO, reason="no")
    assert still_unanswered(asked, refused, seen) == [PLAY, AskHint(), PLAY]
    hint = Hint(best=(), values={}, reason="")
    assert still_unanswered(asked, hint, seen) == [PLAY, PLAY]
    assert still_unanswered(asked, build_update(room(moves=(4,))), seen) == []


async def test_a_line_that_comes_between_the_link_and_the_welcome_waits(
    screen: Screen, room: MakeRoom, view: Callable[..., View]
) -> None:
    session = RoomSession("ws://127.0.0.1:1", Join())
    session._connection = cast("ClientConnection", object())
    early = RoomController(session, PlainFrontend(screen.output), terminal=False)
    assert not await early._carry_out(Move("5", number=5))
    assert screen.lines == []
    early._view = view(room(outcome=LINE))
    assert await early._carry_out(Move("5", number=5))


class Dropping(RoomSession):
    """A session whose line drops under what is sent, until it is `up` again."""

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
async def test_what_is_said_while_the_line_drops_is_said_on_the_next(
    screen: Screen, room: MakeRoom, view: Callable[..., View], terminal: bool
) -> None:
    session = Dropping()
    talking = RoomController(session, PlainFrontend(screen.output), terminal=terminal)
    talking._view = view(room())
    await talking._take(Typed("say hi"))
    await talking._go_on()
    assert talking._waiting
    session.up = True
    await talking._go_on()
    assert not talking._waiting
    assert session.sent == [encode_command(Say(text="hi"))]


async def test_a_move_while_the_line_drops_is_sent_on_the_next_and_once(
    screen: Screen, room: MakeRoom, welcome: Callable[..., Welcome], view: Callable[..., View]
) -> None:
    session = Dropping()
    playing = RoomController(session, PlainFrontend(screen.output), terminal=True)
    playing._view = view(room())
    await playing._take(Typed("5"))
    await playing._go_on()
    assert not playing._waiting
    session.up = True
    await playing._hear(Heard("{}", welcome(room())))
    assert session.sent == [encode_command(PLAY)]


class LostTokenStore(NoTokenStore):
    is_kept = False


@pytest.mark.parametrize(
    ("seen", "tokens", "words"),
    [
        (build_view(build_room()), NoTokenStore(), KEPT),
        (build_view(build_room(outcome=LINE)), NoTokenStore(), None),
        (build_view(build_room(), None), NoTokenStore(), None),
        (build_view(build_room()), LostTokenStore(), None),
    ],
    ids=["a player", "after the game", "a spectator", "a seat that is not remembered"],
)
def test_who_quits_is_told_of_a_seat_that_is_worth_coming_back_to(
    screen: Screen, seen: View, tokens: NoTokenStore, words: str | None
) -> None:
    session = RoomSession("ws://127.0.0.1:1", Join(), tokens)
    quitting = RoomController(session, PlainFrontend(screen.output), terminal=True)
    quitting._view = seen
    assert quitting._quit() == Ending(0, words)
