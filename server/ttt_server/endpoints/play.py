"""The endpoint of quick match: a connection that seeks an opponent, and is told of a room."""

from dataclasses import dataclass
from typing import Self

from ttt_protocol.codec import BadCommand, decode_command
from ttt_protocol.codes import CloseCode, RefusalCode
from ttt_protocol.commands import Command, Seek
from ttt_protocol.messages import Refused as RefusedMessage
from ttt_server.concurrency.deadlines import Deadlines
from ttt_server.core.errors import Refused
from ttt_server.limits.commands import CommandLimiter, CommandLimits
from ttt_server.lobby.matchmaker import Matchmaker
from ttt_server.telemetry.counters import Counters
from ttt_server.transport.connection import Connection


@dataclass(frozen=True, slots=True)
class PlayEndpointContext:
    """The parts that the endpoints of all seekers share."""

    matchmaker: Matchmaker
    limits: CommandLimits
    counters: Counters
    latecomers: "Deadlines[PlayEndpoint]"
    """The endpoints that have not sought anything yet."""

    @classmethod
    def of(
        cls,
        matchmaker: Matchmaker,
        limits: CommandLimits,
        counters: Counters,
        join_timeout_s: float,
    ) -> Self:
        """Make the parts. `join_timeout_s`: the time for the first `seek`, after connecting."""
        return cls(matchmaker, limits, counters, Deadlines(join_timeout_s, PlayEndpoint.be_late))

    def begin(self, connection: Connection) -> None:
        """Serve a connection to quick match."""
        connection.attach(PlayEndpoint(connection, self))


class PlayEndpoint:
    """A connection that seeks an opponent. It takes `seek`, and no other command."""

    __slots__ = ("_connection", "_context", "_limiter")

    def __init__(self, connection: Connection, context: PlayEndpointContext) -> None:
        self._connection = connection
        self._context = context
        now = connection.loop.time()
        self._limiter = CommandLimiter(context.limits, connection.account, now)
        context.latecomers.add(self)

    def on_message(self, text: bytes) -> None:
        """Seek, or refuse what is no `seek`."""
        connection = self._connection
        if connection.is_dismissed:
            return
        try:
            command = decode_command(text)
        except BadCommand as bad:
            self._answer(bad.command, bad.id, Refused(bad.code, bad.reason))
        else:
            self._answer(command.type, command.id, command)
        connection.receive_next()

    def on_binary(self) -> None:
        """Close: all messages are text."""
        self._connection.dismiss(CloseCode.BINARY_FRAME)

    def on_close(self) -> None:
        """Seek no more."""
        self._context.latecomers.discard(self)
        self._context.matchmaker.forget(self._connection)

    def be_late(self) -> None:
        """Close, as no `seek` came in time."""
        words = f"no seek came within {self._context.latecomers.delay_s:g} s"
        self._connection.dismiss(CloseCode.POLICY, words=words)

    def _answer(self, type_: str | None, id_: str | None, read: Command | Refused) -> None:
        """Carry out a `seek` within the limits; refuse what else was read."""
        now = self._connection.loop.time()
        if not self._limiter.takes(now):
            if self._limiter.refuses(now):
                self._refuse(type_, id_, Refused(RefusalCode.RATE_LIMITED))
            else:
                self._connection.dismiss(CloseCode.POLICY)
        elif isinstance(read, Refused):
            self._refuse(type_, id_, read)
        elif isinstance(read, Seek):
            self._context.latecomers.discard(self)
            try:
                self._context.matchmaker.seek(self._connection, read)
            except Refused as refused:
                self._refuse(type_, id_, refused)
        else:
            words = "this is no room: seek a player here, and join the room that is found"
            self._refuse(type_, id_, Refused(RefusalCode.NOT_JOINED, words))

    def _refuse(self, type_: str | None, id_: str | None, refused: Refused) -> None:
        self._context.counters.refusals[refused.code] += 1
        self._connection.tell(
            RefusedMessage(command=type_, code=refused.code, reason=refused.reason, id=id_)
        )
