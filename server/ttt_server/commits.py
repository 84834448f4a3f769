"""Commit, then tell: the path of what changes a room.

Under the room's lock: decide, append to the log, evolve, publish. What a member has seen in an
`update` is on disk.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

from ttt_protocol.codec import encode_events
from ttt_server.driver import Decide
from ttt_server.games import Decision
from ttt_server.ledger import Ledger
from ttt_server.live import LiveRoom, Member
from ttt_server.refused import Refused
from ttt_server.store import Conflict, Lines, StorageFailed
from ttt_server.tasks import Tasks

logger = logging.getLogger(__name__)

_ATTEMPTS = 3
"""How often a decision is taken anew because another process wrote first."""

Overdue = Callable[[LiveRoom, int], Decision]
"""What should have happened in a room by itself before a time in Unix ms."""
OnTold = Callable[[], None]
"""Called when a change was kept and told."""
Otherwise = Callable[[], Coroutine[Any, Any, None]]
"""What to do about a change that could not be kept."""


class _Change(NamedTuple):
    """What was decided, on its way to the disk."""

    live: LiveRoom
    events: Decision
    lines: Lines
    began: float
    on_told: OnTold
    otherwise: Otherwise


class Commits:
    """Changes rooms, one change at a time in each."""

    def __init__(
        self,
        ledger: Ledger,
        tasks: Tasks,
        *,
        now: Callable[[], int],
        overdue: Overdue,
        on_change: Callable[[LiveRoom], None],
    ) -> None:
        """`now` gives Unix ms; `on_change` is called after every change, when it has been told."""
        self._ledger = ledger
        self._tasks = tasks
        self._now = now
        self._overdue = overdue
        self._on_change = on_change

    async def transact(self, live: LiveRoom, decision: Decide) -> Decision:
        """Decides, keeps what follows, and tells everyone; in this order, one at a time.

        Raises:
            Refused: by `decision`.
            StorageFailed: nothing changed.
        """
        async with live.lock:
            events = await self.keep(live, decision)
            if events:
                self.publish(live, events)
            return events

    def transact_at_once(
        self, live: LiveRoom, decision: Decide, on_told: OnTold, otherwise: Otherwise
    ) -> None:
        """As `transact`, with no task that waits, neither for the room nor for the disk.

        In the end `on_told` is called; or `otherwise` is run, and nothing was done, where
        `transact` has to see to it: there is something to read or to do first, or it is refused, or
        nothing follows, or it could not be kept.
        """
        live.lock.then(partial(self._begin, live, decision, on_told, otherwise))

    async def keep(self, live: LiveRoom, decision: Decide) -> Decision:
        """Decides and writes. The lock is held. When it returns, the events are on disk."""
        for _ in range(_ATTEMPTS):
            await self.catch_up(live)
            now = self._now()
            try:
                if overdue := self._overdue(live, now):
                    await self._ledger.append(live, overdue)
                    self.publish(live, overdue)
                if events := decision(live.room, now):
                    await self._ledger.append(live, events)
            except Conflict:
                continue
            return events
        raise StorageFailed(f"room {live.room.name}: others write to it all the time")

    async def catch_up(self, live: LiveRoom) -> None:
        """Reads what the log has and the room does not know. The lock is held."""
        if missed := await self._ledger.catch_up(live, self._now()):
            self.publish(live, missed)

    def publish(self, live: LiveRoom, events: Decision, *, besides: Member | None = None) -> None:
        """Tells everyone what was kept; `besides` knows it already."""
        self._publish(live, encode_events(events), besides)

    def _publish(self, live: LiveRoom, lines: Lines, besides: Member | None = None) -> None:
        live.changed_at = asyncio.get_running_loop().time()
        live.publish(lines, besides=besides)
        self._on_change(live)

    def _begin(
        self, live: LiveRoom, decision: Decide, on_told: OnTold, otherwise: Otherwise
    ) -> None:
        try:
            events = self._decide_now(live, decision)
            if events:
                lines = encode_events(events)
                change = _Change(live, events, lines, perf_counter(), on_told, otherwise)
                writing = self._ledger.begin(live, events, lines)
                writing.add_done_callback(partial(self._written, change))
                return
        except Exception:  # whoever hands on the lock is not to suffer by it
            logger.exception("a change failed")
        live.lock.release()
        self._tasks.start(otherwise())

    def _decide_now(self, live: LiveRoom, decision: Decide) -> Decision:
        """What follows, where nothing has to be read or to be done first, and it is not refused."""
        if live.is_stale:
            return ()
        now = self._now()
        if self._overdue(live, now):
            return ()
        try:
            return decision(live.room, now)
        except Refused:
            return ()

    def _written(self, change: _Change, writing: asyncio.Future[None]) -> None:
        live, is_told = change.live, False
        try:
            self._ledger.end(live, change.events, writing, change.began)
            self._publish(live, change.lines)
            is_told = True
        except (Conflict, StorageFailed):
            pass  # the common way tells of it
        except Exception:  # the same: a fault of ours ends there, and nobody waits for ever
            logger.exception("a change failed")
        finally:
            live.lock.release()
        if is_told:
            change.on_told()
        else:
            self._tasks.start(change.otherwise())
