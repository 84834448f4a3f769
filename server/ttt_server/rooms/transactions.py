"""Commit, then tell: the one path of every change of a room.

A command, a join, an AI's move, a fallen flag and an abandoned game are all a `Transaction`: wait
for the room's lock, settle what is overdue, decide, append, advance, tell. An `update` that a
member has seen is on disk. No task waits for any of it; a task exists only for what must be read
first. An offer that comes while another command of its room waits to be appended joins that one.
"""

import asyncio
import logging
from collections.abc import Callable

from ttt_engine.learning.memory import Lesson
from ttt_protocol.commands import Offer
from ttt_protocol.state import Mark
from ttt_server.concurrency.callback_future import CallbackFuture
from ttt_server.concurrency.guard import run_guarded
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.core.decide import Decide, PlayerCommand, decide
from ttt_server.core.errors import Refused
from ttt_server.core.play import Decision
from ttt_server.core.room import Room
from ttt_server.core.transition import Transition, transition
from ttt_server.limits.lessons import LessonLimiter, Pair
from ttt_server.rooms.announcer import Announcer
from ttt_server.rooms.event_log import EventLog
from ttt_server.rooms.live_room import LiveRoom
from ttt_server.rooms.members import Member
from ttt_server.storage.base import Conflict, OutcomeUnknown, StorageFailed, StoreError
from ttt_server.telemetry.logging import about, about_room

logger = logging.getLogger(__name__)

_ATTEMPTS = 3
"""How often a decision is taken because the log was ahead of the room."""

Steps = tuple[Transition, ...]
"""Transitions that are written together and told one after the other."""

Done = Callable[[BaseException | None], None]
"""Called once with the outcome of a transaction: `None`, or an error.

Nothing was changed if the error is `Refused`, `StorageFailed`, or `CancelledError` as the server
stops. With `OutcomeUnknown` the change may be kept, and the room tells it later if it is. Any other
error is a bug: the log has the change, if the bug is in the telling.
"""

Overdue = Callable[[LiveRoom, int], Decision]
"""Return what should have happened in a room by itself before a time in Unix ms."""

Reply = Callable[[Room], Transition | None]
"""Return the move with which an AI answers a human at once."""


class Transactions:
    """Begins transactions, and holds what they share."""

    def __init__(
        self,
        log: EventLog,
        announcer: Announcer,
        tasks: TaskOwner,
        *,
        now: Callable[[], int],
        overdue: Overdue,
        reply: Reply,
        on_change: Callable[[LiveRoom], None],
    ) -> None:
        """`now` gives Unix ms; `on_change` is called after every change, when it has been told."""
        self.log = log
        self.announcer = announcer
        self.tasks = tasks
        self.now = now
        self.overdue = overdue
        self.reply = reply
        self.on_change = on_change
        self.lessons = LessonLimiter()
        self.loop = asyncio.get_running_loop()
        self._unwritten: dict[LiveRoom, Transaction] = {}
        """The transactions whose steps the log has not been given yet."""

    def command(self, member: Member, command: PlayerCommand, done: Done) -> None:
        """Carry out a command of a member."""
        live = member.live
        transaction = CommandTransaction(self, live, done, member, command)
        if type(command) is Offer and self._merge(live, transaction):
            return
        live.lock.then(transaction.begin)

    def refuse(self, member: Member, command: PlayerCommand, refusal: Refused, done: Done) -> None:
        """Refuse a command for a reason outside the rules; a refusal by the rules comes first."""
        live = member.live

        def refuse(room: Room, now: int) -> Decision:
            decide(room, member.session, command, now, live.away_since)
            raise refusal

        self.change(live, refuse, done)

    def change(self, live: LiveRoom, decision: Decide, done: Done) -> None:
        """Do what `decision` says; nothing more than what is overdue, if it says nothing."""
        live.lock.then(DecidedTransaction(self, live, done, decision).begin)

    async def run(self, live: LiveRoom, decision: Decide) -> None:
        """Do what `decision` says, for a task that waits.

        Raises:
            Refused: by `decision`.
            StorageFailed: if nothing was changed, or it is not certain: `OutcomeUnknown`.
        """
        outcome = CallbackFuture()
        self.change(live, decision, outcome.settle)
        await outcome.future

    def append(self, transaction: "Transaction") -> None:
        """Give the steps of a transaction to the log, when the loop has read all that came."""
        transaction.live.begin_write()
        if not self._unwritten:
            self.loop.call_soon(self._append_unwritten)
        self._unwritten[transaction.live] = transaction

    def _append_unwritten(self) -> None:
        unwritten, self._unwritten = self._unwritten, {}
        for transaction in unwritten.values():
            error = run_guarded(self.log.append, transaction)
            if error is not None:
                self.loop.call_soon(transaction.appended, error)

    def _merge(self, live: LiveRoom, offer: "CommandTransaction") -> bool:
        """Have an offer written and told with a command of its room that waits to be written.

        Two programs offer a rematch to each other at once. This saves 8 % of the CPU of their
        games.

        Returns:
            Whether that can be. If not, the offer has its own turn.
        """
        unwritten = self._unwritten.get(live)
        if not isinstance(unwritten, CommandTransaction) or live.lock.is_awaited:
            return False
        return unwritten.merge(offer)

    async def catch_up(self, live: LiveRoom) -> None:
        """Read what the log has and the room lacks, and tell it. The lock is held.

        Raises:
            StorageFailed: if the log could not be read, or makes no sense.
        """
        about_room(live.room.name)
        missed = await self.log.catch_up(live, self.now)
        if missed is not None:
            self.announcer.update(live, missed)
            self.on_change(live)


class Transaction:
    """A change of a room: `begin` it with the room's lock, or have another one `merge` it.

    `conclude` is called exactly once, after the lock was handed on.
    """

    __slots__ = (
        "_is_overdue",
        "_merged",
        "_taught",
        "attempts",
        "live",
        "shared",
        "steps",
    )

    def __init__(self, shared: Transactions, live: LiveRoom) -> None:
        self.shared = shared
        self.live = live
        self.attempts = 0
        """How many attempts have failed because the log was ahead of the room."""
        self.steps: Steps = ()
        """The steps that are being written."""
        self._is_overdue = False
        """Whether the steps are what was overdue; the decision comes after it."""
        self._merged: tuple[Transaction, ...] = ()
        """Transactions whose steps are among these."""
        self._taught: tuple[Pair, int] | None = None
        """The teachers of the lesson that is being written, and when it was counted."""

    # The differences between the kinds

    def decide(self, room: Room, now: int) -> Steps:
        """Return what follows, `now` in Unix ms; nothing if it was so already.

        Raises:
            Refused: if the change may not be made.
        """
        raise NotImplementedError

    def tell(self, step: Transition) -> None:
        """Tell a step, which is on disk and the room's state now."""
        self.shared.announcer.update(self.live, step.events)

    def tell_unchanged(self) -> None:
        """Tell that nothing follows."""

    def needs_log(self) -> bool:
        """Return whether a log that may be ahead of the room is read first."""
        return True

    def conclude(self, error: BaseException | None) -> None:
        """Tell the outcome to what waits for it."""
        raise NotImplementedError

    # The path

    def begin(self) -> None:
        """Decide and append. The lock is held."""
        live, shared = self.live, self.shared
        if live.is_stale and self.needs_log():
            shared.tasks.start(shared.catch_up(live), self._caught_up)
            return
        error = run_guarded(self._decide_and_append)
        if error is not None or not self.steps:
            self.finish(error)

    def finish(self, error: BaseException | None) -> None:
        """Hand on the lock, and tell the outcome."""
        self.live.lock.release()
        for other in self._merged:
            self.shared.loop.call_soon(other.conclude, error)  # a bug there does no harm here
        self.conclude(error)

    def _caught_up(self, error: BaseException | None) -> None:
        if error is None:
            self.begin()
        else:
            self.finish(error)

    def _decide_and_append(self) -> None:
        live, shared = self.live, self.shared
        now = shared.now()
        room = live.room  # only now, as a look at the time may set the clock of the room
        overdue = shared.overdue(live, now)
        self._is_overdue = bool(overdue)
        steps = (transition(room, overdue),) if overdue else self.decide(room, now)
        self.steps = steps
        if not steps:
            self.tell_unchanged()
            return
        if steps[-1].lesson is not None:
            self._teach(now)
        shared.append(self)

    @property
    def lesson(self) -> Lesson | None:
        """That of the last step, if the learner may believe it."""
        return None if self._taught is None else self.steps[-1].lesson

    def _teach(self, now: int) -> None:
        """Count the lesson, if the learner may believe the game that ends."""
        pair = frozenset((self.live.address_of(Mark.X), self.live.address_of(Mark.O)))
        if self.shared.lessons.takes(pair, now):
            self._taught = pair, now

    def _unteach(self) -> None:
        """Count the lesson no more: it was not written."""
        if self._taught is not None:
            self.shared.lessons.give_back(*self._taught)
            self._taught = None

    def appended(self, error: Exception | None) -> None:
        """Take the store's answer."""
        self.shared.log.appended(self.steps, error)
        if error is not None:
            self._fail(error)
            return
        error = run_guarded(self._advance_and_tell)
        if error is not None:
            self.live.invalidate()  # the log tells what was not told
        elif self._is_overdue:
            self._taught = None  # that lesson is kept
            self.begin()
            return
        self.finish(error)

    def _fail(self, error: Exception) -> None:
        """Try again, or tell why not."""
        if isinstance(error, OutcomeUnknown):
            self.shared.log.doubt(self.live)
        else:
            self._unteach()
            if isinstance(error, StoreError):  # nothing is kept, and each has its own turn
                for other in self._merged:
                    self.live.lock.then(other.begin)
                self._merged = ()
        if isinstance(error, Conflict):
            self.attempts += 1
            if self.attempts < _ATTEMPTS:
                self.begin()  # which reads the log first
                return
            name = self.live.room.name
            error = StorageFailed(f"room {name}: others write to it all the time")
        self.finish(error)

    def _advance_and_tell(self) -> None:
        live, shared = self.live, self.shared
        for step in self.steps:
            live.advance(step.after)
            if self._is_overdue:
                shared.announcer.update(live, step.events)
            else:
                self.tell(step)
        shared.on_change(live)


class CommandTransaction(Transaction):
    """A command of a member, and the AI's answer to it, if that takes no time."""

    __slots__ = ("_answer", "command", "done", "member")

    def __init__(
        self,
        shared: Transactions,
        live: LiveRoom,
        done: Done,
        member: Member,
        command: PlayerCommand,
    ) -> None:
        Transaction.__init__(self, shared, live)  # `super` takes 0.1 us more
        self.done = done
        self.member = member
        self.command = command
        self._answer: Transition | None = None

    def decide(self, room: Room, now: int) -> Steps:
        """Return the step, and the AI's answer."""
        session = self.member.session
        events = decide(room, session, self.command, now, self.live.away_since)
        if not events:
            return ()
        step = transition(room, events)
        if not room.seats.has_ai:
            return (step,)
        # Without an answer here the AI answers later, so that no bug of its own stops the human.
        error = run_guarded(self._find_answer, step.after)
        if error is not None:
            about(room.name).run(logger.error, "no answer at once", exc_info=error)
        return (step,) if self._answer is None else (step, self._answer)

    def tell(self, step: Transition) -> None:
        """Tell the author first."""
        self.shared.announcer.update(self.live, step.events, first=self.member)

    def tell_unchanged(self) -> None:
        """Tell the state to the author alone."""
        if self.command.type != "leave":
            self.shared.announcer.repeat(self.member)

    def conclude(self, error: BaseException | None) -> None:
        """Tell the outcome to the connection."""
        self.done(error)

    def merge(self, offer: "CommandTransaction") -> bool:
        """Add the step of an offer to the steps of this command, which are unwritten.

        Return whether it was added: not if it is refused or has no step, or if these steps teach.
        """
        last = self.steps[-1]
        if self._is_overdue or last.lesson is not None:  # a lesson lies beside the last event
            return False
        try:
            steps = offer.decide(last.after, last.after.changed_at)
        except Refused:
            return False  # in its turn, as the room may be another then
        if len(steps) != 1:
            return False
        self.steps = (*self.steps[:-1], last.followed_by(steps[0]))
        self._merged += (offer,)
        return True

    def _find_answer(self, room: Room) -> None:
        self._answer = None
        self._answer = self.shared.reply(room)


class DecidedTransaction(Transaction):
    """An action of the room itself."""

    __slots__ = ("decision", "done")

    def __init__(self, shared: Transactions, live: LiveRoom, done: Done, decision: Decide) -> None:
        super().__init__(shared, live)
        self.done = done
        self.decision = decision

    def decide(self, room: Room, now: int) -> Steps:
        """Return what the decision says, as one step."""
        events = self.decision(room, now)
        return (transition(room, events),) if events else ()

    def conclude(self, error: BaseException | None) -> None:
        """Tell the outcome to the part that has decided."""
        self.done(error)
