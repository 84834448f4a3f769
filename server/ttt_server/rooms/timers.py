"""What rooms do by themselves: flags fall, AIs move, and rooms that everyone has left go."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass

from ttt_protocol.codes import Reason
from ttt_protocol.state import RoomName, Status
from ttt_server.ai.runner import StrategyRunner
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.core.errors import Refused
from ttt_server.core.play import Decision, end, fallen_flag
from ttt_server.rooms.ai_player import RETRY_S, Transact, drive, has_work
from ttt_server.rooms.event_log import EventLog
from ttt_server.rooms.live_room import LiveRoom
from ttt_server.rooms.registry import RoomLimits, RoomRegistry
from ttt_server.storage.base import StorageFailed
from ttt_server.telemetry.logging import about_room

logger = logging.getLogger(__name__)

AGAIN_S = 60.0
"""After a left game could not be ended."""


def overdue(live: LiveRoom, now: int, abandon_s: float) -> Decision:
    """What should have happened by itself before `now`: a flag, the end of a left room."""
    room = live.room
    if _is_left(live) and _left_for_s(live, now) >= abandon_s:
        return end(room, Reason.ABANDONMENT, None, now)
    return fallen_flag(room, now)


def _is_left(live: LiveRoom) -> bool:
    """Whether nobody is there to go on with a game. An AI that is to move is somebody."""
    room = live.room
    return live.is_empty and room.status is Status.PLAYING and room.ai_to_move is None


def _is_clock_running(live: LiveRoom) -> bool:
    """Whether a flag is to fall, or what was overdue is tried again."""
    return live.room.flag_falls_at is not None or live.awaits("flag")


def _left_for_s(live: LiveRoom, now: int) -> float:
    """How long nobody has been in a room, and nothing happened there. `now`: Unix ms."""
    return (now - max(live.room.changed_at, live.emptied_at)) / 1000


@dataclass(frozen=True, slots=True)
class _Left:
    """Since when nobody is in an unfinished room, and the timer that will end it."""

    at: int
    """In Unix ms, less what the clock had been set by."""
    timer: asyncio.TimerHandle


class Upkeep:
    """The timers and drivers of the rooms in memory."""

    def __init__(
        self,
        rooms: RoomRegistry,
        limits: RoomLimits,
        ledger: EventLog,
        runner: StrategyRunner,
        tasks: TaskOwner,
        *,
        transact: Transact,
        on_gone: Callable[[], None],
    ) -> None:
        """`on_gone` is called when a room has left memory."""
        self._rooms = rooms
        self._limits = limits
        self._ledger = ledger
        self._runner = runner
        self._tasks = tasks
        self._transact = transact
        self._on_gone = on_gone
        self._drivers: dict[LiveRoom, asyncio.Task[None]] = {}
        self._left: dict[RoomName, _Left] = {}
        self._idle: dict[LiveRoom, None] = {}
        """Those that will be forgotten, the one that was left longest ago first."""
        self._is_closed = False
        self._began_at = rooms.now() - rooms.set_by
        """In Unix ms. Whoever was in a room before that may come back."""

    def open(self, name: RoomName) -> LiveRoom:
        """The room of this name, as `RoomRegistry.open`; it knows since when it was left.

        Raises:
            Refused: `server_full`.
        """
        if self._rooms.get(name) is None and self._rooms.is_full:
            self._make_place()
        live = self._rooms.open(name)
        if left := self._left.get(name):
            live.was_left(left.at + self._rooms.set_by)
        elif not live.emptied_at:  # nobody has left it since the server began
            live.emptied_at = self._began_at + self._rooms.set_by
        return live

    def changed(self, live: LiveRoom) -> None:
        """Something happened in a room: what is to happen next by itself may be something else."""
        room = live.room
        if room.settings.clock is None and not room.seats.has_ai and not live.is_empty:
            return  # nothing happens by itself among people who take their time
        if live in self._rooms and not self._is_closed:
            self._arm_flag(live)
            self._wake(live)
            self.release(live)  # what was said before the last one went may be kept only now

    def arrives(self, live: LiveRoom) -> None:
        """Someone is at the door: the room is not to go. `release` it when they are gone."""
        live.joining += 1
        live.cancel("idle")
        self._idle.pop(live, None)

    def entered(self, live: LiveRoom) -> None:
        """Someone is in the room again."""
        self._no_longer_left(live.room.name)

    def release(self, live: LiveRoom) -> None:
        """Someone may have been the last to go."""
        if not live.is_deserted or live not in self._rooms:
            return
        if not live.room.seq:
            live.after(0, "idle", self._forget, live)  # it was refused its making
        elif live.is_void:
            self._tasks.start(self._vanish(live))
        else:
            if not live.awaits("idle"):
                self._forget_later(live)
            self._leave(live)

    def close(self) -> None:
        """Ends the timers; the drivers end with their tasks. What is being written starts none."""
        self._is_closed = True
        for live in self._rooms.all:
            live.close()
        for left in self._left.values():
            left.timer.cancel()

    # Flags

    def _arm_flag(self, live: LiveRoom) -> None:
        now = self._rooms.now()  # first, as to look at it may set the clock of the room
        falls_at = live.room.flag_falls_at
        if falls_at is None:
            live.cancel("flag")
        else:
            live.after((falls_at - now) / 1000, "flag", self._look_again, live)

    def _look_again(self, live: LiveRoom) -> None:
        """Something may be overdue."""
        self._tasks.start(self._settle(live))

    async def _settle(self, live: LiveRoom) -> None:
        about_room(live.room.name)
        try:
            await self._transact(live, lambda _room, _now: ())
        except StorageFailed as error:
            logger.error("%s", error)
            if live in self._rooms:
                live.after(RETRY_S, "flag", self._look_again, live)
        else:
            if not _is_left(live):
                self._no_longer_left(live.room.name)
            if live in self._rooms:
                self._arm_flag(live)  # a timer may go off a little early
                self.release(live)

    # Drivers

    def _wake(self, live: LiveRoom) -> None:
        """Starts what the room does by itself, if it is its turn and it does not do it yet."""
        if live not in self._drivers and has_work(live.room):
            driver = self._tasks.start(drive(live, self._runner, self._transact))
            self._drivers[live] = driver
            driver.add_done_callback(lambda driver: self._driver_ended(live, driver))

    def _driver_ended(self, live: LiveRoom, driver: asyncio.Task[None]) -> None:
        del self._drivers[live]
        # The room may have moved on between the driver's last look and this call.
        if live in self._rooms and not driver.cancelled() and driver.exception() is None:
            self._wake(live)
            self.release(live)  # whoever went while an AI was to move has left the game only now

    # How rooms go

    def _leave(self, live: LiveRoom) -> None:
        """An unfinished room with nobody in it is ended in the end, in memory or not."""
        if _is_left(live):
            name, loop = live.room.name, asyncio.get_running_loop()
            rest_s = self._limits.abandon_s - _left_for_s(live, self._rooms.now())
            self._no_longer_left(name)
            at = live.emptied_at - self._rooms.set_by
            self._left[name] = _Left(at, loop.call_later(rest_s, self._abandon, name))

    def _no_longer_left(self, name: RoomName) -> None:
        if left := self._left.pop(name, None):
            left.timer.cancel()

    def _abandon(self, name: RoomName) -> None:
        # Again, until it is known to be over: the server may be full, the store may fail.
        again = asyncio.get_running_loop().call_later(AGAIN_S, self._abandon, name)
        self._left[name] = _Left(self._left[name].at, again)
        try:
            live = self.open(name)
        except Refused:
            return
        self._look_again(live)

    def _forget_later(self, live: LiveRoom) -> None:
        live.after(self._limits.idle_s, "idle", self._forget, live)
        self._idle[live] = None

    def _make_place(self) -> None:
        """Forgets the room that was left longest ago, and does nothing by itself."""
        for live in self._idle:
            is_idle = live not in self._drivers and not _is_clock_running(live)
            if is_idle and not live.lock.locked():
                live.cancel("idle")
                self._forget(live)
                return

    def _forget(self, live: LiveRoom) -> None:
        """Puts a room with nobody in it out of memory."""
        if not live.is_deserted:
            return
        is_at_work = live in self._drivers and not live.room.seats.all_ai
        if is_at_work or _is_clock_running(live):  # a game against a human is to go on, or to end
            self._forget_later(live)
            return
        if live.lock.locked():  # what is being written may call for more
            live.after(RETRY_S, "idle", self._forget, live)
            return
        self._idle.pop(live, None)
        self._rooms.forget(live)
        if driver := self._drivers.get(live):
            driver.cancel()
        self._on_gone()

    async def _vanish(self, live: LiveRoom) -> None:
        """Deletes a room in which nobody sits and nothing was played."""
        about_room(live.room.name)
        async with live.lock:
            if live.joining or not live.is_void or live not in self._rooms:
                return
            try:
                await self._ledger.delete(live)
            except StorageFailed as error:
                logger.error("%s", error)
                if live.is_deserted and live in self._rooms:
                    self._forget_later(live)
                return
        self.release(live)
