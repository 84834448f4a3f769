"""Hints: computed beside the game, one at a time in each room, and dropped when unneeded."""

import asyncio
import logging
from collections import Counter

from ttt_engine import Position
from ttt_protocol.codes import RefusalCode
from ttt_server.ai.runner import AiFailed, StrategyRunner
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.core.errors import Refused
from ttt_server.core.play import position_to_hint
from ttt_server.rooms.announcer import Announcer
from ttt_server.rooms.change import Done
from ttt_server.rooms.live_room import LiveRoom, Member
from ttt_server.telemetry.logging import about_room

logger = logging.getLogger(__name__)


MOST_OF_AN_ADDRESS = 32
"""Hints of one address that wait for a worker process or have one."""


class Hints:
    """The hints under way. No command waits for one.

    There is at most one in a room, of the player to move: an earlier one is replaced.
    """

    def __init__(self, runner: StrategyRunner, announcer: Announcer, tasks: TaskOwner) -> None:
        self._runner = runner
        self._announcer = announcer
        self._tasks = tasks
        self._pending: dict[LiveRoom, _Pending] = {}
        self._by_address: Counter[str] = Counter()
        """How many of them wait for a worker process or have one."""

    def ask(self, member: Member, done: Done) -> None:
        """Compute a hint for a member, in place of an unanswered one.

        `done` is called once the hint was told or refused; without an error, and nothing told, if
        it was replaced or dropped.
        """
        live = member.live
        try:
            position = position_to_hint(live.room, member.session)
        except Refused as refused:
            self.drop(member)
            done(refused)
            return
        earlier = self._pending.get(live)
        if earlier is not None:
            if earlier.member is member and earlier.position == position:
                earlier.replace(done)  # one thought answers both
                return
            self._give_up(earlier, None if earlier.member is member else _too_late())
        needs_worker = not self._runner.evaluates_at_once(position.rules)
        if needs_worker and self._by_address[member.address] >= MOST_OF_AN_ADDRESS:
            words = "too many hints from this address are under way"
            done(Refused(RefusalCode.RATE_LIMITED, words))
            return
        self._by_address[member.address] += needs_worker
        pending = self._pending[live] = _Pending(self, member, position, needs_worker, done)
        pending.begin(self._tasks)

    def drop(self, member: Member) -> None:
        """Drop the hint of a member, and its place in the queue."""
        pending = self._pending.get(member.live)
        if pending is not None and pending.member is member:
            self._give_up(pending, None)

    async def find(self, pending: "_Pending") -> None:
        """Tell a member the value of its position.

        Raises:
            Refused: `not_allowed`, if there is no answer, or it comes too late.
        """
        member, position = pending.member, pending.position
        live = member.live
        about_room(live.room.name)
        try:
            evaluation = await self._runner.evaluate(position, key=member.address)
        except AiFailed as failure:
            logger.warning("no hint: %s", failure)
            raise Refused(RefusalCode.NOT_ALLOWED, "no hint could be found") from None
        finally:
            self.forget(pending)  # first, as the answer may bring the next question
        if position_to_hint(live.room, member.session) != position:
            raise _too_late()
        self._announcer.hint(member, evaluation)

    def forget(self, pending: "_Pending") -> None:
        """Note that a hint is answered or dropped."""
        live, address = pending.member.live, pending.member.address
        if self._pending.get(live) is not pending:
            return
        del self._pending[live]
        self._by_address[address] -= pending.needs_worker
        if not self._by_address[address]:
            del self._by_address[address]

    def _give_up(self, pending: "_Pending", refusal: Refused | None) -> None:
        self.forget(pending)
        pending.cancel(refusal)


class _Pending:
    """A hint under way."""

    def __init__(
        self, hints: Hints, member: Member, position: Position, needs_worker: bool, done: Done
    ) -> None:
        self.member = member
        self.position = position
        self.needs_worker = needs_worker
        self._hints = hints
        self._done = done
        self._refusal: Refused | None = None
        """The answer to a dropped hint; `None` for none."""
        self._task: asyncio.Task[None] | None = None

    def begin(self, tasks: TaskOwner) -> None:
        self._task = tasks.start(self._hints.find(self), self._found)

    def replace(self, done: Done) -> None:
        """Answer a later command in place of the first."""
        replaced, self._done = self._done, done
        replaced(None)

    def cancel(self, refusal: Refused | None) -> None:
        """Cancel the thought. `refusal`: what to answer, if anything."""
        self._refusal = refusal
        if self._task is not None:
            self._task.cancel()

    def _found(self, error: BaseException | None) -> None:
        self._hints.forget(self)
        is_given_up = isinstance(error, asyncio.CancelledError)
        self._done(self._refusal if is_given_up else error)


def _too_late() -> Refused:
    return Refused(RefusalCode.NOT_ALLOWED, "the position has changed meanwhile")
