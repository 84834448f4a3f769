"""What happens in a room by itself: a flag falls, an abandoned game ends.

`Timers` has the rooms in memory, and `Correspondence` those with days for each move, which nobody
keeps there.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial

from ttt_protocol.state import RoomName
from ttt_server.core.errors import Refused
from ttt_server.core.evolve import Decision, unchanged
from ttt_server.core.play import slept
from ttt_server.core.room import Room
from ttt_server.rooms.change import Changes
from ttt_server.rooms.live_room import LiveRoom
from ttt_server.rooms.registry import RoomRegistry
from ttt_server.storage.base import EventStore, StorageFailed
from ttt_server.telemetry.logging import about

logger = logging.getLogger(__name__)
_days_logger = logging.getLogger("ttt_server.rooms.correspondence")
"""By the name under which operators know the lines of `Correspondence`."""

RETRY_S = 1.0
"""How long to wait before trying again after the store failed."""


def is_clock_running(live: LiveRoom) -> bool:
    """Return whether a flag may fall, or something overdue is to be tried again."""
    return _falls_at(live) is not None or "flag" in live.timers


def _falls_at(live: LiveRoom) -> int | None:
    """Return when a flag falls that needs a timer; `Correspondence` looks after days."""
    return None if live.room.settings.days is not None else live.room.flag_falls_at


@dataclass(eq=False, slots=True)
class Timers:
    """Settles what is overdue in rooms, in time."""

    registry: RoomRegistry
    changes: Changes
    on_settled: Callable[[LiveRoom], None] = field(init=False)
    """Called when nothing is overdue in a room."""

    def arm(self, live: LiveRoom) -> None:
        """Set the timer for the next fall of a flag; drop it if there is none."""
        now = self.registry.now()  # first: it may notice a sleep and shift the clocks
        falls_at = _falls_at(live)
        if falls_at is None:
            live.timers.cancel("flag")
        else:
            live.timers.set((falls_at - now) / 1000, "flag", self.settle_overdue, live)

    def give(self, name: RoomName, by: int) -> None:
        """Give `by` ms back to the side to move, and to players who are away; tell the clock.

        A room that is not in memory needs nothing: no player pays for time without a server.
        """
        live = self.registry.get(name)
        if live is None:
            return
        live.shift(by)
        if _falls_at(live) is not None:
            self.arm(live)
            self.changes.announcer.update(live, ())

    def settle_overdue(self, live: LiveRoom) -> None:
        """Settle what is overdue in a room, in turn with its commands."""
        self.changes.change(live, unchanged, partial(self._settled, live))

    def note_sleep(self, given_back_ms: int) -> None:
        """Tell rooms with a running clock that the server slept. Their clocks are adjusted."""
        words = "the server slept: %d ms were given back to each running clock"
        logger.warning(words, given_back_ms)
        loop = asyncio.get_running_loop()
        for live in self.registry.all:
            if _falls_at(live) is not None:
                # Later, as this may come in the middle of a room's change.
                loop.call_soon(self._tell_sleep, live, given_back_ms)

    def _tell_sleep(self, live: LiveRoom, given_back_ms: int) -> None:
        """Tell one room by an event, so that its log records it.

        A server that slept beyond its lease has lost its rooms by now. Their next owners read the
        logs, and charge no player for the time after the last event.
        """
        game = live.room.game
        if game is None or _falls_at(live) is None or live not in self.registry:
            return
        number, seat = game.number, game.turn

        def decision(room: Room, now: int) -> Decision:
            return slept(room, number, seat, given_back_ms, now)

        self.changes.change(live, decision, partial(self._settled, live))

    def _settled(self, live: LiveRoom, error: BaseException | None) -> None:
        is_registered = live in self.registry
        if error is None:
            if is_registered:
                self.arm(live)  # a timer may fire a little early
            self.on_settled(live)
        elif isinstance(error, StorageFailed):
            about(live.room.name).run(logger.error, "%s", error)
            if is_registered:
                live.timers.set(RETRY_S, "flag", self.settle_overdue, live)
        else:
            about(live.room.name).run(logger.error, "a timer failed", exc_info=error)


LOOK_S = 60.0
"""The longest time between two looks at the next deadline. A move has a day at least."""

AGAIN_MS = 60_000
"""How long to leave a room alone that could not be looked at."""

_AT_ONCE = 100
"""The deadlines to read at once."""

_LEAST_S = 0.1
"""The least time between two looks at the store."""


@dataclass(eq=False, slots=True)
class Correspondence:
    """Looks after rooms with days for each move.

    The store has a deadline for each of them, and one timer here looks at those that have come. A
    room may have ended meanwhile, or have a later deadline: then that is noted.
    """

    store: EventStore
    """Has the deadlines."""
    now: Callable[[], int]
    """Returns Unix ms."""
    look_at: Callable[[RoomName], Awaitable[LiveRoom | None]]
    """Loads a room, settles what is overdue in it, and returns it; `None` if another server has
    it."""

    async def run(self) -> None:
        """Work until cancelled."""
        while True:
            try:
                rest_s = await self.settle()
            except StorageFailed as error:
                _days_logger.debug("deadlines could not be read: %s", error)
                rest_s = LOOK_S
            await asyncio.sleep(min(max(rest_s, _LEAST_S), LOOK_S))

    async def settle(self) -> float:
        """Look at the rooms whose deadline has come; return the seconds until the next.

        Raises:
            StorageFailed: if the deadlines could not be read.
        """
        deadlines = await self.store.deadlines(_AT_ONCE)
        for name, at in deadlines:
            if (rest_ms := at - self.now()) > 0:
                return rest_ms / 1000
            await self._look(name)
        return _LEAST_S if deadlines else LOOK_S

    async def _look(self, name: RoomName) -> None:
        try:
            live = await self.look_at(name)
        except (StorageFailed, Refused) as error:
            _days_logger.warning("room %s: could not settle what is overdue: %s", name, error)
            self.store.note_deadline(name, self.now() + AGAIN_MS)
            return
        if live is not None:
            self.store.note_deadline(name, live.room.flag_falls_at)
