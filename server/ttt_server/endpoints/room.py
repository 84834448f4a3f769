"""One conversation: join, then commands and their answers, until somebody hangs up."""

import asyncio
import logging
from contextvars import Context
from dataclasses import dataclass
from time import perf_counter

from websockets.protocol import State

from ttt_protocol.codec import BadCommand, decode_command
from ttt_protocol.codes import CloseCode, RefusalCode
from ttt_protocol.commands import (
    Accept,
    AskHint,
    Command,
    Decline,
    Join,
    Leave,
    Offer,
    Play,
    Resign,
)
from ttt_protocol.messages import Refused as RefusedMessage
from ttt_protocol.state import RoomName, RoomState
from ttt_server.concurrency.deadlines import Deadlines
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.core.errors import Refused
from ttt_server.limits.commands import CommandLimiter, CommandLimits
from ttt_server.rooms.hub import Hub
from ttt_server.rooms.live_room import Member
from ttt_server.storage.base import StorageFailed
from ttt_server.telemetry.counters import Counters
from ttt_server.telemetry.logging import about_connection, about_room
from ttt_server.transport.connection import Connection, Unheard

logger = logging.getLogger(__name__)

_OF_A_GAME = (Play, Offer, Accept, Decline, Resign)
"""The commands of a game that take the fast lane; a first `join` does, too."""


@dataclass(frozen=True, slots=True)
class Common:
    """What all conversations share."""

    hub: Hub
    limits: CommandLimits
    traffic: Counters
    latecomers: "Deadlines[RoomEndpoint]"
    """Those who have not joined yet."""
    tasks: TaskOwner
    """Those in which something is heard."""


class _Done(Exception):
    """The conversation is over, with a goodbye."""

    def __init__(self, code: CloseCode) -> None:
        super().__init__(code)
        self.code = code


class RoomEndpoint:
    """What is said on one connection, and what was said before."""

    __slots__ = (
        "_allowance",
        "_change",
        "_heard",
        "_hint",
        "_hub",
        "_is_joining",
        "_is_late",
        "_is_listening",
        "_latecomers",
        "_member",
        "_name",
        "_peer",
        "_tasks",
        "_traffic",
        "_until_told",
    )

    def __init__(self, peer: Connection, name: RoomName, common: Common) -> None:
        self._peer = peer
        self._hub = common.hub
        self._name = name
        self._traffic = common.traffic
        self._latecomers = common.latecomers
        self._tasks = common.tasks
        self._member: Member | None = None
        self._is_joining = False
        self._is_late = False
        self._is_listening = False
        """Whether something is heard, in a task: there is one at most."""
        self._allowance = CommandLimiter(common.limits, peer.account, peer.loop.time())
        self._change: Command | None = None
        """What took the fast lane, until it has been told."""
        self._heard = 0.0
        """When it came, by `perf_counter`."""
        self._hint: asyncio.Task[None] | None = None
        """The last that was asked for."""
        self._until_told: asyncio.Future[None] | None = None
        """Done when it has been told, if what came after it waits for that."""

    def begin(self) -> None:
        """Serves the connection from now on, in a task only while there is something to hear."""
        self._latecomers.add(self)
        self._peer.talk = self
        if self._peer.has_more:
            self.hear()
        else:
            self._rest()

    def hear(self) -> None:
        """Something was said."""
        if not self._is_listening and not self._peer.is_dismissed:
            self._is_listening = True
            self._tasks.start(self._listen_on())

    def end(self) -> None:
        """The connection is gone. What was said before it went is done first."""
        if not self._is_listening:
            self._end()

    def be_late(self) -> None:
        """It has not joined in time. A join that did come in time is answered first."""
        self._is_late = True
        if not self._is_joining:
            self._peer.dismiss(CloseCode.POLICY)

    async def _listen_on(self) -> None:
        """Answers all that waits to be heard."""
        self._about_this()
        try:
            await self._listen()
        except _Done as done:
            self._peer.dismiss(done.code)
        except Unheard:
            pass  # the seat waits for the next connection
        except Exception:
            logger.exception("a connection failed")
            self._peer.dismiss(CloseCode.SERVER_FAULT)
        finally:
            self._is_listening = False
            self._settle()

    async def _listen(self) -> None:
        while self._peer.has_more:
            raw = await self._receive()
            if self._peer.is_dismissed:
                return  # what was on its way is not heard any more
            await self._hear(raw)
            if self._peer.has_more:
                await asyncio.sleep(0)  # between two commands that came together others are heard

    def _settle(self) -> None:
        """Nothing is heard, for now or for good."""
        if self._peer.state is State.OPEN:
            self._rest()
        else:
            self._peer.talk = None  # it may have been gone before this began
            self._end()

    def _rest(self) -> None:
        """Until something is said, nothing of this conversation is in the way."""
        if not self._peer.is_dismissed:
            self._peer.open_lane(self._take_join if self._member is None else self._take)

    def _end(self) -> None:
        if self._member is None:
            self._latecomers.discard(self)
        else:
            self._hub.exit(self._member)

    async def _receive(self) -> str | bytes:
        raw = self._peer.take()
        if self._change is not None:  # one command after the other
            self._until_told = self._peer.loop.create_future()
            await self._until_told
        return raw

    async def _hear(self, raw: str | bytes) -> None:
        if isinstance(raw, bytes):
            raise _Done(CloseCode.BINARY_FRAME)
        try:
            command = decode_command(raw)
        except BadCommand as bad:
            if self._may_speak(bad.command, bad.id):
                self._refuse(bad.command, bad.id, Refused(bad.code, bad.reason))
            return
        if not self._may_speak(command.type, command.id):
            return
        if isinstance(command, AskHint) and self._member is not None:
            await self._begin_to_hint(command)
        else:
            await self._answer(command)

    async def _begin_to_hint(self, command: AskHint) -> None:
        """To find one may take long, and a move does not wait for it; another hint does."""
        if self._hint is not None:
            await asyncio.wait((self._hint,))
        self._hint = self._tasks.start(self._answer_the_common_way(command))

    async def _answer(self, command: Command, heard: float | None = None) -> None:
        """`heard`: when it came, by `perf_counter`, if that is a while ago."""
        self._is_joining = isinstance(command, Join)
        try:
            heard = heard or perf_counter()
            await self._obey(command)
            if isinstance(command, Play):
                self._traffic.moves.observe(perf_counter() - heard)
        except Refused as refused:
            self._refuse(command.type, command.id, refused)
        except StorageFailed as error:
            logger.error("%s", error)
            self._refuse(command.type, command.id, Refused(RefusalCode.STORAGE_FAILED))
        finally:
            self._is_joining = False
            if self._is_late and self._member is None:
                self._peer.dismiss(CloseCode.POLICY)

    def _take_join(self, text: bytes) -> bool:
        """The fast lane of a first command."""
        if self._change is not None:
            return False
        command = _readable(text)
        if not isinstance(command, Join) or not self._allowance.takes(self._peer.loop.time()):
            return False
        self._change, self._is_joining, peer = command, True, self._peer
        self._hub.arrivals.take_in(self._name, command, peer, peer.account.source, self)
        return True

    def _take(self, text: bytes) -> bool:
        """The fast lane: for commands of a game, one at a time, and nothing else."""
        member = self._member
        if member is None or self._change is not None:
            return False
        command = _readable(text)
        if not isinstance(command, _OF_A_GAME) or not self._allowance.takes(self._peer.loop.time()):
            return False
        self._change, self._heard = command, perf_counter()
        self._hub.lane.carry_out(member, command, self)
        return True

    def told(self) -> None:
        """What took the fast lane is kept and told."""
        if isinstance(self._change, Play):
            self._traffic.moves.observe(perf_counter() - self._heard)
        self._change = None
        if self._until_told is not None:
            self._go_on()

    def came_in(self, member: Member) -> None:
        """Their `join` took the fast lane."""
        Context().run(self._joined, member)
        self._has_tried_to_join()

    def has_to_join(self) -> None:
        """Their `join` could not be done on the fast lane."""
        if isinstance(self._change, Join):
            self._tasks.start(self._join(self._change))

    async def _join(self, join: Join) -> None:
        try:
            if not self._peer.is_dismissed:
                await self._answer_the_common_way(join)
        finally:
            self._has_tried_to_join()

    def _has_tried_to_join(self) -> None:
        """If something is heard, which waited for that, its task goes on and sees to the rest."""
        self._change = None
        if self._is_listening:
            self._go_on()
        else:
            self._settle()

    async def go_the_common_way(self) -> None:
        """What could not be done on the fast lane."""
        try:
            if self._change is not None:
                await self._answer_the_common_way(self._change)
        finally:
            self._change = None
            self._go_on()

    async def _answer_the_common_way(self, command: Command) -> None:
        self._about_this()
        try:
            await self._answer(command, self._heard)
        except Exception:
            logger.exception("a connection failed")
            self._peer.dismiss(CloseCode.SERVER_FAULT)

    def _go_on(self) -> None:
        """With what came after it, if that waits."""
        if self._until_told is not None and not self._until_told.done():
            self._until_told.set_result(None)

    async def _obey(self, command: Command) -> None:
        if self._member is not None:
            await self._hub.carry_out(self._member, command)
            if isinstance(command, Leave):
                raise _Done(CloseCode.BYE)
        elif isinstance(command, Join):
            await self._come_in(command)
        else:
            raise Refused(RefusalCode.NOT_JOINED)

    async def _come_in(self, join: Join) -> None:
        """A password is taken for a guess until it lets them in: to look takes long."""
        peer = self._peer
        is_guess = _tries_password(join)
        if is_guess:
            self._spend_guess()
        try:
            arrivals, source = self._hub.arrivals, peer.account.source
            self._joined(await arrivals.join(self._name, join, peer, source))
        except Refused as refused:
            if refused.code is RefusalCode.BAD_TOKEN:
                self._spend_guess()
            raise
        if is_guess:
            self._allowance.knew()

    def _joined(self, member: Member) -> None:
        self._about_this()
        self._member = member
        self._latecomers.discard(self)
        logger.debug("joined as a %s", member.role)

    def _about_this(self) -> None:
        about_room(self._name)
        about_connection(self._peer.number)

    def _spend_guess(self) -> None:
        if not self._allowance.guesses(self._peer.loop.time()):
            words = "too many wrong tokens or passwords, slow down"
            raise Refused(RefusalCode.RATE_LIMITED, words) from None

    def _may_speak(self, type_: str | None, id_: str | None) -> bool:
        now = self._peer.loop.time()
        if self._allowance.takes(now):
            return True
        if not self._allowance.refuses(now):
            raise _Done(CloseCode.POLICY)
        self._refuse(type_, id_, Refused(RefusalCode.RATE_LIMITED))
        return False

    def _refuse(self, type_: str | None, id_: str | None, refused: Refused) -> None:
        self._traffic.refusals[refused.code] += 1
        logger.debug("refused: %s", refused.code)
        self._peer.tell(
            RefusedMessage(
                command=type_,
                code=refused.code,
                reason=refused.reason,
                id=id_,
                legal=refused.legal,
                room=self._shown_room if refused.shows_room else None,
            )
        )

    @property
    def _shown_room(self) -> RoomState | None:
        return None if self._member is None else self._member.live.state


def _readable(text: bytes) -> Command | None:
    """The command; null for what is none, which the common way answers."""
    try:
        return decode_command(text)
    except BadCommand:
        return None


def _tries_password(join: Join) -> bool:
    wished = None if join.settings is None else join.settings.password
    return join.token is None and (join.password, wished) != (None, None)
