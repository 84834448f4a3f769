"""The fast lane: the commands of a game, with no task that waits for the room or for the disk.

What it does is what `commits` does, in the same order, for one player at a time; and what is not
plain is left to it. On that common way the task, the lock and the future are half of what a
command costs.

The path of a move: `Peer.data_received` takes the text out of its frame, `Conversation._take` the
command out of the text; here `Lane.steps` decides (`plain`, or else `decide`), `Ledger.begin` hands
the step to the store, and `Ledger.end`, when it is on disk, makes it the room's; `LiveRoom.publish`
tells everyone, and `Writes` writes it when the round of the loop is over.
"""

import logging
from collections.abc import Callable, Coroutine
from time import perf_counter
from typing import Any

from ttt_server.ai import Thinkers
from ttt_server.commits import Overdue
from ttt_server.decide import PlayerCommand, decide
from ttt_server.driver import reply
from ttt_server.ledger import Ledger
from ttt_server.live import LiveRoom, Member
from ttt_server.plain import plain_step
from ttt_server.refused import Refused
from ttt_server.step import Step, step_of
from ttt_server.store import Conflict, StorageFailed
from ttt_server.tasks import Tasks

logger = logging.getLogger(__name__)

OnTold = Callable[[], None]
"""Called when a change was kept and told."""
Otherwise = Callable[[], Coroutine[Any, Any, None]]
"""What to do about a change that could not be kept."""


class Lane:
    """Where commands become steps of their rooms at once, if they can."""

    def __init__(
        self,
        ledger: Ledger,
        tasks: Tasks,
        thinkers: Thinkers,
        *,
        now: Callable[[], int],
        overdue: Overdue,
        on_change: Callable[[LiveRoom], None],
    ) -> None:
        """As `Commits`. The `thinkers` answer where an AI sits opposite."""
        self.ledger = ledger
        self.tasks = tasks
        self.on_change = on_change
        self._thinkers = thinkers
        self._now = now
        self._overdue = overdue

    def carry_out(
        self, member: Member, command: PlayerCommand, on_told: OnTold, otherwise: Otherwise
    ) -> None:
        """Does what a member says, in turn; what the room replies goes with it.

        In the end `on_told` is called; or `otherwise` is run, and nothing was done, where the
        common way has to see to it: there is something to read or to do first, or it is refused, or
        nothing follows, or it could not be kept.
        """
        member.live.lock.then(_Change(self, member, command, on_told, otherwise).begin)

    def steps(self, member: Member, command: PlayerCommand) -> tuple[Step, ...]:
        """What follows, where nothing has to be read or to be done first, and it is not refused."""
        live, session = member.live, member.session
        if live.is_stale:
            return ()
        room, now = live.room, self._now()
        if self._overdue(live, now):
            return ()
        step = plain_step(room, session, command, now)
        if step is None:
            try:
                events = decide(room, session, command, now, live.gone_since)
            except Refused:
                return ()
            if not events:
                return ()
            step = step_of(room, events)
        if step.after.seats.has_ai and (answer := reply(self._thinkers, step.after)) is not None:
            return step, answer
        return (step,)


class _Change:
    """One command: it is called when its turn comes, and when its steps are kept."""

    __slots__ = ("_began", "_command", "_lane", "_member", "_on_told", "_otherwise", "_steps")

    def __init__(
        self,
        lane: Lane,
        member: Member,
        command: PlayerCommand,
        on_told: OnTold,
        otherwise: Otherwise,
    ) -> None:
        self._lane = lane
        self._member = member
        self._command = command
        self._on_told = on_told
        self._otherwise = otherwise

    def begin(self) -> None:
        """It has the lock."""
        lane, member = self._lane, self._member
        try:
            steps = lane.steps(member, self._command)
            if steps:
                self._steps, self._began = steps, perf_counter()
                lane.ledger.begin(member.live, steps, self._written)
                return
        except Exception:  # whoever hands on the lock is not to suffer by it
            logger.exception("room %s: a change failed", member.live.room.name)
        self._give_up()

    def _written(self, error: Exception | None) -> None:
        lane, live = self._lane, self._member.live
        try:
            lane.ledger.end(live, self._steps, error, self._began, live.publish)
            lane.on_change(live)
        except (Conflict, StorageFailed):
            self._give_up()  # the common way tells of it
        except Exception:  # the same: a fault of ours ends there, and nobody waits for ever
            logger.exception("room %s: a change failed", live.room.name)
            self._give_up()
        else:
            live.lock.release()
            self._on_told()

    def _give_up(self) -> None:
        self._member.live.lock.release()
        self._lane.tasks.start(self._otherwise())
