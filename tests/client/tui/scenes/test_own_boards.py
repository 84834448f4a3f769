"""The event and the boards of a player as one scene, fed with messages by hand."""

import asyncio
from collections.abc import Callable

from tests.client.conftest import build_room, build_update, build_welcome, http_answer
from tests.client.text.test_standings import event, standing
from ttt_client.net.session import Heard, Note
from ttt_client.tui.draw.canvas import Size
from ttt_client.tui.model.event import REST_S, EventScreen
from ttt_client.tui.model.screen import ScreenState
from ttt_client.tui.scenes.event import EventScene, OwnBoardsScene
from ttt_client.tui.scenes.room import RoomScene
from ttt_client.tui.scenes.scene import Stage
from ttt_protocol.messages import Message
from ttt_protocol.state import RoomName
from ttt_protocol.tournament.messages import (
    TournamentState,
    TournamentUpdate,
    TournamentWelcome,
    TournamentYou,
)
from ttt_protocol.tournament.settings import Form


class Part:
    """A player's scene, with a clock to turn by hand."""

    def __init__(self, address: str = "") -> None:
        self.now = 100.0
        self.drawn = asyncio.Event()
        screen = EventScreen("friday", "here", "http://here/events/friday")
        self.event = EventScene(screen, address, Stage(self.look, lambda: self.now))
        self.scene = OwnBoardsScene(self.event, Stage(self._changed, lambda: self.now))
        self.boards: dict[str, RoomScene] = {}

    def look(self) -> None:
        self.scene.look()

    def _changed(self) -> None:
        self.drawn.set()

    async def told(self, state: TournamentState) -> None:
        you = TournamentYou.model_validate({"role": "player", "id": "ada", "name": "ada"})
        if self.event.screen.you is None:
            welcome = TournamentWelcome(protocol="ttt.v1", server="ttt", you=you, event=state)
            await self.event.report(welcome, "")
        else:
            await self.event.report(TournamentUpdate(event=state), "")

    def begin(self, room: str, seat: str = "X", moves: tuple[int, ...] = ()) -> None:
        screen = ScreenState(room, "here")
        board = RoomScene(screen, Stage(self.look, lambda: self.now))
        self.boards[room] = board
        self.scene.add(RoomName(room), board)
        self.hear(room, build_welcome(build_room(name=room, moves=moves), seat))

    def hear(self, room: str, message: Message) -> None:
        view = self.boards[room].screen.view
        self.boards[room].show_message(view, Heard("", message), view)

    def plays(self, room: str, *moves: int) -> None:
        self.hear(room, build_update(build_room(name=room, moves=moves)))

    def shows(self, *words: str) -> bool:
        text = self.scene.draw(Size(100, 24), self.now).text
        return all(word in text for word in words)

    def press(self, *keys: str) -> bool:
        return all(self.scene.press(key, self.now) for key in keys)

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.scene.tick(self.now)


async def test_from_the_event_to_a_game_and_back() -> None:
    part = Part()
    assert part.shows("connecting to here")
    assert part.scene.title == "friday - ttt"
    await part.told(event(standings=(standing("ada"), standing("bob", rank=2))))
    assert part.shows("place 1 of 2", "waiting for the next round")
    assert part.scene.title == "Friday: round 2 of 5"
    part.begin("friday-1")
    assert part.shows("YOUR TURN (X)", "Friday  round 2 of 5")
    assert (part.scene.title, part.scene.is_your_turn) == ("your turn in Friday", True)
    part.plays("friday-1", 4)
    assert not part.scene.is_your_turn
    part.scene.remove(RoomName("friday-1"))
    assert part.shows("waiting for the next round")
    assert part.scene.parting is not None


async def test_the_standings_and_back_to_the_game_by_keys() -> None:
    part = Part()
    await part.told(event(standings=(standing("ada"),)))
    part.begin("friday-1")
    assert part.press("E")
    assert part.shows("your game waits")
    assert part.press("enter")
    assert part.shows("YOUR TURN (X)")
    assert part.press("tab", "E", "escape")  # what is typed is typed
    assert part.shows("YOUR TURN (X)")
    assert part.press("E", "q")
    assert not part.press("y")


async def test_from_board_to_board_of_a_simul() -> None:
    part = Part()
    await part.told(event(Form.SIMUL, rounds=None))
    for room in ("one", "two", "three"):
        part.begin(room)
        part.now += 1
    assert part.shows("board 1 of 3, 3 to move")
    part.plays("one", 4)
    part.wait(REST_S + 0.1)
    assert part.shows("board 2 of 3, 2 to move")
    assert part.press("]")
    assert part.shows("board 3 of 3")
    assert part.press("[", "tab")
    part.plays("two", 4)
    part.wait(REST_S + 0.1)
    assert part.shows("board 2 of 3", "say:")  # not while something is typed
    part.press("escape")
    part.wait(0)
    assert part.shows("board 3 of 3, 1 to move")


async def test_the_enter_of_a_typed_cell_plays_nothing_on_the_next_board() -> None:
    part = Part()
    await part.told(event(Form.SIMUL, rounds=None))
    for room in ("one", "two"):
        part.begin(room)
    assert part.press("5")
    part.plays("one", 4)
    part.wait(REST_S + 0.1)
    assert part.shows("1 to move", "YOUR TURN")
    assert part.press("enter")
    lines = part.boards["two"]._lines
    assert not lines
    assert part.press("enter")
    assert [*lines] == ["5"]


async def test_an_announcement_and_a_pause_are_told_on_the_board() -> None:
    part = Part()
    await part.told(event(announcements=("Old news",)))
    part.begin("friday-1")
    await part.told(event(status="paused", announcements=("Old news", "A short break")))
    assert part.shows("* A short break", "paused: clocks stand still")
    assert not part.shows("* Old news")


async def test_a_lost_connection_to_the_event_counts_down() -> None:
    part = Part()
    await part.told(event(Form.ARENA, ends_at=61_000))
    assert part.scene.tick(part.now) is not None
    await part.event.report(Note("the connection was lost", 3.0), "")
    assert part.shows("the connection was lost", "trying again in 4 s")
    assert part.scene.tick(part.now) is not None
    await part.event.report(Note("a word"), "")
    part.scene.paste("text")
    part.event.hush(is_quiet=True)
    assert part.press("c-r")


async def test_the_standings_are_asked_for_on_the_way_from_a_board(
    pages: Callable[[dict[str, bytes]], str],
) -> None:
    later = event(standings=(standing("zoe"), standing("ada", rank=2)))
    at = pages({"/events/friday": http_answer(later.model_dump_json())})
    part = Part(f"http://{at}/events/friday")
    await part.told(event(standings=(standing("ada"),)))
    part.begin("friday-1")
    working = asyncio.create_task(part.event.keep_up())
    part.press("E")
    async with asyncio.timeout(20):
        while not part.shows("place 2 of 2"):
            part.drawn.clear()
            await part.drawn.wait()
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
