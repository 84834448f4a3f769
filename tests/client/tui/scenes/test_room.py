"""A room on a screen in memory, with a scripted server on the other side."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from websockets.asyncio.server import ServerConnection

from tests.client.conftest import build_room, build_update, build_welcome
from tests.client.tui.conftest import Window
from tests.client.tui.pictures import GOMOKU, NOW, away, screen_of
from ttt_client.model.view import View
from ttt_client.net.session import Ending, Heard, Note, RoomSession
from ttt_client.tui.draw.canvas import Size
from ttt_client.tui.model.screen import ScreenState
from ttt_client.tui.scenes.room import RoomScene
from ttt_client.tui.scenes.scene import Stage
from ttt_protocol.codec import encode_message
from ttt_protocol.commands import Join, Play
from ttt_protocol.messages import Message, Rooms

Start = Callable[..., Awaitable[str]]
Open = Callable[..., Window]


KEY = "k" * 16


class ScriptedPeer:
    """The server's side of a connection."""

    def __init__(self, connection: ServerConnection) -> None:
        self.connection = connection

    async def send(self, message: Message) -> None:
        await self.connection.send(encode_message(message), text=True)

    async def hears(self, type_: str, **fields: object) -> None:
        heard = json.loads(await self.connection.recv())
        assert heard == {"type": type_, **fields}


async def play(window: Window, url: str) -> Ending:
    """Play on the window until it ends."""

    async def at_once(_: float) -> None:
        await asyncio.sleep(0)

    stage = Stage(window.shell.changed, asyncio.get_running_loop().time)
    scene = RoomScene(ScreenState("den", "here"), stage)
    session = RoomSession(url, Join(name="ada", claim_key=KEY), sleep=at_once)

    async def stay() -> Ending:
        end, _ = await scene.stay(session)
        return end

    return await window.shell.run(scene, stay())


async def run(window: Window, url: str, inputs: Callable[[Window], Awaitable[None]]) -> Ending:
    """Play while `inputs` types and looks."""
    visiting = asyncio.create_task(play(window, url))
    try:
        await inputs(window)
        async with asyncio.timeout(20):
            return await visiting
    finally:
        visiting.cancel()
        await asyncio.gather(visiting, return_exceptions=True)


async def test_a_move_by_number_by_name_by_cursor_and_by_mouse(
    scripted: Start, open_window: Open
) -> None:
    async def script(connection: ServerConnection) -> None:
        peer = ScriptedPeer(connection)
        await peer.hears("join", name="ada", claim_key=KEY)
        await peer.send(build_welcome(build_room()))
        moves: tuple[int, ...] = ()
        for cell, answer in [(4, 0), (1, 2), (3, 5), (7, None)]:
            await peer.hears("play", game=1, ply=len(moves), cell=cell)
            moves = (*moves, cell)
            await peer.send(build_update(build_room(moves=moves)))
            if answer is not None:
                moves = (*moves, answer)
                await peer.send(build_update(build_room(moves=moves)))
        await connection.wait_closed()

    async def inputs(window: Window) -> None:
        await window.shows("YOUR TURN (X)")
        window.type("5")
        await window.shows("last move: O at 1", "YOUR TURN")
        window.type("b1")
        await window.shows("last move: O at 3", "YOUR TURN")
        window.type("hj\r")
        await window.shows("last move: O at 6", "YOUR TURN")
        window.type("l")  # a click right after a move would belong to it
        window.click("     8")
        await window.shows("last move: X at 8", "bob's turn (O)")
        window.type("qy")

    end = await run(open_window(), await scripted(script), inputs)
    assert (end.code, "your seat is kept" in (end.words or "")) == (0, True)


@pytest.mark.parametrize(("keys", "code"), [("\x03", 130), ("\x04", 0)], ids=["ctrl-c", "ctrl-d"])
async def test_it_ends_at_once(scripted: Start, open_window: Open, keys: str, code: int) -> None:
    async def script(connection: ServerConnection) -> None:
        await ScriptedPeer(connection).send(build_welcome(build_room()))
        await connection.wait_closed()

    async def inputs(window: Window) -> None:
        await window.shows("YOUR TURN")
        window.type(keys)

    window = open_window()
    end = await run(window, await scripted(script), inputs)
    assert end.code == code
    assert window.terminal.written.rstrip().endswith("\x1b[?25h")


@pytest.mark.parametrize(
    "noise",
    ["\x1b[31m", "\x1b[M0!!", "\x1b[<0;1;1;1M", "\x1b[<;M", f"\x1b[<0;{'9' * 5000};1M"],
    ids=["colour", "unknown button", "four numbers", "no number", "a long number"],
)
async def test_what_only_looks_like_the_mouse_does_no_harm(
    scripted: Start, open_window: Open, noise: str
) -> None:
    async def script(connection: ServerConnection) -> None:
        await ScriptedPeer(connection).send(build_welcome(build_room()))
        await connection.wait_closed()

    async def inputs(window: Window) -> None:
        await window.shows("YOUR TURN")
        window.type(noise)
        window.type("?")
        await window.shows("Enter, Space")
        window.type("\x04\x04")

    assert (await run(open_window(), await scripted(script), inputs)).code == 0


class SceneDriver:
    """A scene without a screen, at a fixed time."""

    def __init__(self, shown: ScreenState) -> None:
        self.changes = 0
        self.changed = asyncio.Event()
        self.scene = RoomScene(shown, Stage(self.change, lambda: NOW))

    def change(self) -> None:
        self.changes += 1
        self.changed.set()

    @property
    def text(self) -> str:
        return self.scene.draw(Size(80, 24), NOW).text


async def test_time_makes_nothing_of_a_letter() -> None:
    driver = SceneDriver(screen_of(build_room(rules=GOMOKU)))
    driver.scene.press("d", NOW)
    driver.scene.tick(NOW + 3600)
    assert "d_" in driver.text


async def test_it_wakes_to_say_that_an_answer_has_not_come() -> None:
    driver = SceneDriver(screen_of(build_room()))
    driver.scene.show_sent([Play(game=1, ply=0, cell=4)])
    assert "(x)" not in driver.text, "the answer may come as soon"
    assert driver.scene.tick(NOW) == pytest.approx(0.05)
    assert "(x)" in driver.scene.draw(Size(80, 24), NOW + 0.06).text
    assert driver.scene.tick(NOW + 1) == 2
    assert driver.scene.tick(NOW + 3) == 1
    assert "sent, waiting 4 s..." in driver.scene.draw(Size(80, 24), NOW + 4).text
    driver.scene.show_sent([])
    assert "(x)" not in driver.text


async def test_it_wakes_to_say_that_the_server_is_silent() -> None:
    driver = SceneDriver(screen_of(build_room()))
    assert driver.scene.tick(NOW) == 7
    assert driver.scene.tick(NOW + 8) == 1
    assert "silent 8 s" in driver.scene.draw(Size(80, 24), NOW + 8).text


@pytest.mark.parametrize(
    ("left_ms", "wait_s"), [(65_000, 0.005), (64_700, 0.705), (9_950, 0.055), (0, 0.005)]
)
async def test_it_wakes_when_the_clock_shows_something_else(left_ms: int, wait_s: float) -> None:
    clock = {"X": left_ms, "O": 1, "running": "X"}
    driver = SceneDriver(screen_of(build_room(clock=clock)))
    assert driver.scene.tick(NOW) == pytest.approx(max(0.02, wait_s))


async def test_it_wakes_every_second_while_a_player_is_away_or_the_connection_is_lost() -> None:
    assert SceneDriver(away()).scene.tick(NOW) == 1
    driver = SceneDriver(screen_of(build_room()))
    assert driver.scene.tick(NOW) == 7
    driver.scene.show_connection(Note("gone", 2.4))
    assert driver.scene.tick(NOW) == 1
    assert "lost, trying again in 3 s" in driver.text


async def test_words_are_shown_and_what_is_not_understood_is_said() -> None:
    driver = SceneDriver(screen_of(build_room()))
    driver.scene.show_connection(Note("the remembered seat is gone; joining again"))
    assert "joining again" in driver.text
    assert driver.scene.parse("fly") is None
    assert '"fly" was not understood' in driver.text
    driver.scene.show_help()
    assert "Enter, Space" in driver.text
    assert driver.changes == 3


async def test_what_is_pasted_is_typed_into_a_line_that_is_open() -> None:
    driver = SceneDriver(screen_of(build_room()))
    driver.scene.paste("5\n")
    driver.scene.press("tab", NOW)
    driver.scene.paste("a\nb")
    driver.scene.press("enter", NOW)
    assert await driver.scene.line() == "say a b"


class SlowSession(RoomSession):
    """A session whose pings come back when the test says so."""

    def __init__(self) -> None:
        super().__init__("ws://here", None)
        self.asked = asyncio.Event()
        self.answer: asyncio.Future[float] = asyncio.get_running_loop().create_future()

    async def round_trip_s(self) -> float:
        self.asked.set()
        return await self.answer


async def test_what_is_heard_while_a_ping_is_away_is_kept() -> None:
    driver, session = SceneDriver(screen_of(build_room())), SlowSession()
    driver.scene.watch(session)
    measuring = asyncio.create_task(driver.scene.measure())
    try:
        await asyncio.sleep(0)
        driver.scene.show_message(View(), Heard("{}", build_welcome(build_room())), View())
        await session.asked.wait()
        driver.scene.show_message(View(), Heard("{}", build_update(build_room(moves=(4,)))), View())
        driver.changed.clear()
        session.answer.set_result(0.042)
        await driver.changed.wait()
        assert "live 42 ms" in driver.text
        assert "last move: X at 5" in driver.text
    finally:
        measuring.cancel()


async def test_only_a_television_has_a_next_room() -> None:
    driver = SceneDriver(screen_of(build_room(), None))
    driver.scene.press("n", NOW)
    assert not driver.scene.skipped()
    driver = SceneDriver(replace(screen_of(build_room(), None), television=True))
    driver.scene.press("n", NOW)
    assert await driver.scene.line() == "quit"
    assert driver.scene.skipped()
    assert not driver.scene.skipped()


async def test_a_lobby_that_answers_is_a_connection() -> None:
    driver = SceneDriver(ScreenState("television", "here", television=True))
    driver.scene.show_lobby(Heard("{}", None))
    assert "connecting" in driver.text
    driver.scene.show_lobby(Heard("{}", Rooms(rooms=())))
    assert "live" in driver.text


async def test_what_was_asked_is_forgotten_when_the_position_changes() -> None:
    driver = SceneDriver(screen_of(build_room(moves=(4, 0))))
    driver.scene.press("r", NOW)
    driver.scene.show_message(View(), Heard("{}", None), View())
    assert "resign this game?" in driver.text
    driver.scene.show_message(
        View(), Heard("{}", build_update(build_room(moves=(4, 0, 1)))), View()
    )
    assert "resign this game?" not in driver.text


async def test_what_was_half_typed_is_forgotten_when_the_position_changes() -> None:
    driver = SceneDriver(screen_of(build_room(rules=GOMOKU, moves=(4, 0))))
    driver.scene.press("d", NOW)
    taken_back = Heard("{}", build_update(build_room(rules=GOMOKU)))
    driver.scene.show_message(View(), taken_back, View())
    driver.scene.press("t", NOW)
    assert await driver.scene.line() == "takeback", "and no draw was offered"


async def test_the_turn_rings_and_a_fault_in_the_drawing_ends_it(
    scripted: Start, open_window: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    async def script(connection: ServerConnection) -> None:
        await ScriptedPeer(connection).send(build_welcome(build_room()))
        await connection.wait_closed()

    async def inputs(window: Window) -> None:
        await window.shows("YOUR TURN")
        assert "\x07\x1b]2;your turn in den\x07" in window.terminal.written
        monkeypatch.setattr("ttt_client.tui.scenes.room.draw_room", fail)
        window.type("j")

    with pytest.raises(ExceptionGroup) as raised:
        await run(open_window(), await scripted(script), inputs)
    assert raised.group_contains(ZeroDivisionError)
