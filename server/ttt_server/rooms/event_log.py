"""The rooms' side of the store: append, catch up, and notice when the store fails."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from ttt_engine import EngineError
from ttt_engine.learning.memory import Lesson
from ttt_protocol.codec import EncodedEvents, InvalidWire
from ttt_protocol.state import RoomName
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.core.errors import InvalidLog
from ttt_server.core.events import decode_log
from ttt_server.core.evolve import evolve_all
from ttt_server.core.play import Decision
from ttt_server.core.transition import Transition
from ttt_server.rooms.live_room import LiveRoom
from ttt_server.storage.base import EventStore, StorageFailed
from ttt_server.telemetry.histogram import Histogram

logger = logging.getLogger(__name__)

PROBE_S = 1.0
"""How often the store is tried while it fails."""


class Entry:
    """The events of one transaction: an `Append` for the store."""

    __slots__ = ("lesson", "lines", "room", "seq", "then")

    def __init__(
        self,
        room: RoomName,
        seq: int,
        lines: EncodedEvents,
        lesson: Lesson | None,
        then: Callable[[Exception | None], None],
    ) -> None:
        self.room = room
        self.seq = seq
        self.lines = lines
        self.lesson = lesson
        self.then = then


class EventLog:
    """Brings rooms and their logs together. The caller holds the room's lock."""

    def __init__(self, store: EventStore, tasks: TaskOwner) -> None:
        self._store = store
        self._tasks = tasks
        self._probing: asyncio.Task[None] | None = None
        self.is_healthy = True
        """Whether a write has succeeded since the store failed last."""
        self.moves = 0
        """The moves that were written since the start."""
        self._doubtful: dict[LiveRoom, None] = {}
        """The rooms with a write whose outcome is not known."""
        self._settle: Callable[[LiveRoom], None] | None = None
        store.watch(self._fail)

    @property
    def commits(self) -> Histogram:
        """Seconds from `append` to events on disk."""
        return self._store.commits

    def append(
        self,
        live: LiveRoom,
        steps: tuple[Transition, ...],
        then: Callable[[Exception | None], None],
    ) -> None:
        """Give the events of `steps` to the store, which writes those of many rooms together.

        Args:
            live: the room.
            steps: one after the other; only the last may have a lesson.
            then: called later. The receiver passes the outcome to `appended`, and brings the
                room forward if there is no error.
        """
        events = steps[0].events
        if len(steps) > 1:
            events = tuple(event for step in steps for event in step.events)
        room = live.room
        live.begin_write()
        self._store.append((Entry(room.name, room.seq + 1, events, steps[-1].lesson, then),))

    def appended(self, steps: tuple[Transition, ...], error: Exception | None) -> None:
        """Take note of the outcome of an `append`."""
        if error is None:
            if not self.is_healthy:
                self._recover()
            for step in steps:
                self.moves += step.is_move
        elif isinstance(error, StorageFailed):
            self._fail(error)

    def doubt(self, live: LiveRoom) -> None:
        """Have the room settled as soon as the outcome of its last write is certain."""
        self._doubtful[live] = None

    def when_certain(self, settle: Callable[[LiveRoom], None]) -> None:
        """Call `settle` for each room that was in doubt, when the store works again."""
        self._settle = settle

    async def catch_up(self, live: LiveRoom, now: Callable[[], int]) -> EncodedEvents:
        """Read what the log has and `live` lacks, bring the room forward, and return it.

        Raises:
            StorageFailed: if the log could not be read, or makes no sense.
        """
        if not live.is_stale:
            return ()
        lines, events = await self._load(live.room.name)
        room = live.room
        missed = events[room.seq :]
        if not missed:
            live.validate()
            return ()
        try:
            after = evolve_all(room, missed)
        except (InvalidLog, EngineError) as error:
            raise StorageFailed(f"the log makes no sense: {error}") from error
        # The time in which no server had the room is charged to no player.
        live.follow(after.with_clock_shifted(now() - after.changed_at))
        return lines[room.seq :]

    async def read(self, name: RoomName) -> Decision:
        """Return all events of a room; none if there is no such room.

        Raises:
            StorageFailed: if the log cannot be read or understood.
        """
        return (await self._load(name))[1]

    async def delete(self, live: LiveRoom) -> None:
        """Delete the log of a room, of which nothing is known then.

        Raises:
            StorageFailed: if the log is still there.
        """
        live.invalidate()
        with self._watched():
            await self._store.delete(live.room.name)
        live.reset()

    async def _load(self, name: RoomName) -> tuple[EncodedEvents, Decision]:
        with self._watched():
            lines = await self._store.load(name)
        try:
            # In a thread, as decoding the log of a long series takes a while.
            return lines, await asyncio.to_thread(decode_log, lines) if lines else ()
        except InvalidWire as error:  # a fault of this log alone: the store works
            raise StorageFailed(f"the log of {name} cannot be read: {error}") from None

    @contextmanager
    def _watched(self) -> Iterator[None]:
        try:
            yield
        except StorageFailed as error:
            self._fail(error)
            raise

    def _fail(self, error: StorageFailed) -> None:
        if self.is_healthy:
            logger.error("the store fails: %s", error)
        self.is_healthy = False
        if self._probing is None or self._probing.done():
            self._probing = self._tasks.start(self._probe())

    def _recover(self) -> None:
        logger.warning("the store works again")
        self.is_healthy = True
        doubtful, self._doubtful = self._doubtful, {}
        for live in doubtful:
            if self._settle is not None:
                self._settle(live)

    async def _probe(self) -> None:
        """Find out that the store works again, even if no room writes."""
        while not self.is_healthy:
            await asyncio.sleep(PROBE_S)
            with suppress(StorageFailed):
                await self._store.probe()
                if not self.is_healthy:  # else a write found it out meanwhile
                    self._recover()
