"""What happens in a room by itself: a flag falls, an abandoned game ends."""

import asyncio
import logging
from collections.abc import Callable
from functools import partial

from ttt_protocol.state import RoomName
from ttt_server.core.decision import Decision, unchanged
from ttt_server.core.play import slept
from ttt_server.core.room import Room
from ttt_server.rooms.change import Changes
from ttt_server.rooms.live_room import LiveRoom
from ttt_server.rooms.registry import RoomRegistry
from ttt_server.storage.base import StorageFailed
from ttt_server.telemetry.logging import about

logger = logging.getLogger(__name__)

RETRY_S = 1.0
"""How long to wait before trying again after the store failed."""


def is_clock_running(live: LiveRoom) -> bool:
    """Return whether a flag may fall, or something overdue is to be tried again."""
    return _falls_at(live) is not None or "flag" in live.timers


def _falls_at(live: LiveRoom) -> int | None:
    """Return when a flag falls that needs a timer; `Correspondence` looks after days."""
    return None if live.room.settings.days is not None else live.room.flag_falls_at


class Timers:
    """Settles what is overdue in rooms, in time."""

    def __init__(
        self, registry: RoomRegistry, changes: Changes, *, on_settled: Callable[[LiveRoom], None]
    ) -> None:
        """`on_settled` is called when nothing is overdue in a room."""
        self._registry = registry
        self._changes = changes
        self._on_settled = on_settled

    def arm(self, live: LiveRoom) -> None:
        """Set the timer for the next fall of a flag; drop it if there is none."""
        now = self._registry.now()  # first: it may notice a sleep and shift the clocks
        falls_at = _falls_at(live)
        if falls_at is None:
            live.timers.cancel("flag")
        else:
            live.timers.set((falls_at - now) / 1000, "flag", self.settle_overdue, live)

    def give(self, name: RoomName, by: int) -> None:
        """Give `by` ms back to the side to move, and to players who are away; tell the clock.

        A room that is not in memory needs nothing: no player pays for time without a server.
        """
        live = self._registry.get(name)
        if live is None:
            return
        live.shift(by)
        if _falls_at(live) is not None:
            self.arm(live)
            self._changes.announcer.update(live, ())

    def settle_overdue(self, live: LiveRoom) -> None:
        """Settle what is overdue in a room, in turn with its commands."""
        self._changes.change(live, unchanged, partial(self._settled, live))

    def note_sleep(self, given_back_ms: int) -> None:
        """Tell rooms with a running clock that the server slept. Their clocks are adjusted."""
        logger.warning(
            "the server slept: %d ms were given back to each running clock", given_back_ms
        )
        loop = asyncio.get_running_loop()
        for live in self._registry.all:
            if _falls_at(live) is not None:
                # Later, as this may come in the middle of a room's change.
                loop.call_soon(self._tell_sleep, live, given_back_ms)

    def _tell_sleep(self, live: LiveRoom, given_back_ms: int) -> None:
        """Tell one room by an event, so that its log records it.

        A server that slept beyond its lease has lost its rooms by now. Their next owners read the
        logs, and charge no player for the time after the last event.
        """
        game = live.room.game
        if game is None or _falls_at(live) is None or live not in self._registry:
            return
        number, seat = game.number, game.turn

        def decision(room: Room, now: int) -> Decision:
            return slept(room, number, seat, given_back_ms, now)

        self._changes.change(live, decision, partial(self._settled, live))

    def _settled(self, live: LiveRoom, error: BaseException | None) -> None:
        is_registered = live in self._registry
        if error is None:
            if is_registered:
                self.arm(live)  # a timer may fire a little early
            self._on_settled(live)
        elif isinstance(error, StorageFailed):
            about(live.room.name).run(logger.error, "%s", error)
            if is_registered:
                live.timers.set(RETRY_S, "flag", self.settle_overdue, live)
        else:
            about(live.room.name).run(logger.error, "a timer failed", exc_info=error)
