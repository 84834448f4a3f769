"""The endpoint of quick match: a connection seeks an opponent and is given a room."""

from dataclasses import dataclass, field

from ttt_protocol.codec import decode_command
from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import Command, Seek
from ttt_server.concurrency.deadlines import Deadlines
from ttt_server.core.errors import Refused
from ttt_server.endpoints.commands import CommandEndpoint
from ttt_server.limits.rates import Rate
from ttt_server.lobby.matchmaker import Matchmaker
from ttt_server.telemetry.counters import Counters
from ttt_server.transport.connection import Connection


@dataclass(eq=False, slots=True)
class PlayEndpointContext:
    """What all quick match endpoints share."""

    matchmaker: Matchmaker
    limits: Rate
    counters: Counters
    join_timeout_s: float
    """The time for the first `seek`."""
    latecomers: "Deadlines[PlayEndpoint]" = field(init=False)
    """Endpoints that have not sent a `seek` yet."""

    def __post_init__(self) -> None:
        self.latecomers = Deadlines(self.join_timeout_s, PlayEndpoint.be_late)

    def begin(self, connection: Connection) -> None:
        """Serve a connection to quick match."""
        connection.attach(PlayEndpoint(connection, self))


class PlayEndpoint(CommandEndpoint[Command]):
    """A connection that seeks an opponent. It takes only `seek`."""

    __slots__ = ("_context",)

    def __init__(self, connection: Connection, context: PlayEndpointContext) -> None:
        super().__init__(connection, decode_command, context.limits, context.counters)
        self._context = context
        context.latecomers.add(self)

    def on_close(self) -> None:
        """Stop seeking."""
        self._context.latecomers.discard(self)
        self._context.matchmaker.forget(self._connection)

    def be_late(self) -> None:
        """Close, as no `seek` came in time."""
        self._end_late("seek", self._context.latecomers.delay_s)

    def _carry_out(self, command: Command) -> None:
        if isinstance(command, Seek):
            self._context.latecomers.discard(self)
            try:
                self._context.matchmaker.seek(self._connection, command)
            except Refused as refused:
                self._refuse(command.type, command.id, refused)
        else:
            words = "this is not a room: seek an opponent here, then join the room you are given"
            self._refuse(command.type, command.id, Refused(RefusalCode.NOT_JOINED, words))
        self._connection.receive_next()
