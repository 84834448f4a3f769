"""The fast lane: the commands of a game, with no task that waits for the room or for the disk.

What it does is what `commits` does, in the same order, for one player at a time; and what is not
plain is left to it. On that common way the task, the lock and the future are half of what a
command costs.

The path of a move: `Connection.data_received` takes the text out of its frame, `RoomEndpoint._take`
the command out of the text; here `Lane.steps` decides, `EventLog.begin`
puts the step to the others of this round of the loop, which go to the store together, and
`EventLog.end`, when it is on disk, makes it the room's; `LiveRoom.publish` tells everyone, and
`Broadcaster` writes it when the round is over.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Protocol

from ttt_protocol.commands import Offer
from ttt_protocol.state import OfferKind
from ttt_server.ai.runner import StrategyRunner
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.core.decide import PlayerCommand, decide
from ttt_server.core.errors import Refused
from ttt_server.core.transition import Transition, transition
from ttt_server.rooms.ai_player import reply
from ttt_server.rooms.event_log import Entry, EventLog
from ttt_server.rooms.live_room import LiveRoom, Member
from ttt_server.rooms.transactions import Overdue
from ttt_server.storage.base import Conflict, StorageFailed

logger = logging.getLogger(__name__)


class Speaker(Protocol):
    """Whoever gave a command; in the end one of the two is called."""

    def told(self) -> None:
        """What follows from the command was kept, and everyone was told."""

    async def go_the_common_way(self) -> None:
        """Nothing was done, and has to be seen to.

        There is something to read or to do first, or it is refused, or nothing follows, or it could
        not be kept.
        """


class Lane:
    """Where commands become steps of their rooms at once, if they can."""

    def __init__(
        self,
        ledger: EventLog,
        tasks: TaskOwner,
        runner: StrategyRunner,
        *,
        now: Callable[[], int],
        overdue: Overdue,
        on_change: Callable[[LiveRoom], None],
    ) -> None:
        """As `Transactions`. The `runner` answer where an AI sits opposite."""
        self.ledger = ledger
        self.tasks = tasks
        self.on_change = on_change
        self._runner = runner
        self._now = now
        self._overdue = overdue
        self.rematches: dict[LiveRoom, _Rematch] = {}
        """Offers of one, until they are written."""
        self.round = -1
        """Of the ledger: the last in which something was begun here."""
        self._at = 0
        """The time, in Unix ms, as it was in that round."""

    def carry_out(self, member: Member, command: PlayerCommand, speaker: Speaker) -> None:
        """Does what a member says, in turn; what the room replies goes with it."""
        live, kind = member.live, _Change
        # A model's `isinstance` takes long to say no.
        if type(command) is Offer and command.kind is OfferKind.REMATCH:
            if self._try_to_meet(member, command, speaker):
                return
            kind = _Rematch
        live.lock.then(kind(self, member, command, speaker).begin)

    def _try_to_meet(self, member: Member, command: Offer, speaker: Speaker) -> bool:
        """Makes it one with the opponent's offer of the same round, if there is one.

        Two who want a rematch hear at the same time that their game is over: their room is then
        written and told of once.
        """
        live = member.live
        offer = self.rematches.get(live)
        if offer is None or offer.round != self.ledger.round or live.lock.is_wanted:
            return False
        room = offer.steps[-1].after
        try:
            events = decide(room, member.session, command, self._at, live.gone_since)
        except Refused:
            return False
        if not events or room.settings.clock is not None:
            return False
        offer.meet(transition(room, events), speaker)
        return True

    def steps(self, member: Member, command: PlayerCommand) -> tuple[Transition, ...]:
        """What follows, where nothing has to be read or to be done first, and it is not refused."""
        live, session = member.live, member.session
        if live.is_stale:
            return ()
        has_clock = live.room.settings.clock is not None
        # To look at the time takes long: once a round will do, but where it is counted, for the
        # machine's clock may have been set meanwhile.
        if has_clock or self.round != self.ledger.round:
            self._at = self._now()
        now, room = self._at, live.room  # only now, as to look may set the clock of the room
        # Nearly always there is neither a flag that may have fallen nor a room that was left.
        if (has_clock or live.is_empty) and self._overdue(live, now):
            return ()
        try:
            events = decide(room, session, command, now, live.gone_since)
        except Refused:
            return ()
        if not events:
            return ()
        step = transition(room, events)
        if room.seats.has_ai and (answer := reply(self._runner, step.after)) is not None:
            return step, answer
        return (step,)


class _Change(Entry):
    """One command: it is called when its turn comes, and when its steps are kept."""

    __slots__ = ("_command", "_lane", "_member", "_speaker")

    def __init__(
        self, lane: Lane, member: Member, command: PlayerCommand, speaker: Speaker
    ) -> None:
        self.live = member.live  # as `Entry` does: one is made for each move
        self._lane = lane
        self._member = member
        self._command = command
        self._speaker = speaker

    def begin(self) -> None:
        """It has the lock."""
        lane = self._lane
        try:
            steps = lane.steps(self._member, self._command)
            if steps:
                lane.ledger.begin(self, steps)
                lane.round = lane.ledger.round
                return
        except Exception:  # whoever hands on the lock is not to suffer by it
            logger.exception("room %s: a change failed", self.live.room.name)
        self._give_up()

    def then(self, error: Exception | None) -> None:
        lane, live = self._lane, self.live
        try:
            lane.ledger.end(self, error, self._member)
            lane.on_change(live)
        except (Conflict, StorageFailed):
            self._give_up()  # the common way tells of it
        except Exception:  # the same: a fault of ours ends there, and nobody waits for ever
            logger.exception("room %s: a change failed", live.room.name)
            self._give_up()
        else:
            live.lock.release()
            self._speaker.told()

    def _give_up(self) -> None:
        self.live.lock.release()
        self._lane.tasks.start(self._speaker.go_the_common_way())


class _Rematch(_Change):
    """An offer of one, which the opponent's may meet as long as it has not gone to the store."""

    __slots__ = ("round",)
    round: int
    """Of the ledger, in which it was begun."""

    def begin(self) -> None:
        lane = self._lane
        self.round = lane.ledger.round
        lane.rematches[self.live] = self
        super().begin()

    def meet(self, step: Transition, speaker: Speaker) -> None:
        """Becomes one with the step that follows from the other."""
        *before, last = self.steps
        self.steps, self.lines = (*before, _both(last, step)), (*self.lines, *step.events)
        self._speaker = _Both(self._speaker, speaker)

    def then(self, error: Exception | None) -> None:
        self._lane.rematches.pop(self.live, None)
        super().then(error)

    def _give_up(self) -> None:
        self._lane.rematches.pop(self.live, None)
        super()._give_up()


def _both(first: Transition, second: Transition) -> Transition:
    """Both as one, which is kept and told at once; neither is a move, nor ends a game."""
    events = (*first.events, *second.events)
    return Transition(second.after, events, lesson=None, is_move=False)


class _Both:
    """Two who said what became one."""

    def __init__(self, first: Speaker, second: Speaker) -> None:
        self._first = first
        self._second = second

    def told(self) -> None:
        self._first.told()
        self._second.told()

    async def go_the_common_way(self) -> None:
        both = self._first.go_the_common_way(), self._second.go_the_common_way()
        await asyncio.gather(*both)
