"""Commit, then tell: the path of what changes a room.

Under the room's lock: decide, append to the log, evolve, publish. What a member has seen in an
`update` is on disk.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import suppress
from time import perf_counter
from typing import Any

from ttt_protocol.codec import encode_events
from ttt_server.driver import Decide
from ttt_server.games import Decision
from ttt_server.ledger import Ledger
from ttt_server.live import LiveRoom, Member
from ttt_server.refused import Refused
from ttt_server.room import Room
from ttt_server.step import Step
from ttt_server.store import Conflict, Lines, StorageFailed
from ttt_server.tasks import Tasks

logger = logging.getLogger(__name__)

_ATTEMPTS = 3
"""How often a decision is taken anew because another process wrote first."""

Overdue = Callable[[LiveRoom, int], Decision]
"""What should have happened in a room by itself before a time in Unix ms."""
Advance = Callable[[Room, int], Step | None]
"""The next step of a room at a time in Unix ms; null if nothing follows."""
Reply = Callable[[Room], Step | None]
"""What a room that is so does by itself in the same instant; null if it does not."""
OnTold = Callable[[], None]
"""Called when a change was kept and told."""
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
        reply: Reply,
        on_change: Callable[[LiveRoom], None],
    ) -> None:
        """`now` gives Unix ms; `on_change` is called after every change, when it has been told."""
        self.ledger = ledger
        self.tasks = tasks
        self._now = now
        self._overdue = overdue
        self.reply = reply
        self.on_change = on_change

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
        self, live: LiveRoom, advance: Advance, on_told: OnTold, otherwise: Otherwise
    ) -> None:
        """As `transact`, with no task that waits, neither for the room nor for the disk.

        What the room replies is kept with it, and told after it.

        In the end `on_told` is called; or `otherwise` is run, and nothing was done, where
        `transact` has to see to it: there is something to read or to do first, or it is refused, or
        nothing follows, or it could not be kept.
        """
        live.lock.then(Change(self, live, advance, on_told, otherwise).begin)

    async def keep(self, live: LiveRoom, decision: Decide) -> Decision:
        """Decides and writes. The lock is held. When it returns, the events are on disk."""
        for _ in range(_ATTEMPTS):
            await self.catch_up(live)
            now = self._now()
            try:
                if overdue := self._overdue(live, now):
                    await self.ledger.append(live, overdue)
                    self.publish(live, overdue)
                if events := decision(live.room, now):
                    await self.ledger.append(live, events)
            except Conflict:
                continue
            return events
        raise StorageFailed(f"room {live.room.name}: others write to it all the time")

    async def make(self, live: LiveRoom, decision: Decide) -> Decision:
        """As `keep`, for a room that nothing is known of, and that is probably to be made.

        The store finds out whether there is one: its log is not read before. Empty, and nothing was
        done, where `keep` has to see to it: what is refused here may not be so with the log.
        """
        if live.room.seq or not live.is_stale:
            return ()
        with suppress(Refused, Conflict):
            if events := decision(live.room, self._now()):
                await self.ledger.append(live, events)
                return events
        return ()

    async def catch_up(self, live: LiveRoom) -> None:
        """Reads what the log has and the room does not know. The lock is held."""
        if missed := await self.ledger.catch_up(live, self._now()):
            self.publish(live, missed)

    def publish(self, live: LiveRoom, events: Decision, *, besides: Member | None = None) -> None:
        """Tells everyone what was kept; `besides` knows it already."""
        self.tell(live, encode_events(events) if live.has_others(besides) else (), besides)
        self.on_change(live)

    def next_step(self, live: LiveRoom, advance: Advance) -> Step | None:
        """What follows, where nothing has to be read or to be done first, and it is not refused."""
        if live.is_stale:
            return None
        now = self._now()
        if self._overdue(live, now):
            return None
        try:
            return advance(live.room, now)
        except Refused:
            return None

    def tell(self, live: LiveRoom, lines: Lines, besides: Member | None = None) -> None:
        """Tells what was kept, as it was encoded for the log. `on_change` has to follow."""
        live.changed_at = asyncio.get_running_loop().time()
        live.publish(lines, besides=besides)


class Change:
    """A change that no task waits for: it is called when its turn comes, and when it is kept."""

    __slots__ = (
        "_advance",
        "_began",
        "_commits",
        "_live",
        "_on_told",
        "_otherwise",
        "_steps",
    )

    def __init__(
        self,
        commits: Commits,
        live: LiveRoom,
        advance: Advance,
        on_told: OnTold,
        otherwise: Otherwise,
    ) -> None:
        self._commits = commits
        self._live = live
        self._advance = advance
        self._on_told = on_told
        self._otherwise = otherwise

    def begin(self) -> None:
        """It has the lock."""
        commits, live = self._commits, self._live
        try:
            step = commits.next_step(live, self._advance)
            if step is not None:
                reply = commits.reply(step.after)
                self._steps = (step,) if reply is None else (step, reply)
                self._began = perf_counter()
                commits.ledger.begin(live, self._steps, self._written)
                return
        except Exception:  # whoever hands on the lock is not to suffer by it
            logger.exception("a change failed")
        self._give_up()

    def _written(self, error: Exception | None) -> None:
        commits, live = self._commits, self._live
        try:
            commits.ledger.end(error, self._began)
            for step in self._steps:
                commits.ledger.follow(live, step)
                commits.tell(live, step.lines)
            live.is_stale = False
            commits.on_change(live)
        except (Conflict, StorageFailed):
            self._give_up()  # the common way tells of it
        except Exception:  # the same: a fault of ours ends there, and nobody waits for ever
            logger.exception("a change failed")
            self._give_up()
        else:
            live.lock.release()
            self._on_told()

    def _give_up(self) -> None:
        self._live.lock.release()
        self._commits.tasks.start(self._otherwise())
