"""An event as a scene: its messages change the screen, keys become commands and acts."""

import asyncio
from contextlib import suppress
from dataclasses import replace

from pydantic import ValidationError

from ttt_client.net.dial import CannotDial
from ttt_client.net.event_session import EventSession
from ttt_client.net.http import fetch
from ttt_client.net.session import NotConnected, Note
from ttt_client.text.event import words_at_board
from ttt_client.text.standings import status_line
from ttt_client.tui.draw.canvas import Picture, Size, shown
from ttt_client.tui.draw.event import draw_event, rows_seen
from ttt_client.tui.model.connection import changes_in
from ttt_client.tui.model.event import EventAct, EventScreen
from ttt_client.tui.model.screen import Occasion
from ttt_client.tui.scenes.scene import Scene, Stage
from ttt_protocol.codec import encode_command
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
        return draw_event(self.screen, size, now, ascii_only=self._ascii_only)

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
            try:
                round_trip_s = await self._connected.round_trip_s()
            except NotConnected:
                await asyncio.sleep(_MEASURE_S / 10)
                continue
            self.screen = self.screen.measure(round_trip_s, self._clock())
            self._changed()
            await asyncio.sleep(_MEASURE_S)

    @property
    def _connected(self) -> EventSession:
        if self._session is None:
            raise NotConnected
        return self._session
