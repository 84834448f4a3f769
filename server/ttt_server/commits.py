"""Commit, then tell: the path of what changes a room.

Under the room's lock: decide, append to the log, evolve, publish. What a member has seen in an
`update` is on disk.
"""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from time import perf_counter
from typing import Any

from ttt_server.driver import Decide
from ttt_server.games import Decision
from ttt_server.ledger import Ledger
from ttt_server.live import LiveRoom, Member, take
from ttt_server.refused import Refused
from ttt_server.store import Conflict, StorageFailed
from ttt_server.tasks import Tasks

_ATTEMPTS = 3
"""How often a decision is taken anew because another process wrote first."""

Overdue = Callable[[LiveRoom, int], Decision]
"""What should have happened in a room by itself before a time in Unix ms."""
Otherwise = Callable[[], Coroutine[Any, Any, None]]
"""What to do about a change that could not be kept."""


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
        self, live: LiveRoom, decision: Decide, otherwise: Otherwise
    ) -> asyncio.Future[None] | None:
        """As `transact`, without waiting for the disk: what follows is told when it is kept.

        The future is done when it has been told, or could not be kept: then `otherwise` is run.
        Null, and nothing was done, where `transact` has to see to it: there is something to wait
        for, or to do first, or it is refused, or nothing follows.
        """
        if live.is_stale or live.lock.locked():
            return None
        now = self._now()
        if self._overdue(live, now):
            return None
        try:
            events = decision(live.room, now)
        except Refused:
            return None
        if not events or not take(live.lock):
            return None
        began = perf_counter()
        writing = self._ledger.begin(live, events)
        writing.add_done_callback(partial(self._written, live, events, began, otherwise))
        return writing

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
        live.changed_at = asyncio.get_running_loop().time()
        live.publish(events, besides=besides)
        self._on_change(live)

    def _written(
        self,
        live: LiveRoom,
        events: Decision,
        began: float,
        otherwise: Otherwise,
        writing: asyncio.Future[None],
    ) -> None:
        try:
            self._ledger.end(live, events, writing, began)
            self.publish(live, events)
        except (Conflict, StorageFailed):
            self._tasks.start(otherwise())
        finally:
            live.lock.release()
