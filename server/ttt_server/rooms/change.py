"""Every change of a room, read from top to bottom. Commit first, then tell.

A command, a join, an AI's move, a fallen flag and an abandoned game differ only in the decision
they bring and in who is told. Each waits for the room's lock, adds what is overdue, decides, and
appends both in one write; once that is on disk the room advances, its members are told, and the
command is answered. No task waits for any of it, except to read a log that may be ahead, and to
count the games of a rated room.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import chain

from ttt_protocol.codec import EncodedEvents, decode_event, encode_log
from ttt_protocol.codes import Reason
from ttt_protocol.events import Ended, Played
from ttt_protocol.state import RoomName
from ttt_server.concurrency.guard import run_guarded
from ttt_server.concurrency.tasks import CallbackFuture, TaskOwner
from ttt_server.core.archive.saved_room import SNAPSHOT_EVENTS, is_between_games
from ttt_server.core.decide import PlayerCommand, decide
from ttt_server.core.errors import Refused
from ttt_server.core.evolve import Decide, Decision, evolve
from ttt_server.core.play import end, fallen_flag
from ttt_server.core.room import Room
from ttt_server.rooms.announcer import Announcer
from ttt_server.rooms.event_log import EventLog, Feed, go_on
from ttt_server.rooms.live_room import LiveRoom, Member
from ttt_server.rooms.rated_end import CountsGames, Step, mark_uncounted
from ttt_server.storage.base import Conflict, OutcomeUnknown, Snapshot, StorageFailed
from ttt_server.telemetry.logging import about, about_room

logger = logging.getLogger(__name__)

_ATTEMPTS = 3
"""How often to decide while other servers write to the same log."""

Done = Callable[[BaseException | None], None]
"""Called once with the outcome of a change: `None`, or an error.

What was asked for did not happen if the error is `Refused`, `StorageFailed`, or `CancelledError` as
the server stops. After `OutcomeUnknown` it may be kept; if it was, the members of the room are told
later.
Any other error is a bug; if the bug is in the telling, the change is in the log.
"""

Answer = Callable[[Room], Decision]
"""Return the move of an AI that answers at once; empty if none does."""

Enter = Callable[[EncodedEvents], None]
"""Tell a join: its events, or none if the room is as it was."""


@dataclass(eq=False, slots=True)
class Changes:
    """Starts changes, and holds what they share."""

    log: EventLog
    """Reads logs, and has the store that keeps them."""
    announcer: Announcer
    tasks: TaskOwner
    abandon_s: float
    """How long an unfinished game waits for members."""
    now: Callable[[], int]
    """Returns Unix ms."""
    answer: Answer
    on_change: Callable[[LiveRoom], None]
    """Called after every change, once it has been told."""
    on_end: Callable[[LiveRoom], None]
    """Called before that if a game has ended."""
    feed: Feed
    """Told of what is kept in rooms with persons."""
    rated: CountsGames | None = None
    """Counts the games of rated rooms; `None` where there are no such rooms."""

    def command(
        self, member: Member, command: PlayerCommand, done: Done, *, leaves: bool = False
    ) -> None:
        """Carry out a command of a member. `leaves`: the connection ends with the command."""
        decision = partial(_asked, member, command)
        change = Change(self, member.live, decision, done, author=None if leaves else member)
        member.live.lock.then(change.begin)

    def change(
        self,
        live: LiveRoom,
        decision: Decide,
        done: Done,
        *,
        enter: Enter | None = None,
        is_guess: bool = False,
    ) -> None:
        """Do what `decision` says, and what is overdue. See `Change`."""
        change = Change(self, live, decision, done, enter=enter, is_guess=is_guess)
        live.lock.then(change.begin)

    async def run(self, live: LiveRoom, decision: Decide) -> None:
        """Do what `decision` says, for a task that waits.

        Raises:
            Refused: by `decision`.
            StorageFailed: if nothing was changed, or that is uncertain: `OutcomeUnknown`.
        """
        outcome = CallbackFuture()
        self.change(live, decision, outcome.settle)
        await outcome.future

    async def catch_up(self, live: LiveRoom) -> None:
        """Read what the log has and the room lacks, and tell it. The lock is held.

        Raises:
            StorageFailed: if the log cannot be read or understood.
        """
        about_room(live.room.name)
        before = live.room
        missed = await self.log.catch_up(live, self.now)
        if missed is not None:
            self.announcer.update(live, missed)
            if live.has_persons:
                for line in missed:
                    after = evolve(before, decode_event(line))
                    self.feed.kept(before, after, (line,))
                    before = after
            self.on_change(live)

    def overdue(self, live: LiveRoom, now: int) -> Decision | None:
        """Return what should have happened in a room by itself before `now`, if anything."""
        game = live.room.game
        if (game is None or game.clock is None) and not live.members.is_empty:
            return None  # as nearly always
        room = live.room
        if live.is_left and now - live.left_at >= self.abandon_s * 1000:
            return end(room, Reason.ABANDONMENT, None, now)
        return fallen_flag(room, now) or None


def _asked(member: Member, command: PlayerCommand, room: Room, now: int) -> Decision:
    return decide(room, member.session, command, now, member.live.away_since)


@dataclass(eq=False, slots=True)
class Change:
    """One change of one room, and the `Append` with which the store keeps it.

    `begin` is called with the room's lock.
    """

    shared: Changes
    live: LiveRoom
    decision: Decide
    """What is asked for."""
    done: Done
    """Told the outcome after the lock was handed on."""
    author: Member | None = None
    """Whose command it is: told first, and the only one if nothing changed. An AI answers in
    the same write."""
    enter: Enter | None = None
    """Tells what follows from a join."""
    is_guess: bool = False
    """Whether to take an unknown room for a new one without reading its log. The store finds out
    if it is not."""
    _attempts: int = 0
    _steps: list[Step] = field(default_factory=list)
    """What is written together, and told one after the other."""
    _overdue: Decision | None = field(init=False)
    """The first step, if it was overdue: it is told to all alike."""
    _refusal: Refused | None = None
    """The refusal of what was asked for, while what is overdue is written."""
    _before: Room | None = None
    """The room before the steps, if the feed is to be told of them."""
    room: RoomName = field(init=False)
    seq: int = field(init=False)
    lines: EncodedEvents = field(init=False)
    snapshot: Snapshot | None = None

    # With the lock

    def begin(self) -> None:
        """Read the log if it may be ahead; then decide and append."""
        if self.live.is_stale and not (self.is_guess and not self.live.room.seq):
            self.shared.tasks.start(self.shared.catch_up(self.live), self._caught_up)
            return
        try:
            self._decide_and_append()
        except Exception as error:  # noqa: BLE001 - `done` is told of a bug, too
            if isinstance(error, Refused) and self.live.is_stale:
                self._begin_again()  # the log may be why
            else:
                self._finish(error)
            return
        if not self._steps:
            self._finish(None)

    def _caught_up(self, error: BaseException | None) -> None:
        if error is None:
            self.begin()
        else:
            self._finish(error)

    def _decide_and_append(self) -> None:
        """Decide on the room after what is overdue, and write both together."""
        live = self.live
        shared = self.shared
        now = shared.now()
        room = live.room  # read after the time, which may set the room's clock
        self.room = room.name
        self.seq = room.seq + 1
        steps = self._steps
        self._overdue = overdue = shared.overdue(live, now)
        if overdue is not None:
            steps.append((overdue, encode_log(overdue.events)))
            room = overdue.after
        try:
            asked = self.decision(room, now)
        except Refused as refused:
            if overdue is None:
                raise
            self._refusal = refused
        else:
            if asked.events:
                steps.append((asked, encode_log(asked.events)))
                if self.author is None:  # only a join, or a tournament, brings persons
                    live.note_kind(asked.after)
                elif room.seats.has_ai:
                    self._add_answer(asked.after)
            elif overdue is None:
                self._tell_unchanged()
                return
        last, lines = steps[-1]
        after = last.after
        self.lines = lines if len(steps) == 1 else tuple(chain(*[lines for _, lines in steps]))
        if after.seq - live.snapshot_seq >= SNAPSHOT_EVENTS and is_between_games(after):
            self.snapshot = Snapshot.of(after)
            live.snapshot_seq = after.seq
        live.begin_write()
        if live.is_plain or not self._sees_to(after, now):
            shared.log.store.append((self,))

    def _sees_to(self, after: Room, now: int) -> bool:
        """Do what persons and some settings ask for; return whether that includes the write."""
        settings, shared, live = after.settings, self.shared, self.live
        if settings.days and (falls_at := after.flag_falls_at) is not None:
            shared.log.store.note_deadline(after.name, falls_at)
        if not live.has_persons or (live.is_followed and go_on(self.lines)):
            return False
        self._before = live.room
        shared.feed.begin(live, now)
        if settings.rated and shared.rated is not None and self._ends_a_game():
            shared.tasks.start(self._count(shared.rated), self._counted)
            return True
        return False

    async def _count(self, rated: CountsGames) -> None:
        await mark_uncounted(rated, self.live.room, self._steps)
        self.lines = tuple(chain(*[lines for _, lines in self._steps]))
        if self.snapshot is not None:
            self.snapshot = Snapshot.of(self._steps[-1][0].after)

    def _counted(self, error: BaseException | None) -> None:
        """Append the steps once the game is counted; or tell why nothing was changed."""
        if error is None:
            self.shared.log.store.append((self,))
        else:
            self._fail(error)

    def _add_answer(self, room: Room) -> None:
        """Let an AI that needs no time answer in the same write.

        If that fails, the AI moves later: its bug must not stop the human.
        """

        def find() -> None:
            if answer := self.shared.answer(room):
                self._steps.append((answer, encode_log(answer.events)))

        error = run_guarded(find)
        if error is not None:
            about(room.name).run(logger.error, "no answer at once", exc_info=error)

    # With the store's answer

    def then(self, error: Exception | None) -> None:
        """Advance the room, tell and answer; or say why not."""
        if error is not None:
            self._fail(error)
            return
        if not self.shared.log.is_healthy:
            self.shared.log.recover()
        try:
            self._tell()
        except Exception as bug:  # noqa: BLE001 - `done` is told of it
            self.live.is_stale = True  # the log tells what was not told
            self._finish(bug)
        else:
            self._finish(self._refusal)

    def _tell(self) -> None:
        live = self.live
        shared = self.shared
        for step, lines in self._steps:
            live.advance(step.after)
            shared.log.moves += type(step.events[0]) is Played
            if self.enter is None or step is self._overdue:
                shared.announcer.update(live, lines, first=self.author)
            else:
                self.enter(lines)
        if self._overdue is not None and step is self._overdue and self._refusal is None:
            self._tell_unchanged()
        game = live.room.game
        if game is not None and game.outcome is not None and self._ends_a_game():
            shared.on_end(live)
        shared.on_change(live)
        if self._before is not None:
            for step, lines in self._steps:
                shared.feed.kept(self._before, step.after, lines)
                self._before = step.after
            shared.feed.follow(live)

    def _ends_a_game(self) -> bool:
        return any(type(event) is Ended for step, _ in self._steps for event in step.events)

    def _tell_unchanged(self) -> None:
        if self.enter is not None:
            self.enter(())
        elif self.author is not None:
            self.shared.announcer.repeat(self.author)

    def _fail(self, error: BaseException) -> None:
        """Decide again if the log was ahead; else tell why nothing was changed, if that is so."""
        shared, live = self.shared, self.live
        if isinstance(error, OutcomeUnknown):
            shared.log.doubt(live)
        if isinstance(error, StorageFailed):
            shared.log.fail(error)
        elif isinstance(error, Conflict):
            self._attempts += 1
            if self._attempts < _ATTEMPTS:
                self._begin_again()
                return
            error = StorageFailed(f"room {live.room.name}: others keep writing to it")
        self._finish(error)

    def _begin_again(self) -> None:
        """Read the log, and decide on what it says."""
        self.is_guess = False
        self._steps, self._refusal, self.snapshot = [], None, None
        self.begin()

    def _finish(self, error: BaseException | None) -> None:
        """Hand on the lock, and tell the outcome."""
        self.live.lock.release()
        self.done(error)
