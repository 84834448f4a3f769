"""The endpoint of a room: a join, then commands and their answers, on one connection."""

import asyncio
import logging
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import Literal

from ttt_protocol.codec import BadCommand, decode_command
from ttt_protocol.codes import CloseCode, RefusalCode
from ttt_protocol.commands import AskHint, Command, Join, Leave, Play
from ttt_protocol.state import RoomName, RoomState
from ttt_server.concurrency.deadlines import Deadlines
from ttt_server.concurrency.guard import run_guarded
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.core.errors import Refused
from ttt_server.core.seating import KeptName
from ttt_server.endpoints.commands import CommandEndpoint
from ttt_server.endpoints.identities import Admittance, IdentityHeader
from ttt_server.limits.rates import Rate
from ttt_server.rooms.hub import Hub
from ttt_server.rooms.live_room import Member
from ttt_server.storage.base import StoreError
from ttt_server.telemetry.counters import Counters
from ttt_server.telemetry.logging import about
from ttt_server.transport.connection import Connection

logger = logging.getLogger(__name__)

State = Literal["waiting", "busy", "leaving", "gone"]
"""
    waiting   for a message
    busy      with a command; the next message waits in the connection
    leaving   closed while busy; the command is still carried out
    gone      closed, and the room knows
"""


@dataclass(eq=False, slots=True)
class RoomEndpointContext:
    """What all room endpoints share."""

    hub: Hub
    limits: Rate
    counters: Counters
    join_timeout_s: float
    admittance: Admittance = field(default_factory=Admittance)
    identity_header: str | None = None
    """In which a trusted proxy names its user."""
    identities: IdentityHeader = field(init=False)
    tasks: TaskOwner = field(default_factory=TaskOwner)
    """The tasks that look persons up."""
    latecomers: "Deadlines[RoomEndpoint]" = field(init=False)
    """Endpoints that have not joined yet."""
    _leaving: "dict[RoomEndpoint, None]" = field(default_factory=dict)
    _is_drained: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.identities = IdentityHeader(self.identity_header, self.counters)
        self.latecomers = Deadlines(self.join_timeout_s, RoomEndpoint.be_late)

    def begin(
        self,
        connection: Connection,
        *,
        name: RoomName,
        is_relayed: bool = False,
        identity: str | None = None,
    ) -> None:
        """Serve a connection to a room.

        Args:
            connection: the client's.
            name: of the room.
            is_relayed: whether another server or process passes it on.
            identity: whom a proxy names.
        """
        counters = self.counters.of_relayed if is_relayed else self.counters
        connection.attach(RoomEndpoint(connection, name, self, counters, identity))

    def add_leaving(self, endpoint: "RoomEndpoint") -> None:
        """Note an endpoint that is closed while its last command is carried out."""
        self._leaving[endpoint] = None

    def discard_leaving(self, endpoint: "RoomEndpoint") -> None:
        """Note that the last command of a closed endpoint is done."""
        self._leaving.pop(endpoint, None)
        if not self._leaving:
            self._is_drained.set()

    async def drained(self) -> None:
        """Wait for the last commands of closed endpoints."""
        while self._leaving:
            self._is_drained.clear()
            await self._is_drained.wait()

    async def close(self) -> None:
        """Do not wait for the last commands."""
        await self.tasks.close()
        for endpoint in tuple(self._leaving):
            endpoint.leave()


class RoomEndpoint(CommandEndpoint[Command]):
    """A connection to a room. Commands are carried out one after the other."""

    __slots__ = ("_began", "_command", "_context", "_identity", "_member", "_name", "_state")

    def __init__(
        self,
        connection: Connection,
        name: RoomName,
        context: RoomEndpointContext,
        counters: Counters,
        identity: str | None = None,
    ) -> None:
        super().__init__(connection, decode_command, context.limits, counters)
        self._identity = identity
        self._name = name
        self._context = context
        self._member: Member | None = None
        """`None` until the join is done."""
        self._state: State = "waiting"
        self._command: Command | None = None
        """The command that keeps the endpoint busy."""
        self._began = 0.0
        """When it arrived, by `perf_counter`."""
        context.latecomers.add(self)

    # Calls of the connection

    def on_message(self, text: bytes) -> None:
        """Carry out one message, and ask for the next when it is answered.

        The base does the same in two steps; a move should take few.
        """
        is_in_time = self._limiter.takes(self._connection.loop.time())
        try:
            command = decode_command(text)
        except BadCommand as bad:
            self._refuse_bad(bad, is_in_time=is_in_time)
            return
        member = self._member
        if not is_in_time:
            self._slow_down(command.type, command.id)
        elif type(command) is AskHint and member is not None:  # other commands do not wait for it
            self._context.hub.submit(member, command, partial(self._hinted, command))
            self._connection.receive_next()
        else:
            self._state, self._command, self._began = "busy", command, perf_counter()
            try:
                if member is not None:
                    self._context.hub.submit(member, command, self._done)
                elif isinstance(command, Join):
                    self._join(command)
                else:
                    self._done(Refused(RefusalCode.NOT_JOINED))
            except BaseException:
                self._state = "waiting"  # a bug: the connection ends
                raise

    def on_close(self) -> None:
        """Leave the room, once the current command is done."""
        if self._state == "busy":
            self._state = "leaving"
            self._context.add_leaving(self)
        else:
            self.leave()

    def be_late(self) -> None:
        """Close, as no join came in time. A busy endpoint answers first."""
        if self._state == "waiting":
            self._end_late("join", self._context.latecomers.delay_s)

    # A command

    def _done(self, error: BaseException | None) -> None:
        """Answer a refused command, and ask for the next one."""
        command = self._command
        self._command = None
        if error is None:
            if type(command) is Play:
                self._counters.moves.observe(perf_counter() - self._began)
            elif type(command) is Leave:
                self._connection.dismiss(CloseCode.BYE)
        elif command is not None:
            self._answer(command, error)
        if self._state == "busy":
            self._state = "waiting"
            if self._member is None and self not in self._context.latecomers:
                self.be_late()
            self._connection.receive_next()
        elif self._state == "leaving":
            self.leave()

    def _hinted(self, command: AskHint, error: BaseException | None) -> None:
        if error is not None:
            self._answer(command, error)

    # A join

    def _join(self, join: Join) -> None:
        """Join, as the person whose token is given, if one is."""
        admittance, identity = self._context.admittance, self._identity
        if admittance.is_guest(join.person, identity):
            self._join_as(join, None)
            return

        async def look_up() -> None:
            person = await admittance.person(join.type, join.person, identity)
            self._join_as(join, None if person is None else person.kept_name)

        def looked_up(error: BaseException | None) -> None:
            if error is not None:
                self._joined(None, error)

        self._context.tasks.start(look_up(), looked_up)

    def _join_as(self, join: Join, person: KeptName | None) -> None:
        """Join. A password counts as a guess while it is checked, and then if it is wrong."""
        joined = self._joined
        if _tries_password(join):
            if not self._may_guess():
                self._done(_too_many_guesses())
                return
            joined = self._joined_with_password
        connection = self._connection
        address = connection.account.source
        error = run_guarded(
            self._context.hub.joining.join, self._name, join, connection, address, joined, person
        )
        if error is not None:
            self._done(error)

    def _joined_with_password(self, member: Member | None, error: BaseException | None) -> None:
        is_wrong = isinstance(error, Refused) and error.code is RefusalCode.WRONG_PASSWORD
        if not is_wrong:
            self._limiter.knew()
        self._joined(member, error)

    def _joined(self, member: Member | None, error: BaseException | None) -> None:
        if member is not None:
            self._member = member
            self._context.latecomers.discard(self)
            self._log(logging.DEBUG, "joined as a %s", member.role)
        elif isinstance(error, Refused) and error.code is RefusalCode.BAD_TOKEN:
            error = error if self._may_guess() else _too_many_guesses()
        self._done(error)

    # Answers

    def _refuse(
        self, type_: str | None, id_: str | None, refused: Refused, room: RoomState | None = None
    ) -> None:
        self._log(logging.DEBUG, "refused: %s", refused.code)
        if refused.shows_room and self._member is not None:
            live = self._member.live
            room = live.public_state if self._member.session is None else live.state
        super()._refuse(type_, id_, refused, room)

    def _answer(self, command: Command, error: BaseException) -> None:
        """Tell the client why its command failed."""
        if isinstance(error, StoreError):
            # A store that fails for all rooms is logged already.
            level = logging.ERROR if self._context.hub.log.is_healthy else logging.DEBUG
            self._log(level, "%s", error)
            error = Refused(RefusalCode.STORAGE_FAILED, error.reason)
        if isinstance(error, Refused):
            self._refuse(command.type, command.id, error)
        elif not isinstance(error, asyncio.CancelledError):  # the server stops
            self._log(logging.ERROR, "a connection failed", fault=error)  # a bug
            self._connection.dismiss(CloseCode.SERVER_FAULT)

    def leave(self) -> None:
        """Leave the room now."""
        if self._state == "gone":
            return
        if self._state == "leaving":
            self._context.discard_leaving(self)
        self._state = "gone"
        if self._member is None:
            self._context.latecomers.discard(self)
        else:
            self._context.hub.exit(self._member)

    def _log(
        self, level: int, words: str, *args: object, fault: BaseException | None = None
    ) -> None:
        """Log for this room and connection, whatever the current context."""
        if logger.isEnabledFor(level):
            context = about(self._name, self._connection.number)
            context.run(logger.log, level, words, *args, exc_info=fault)


def _tries_password(join: Join) -> bool:
    wished = None if join.settings is None else join.settings.password
    return (join.password, wished) != (None, None) and join.token is None


def _too_many_guesses() -> Refused:
    return Refused(RefusalCode.RATE_LIMITED, "too many wrong tokens or passwords, slow down")
