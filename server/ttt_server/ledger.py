"""The logs of the rooms: written before anything is told, read where memory may be behind."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from time import perf_counter

from ttt_engine import EngineError
from ttt_protocol.codec import InvalidWire, decode_events
from ttt_protocol.state import RoomName
from ttt_server.games import Decision
from ttt_server.histogram import Histogram
from ttt_server.live import LiveRoom
from ttt_server.room import InvalidLog, evolve_all
from ttt_server.step import Step, step_of
from ttt_server.store import EventStore, Lines, StorageFailed, Then, answer
from ttt_server.tasks import Tasks

logger = logging.getLogger(__name__)

COMMIT_BOUNDS_S = (0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5)

PROBE_S = 1.0
"""While the store fails it is tried so often."""


class Ledger:
    """Brings rooms and their logs together. The caller holds the room's lock."""

    def __init__(self, store: EventStore, tasks: Tasks) -> None:
        self._store = store
        self._tasks = tasks
        self._probing: asyncio.Task[None] | None = None
        self.is_healthy = True
        """Whether a write has gone well since something failed last."""
        self.moves = 0
        """Written since the start."""
        self.commits = Histogram(COMMIT_BOUNDS_S)
        """How long the store took."""

    async def append(self, live: LiveRoom, events: Decision) -> Step:
        """When it returns, `events` are on disk and `live.room` is the room after them.

        Raises:
            Conflict: the log is ahead of the room.
            StorageFailed: nothing changed.
        """
        step = step_of(live.room, events)
        began = perf_counter()
        kept: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.begin(live, (step,), partial(answer, kept))
        with self._watched():
            await kept
        self.end(live, (step,), None, began)
        return step

    def begin(self, live: LiveRoom, steps: tuple[Step, ...], then: Then) -> None:
        """Begins to `append`, with no task that waits. When `then` is called, `end` it.

        No other than the last of the steps has a lesson.
        """
        room = live.room
        live.is_stale = True  # if we are stopped in between, the log has to tell
        lines: Lines = steps[0].lines
        if len(steps) > 1:
            lines = [line for step in steps for line in step.lines]
        self._store.append(room.name, room.seq + 1, lines, steps[-1].lesson, then)

    def end(
        self,
        live: LiveRoom,
        steps: tuple[Step, ...],
        error: Exception | None,
        began: float,
        tell: Callable[[Lines], None] | None = None,
    ) -> None:
        """Ends what `begin` began, by `perf_counter`; raises as `append` does.

        After each step, when `live.room` is the room after it, `tell` is called with its lines.
        """
        if error is not None:
            with self._watched():
                raise error
        self.commits.observe(perf_counter() - began)
        if not self.is_healthy:
            self._is_well()
        for step in steps:
            self.moves += step.is_move
            live.room = step.follow(live.room)
            if tell is not None:
                tell(step.lines)
        live.is_stale = False

    async def catch_up(self, live: LiveRoom, now: Callable[[], int]) -> Decision:
        """What the log has and `live` did not know; now it does.

        Raises:
            StorageFailed: the log could not be read, or understood.
        """
        if not live.is_stale:
            return ()
        with self._watched():
            log = await self._read(live.room.name)
        missed = log[live.room.seq :]
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
            StorageFailed: if it cannot be read.
        """
        with self._watched():
            return await self._read(name)

    async def delete(self, live: LiveRoom) -> None:
        """Forgets the room, which is then none.

        Raises:
            StorageFailed: if it is still there.
        """
        live.is_stale = True
        with self._watched():
            await self._store.delete(live.room.name)
        live.reset()

    async def _read(self, name: RoomName) -> Decision:
        lines = await self._store.load(name)
        try:
            # In a thread, as the log of a long series takes a while.
            return await asyncio.to_thread(decode_events, lines) if lines else ()
        except InvalidWire as error:
            raise StorageFailed(f"the log of {name} cannot be read: {error}") from None

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
