"""The commands that change no game: chat, names, the host's moderation, hints.

Hints are computed beside the game, one at a time in each room, and dropped when unneeded.
"""

import asyncio
import logging
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import assert_never

from ttt_engine import Position
from ttt_protocol.codes import CloseCode, RefusalCode
from ttt_protocol.commands import Moderate, Rename, Say
from ttt_protocol.state import ChatMode, ModerationAction, Role, SessionId
from ttt_server.ai.runner import AiFailed, StrategyRunner
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.core.errors import Refused
from ttt_server.core.evolve import Decision
from ttt_server.core.moderation import require_host, require_speaker, set_chat, vacate
from ttt_server.core.play import position_to_hint
from ttt_server.core.room import Room
from ttt_server.core.seating import told_from_players
from ttt_server.rooms.announcer import Announcer
from ttt_server.rooms.change import Changes, Done
from ttt_server.rooms.live_room import LiveRoom, Member
from ttt_server.telemetry.logging import about_room

logger = logging.getLogger("ttt_server.rooms.hints")
"""By the name under which operators know these lines."""


class SocialCommands:
    """Carries out `say`, `rename` and `moderate`.

    What the log keeps, a name in a seat or who may chat, is a `Change`.
    """

    def __init__(self, announcer: Announcer, changes: Changes) -> None:
        self._announcer = announcer
        self._changes = changes
        self._loop = asyncio.get_running_loop()

    def submit(self, member: Member, command: Say | Rename | Moderate, done: Done) -> None:
        """Carry out a command of a member. `done` is called once."""
        try:
            match command:
                case Say(text=text):
                    self._say(member, text, done)
                case Rename():
                    self._rename(member, command, done)
                case Moderate():
                    self._moderate(member, command, done)
                case _:
                    assert_never(command)
        except Refused as refused:
            done(refused)

    def _say(self, member: Member, text: str, done: Done) -> None:
        require_speaker(member.live.room, is_player=member.role is Role.PLAYER)
        if member.live.chat.is_muted(member.public_id):
            raise Refused(RefusalCode.NOT_ALLOWED, "the host of this room has muted you")
        if not self._announcer.say(member, text):
            words = "too much chat in this room, slow down"
            raise Refused(RefusalCode.RATE_LIMITED, words)
        done(None)

    # Names

    def _rename(self, member: Member, command: Rename, done: Done) -> None:
        left_s = member.live.members.rename_due_s(member.public_id, self._loop.time())
        if left_s > 0:
            raise Refused(RefusalCode.TOO_EARLY, f"wait {left_s:.1f} seconds more")
        renamed = partial(self._renamed, member, command.name, done)
        if member.role is Role.PLAYER:
            self._changes.command(member, command, renamed)
        else:
            renamed(None)
            self._announcer.repeat(member)

    def _renamed(self, member: Member, name: str, done: Done, error: BaseException | None) -> None:
        if error is None:
            room = member.live.room
            seat = room.seats.of(member.session)
            player = None if seat is None else room.seats[seat]
            name = told_from_players(room, name) if player is None else player.name
            member.live.members.rename(member, name, self._loop.time())
        done(error)

    # Order

    def _moderate(self, host: Member, command: Moderate, done: Done) -> None:
        require_host(host.live.room, host.public_id)
        match command.action:
            case ModerationAction.CHAT:
                self._set_chat(host, command.chat or ChatMode.ALL, done)
            case ModerationAction.CLEAR:
                self._announcer.clear(host.live)
                done(None)
            case ModerationAction.MUTE:
                host.live.chat.mute(_other(host, command.from_))
                self._acknowledge(host, done)
            case ModerationAction.UNMUTE:
                host.live.chat.unmute(_other(host, command.from_))
                self._acknowledge(host, done)
            case ModerationAction.REMOVE:
                self._remove(host, _other(host, command.from_), done)
            case _:
                assert_never(command.action)

    def _set_chat(self, host: Member, mode: ChatMode, done: Done) -> None:
        if host.live.room.chat is mode:
            self._acknowledge(host, done)
        else:
            self._changes.change(host.live, lambda room, now: set_chat(room, mode, now), done)

    def _remove(self, host: Member, removed: SessionId, done: Done) -> None:
        if host.live.room.seats.of(removed) is None:
            _remove(host.live, removed)
            self._acknowledge(host, done)
            return

        def decision(room: Room, now: int) -> Decision:
            seat = room.seats.of(removed)
            return Decision(room) if seat is None else vacate(room, seat, now)

        def vacated(error: BaseException | None) -> None:
            if error is None:
                _remove(host.live, removed)
            done(error)

        self._changes.change(host.live, decision, vacated)

    def _acknowledge(self, host: Member, done: Done) -> None:
        """Answer with the state, which shows nothing of what was done."""
        self._announcer.repeat(host)
        done(None)


def _remove(live: LiveRoom, public_id: SessionId) -> None:
    """Disconnect a member, and keep them out for a while."""
    members = live.members.of(public_id)
    live.removals.add(public_id, [member.address for member in members])
    for member in members:
        member.listener.dismiss(CloseCode.REMOVED)


def _other(host: Member, named: SessionId | None) -> SessionId:
    """Return the member the host means, who is here, has a seat or has spoken.

    Raises:
        Refused: `not_allowed`.
    """
    live = host.live
    if named == host.public_id:
        raise Refused(RefusalCode.NOT_ALLOWED, "that is you")
    if named is None or not (
        any(live.members.of(named)) or live.room.has_place_of(named) or live.chat.has_spoken(named)
    ):
        raise Refused(RefusalCode.NOT_ALLOWED, "there is no such member in this room")
    return named


MOST_OF_AN_ADDRESS = 32
"""Hints of one address that wait for a worker process or have one."""


@dataclass(eq=False, repr=False, slots=True)
class _Pending:
    """A hint under way."""

    member: Member
    position: Position
    needs_worker: bool
    done: Done
    refusal: Refused | None = None
    """The answer to a dropped hint; `None` for none."""
    task: asyncio.Task[None] | None = None


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
                replaced, earlier.done = earlier.done, done
                replaced(None)  # one thought answers both
                return
            self._give_up(earlier, None if earlier.member is member else _too_late())
        needs_worker = not self._runner.evaluates_at_once(position.rules)
        if needs_worker and self._by_address[member.address] >= MOST_OF_AN_ADDRESS:
            words = "too many hints from this address are under way"
            done(Refused(RefusalCode.RATE_LIMITED, words))
            return
        self._by_address[member.address] += needs_worker
        pending = self._pending[live] = _Pending(member, position, needs_worker, done)
        pending.task = self._tasks.start(self._find(pending), partial(self._found, pending))

    def drop(self, member: Member) -> None:
        """Drop the hint of a member, and its place in the queue."""
        pending = self._pending.get(member.live)
        if pending is not None and pending.member is member:
            self._give_up(pending, None)

    async def _find(self, pending: _Pending) -> None:
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
            self._forget(pending)  # first, as the answer may bring the next question
        if position_to_hint(live.room, member.session) != position:
            raise _too_late()
        self._announcer.hint(member, evaluation)

    def _found(self, pending: _Pending, error: BaseException | None) -> None:
        self._forget(pending)
        is_given_up = isinstance(error, asyncio.CancelledError)
        pending.done(pending.refusal if is_given_up else error)

    def _forget(self, pending: _Pending) -> None:
        """Note that a hint is answered or dropped."""
        live, address = pending.member.live, pending.member.address
        if self._pending.get(live) is not pending:
            return
        del self._pending[live]
        self._by_address[address] -= pending.needs_worker
        if not self._by_address[address]:
            del self._by_address[address]

    def _give_up(self, pending: _Pending, refusal: Refused | None) -> None:
        """Cancel a thought. `refusal`: what to answer, if anything."""
        self._forget(pending)
        pending.refusal = refusal
        if pending.task is not None:
            pending.task.cancel()


def _too_late() -> Refused:
    return Refused(RefusalCode.NOT_ALLOWED, "the position has changed meanwhile")
