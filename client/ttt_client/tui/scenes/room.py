"""A room on the screen: messages change the screen, keys the input, lines go to the controller."""

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

from ttt_client.model.view import View
from ttt_client.net.address import ServerAddress
from ttt_client.net.session import Ending, Heard, NotConnected, Note, Session
from ttt_client.play.controller import SAME_COMMAND, RoomController
from ttt_client.play.events import beside
from ttt_client.play.frontends import Frontend
from ttt_client.play.ratings import RatingNews
from ttt_client.play.recordings import events_before
from ttt_client.tui.draw.canvas import Canvas, Picture, Size
from ttt_client.tui.draw.frame import title
from ttt_client.tui.draw.layout import draw_room, help_rows
from ttt_client.tui.model import keymap
from ttt_client.tui.model.connection import Connecting, Live, changes_in
from ttt_client.tui.model.input import InputState, TextField
from ttt_client.tui.model.screen import PENDING_S, SLOW_S, Occasion, OpponentSearch, ScreenState
from ttt_client.tui.scenes.scene import Scene, Stage
from ttt_protocol.commands import Command
from ttt_protocol.messages import Welcome
from ttt_protocol.state import PersonId
from ttt_protocol.text import clean

_MEASURE_S = 5.0
"""Seconds from one measured round trip to the next."""

_FIRST_MEASURE_S = 0.5
"""The same while there is no connection yet."""

_TENTHS_MS = 10_000
"""The time in ms below which a clock shows tenths."""


SessionT = TypeVar("SessionT", bound=Session)


class RoomScene(Frontend, Scene):
    """A room's scene, which is also the frontend and the line source of its controller."""

    def __init__(self, screen: ScreenState, stage: Stage) -> None:
        super().__init__(stage)
        self.screen = screen
        self.inputs = InputState()
        self._lines: deque[str] = deque()
        self._typed = asyncio.Event()
        self._welcomed = asyncio.Event()
        self._first_welcome: Welcome | None = None
        self._skipped = False
        self._session: Session | None = None
        self._password: asyncio.Future[str | None] | None = None

    def _show(self, screen: ScreenState) -> None:
        self.screen = screen
        self._changed()

    # The line source of a controller.

    async def line(self) -> str | None:
        """Return the next line that keys stand for. There is no end of input."""
        while not self._lines:
            self._typed.clear()
            await self._typed.wait()
        return self._lines.popleft()

    # The frontend of a controller.

    def show_message(self, before: View, heard: Heard, after: View) -> None:  # noqa: ARG002 - the screen has its own view
        if heard.message is None:
            return
        position = self.position
        self.screen = self.screen.hear(heard.message, self._clock())
        if isinstance(heard.message, Welcome):
            self._first_welcome = self._first_welcome or heard.message
            self._welcomed.set()
        if self.position != position:
            # An open question or half-typed name was for the position before.
            self.inputs = replace(self.inputs, asking=None, typed="", follow=True)
        self._changed()

    def show_lobby(self, heard: Heard) -> None:
        """Show the connection as live: the lobby has answered."""
        if heard.message is not None and not isinstance(self.screen.connection, Live):
            self._show(replace(self.screen, connection=Live()))

    def show_connection(self, note: Note) -> None:
        if note.pause_s is None:
            self.say(note.words)
            return
        now = self._clock()
        self._show(self.screen.lose(note.words, now + note.pause_s, now))

    def say(self, words: str) -> None:
        self._show(replace(self.screen.add("news", [words]), notice=clean(words)))

    def refuse(self, words: str) -> None:
        self._show(replace(self.screen, notice=clean(words)))

    def show_help(self) -> None:
        self.inputs = replace(self.inputs, help=0)
        self._changed()

    def hide_chat(self, hidden: bool) -> None:
        self._show(replace(self.screen, hides_chat=hidden))

    def show_sent(self, commands: Sequence[Command]) -> None:
        screen = self.screen.send(commands, self._clock())
        if screen.pending != self.screen.pending:
            self._show(screen)

    async def recall(self, server: ServerAddress) -> None:
        """Show what happened in the game before the first welcome, if it may be read."""
        while self._first_welcome is None:
            self._welcomed.clear()
            await self._welcomed.wait()
        events = await events_before(server, self._first_welcome)
        self._show(self.screen.recall(events, self._first_welcome))

    def rate(self, ratings: Mapping[PersonId, str]) -> None:
        """Show how strong the persons in the seats are."""
        self._show(replace(self.screen, ratings=dict(ratings)))

    async def ask_password(self, prompt: str) -> str | None:
        """Return the password that is typed; None if the question is given up."""
        self._password = asyncio.get_running_loop().create_future()
        field = TextField(kind="password", prompt=prompt)
        self.inputs = replace(self.inputs, text_field=field)
        self._changed()
        try:
            return await self._password
        finally:
            self.inputs = replace(self.inputs, text_field=None)

    def belong(self, occasion: Occasion) -> None:
        """Show the event that the game belongs to, as it is now."""
        self.screen = replace(self.screen, occasion=occasion)

    # The scene of a shell.

    def draw(self, size: Size, now: float) -> Picture:
        if self.inputs.help is not None:
            self.inputs = replace(self.inputs, help=min(self.inputs.help, help_rows(size)))
        picture = super().draw(size, now)
        self.inputs = replace(self.inputs, origin=picture.origin)
        return picture

    def paint(self, canvas: Canvas, now: float) -> None:
        draw_room(self.screen, self.inputs, canvas, now)

    def press(self, key: str, now: float) -> bool:
        self.inputs, intent = keymap.press(self.inputs, key, self.screen, now)
        self._carry_out(intent)
        return True  # the controller ends it

    def paste(self, text: str) -> None:
        # Pasted text only goes into an open text field: it must never play a move.
        if self.inputs.text_field is not None:
            self.inputs = replace(self.inputs, text_field=self.inputs.text_field.add(text))

    def tick(self, now: float) -> float | None:
        screen = self.screen
        is_searching = screen.search is not None and screen.view.room is None
        waits = changes_in(screen.connection, now)
        if screen.away or is_searching:
            waits.append(1.0)
        if screen.pending is not None:
            shown_at = (screen.pending.since + wait_s for wait_s in (PENDING_S, SLOW_S))
            waits.append(next((at - now for at in shown_at if at > now), 1.0))
        game = self.screen.view.game
        clock = None if game is None or screen.paused_at is not None else game.clock
        if clock is not None and clock.running is not None:
            left = self.screen.left_ms(clock.running, now) or 0
            # Just after the shown digits have changed.
            waits.append((left % (100 if left < _TENTHS_MS else 1000) + 5) / 1000)
        occasion = screen.occasion
        if occasion is not None and (left_s := occasion.left_s(now) or 0) > 0:
            waits.append(left_s % 1 + 0.005)
        return max(0.02, min(waits)) if waits else None

    @property
    def is_idle(self) -> bool:
        """Whether no text, question or cell name is open."""
        inputs = self.inputs
        begun = inputs.text_field is not None or inputs.asking is not None or bool(inputs.typed)
        return not begun and inputs.help is None

    @property
    def is_over(self) -> bool:
        """Whether a game was played here and is over."""
        game = self.screen.view.game
        return game is not None and game.outcome is not None

    @property
    def position(self) -> object:
        """The position and the number of the game, to compare with an earlier one."""
        game = self.screen.view.game
        return None if game is None else (game.number, game.moves, game.outcome)

    @property
    def title(self) -> str:
        return title(self.screen)

    @property
    def is_your_turn(self) -> bool:
        view = self.screen.view
        return view.your_turn or bool(view.your_choices)

    # The connection.

    async def stay(
        self, session: Session, comeback: str = SAME_COMMAND, ratings: RatingNews | None = None
    ) -> tuple[Ending, bool]:
        """Stay in a room; return the end, and whether the player quit the program."""
        async with beside(self.measure()):
            controller = RoomController(
                self.watch(session),
                self,
                terminal=True,
                forever=True,
                view=View(is_shared=self.screen.view.is_shared),
                comeback=comeback,
                ratings=ratings,
            )
            return await controller.run(self), controller.has_quit

    def watch(self, session: SessionT) -> SessionT:
        """Measure the round trips of this session from now on, and return it."""
        self._session = session
        self.screen = replace(self.screen, connection=Connecting())
        return session

    def search(self, session: SessionT, board: str) -> SessionT:
        """Show a search for an opponent on this board, and return its session."""
        self._session = session
        self.screen = replace(self.screen, search=OpponentSearch(board, self._clock()))
        return session

    async def measure(self) -> None:
        """Measure round trips until cancelled: soon after there is a connection, then regularly."""
        while True:
            self._welcomed.clear()
            is_live = isinstance(self.screen.connection, Live)
            with suppress(TimeoutError):
                async with asyncio.timeout(_MEASURE_S if is_live else _FIRST_MEASURE_S):
                    await self._welcomed.wait()
            if self._session is None:
                continue
            with suppress(NotConnected):
                round_trip_s = await self._session.round_trip_s()
                # Only now: the screen may have changed while the answer was awaited.
                self._show(self.screen.measure(round_trip_s, self._clock()))

    def skipped(self) -> bool:
        """Return whether `next` was pressed since the last call."""
        skipped, self._skipped = self._skipped, False
        return skipped

    def _carry_out(self, intent: keymap.Intent) -> None:
        match intent:
            case keymap.TypedLine(text=text):
                self._lines.append(text)
                self._typed.set()
            case keymap.TypedPassword(text=text):
                if self._password is not None and not self._password.done():
                    self._password.set_result(text)
            case "next" if self.screen.television:
                self._skipped = True
                self._lines.append("quit")
                self._typed.set()
            case "retry" if self._session is not None:
                self._session.retry_now()
            case _:
                pass
