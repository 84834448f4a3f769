"""The logs of the rooms: written before anything is told, read where memory may be behind."""

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
from ttt_server.core.transition import Transition, transition
from ttt_server.rooms.live_room import LiveRoom, Member
from ttt_server.storage.base import EventStore, StorageFailed
from ttt_server.telemetry.histogram import Histogram

logger = logging.getLogger(__name__)

PROBE_S = 1.0
"""While the store fails it is tried so often."""


class Entry:
    """Steps of a room on their way to its log: an `Append`, which `begin` fills in."""

    __slots__ = ("lesson", "lines", "live", "room", "seq", "set_by", "steps")
    room: RoomName
    seq: int
    lines: EncodedEvents
    lesson: Lesson | None
    steps: tuple[Transition, ...]
    """One after the other; no other than the last has a lesson."""
    set_by: int
    """By how much the room's clock had been set when they followed from it."""

    def __init__(self, live: LiveRoom) -> None:
        self.live = live

    def then(self, error: Exception | None) -> None:
        """As for every `Append`; whoever is called has the ledger `end` it."""
        raise NotImplementedError


class _Awaited(Entry):
    """One that a task waits for."""

    __slots__ = ("kept",)

    def __init__(self, live: LiveRoom, kept: asyncio.Future[Exception | None]) -> None:
        super().__init__(live)
        self.kept = kept
        """Done when it is, or with the error by which it is not."""

    def then(self, error: Exception | None) -> None:
        if not self.kept.done():  # else whoever waited was cancelled
            self.kept.set_result(error)


class EventLog:
    """Brings rooms and their logs together. The caller holds the room's lock."""

    def __init__(self, store: EventStore, tasks: TaskOwner) -> None:
        self._store = store
        self._loop = asyncio.get_running_loop()
        self._begun: list[Entry] = []
        """In this round of the loop: they go to the store together."""
        self.round = 0
        """How often some went there. What was begun in this one has not gone yet."""
        self._tasks = tasks
        self._probing: asyncio.Task[None] | None = None
        self.is_healthy = True
        """Whether a write has gone well since something failed last."""
        self.moves = 0
        """Written since the start."""

    @property
    def commits(self) -> Histogram:
        """How long the store took."""
        return self._store.commits

    async def append(self, live: LiveRoom, events: Decision) -> Transition:
        """When it returns, `events` are on disk and `live.room` is the room after them.

        Raises:
            Conflict: the log is ahead of the room.
            StorageFailed: nothing changed.
        """
        step, entry = transition(live.room, events), _Awaited(live, self._loop.create_future())
        self.begin(entry, (step,))
        self.end(entry, await entry.kept)
        return step

    def begin(self, entry: Entry, steps: tuple[Transition, ...]) -> None:
        """Begins to `append`, with no task that waits. When the entry is told `then`, `end` it."""
        live, lines = entry.live, steps[0].events
        room = live.room
        live.is_stale = True  # if we are stopped in between, the log has to tell
        entry.set_by = live.set_by
        if len(steps) > 1:
            lines = [line for step in steps for line in step.events]
        entry.steps, entry.lines, entry.lesson = steps, lines, steps[-1].lesson
        entry.room, entry.seq = room.name, room.seq + 1
        if not self._begun:
            self._loop.call_soon(self._hand_over)
        self._begun.append(entry)

    def end(
        self,
        entry: Entry,
        error: Exception | None,
        author: Member | None = None,
    ) -> None:
        """Ends what `begin` began; raises as `append` does.

        With `author`, who said what the steps follow from, everyone is told of each of them when
        the room is the room after it: they first.
        """
        if error is not None:
            with self._watched():
                raise error
        if not self.is_healthy:
            self._is_well()
        live = entry.live
        for step in entry.steps:
            after, lines, _, is_move = step
            set_by = live.set_by - entry.set_by  # also by the look at the time of who was told last
            live.room = after if set_by == 0 else after.with_clock_shifted(set_by)
            self.moves += is_move
            if author is not None:
                live.publish(lines, author)
        live.is_stale = False

    async def catch_up(self, live: LiveRoom, now: Callable[[], int]) -> Decision:
        """What the log has and `live` did not know; now it does.

        Raises:
            StorageFailed: the log could not be read, or understood.
        """
        if not live.is_stale:
            return ()
        missed = (await self.log(live.room.name))[live.room.seq :]
        if missed:
            try:
                room = evolve_all(live.room, missed)
            except (InvalidLog, EngineError) as error:
                raise StorageFailed(f"the log makes no sense: {error}") from error
            # Nobody pays for the time that passed while nobody served the room.
            live.room = room.with_clock_shifted(now() - room.changed_at)
        live.is_stale = False
        return missed

    async def log(self, name: RoomName) -> Decision:
        """All that happened in a room; nothing if there is none.

        Raises:
            StorageFailed: if it cannot be read, or understood.
        """
        with self._watched():
            lines = await self._store.load(name)
        try:
            # In a thread, as the log of a long series takes a while.
            return await asyncio.to_thread(decode_log, lines) if lines else ()
        except InvalidWire as error:  # of this room alone: the store is well
            raise StorageFailed(f"the log of {name} cannot be read: {error}") from None

    async def delete(self, live: LiveRoom) -> None:
        """Forgets the room, which is then none.

        Raises:
            StorageFailed: if it is still there.
        """
        live.is_stale = True
        with self._watched():
            await self._store.delete(live.room.name)
        live.reset()

    def _hand_over(self) -> None:
        begun, self._begun = self._begun, []
        self.round += 1
        self._store.append(begun)

    @contextmanager
    def _watched(self) -> Iterator[None]:
        try:
            yield
        except StorageFailed as error:
            if self.is_healthy:
                logger.error("the store fails: %s", error)
            self.is_healthy = False
            if self._probing is None or self._probing.done():
                self._probing = self._tasks.start(self._probe())
            raise

    def _is_well(self) -> None:
        logger.warning("the store is well again")
        self.is_healthy = True

    async def _probe(self) -> None:
        """Finds out that the store is well again, should nobody write."""
        while not self.is_healthy:
            await asyncio.sleep(PROBE_S)
            with suppress(StorageFailed):
                await self._store.probe()
                if not self.is_healthy:  # no write has found it out meanwhile
                    self._is_well()
