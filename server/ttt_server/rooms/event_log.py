"""The rooms' side of the store: catch up with a log, and notice when the store fails.

`Feed` tells the parts of the server that serve persons what was kept of their rooms.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from time import monotonic
from typing import Final

from ttt_engine import EngineError
from ttt_protocol.codec import EncodedEvents, InvalidWire, decode_event
from ttt_protocol.records import GameRecord
from ttt_protocol.state import RoomName
from ttt_server.concurrency.fair_semaphore import FairSemaphore
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.core.archive.anonymous import Rewrite
from ttt_server.core.archive.saved_room import restore
from ttt_server.core.errors import InvalidLog, LacksPackage
from ttt_server.core.evolve import evolve_all
from ttt_server.core.game_record import record_of
from ttt_server.core.room import Room
from ttt_server.rooms.live_room import LiveRoom
from ttt_server.storage.base import EventStore, Excerpt, StorageFailed

logger = logging.getLogger(__name__)

PROBE_S = 1.0
"""How often to probe a failing store."""

PAGE = 256
"""Events read in one turn, so that a short log waits for one page of each longer one. Only a long
game has more after its snapshot."""

_STEP = 16
"""Events the loop reads at once, in about 0.5 ms."""

_OWN_AT_ONCE = 4
"""As many as a store reads at once: on a database that is far away they would wait for each other,
while flags fall."""

_LONG = 2 * PAGE
"""A room that took more events than this to read is kept for a while, for whoever asks next."""

_FOLDED_S = 60.0
"""How long such a room is kept."""

_MOST_FOLDED = 32
"""The most such rooms."""


class _NotUnderstood(StorageFailed):
    """A newer server has written the log, or one with another package."""

    def __init__(self, words: str, reason: str | None = None) -> None:
        super().__init__(words)
        self.reason = reason


class GameNotKept(Exception):
    """The game was played, but its events are no longer kept."""


class EventLog:
    """Brings rooms up to date with their logs. The caller holds the room's lock."""

    def __init__(
        self, store: EventStore, tasks: TaskOwner, hand_on: Callable[[RoomName], None]
    ) -> None:
        """`hand_on` is called with a room whose log only another server may be able to read."""
        self.store = store
        self._hand_on = hand_on
        self._tasks = tasks
        self._probing: asyncio.Task[None] | None = None
        self.is_healthy = True
        """Whether a write has succeeded since the store failed last."""
        self.moves = 0
        """Moves written since the start."""
        self._doubtful: dict[LiveRoom, None] = {}
        """Rooms with a write of unknown outcome."""
        self.settle: Callable[[LiveRoom], None] | None = None
        """Called with each room in doubt once the store works again."""
        self._folded: dict[RoomName, tuple[Room, float]] = {}
        """Rooms as far as their long logs were read, and when that was, by `monotonic`."""
        self._reading: dict[RoomName, int] = {}
        """The rooms whose logs are being read, and the last event that was read of each."""
        self._taken: dict[RoomName, int] = {}
        """When rooms that are not in memory became this server's, in Unix ms."""
        self._turns = FairSemaphore(1)
        """For reading logs: one page at a time, in turn between addresses."""
        self._own_turns = FairSemaphore(_OWN_AT_ONCE)
        """For those that no address asks for, like the logs of a server that is gone."""
        store.watch(self.fail)

    def doubt(self, live: LiveRoom) -> None:
        """Settle the room once the outcome of its last write is certain."""
        self._doubtful[live] = None

    def take(self, name: RoomName, at: int) -> None:
        """Run a room's clock from a time in Unix ms, though the room is not in memory."""
        self._taken[name] = at

    def progress(self, name: RoomName) -> int:
        """Return the number of the last event read of a log that is being read; 0 before it."""
        return self._reading.get(name, 0)

    async def catch_up(self, live: LiveRoom, now: Callable[[], int]) -> EncodedEvents | None:
        """Bring a room up to date with its log.

        Returns:
            The events that the room had missed, none if nothing was known of it; `None` if it was
            up to date.

        Raises:
            StorageFailed: if the log could not be read, or is inconsistent.
        """
        if not live.is_stale:
            return None
        after, missed, is_whole = self._begun(live), list[bytes](), False
        known = after.seq
        try:
            turns = self._turns if live.opened_from else self._own_turns
            async with turns.take(live.opened_from) as turn:
                while not is_whole:
                    after, is_whole = await self._read_page(live, after, missed)
                    if not is_whole:
                        self._reading[after.name] = after.seq
                        await turn.give_way()
        except _NotUnderstood:
            self._hand_on(after.name)
            raise
        finally:
            self._reading.pop(after.name, None)
            if after.seq - known > _LONG:
                self._keep(after)
        if after is live.room:
            live.is_stale = False
            return None
        # No player is charged for the time in which no server had the room.
        ours_since = self._taken.get(live.room.name, 0)
        if ours_since < after.changed_at:  # it was played on since then
            self._taken.pop(live.room.name, None)
            ours_since = now()
        live.follow(after.with_clock_shifted(ours_since - after.changed_at))
        return tuple(missed)

    def _begun(self, live: LiveRoom) -> Room:
        """Return a room as far as it is known, which may be from an earlier reading of its log."""
        room, at = self._folded.get(live.room.name, (live.room, 0.0))
        if live.room.seq or monotonic() - at > _FOLDED_S:
            return live.room
        return room

    def _keep(self, room: Room) -> None:
        """Keep what was read of a long log: whoever waited for it may have gone."""
        self._folded.pop(room.name, None)
        self._folded[room.name] = room, monotonic()
        if len(self._folded) > _MOST_FOLDED:
            del self._folded[next(iter(self._folded))]

    async def read_game(self, name: RoomName, number: int) -> GameRecord | None:
        """Return a game of a room; `None` if it has not started.

        Raises:
            GameNotKept: if it is no longer kept.
            StorageFailed: if the log cannot be read or understood.
        """
        found = await self._read(self.store.load_game(name, number))
        start, lines = await self._begin(name, found)
        if start.game is not None and start.game.number >= number:
            raise GameNotKept
        # In a thread, as a long game takes a while.
        return await asyncio.to_thread(_record, start, lines, number)

    async def delete(self, live: LiveRoom) -> None:
        """Delete the log of a room, and reset the room.

        Raises:
            StorageFailed: if the log is still there.
        """
        live.is_stale = True
        self._folded.pop(live.room.name, None)
        with self._watched():
            await self.store.delete(live.room.name)
        live.reset()

    async def rewrite(self, name: RoomName, live: LiveRoom | None, rewrite: Rewrite) -> None:
        """Put the log of a room into other words, and forget what is known of the room.

        Raises:
            StorageFailed: if the log may be as it was.
        """
        self._folded.pop(name, None)
        with self._watched():
            await self.store.rewrite(name, rewrite)
        if live is not None:
            live.is_stale = True
            live.reset()

    async def _read_page(
        self, live: LiveRoom, room: Room, missed: list[bytes]
    ) -> tuple[Room, bool]:
        """Read a page of a log, and extend the events that `live` has missed.

        Args:
            live: the room as it is known.
            room: the room up to this page.
            missed: the events before it.

        Returns:
            The room after the page, and whether it was the last.

        Raises:
            StorageFailed: if the log could not be read, or is inconsistent.
        """
        found = await self._read(self.store.load(room.name, room.seq or None, PAGE))
        start, lines = room, found.lines
        if found.start is not None:
            start, lines = await self._begin(room.name, found, PAGE)
            live.snapshot_seq = start.seq
        if live.room.seq:  # else no member is here to be told
            missed += lines
        return await _fold(start, lines), len(lines) < PAGE

    async def _begin(
        self, name: RoomName, found: Excerpt, most: int | None = None
    ) -> tuple[Room, EncodedEvents]:
        """Return the room before some events, and the events.

        They are the first of the log, up to `most`, if the snapshot before them is of no use.

        Raises:
            StorageFailed: if the log could not be read.
        """
        if found.start is None:
            return Room(name), found.lines
        try:
            return restore(name, found.start), found.lines
        except InvalidLog as error:
            whole = await self._read(self.store.load(name, 0, most))
            if whole.start is not None:  # these events are not the first
                raise StorageFailed(f"the log is inconsistent: {error}") from None
            return Room(name), whole.lines

    async def _read(self, loading: Awaitable[Excerpt]) -> Excerpt:
        with self._watched():
            return await loading

    @contextmanager
    def _watched(self) -> Iterator[None]:
        try:
            yield
        except StorageFailed as error:
            self.fail(error)
            raise

    def fail(self, error: StorageFailed) -> None:
        """Note that the store fails, and probe it until it works."""
        if self.is_healthy:
            logger.error("the store fails: %s", error)
        self.is_healthy = False
        if self._probing is None or self._probing.done():
            self._probing = self._tasks.start(self._probe())

    def recover(self) -> None:
        """Note that the store works again, and settle the rooms in doubt."""
        logger.warning("the store works again")
        self.is_healthy = True
        doubtful, self._doubtful = self._doubtful, {}
        for live in doubtful:
            if self.settle is not None:
                self.settle(live)

    async def _probe(self) -> None:
        """Notice when the store works again, even if no room writes."""
        while not self.is_healthy:
            await asyncio.sleep(PROBE_S)
            with suppress(StorageFailed):
                await self.store.probe()
                if not self.is_healthy:  # else a write noticed meanwhile
                    self.recover()


async def _fold(room: Room, lines: EncodedEvents) -> Room:
    """Return the room after these events, letting other rooms run between a few of them.

    A thread would be slower, and hold up every other move several times: it keeps the interpreter
    lock for 5 ms.

    Raises:
        StorageFailed: if they cannot be read or are inconsistent; the store itself works.
    """
    for first in range(0, len(lines), _STEP):
        if first:
            await asyncio.sleep(0)
        with _understood(room.name):
            room = evolve_all(room, map(decode_event, lines[first : first + _STEP]))
    return room


def _record(room: Room, lines: EncodedEvents, number: int) -> GameRecord | None:
    """Return a game recorded by these events.

    Raises:
        StorageFailed: as `_fold`.
    """
    with _understood(room.name):
        return record_of(room, map(decode_event, lines), number)


@contextmanager
def _understood(name: RoomName) -> Iterator[None]:
    try:
        yield
    except InvalidWire as error:
        raise _NotUnderstood(f"the log of {name} cannot be read: {error}") from None
    except LacksPackage as error:
        words = f"the log of {name} is kept unread: {error}"
        raise _NotUnderstood(words, str(error)) from None
    except (InvalidLog, EngineError) as error:
        raise StorageFailed(f"the log is inconsistent: {error}") from error


_MOVE: Final = b'{"type":"played"'

Kept = Callable[[Room, Room, EncodedEvents], None]
"""Takes a room before and after some events that are on disk, in the order of the log, and the
events. It must not raise or wait. Moves of a followed room that only go on with a game are left
out: `Feed.newest` has what came of them."""


@dataclass(slots=True)
class _Noted:
    """A room that the store has noted as unread."""

    live: LiveRoom
    note: int
    is_told: bool = False
    """Whether an event was kept since. If not, its write may have failed."""


class Feed:
    """The one place that tells what happens in rooms with persons.

    A room is noted as unread before the first event that is told, and stays so until `take_note`.
    Once it is noted and everyone in its seats is here, it is *followed*: moves are not told, and
    cost no more than a look at a flag.
    """

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._call: list[Kept] = []
        self._noted: dict[RoomName, _Noted] = {}
        self._last = 0

    def subscribe(self, call: Kept) -> None:
        """Call this after each step of a room with persons."""
        self._call.append(call)

    def begin(self, live: LiveRoom, now: int) -> None:
        """Tell the store, unless it knows, that the room is unread: its events are to be kept."""
        name = live.room.name
        noted = self._noted.get(name)
        if noted is None or noted.live is not live or not noted.is_told:
            self._noted[name] = noted = _Noted(live, self._next_note(now))
            self._store.note_unread(name, noted.note)

    def kept(self, before: Room, after: Room, events: EncodedEvents) -> None:
        """Tell that some events of a room are on disk."""
        if (noted := self._noted.get(after.name)) is not None:
            noted.is_told = True
        for call in self._call:
            call(before, after, events)

    def follow(self, live: LiveRoom) -> None:
        """Leave out the moves that come next, unless they concern somebody who is away."""
        noted = self._noted.get(live.room.name)
        is_noted = noted is not None and noted.live is live
        live.is_followed = is_noted and live.everyone_is_here

    def entered(self, live: LiveRoom) -> None:
        """Tell of the next move: members came or went."""
        live.is_followed = False

    # For who reads

    def newest(self, room: RoomName) -> LiveRoom | None:
        """Return a room that is noted, with what has come of moves since; else `None`."""
        noted = self._noted.get(room)
        return None if noted is None else noted.live

    def renew(self, room: RoomName, now: int) -> int:
        """Return a newer note of a noted room. It is for the caller to keep it."""
        self._noted[room].note = self._next_note(now)
        return self._noted[room].note

    def take_note(self, room: RoomName) -> int:
        """Return the note of a room, which the next event brings anew; 0 without one."""
        noted = self._noted.pop(room, None)
        if noted is None:
            return 0
        noted.live.is_followed = False
        return noted.note

    def _next_note(self, now: int) -> int:
        """Return the time, or a bit more: no two notes are alike."""
        self._last = max(self._last + 1, now)
        return self._last


def go_on(events: EncodedEvents) -> bool:
    """Return whether these are moves after which the game goes on."""
    for event in events:  # noqa: SIM110 - a generator is dearer
        if not event.startswith(_MOVE):
            return False
    return True
