"""Retention: drop old games and silent rooms, slowly enough not to delay moves."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from ttt_protocol.codec import EncodedEvents, InvalidWire, decode_event
from ttt_protocol.events import Created, Event, Played, TakenBack
from ttt_protocol.state import RoomName
from ttt_protocol.text import counted
from ttt_server.storage.base import EventStore, LastEvent, StorageFailed
from ttt_server.telemetry.logging import about_room

logger = logging.getLogger(__name__)

SWEEP_EVERY_S = 3600.0
"""The time between two looks at all rooms."""

_ROOMS_AT_ONCE = 20
_PAUSE_S = 0.05
"""The pause after so many rooms, and after each piece of work, to use at most a tenth of the
store's time."""


_MOST_UNPLAYED = 64
"""A room with more events is kept without being read."""


class Retention(NamedTuple):
    """The bounds of what is kept. `None` keeps all."""

    keep_games: int | None = None
    """The number of games of a room."""
    forget_after_s: float | None = None
    """The time since the last event of a room."""
    forget_tournaments_after_s: float | None = None
    """The time since the last event of a tournament."""
    forget_unplayed_after_s: float | None = None
    """The time since the last event of a room in which no move was made."""

    @property
    def keeps_all(self) -> bool:
        return self.keeps_played and self.forget_unplayed_after_s is None

    @property
    def keeps_played(self) -> bool:
        """Whether no game in which a move was made is ever dropped."""
        kept = self.keep_games, self.forget_after_s, self.forget_tournaments_after_s
        return kept == (None, None, None)

    def silent_before(self, now: int) -> int | None:
        """Return the time before which a room's last event is too old; all in Unix ms."""
        return None if self.forget_after_s is None else now - round(self.forget_after_s * 1000)

    def unplayed_before(self, now: int) -> int | None:
        """Return the same for rooms in which no move was made."""
        after_s = self.forget_unplayed_after_s
        return None if after_s is None else now - round(after_s * 1000)


Forget = Callable[[RoomName, int], Awaitable[bool]]
"""Delete a room that is not in memory and has no event since a time in Unix ms; return whether it
was deleted."""


class Sweeper:
    """Applies the retention to all rooms of a store, again and again.

    `TournamentRegistry` applies the bound of tournaments.
    """

    def __init__(
        self, store: EventStore, retention: Retention, forget: Forget, now: Callable[[], int]
    ) -> None:
        """`now` returns Unix ms."""
        self._store = store
        self._retention = retention
        self._forget = forget
        self._now = now

    async def run(self) -> None:
        """Sweep until cancelled."""
        while True:
            try:
                await self.sweep()
            except StorageFailed as error:
                logger.warning("retention failed; retrying: %s", error)
            await asyncio.sleep(SWEEP_EVERY_S)

    async def sweep(self) -> None:
        """Go through all rooms once.

        Raises:
            StorageFailed: if the store fails.
        """
        forgotten = shortened = 0
        after = ""
        while found := await self._browse(after):
            for last in found:
                if await self._forget_if_silent(last) or await self._forget_if_unplayed(last):
                    forgotten += 1
                elif await self._trim(last.room):
                    shortened += 1
            after = found[-1].room
            await asyncio.sleep(_PAUSE_S)
        if forgotten or shortened:
            rooms, logs = counted(forgotten, "room"), counted(shortened, "log")
            logger.info("retention: %s deleted, %s trimmed", rooms, logs)

    async def _browse(self, after: str) -> Sequence[LastEvent]:
        about_room(None)  # a deletion has named its room
        return await self._store.browse(after, _ROOMS_AT_ONCE)

    async def _forget_if_silent(self, last: LastEvent) -> bool:
        before = self._retention.silent_before(self._now())
        if before is None or not is_silent(last, before):
            return False
        await asyncio.sleep(_PAUSE_S)
        return await self._forget(last.room, before)

    async def _forget_if_unplayed(self, last: LastEvent) -> bool:
        before = self._retention.unplayed_before(self._now())
        if before is None or not is_silent(last, before):
            return False
        event = decode_event(last.line)
        if event.seq > _MOST_UNPLAYED or isinstance(event, Played | TakenBack):
            return False
        log = await self._store.load(last.room, 0)
        if log.start is not None or not is_unplayed(log.lines):
            return False
        return await self._forget(last.room, before)

    async def _trim(self, room: RoomName) -> bool:
        keep, is_shorter = self._retention.keep_games, False
        while keep is not None and await self._store.trim(room, keep):
            is_shorter = True
            await asyncio.sleep(_PAUSE_S)
        return is_shorter


def is_unplayed(lines: EncodedEvents) -> bool:
    """Return whether no move was made in these events, although none may take days.

    A log that cannot be read is kept.
    """
    try:
        return not any(_is_kept(decode_event(line)) for line in lines)
    except InvalidWire:
        return False


def _is_kept(event: Event) -> bool:
    if isinstance(event, Created):
        return event.settings.days is not None
    return isinstance(event, Played)


def is_silent(last: LastEvent, before: int) -> bool:
    """Return whether a room has no event since a time; a log that cannot be read is kept."""
    try:
        return decode_event(last.line).at < before
    except InvalidWire:
        return False
