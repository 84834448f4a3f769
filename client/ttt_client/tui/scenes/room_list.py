"""The list of rooms as a scene: what the lobby tells, and what is chosen."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

from ttt_client.net.session import Ending, Heard, Link, Note
from ttt_client.tui.draw.canvas import Picture, Size
from ttt_client.tui.draw.room_list import draw_rooms
from ttt_client.tui.model.room_list import Choice, Listing
from ttt_client.tui.model.screen import Live, Lost
from ttt_protocol.messages import Rooms


class RoomsScene:
    """The scene of a screen that lists the rooms."""

    def __init__(
        self,
        listing: Listing,
        changed: Callable[[], None],
        clock: Callable[[], float],
        *,
        ascii_only: bool,
    ) -> None:
        self.listing = listing
        self._changed = changed
        self._clock = clock
        self._ascii_only = ascii_only
        self._choice: asyncio.Future[Choice] = asyncio.get_running_loop().create_future()

    async def choose(self, link: Link) -> Choice | Ending:
        """The room that the player wants; or why there is no list any more."""
        self._choice = asyncio.get_running_loop().create_future()
        listening = asyncio.ensure_future(link.run(self._tell))
        try:
            await asyncio.wait((listening, self._choice), return_when=asyncio.FIRST_COMPLETED)
            return await (self._choice if self._choice.done() else listening)
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)

    def say(self, words: str) -> None:
        """Something about the room that one comes back from."""
        self.listing = replace(self.listing, notice=words)

    async def _tell(self, happening: Heard | Note) -> None:
        match happening:
            case Heard(message=Rooms(rooms=rooms)):
                self.listing = replace(self.listing.hear(rooms), connection=Live())
            case Note(words=words, pause_s=float() as pause_s):
                lost = Lost(words, self._clock() + pause_s)
                self.listing = replace(self.listing, connection=lost)
            case _:
                pass  # the lobby has nothing else to say
        self._changed()

    def draw(self, size: Size, now: float) -> Picture:
        return draw_rooms(self.listing, size, now, ascii_only=self._ascii_only)

    def press(self, key: str, now: float) -> bool:  # noqa: ARG002 - nothing waits here
        if self.listing.asked is None and key in {"q", "c-d", "escape"}:
            return False
        self.listing, choice = self.listing.press(key)
        if choice is not None and not self._choice.done():
            self._choice.set_result(choice)
        return True

    def paste(self, text: str) -> None:
        """A password."""
        if self.listing.asked is not None:
            self.listing = replace(self.listing, password=self.listing.password + text.strip())

    def tick(self, now: float) -> float | None:  # noqa: ARG002 - a countdown at most
        return 1.0 if isinstance(self.listing.connection, Lost) else None

    @property
    def title(self) -> str:
        return "rooms - ttt"

    @property
    def calls(self) -> bool:
        return False
