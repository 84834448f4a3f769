"""The list of rooms as a scene: the lobby's messages, and the selection."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

from ttt_client.net.session import Ending, Heard, Note, RoomSession
from ttt_client.net.tasks import first_of
from ttt_client.tui.draw.canvas import Canvas
from ttt_client.tui.draw.room_list import draw_rooms
from ttt_client.tui.model.connection import Live, Lost
from ttt_client.tui.model.room_list import ChosenRoom, RoomList
from ttt_client.tui.scenes.scene import Scene, Stage
from ttt_protocol.messages import Rooms
from ttt_protocol.state import RoomName


class RoomListScene(Scene):
    """A scene that lists the rooms."""

    title = "rooms - ttt"

    def __init__(self, room_list: RoomList, stage: Stage) -> None:
        super().__init__(stage)
        self.room_list = room_list
        self._session: RoomSession | None = None
        self._choice: asyncio.Future[ChosenRoom | Ending | None] | None = None

    async def choose(self, page: Callable[[RoomName | None], RoomSession]) -> ChosenRoom | Ending:
        """Return the room that the player chooses, or how the lobby ended.

        `page` opens a session with the rooms after a name.
        """
        while True:
            self._choice = asyncio.get_running_loop().create_future()
            self._session = page(self.room_list.after)
            found = await first_of(self._choice, self._session.run(self._tell))
            if found is not None:
                return found

    def say(self, words: str) -> None:
        """Show a notice."""
        self.room_list = replace(self.room_list, notice=words)

    async def _tell(self, event: Heard | Note) -> None:
        if isinstance(event, Note) and event.pause_s is not None:
            now = self._clock()
            lost = Lost(event.words, now + event.pause_s, now)
            self.room_list = replace(self.room_list, connection=lost)
        elif isinstance(event, Heard) and isinstance(event.message, Rooms):
            listed = self.room_list.hear(event.message.rooms, event.message.total)
            self.room_list = replace(listed, connection=Live())
        self._changed()

    def paint(self, canvas: Canvas, now: float) -> None:
        draw_rooms(self.room_list, canvas, now)

    def press(self, key: str, now: float) -> bool:  # noqa: ARG002 - no key waits for time
        if key == "c-r" and self._session is not None:
            self._session.retry_now()
        ends = not self.room_list.is_typing and not self.room_list.help
        if ends and key in {"q", "c-d", "escape"}:
            return False
        before = self.room_list.after
        self.room_list, choice = self.room_list.press(key)
        is_over = choice is not None or self.room_list.after != before
        if is_over and self._choice is not None and not self._choice.done():
            self._choice.set_result(choice)
        return True

    def paste(self, text: str) -> None:
        """Add pasted text to the field that is being typed."""
        self.room_list = self.room_list.paste(text)

    def tick(self, now: float) -> float | None:  # noqa: ARG002 - a countdown at most
        return 1.0 if isinstance(self.room_list.connection, Lost) else None
