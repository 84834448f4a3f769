"""Games with days for each move: flags fall in rooms that nobody keeps in memory.

The store has a deadline for each room with such a game, and one timer here looks at the rooms whose
deadline has come. A room may have ended meanwhile, or have a later deadline: then that is noted.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from ttt_protocol.state import RoomName
from ttt_server.core.errors import Refused
from ttt_server.rooms.live_room import LiveRoom
from ttt_server.storage.base import EventStore, StorageFailed

logger = logging.getLogger(__name__)

LOOK_S = 60.0
"""The longest time between two looks at the next deadline. A move has a day at least."""

AGAIN_MS = 60_000
"""How long to leave a room alone that could not be looked at."""

_AT_ONCE = 100
"""The deadlines to read at once."""

_LEAST_S = 0.1
"""The least time between two looks at the store."""


class Correspondence:
    """Looks after rooms with days for each move."""

    def __init__(
        self,
        store: EventStore,
        now: Callable[[], int],
        look_at: Callable[[RoomName], Awaitable[LiveRoom | None]],
    ) -> None:
        """Do nothing until `run`.

        Args:
            store: has the deadlines.
            now: returns Unix ms.
            look_at: loads a room, settles what is overdue in it, and returns it; `None` if another
                server has it.
        """
        self._store = store
        self._now = now
        self._look_at = look_at

    async def run(self) -> None:
        """Work until cancelled."""
        while True:
            try:
                rest_s = await self.settle()
            except StorageFailed as error:
                logger.debug("deadlines could not be read: %s", error)
                rest_s = LOOK_S
            await asyncio.sleep(min(max(rest_s, _LEAST_S), LOOK_S))

    async def settle(self) -> float:
        """Look at the rooms whose deadline has come; return the seconds until the next.

        Raises:
            StorageFailed: if the deadlines could not be read.
        """
        deadlines = await self._store.deadlines(_AT_ONCE)
        for name, at in deadlines:
            if (rest_ms := at - self._now()) > 0:
                return rest_ms / 1000
            await self._look(name)
        return _LEAST_S if deadlines else LOOK_S

    async def _look(self, name: RoomName) -> None:
        try:
            live = await self._look_at(name)
        except (StorageFailed, Refused) as error:
            logger.warning("room %s: could not settle what is overdue: %s", name, error)
            self._store.note_deadline(name, self._now() + AGAIN_MS)
            return
        if live is not None:
            self._store.note_deadline(name, live.room.flag_falls_at)
