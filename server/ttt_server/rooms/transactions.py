"""Commit, then tell: the path of what changes a room.

Under the room's lock: decide, append to the log, evolve, publish. What a member has seen in an
`update` is on disk.
"""

from collections.abc import Callable
from contextlib import suppress

from ttt_protocol.codec import EncodedEvents
from ttt_server.core.decide import Decide
from ttt_server.core.errors import Refused
from ttt_server.core.events import encode_log
from ttt_server.core.play import Decision
from ttt_server.core.transition import Transition
from ttt_server.rooms.event_log import EventLog
from ttt_server.rooms.live_room import LiveRoom, Member
from ttt_server.storage.base import Conflict, StorageFailed

_ATTEMPTS = 3
"""How often a decision is taken anew because the log is ahead of the room."""

Overdue = Callable[[LiveRoom, int], Decision]
"""What should have happened in a room by itself before a time in Unix ms."""


class Transactions:
    """Changes rooms, one change at a time in each."""

    def __init__(
        self,
        ledger: EventLog,
        *,
        now: Callable[[], int],
        overdue: Overdue,
        on_change: Callable[[LiveRoom], None],
    ) -> None:
        """`now` gives Unix ms; `on_change` is called after every change, when it has been told."""
        self._ledger = ledger
        self._now = now
        self._overdue = overdue
        self._on_change = on_change

    async def transact(self, live: LiveRoom, decision: Decide) -> Transition | None:
        """Decides, keeps what follows, and tells everyone; in this order, one at a time.

        Raises:
            Refused: by `decision`.
            StorageFailed: nothing changed.
        """
        async with live.lock:
            step = await self.keep(live, decision)
            if step is not None:
                self.publish(live, step.events)
            return step

    async def keep(self, live: LiveRoom, decision: Decide) -> Transition | None:
        """Decides and writes. The lock is held. The step is on disk; null if nothing follows."""
        for _ in range(_ATTEMPTS):
            await self.catch_up(live)
            now = self._now()
            try:
                if overdue := self._overdue(live, now):
                    self.publish(live, (await self._ledger.append(live, overdue)).events)
                events = decision(live.room, now)
                return await self._ledger.append(live, events) if events else None
            except Conflict:
                continue
        raise StorageFailed(f"room {live.room.name}: others write to it all the time")

    async def make(self, live: LiveRoom, decision: Decide) -> Transition | None:
        """As `keep`, for a room that nothing is known of, and that is probably to be made.

        The store finds out whether there is one: its log is not read before. Null, and nothing was
        kept, where `keep` has to see to it: what is refused here may not be so with the log.
        """
        if live.room.seq or not live.is_stale:
            return None
        with suppress(Refused, Conflict):
            if events := decision(live.room, self._now()):
                return await self._ledger.append(live, events)
        return None

    async def catch_up(self, live: LiveRoom) -> None:
        """Reads what the log has and the room does not know. The lock is held."""
        if missed := await self._ledger.catch_up(live, self._now):
            self.publish(live, encode_log(missed))

    def publish(
        self, live: LiveRoom, lines: EncodedEvents, *, besides: Member | None = None
    ) -> None:
        """Tells everyone what was kept; `besides` hears of it otherwise."""
        live.publish(lines, besides=besides)
        self._on_change(live)
