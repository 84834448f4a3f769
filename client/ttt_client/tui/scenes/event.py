"""An event as a scene, and over it the boards of its player's games."""

import asyncio
from contextlib import suppress
from dataclasses import replace

from pydantic import ValidationError

from ttt_client.net.dial import CannotDial
from ttt_client.net.http import fetch
from ttt_client.net.session import NotConnected, Note
from ttt_client.text.event import status_line, words_at_board
from ttt_client.tournaments.taking_part import EventSession
from ttt_client.tui.draw.canvas import Canvas, Picture, Size, shown
from ttt_client.tui.draw.event import draw_event, rows_seen
from ttt_client.tui.model.connection import changes_in
from ttt_client.tui.model.event import EventAct, EventScreen, OwnBoards
from ttt_client.tui.model.screen import Occasion
from ttt_client.tui.scenes.room import RoomScene
from ttt_client.tui.scenes.scene import Scene, Stage
from ttt_protocol.codec import encode_command
from ttt_protocol.state import RoomName
from ttt_protocol.tournament import messages
from ttt_protocol.tournament.commands import Return, Withdraw

_MEASURE_S = 5.0
"""Seconds from one measured round trip to the next."""


class EventScene(Scene):
    """An event's scene, which is also the frontend of the session that follows it.

    `address` is the HTTP address of the event's state.
    """

    def __init__(self, screen: EventScreen, address: str, stage: Stage) -> None:
        super().__init__(stage)
        self.screen = screen
        self._address = address
        self._session: EventSession | None = None
        self._commands: asyncio.Queue[Withdraw | Return] = asyncio.Queue()
        self._wants_state = asyncio.Event()

    # The frontend of the event.

    def hush(self, *, is_quiet: bool) -> None:
        """Do nothing: the board on the screen hides the event."""

    async def report(self, heard: messages.TournamentMessage | Note, raw: str) -> None:  # noqa: ARG002 - the screen only needs the message
        now = self._clock()
        match heard:
            case Note(words=words, pause_s=float() as pause_s):
                self.screen = self.screen.lose(words, now + pause_s, now)
            case Note(words=words):
                self.say(words)
            case _:
                self.screen = self.screen.hear(heard, now)
        self._changed()

    def say(self, words: str) -> None:
        """Show a notice."""
        self.screen = replace(self.screen, notice=words)
        self._changed()

    def count_boards(self, boards: int) -> None:
        """Show how many boards of the player are open."""
        self.screen = replace(self.screen, boards=boards)

    def refresh(self) -> None:
        """Fetch the state: a player at a board gets no standings."""
        self._wants_state.set()

    @property
    def occasion(self) -> Occasion | None:
        """The event as a board shows it; None before the first message."""
        screen, event = self.screen, self.screen.event
        if event is None:
            return None
        ends_at = None if event.ends_at is None else screen.epoch + event.ends_at / 1000
        return Occasion(shown(event.title), words_at_board(event), ends_at, screen.paused_at)

    # The scene of a shell.

    def draw(self, size: Size, now: float) -> Picture:
        self.screen = replace(self.screen, seen=rows_seen(self.screen, size, now))
        return super().draw(size, now)

    def paint(self, canvas: Canvas, now: float) -> None:
        draw_event(self.screen, canvas, now)

    def press(self, key: str, now: float) -> bool:  # noqa: ARG002 - no key waits for time
        return self.act(key) != "quit"

    def act(self, key: str) -> EventAct | None:
        """Handle a key, and return the act that is left to the owner of the scene."""
        self.screen, act = self.screen.press(key)
        match act:
            case "withdraw":
                self._commands.put_nowait(Withdraw())
            case "return":
                self._commands.put_nowait(Return())
            case "retry" if self._session is not None:
                self._session.retry_now()
            case _:
                return act
        return None

    def tick(self, now: float) -> float | None:
        waits = changes_in(self.screen.connection, now)
        if (left_s := self.screen.left_s(now)) is not None and left_s > 0:
            waits.append(left_s % 1 + 0.005)  # just after the shown digits have changed
        return min(waits) if waits else None

    @property
    def title(self) -> str:
        event = self.screen.event
        return f"{self.screen.place} - ttt" if event is None else shown(status_line(event))

    @property
    def parting(self) -> str | None:  # type: ignore[override]  # computed
        return self.screen.parting

    # The connection.

    def follow(self, session: EventSession) -> None:
        """Use this session from now on."""
        self._session = session

    async def keep_up(self) -> None:
        """Carry out keys and measure round trips until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._send())
            tasks.create_task(self._read_state())
            tasks.create_task(self._measure())

    async def _send(self) -> None:
        while True:
            command = await self._commands.get()
            try:
                await self._connected.send(encode_command(command))
            except NotConnected:
                self.say("not connected now: try again")

    async def _read_state(self) -> None:
        while True:
            await self._wants_state.wait()
            self._wants_state.clear()
            with suppress(CannotDial, ValidationError):  # what is known stays on the screen
                body = await fetch(self._address)
                event = messages.TournamentState.model_validate_json(body, extra="ignore")
                await self.report(messages.TournamentUpdate(event=event), "")

    async def _measure(self) -> None:
        while True:
            pause_s = _MEASURE_S / 10
            with suppress(NotConnected):
                round_trip_s = await self._connected.round_trip_s()
                self.screen = self.screen.measure(round_trip_s, self._clock())
                self._changed()
                pause_s = _MEASURE_S
            await asyncio.sleep(pause_s)

    @property
    def _connected(self) -> EventSession:
        if self._session is None:
            raise NotConnected
        return self._session


_STEPS = {"[": -1, "]": 1}


class OwnBoardsScene(Scene):
    """The scene of an event whose player goes from board to board.

    All boards are open at once. The one that waits for the player is shown, and then the next.
    """

    def __init__(self, event: EventScene, stage: Stage) -> None:
        super().__init__(stage)
        self._event = event
        self._scenes: dict[RoomName, RoomScene] = {}
        self._since: dict[RoomName, tuple[object, float]] = {}
        """The position on each board, and the time since which it is there."""
        self._boards = OwnBoards()
        self._announced: tuple[str, ...] = ()
        self._pressed: RoomScene | None = None
        """The board that had the last key."""

    def add(self, room: RoomName, scene: RoomScene) -> None:
        """Add the board of a game that begins."""
        self._scenes[room] = scene
        self.look()

    def remove(self, room: RoomName) -> None:
        """Remove a board whose game is over or whose room was left."""
        del self._scenes[room]
        self._since.pop(room, None)
        self.look()

    def look(self) -> None:
        """Update all boards after one of them, or the event, has changed."""
        now, waits = self._clock(), {}
        for room, scene in self._scenes.items():
            position, since = self._since.get(room, (None, now))
            if scene.position != position:
                since = now
            self._since[room] = scene.position, since
            waits[room] = since if scene.is_your_turn else None
        over = [room for room, scene in self._scenes.items() if scene.is_over]
        self._boards = self._boards.now(waits, over, now)
        self._event.count_boards(len(self._scenes))
        self._tell_boards()
        self._changed()

    def _tell_boards(self) -> None:
        """Pass the state and announcements of the event to the boards."""
        occasion, event = self._event.occasion, self._event.screen.event
        if occasion is None or event is None:
            return
        under_way = [scene for scene in self._scenes.values() if not scene.is_over]
        occasion = replace(occasion, boards=len(under_way), waiting=self._boards.waiting)
        for scene in self._scenes.values():
            number = under_way.index(scene) + 1 if scene in under_way else None
            scene.belong(replace(occasion, number=number))
        told, self._announced = self._announced, event.announcements
        for text in event.announcements:
            for scene in self._scenes.values() if text not in told else ():
                scene.say(f"* {text}")

    @property
    def _shown(self) -> EventScene | RoomScene:
        room = self._boards.shown
        return self._event if room is None else self._scenes[room]

    def draw(self, size: Size, now: float) -> Picture:
        return self._shown.draw(size, now)

    def press(self, key: str, now: float) -> bool:
        shown = self._shown
        if isinstance(shown, EventScene):
            act = shown.act(key)
            if act == "play":
                self._boards = self._boards.look_at_boards()
            return act != "quit"
        before, self._pressed = self._pressed, shown
        if key == "enter" and before is not None and before is not shown and before.inputs.named:
            # The Enter of a cell that was typed on the board before is none on this one.
            before.inputs = replace(before.inputs, named="")
            return True
        if shown.is_idle and key == "E":
            self._event.refresh()
            self._boards = self._boards.look_at_event()
            return True
        if shown.is_idle and key in _STEPS:
            self._boards = self._boards.step(_STEPS[key])
            return True
        return shown.press(key, now)

    def paste(self, text: str) -> None:
        self._shown.paste(text)

    def tick(self, now: float) -> float | None:
        is_free = isinstance(self._shown, EventScene) or self._shown.is_idle
        due = self._boards.changes_at if is_free else None
        if due is not None and now >= due:
            self._boards = self._boards.followed(now)
            self._changed()
            due = None
        waits = [self._shown.tick(now), None if due is None else max(0.02, due - now)]
        return min((wait_s for wait_s in waits if wait_s is not None), default=None)

    @property
    def title(self) -> str:
        return self._shown.title

    @property
    def is_your_turn(self) -> bool:
        return any(scene.is_your_turn for scene in self._scenes.values())

    @property
    def parting(self) -> str | None:  # type: ignore[override]  # computed
        return self._event.parting
