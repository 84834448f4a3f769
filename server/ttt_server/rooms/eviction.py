"""How rooms leave memory: idle rooms are unloaded, abandoned games ended, void rooms deleted."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from ttt_protocol.codes import CloseCode
from ttt_protocol.state import RoomName
from ttt_server.concurrency.deadlines import Alarms, Deadlines
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.core.errors import Refused
from ttt_server.rooms.ai_player import AiPlayer
from ttt_server.rooms.announcer import Observers
from ttt_server.rooms.event_log import EventLog
from ttt_server.rooms.live_room import LiveRoom
from ttt_server.rooms.registry import RoomLimits, RoomRegistry
from ttt_server.rooms.timers import RETRY_S, Timers, is_clock_running
from ttt_server.storage.base import StorageFailed
from ttt_server.telemetry.logging import about_room

logger = logging.getLogger(__name__)

AGAIN_S = 60.0
"""How long to wait before trying again to end an abandoned game."""


@dataclass(eq=False, slots=True)
class Eviction:
    """Loads rooms into memory, unloads them, and deletes those that nobody needs."""

    registry: RoomRegistry
    limits: RoomLimits
    log: EventLog
    ai_player: AiPlayer
    timers: Timers
    tasks: TaskOwner
    observers: Observers
    is_closed: bool = False
    """Whether the server is stopping: see `close`."""
    _left: dict[RoomName, int] = field(default_factory=dict)
    """When everyone left each unfinished game, in Unix ms without `clock_shift`, so that it
    survives a change of the clock."""
    _ends: Alarms[RoomName] = field(init=False)
    """When to end those games."""
    _idle: Deadlines[LiveRoom] = field(init=False)
    """The rooms to unload in time."""
    _began_at: int = field(init=False)
    """In Unix ms. Members from before the start count as gone since then."""

    def __post_init__(self) -> None:
        self._ends = Alarms(self._abandon)
        self._idle = Deadlines(self.limits.idle_s, self._forget)
        self._began_at = self.registry.now() - self.registry.clock_shift

    def open(self, name: RoomName, *, may_exceed: bool = False) -> LiveRoom:
        """Return a room, loading it into memory if need be.

        `may_exceed`: also beyond the number of rooms that there may be.

        Raises:
            Refused: `server_full`, if no other room can make way.
        """
        if (live := self.registry.get(name)) is not None:
            return live
        if self.registry.is_full and not may_exceed:
            self._make_place()
        live = self.registry.open(name, may_exceed=may_exceed)
        if (left := self._left.get(name)) is not None:
            live.members.were_last_here(left + self.registry.clock_shift)
        else:
            live.members.may_have_been_here(self._began_at + self.registry.clock_shift)
        return live

    def begin_join(self, live: LiveRoom, address: str) -> None:
        """Keep a room in memory for a join, until `end_join`."""
        live.joining += 1
        live.opened_from = live.opened_from or address
        live.timers.cancel("forget")
        self._idle.discard(live)

    def end_join(self, live: LiveRoom) -> None:
        """Release a room that a join kept in memory, if no member is here."""
        live.joining -= 1
        self.release(live)

    def stay(self, live: LiveRoom) -> None:
        """Cancel the end of an abandoned game: it is over, or a member is here."""
        if self._left.pop(live.room.name, None) is not None:
            self._ends.cancel(live.room.name)

    def settled(self, live: LiveRoom) -> None:
        """Note that nothing is overdue in a room."""
        if not live.is_left:
            self.stay(live)
        self.release(live)

    def release(self, live: LiveRoom) -> None:
        """Unload a room in time, if the last member has gone."""
        if not live.is_deserted or live not in self.registry:
            return
        if not live.room.seq:
            live.timers.set(0, "forget", self._forget, live)  # it was never made
        elif live.is_void:
            self.tasks.start(self._delete(live))
        else:
            if live not in self._idle and "forget" not in live.timers:
                self._idle.add(live)
            self._end_later(live)

    async def forget_for_good(self, name: RoomName, before: int) -> bool:
        """Delete a room that is not in memory and has had no event since `before` (Unix ms).

        A room that a tournament observes is kept.

        Raises:
            StorageFailed: if it still exists.
        """
        if self.is_closed or self.observers.is_observed(name):
            return False
        if self.registry.get(name) is not None or self.registry.is_full:
            return False
        about_room(name)
        live = self.open(name)  # a join that comes meanwhile finds it, and waits for the lock
        try:
            async with live.lock:
                await self.log.catch_up(live, self.registry.now)
                if not live.room.seq or live.room.changed_at >= before:
                    return False
                self.stay(live)
                await self.log.delete(live)
        finally:
            self.release(live)
        return True

    def needs(self, name: RoomName) -> bool:
        """Return whether a room is in memory, or its game is to be ended here in time."""
        return self.registry.get(name) is not None or name in self._left

    def give_up(self) -> None:
        """Dismiss all members and unload all rooms at once: another server may have them."""
        for live in tuple(self.registry.all):
            self._give_up(live)
        self._left.clear()
        self._ends.clear()

    async def let_go(self, name: RoomName, give: Callable[[], Awaitable[None]]) -> None:
        """Unload a room once `give` has given it to another server, where its members go on.

        Raises:
            StorageFailed: by `give`; the room is unloaded all the same.
        """
        live = self.registry.get(name)
        if live is None:
            return await give()
        async with live.lock:
            try:
                await give()
            finally:
                if live in self.registry:
                    self._give_up(live)
        return None

    def _give_up(self, live: LiveRoom) -> None:
        for member in tuple(live.members):
            member.listener.dismiss(CloseCode.RESTARTING)
        self.stay(live)
        self._unload(live)

    def close(self) -> None:
        """Drop all timers. From now on no change sets one, and no room is deleted for good."""
        self.is_closed = True
        self._drop_timers()

    def _drop_timers(self) -> None:
        for live in self.registry.all:
            live.timers.close()
        self._idle.clear()
        self._ends.clear()

    # Abandoned games

    def _end_later(self, live: LiveRoom) -> None:
        """End an unfinished game in time, whether the room is in memory then or not."""
        if live.is_left:
            name = live.room.name
            rest_s = self.limits.abandon_s - (self.registry.now() - live.left_at) / 1000
            self._left[name] = live.left_at - self.registry.clock_shift
            self._ends.set(name, rest_s)

    def _abandon(self, name: RoomName) -> None:
        # Try again until the game is known to be over: the server may be full now, or the store
        # may fail.
        self._ends.set(name, AGAIN_S)
        try:
            live = self.open(name)
        except Refused:
            return
        self.timers.settle_overdue(live)

    # Idle rooms

    def _make_place(self) -> None:
        """Unload the room that has been idle longest."""
        for live in self._idle:
            is_idle = not self.ai_player.is_at_work(live) and not is_clock_running(live)
            if is_idle and not live.lock.locked():
                self._forget(live)
                return

    def _forget(self, live: LiveRoom) -> None:
        """Unload a room, unless it is needed in memory."""
        if not live.is_deserted:
            return
        is_played = self.ai_player.is_at_work(live) and not live.room.seats.all_ai
        if is_played or is_clock_running(live):  # a game against a human goes on
            self._idle.add(live)
            return
        if live.lock.locked():  # the room may be needed after the write
            live.timers.set(RETRY_S, "forget", self._forget, live)
            return
        self._unload(live)

    def _unload(self, live: LiveRoom) -> None:
        self._idle.discard(live)
        self.registry.forget(live)
        self.ai_player.stop(live)
        self.observers.entered(live)

    # Void rooms

    async def _delete(self, live: LiveRoom) -> None:
        """Delete a room with empty seats that never had a game."""
        about_room(live.room.name)
        async with live.lock:
            if live.joining or not live.is_void or live not in self.registry:
                return
            try:
                await self.log.delete(live)
            except StorageFailed as error:
                logger.error("%s", error)
                if live.is_deserted and live in self.registry:
                    self._idle.add(live)
                return
        self.release(live)
