"""Hints: computed beside the game, one at a time for each member, and given up when unneeded."""

import asyncio
import logging

from ttt_engine import Position
from ttt_protocol.codes import RefusalCode
from ttt_server.ai.runner import AiFailed, StrategyRunner
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.core.errors import Refused
from ttt_server.core.play import position_to_hint
from ttt_server.rooms.announcer import Announcer
from ttt_server.rooms.members import Member
from ttt_server.rooms.transactions import Done
from ttt_server.telemetry.logging import about_room

logger = logging.getLogger(__name__)


class Hints:
    """The hints under way, one a member. No command waits for one."""

    def __init__(self, runner: StrategyRunner, announcer: Announcer, tasks: TaskOwner) -> None:
        self._runner = runner
        self._announcer = announcer
        self._tasks = tasks
        self._pending: dict[Member, _Pending] = {}

    def ask(self, member: Member, done: Done) -> None:
        """Compute a hint for a member, in place of an earlier one that is not answered yet.

        `done` is called once the member was told the hint or is to be refused it. For a hint that
        is replaced or dropped it is called without an error, and nothing is told.
        """
        try:
            position = position_to_hint(member.live.room, member.session)
        except Refused as refused:
            self.drop(member)
            done(refused)
            return
        pending = self._pending.get(member)
        if pending is not None and pending.position == position:
            pending.replace(done)  # the same thought answers both, and is not begun anew
            return
        self.drop(member)
        pending = self._pending[member] = _Pending(self, member, position, done)
        pending.begin(self._tasks)

    def drop(self, member: Member) -> None:
        """Give up the hint of a member, and its place in the queue."""
        if (pending := self._pending.pop(member, None)) is not None:
            pending.cancel()

    async def find(self, member: Member, position: Position) -> None:
        """Tell a member what its position is worth.

        Raises:
            Refused: `not_allowed`, if there is no answer, or it comes too late.
        """
        live = member.live
        about_room(live.room.name)
        try:
            evaluation = await self._runner.evaluate(position, key=live.opened_from)
        except AiFailed as failure:
            logger.warning("no hint: %s", failure)
            raise Refused(RefusalCode.NOT_ALLOWED, "no hint could be found") from None
        if position_to_hint(live.room, member.session) != position:
            raise Refused(RefusalCode.NOT_ALLOWED, "the position is another one by now")
        self._announcer.hint(member, evaluation)

    def forget(self, member: Member, pending: "_Pending") -> None:
        """Take note that a hint is answered."""
        if self._pending.get(member) is pending:
            del self._pending[member]


class _Pending:
    """One hint under way."""

    def __init__(self, hints: Hints, member: Member, position: Position, done: Done) -> None:
        self.position = position
        self._hints = hints
        self._member = member
        self._done = done
        self._task: asyncio.Task[None] | None = None

    def begin(self, tasks: TaskOwner) -> None:
        self._task = tasks.start(self._hints.find(self._member, self.position), self._found)

    def replace(self, done: Done) -> None:
        """Answer a later command in place of this one."""
        replaced, self._done = self._done, done
        replaced(None)

    def cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _found(self, error: BaseException | None) -> None:
        self._hints.forget(self._member, self)
        is_dropped = isinstance(error, asyncio.CancelledError)
        self._done(None if is_dropped else error)
