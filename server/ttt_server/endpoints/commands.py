"""Reading commands: what the endpoints of rooms, events and quick match share."""

from collections.abc import Callable
from typing import Generic, TypeVar

from ttt_protocol.codec import BadCommand
from ttt_protocol.codes import CloseCode, RefusalCode
from ttt_protocol.commands import Command
from ttt_protocol.messages import Refused as RefusedMessage
from ttt_protocol.state import RoomState
from ttt_protocol.tournament.commands import TournamentCommand
from ttt_server.core.errors import Refused
from ttt_server.limits.rates import CommandLimiter, Rate
from ttt_server.telemetry.counters import Counters
from ttt_server.transport.connection import TOO_MANY, Connection

C = TypeVar("C", bound=Command | TournamentCommand)
"""A command."""


class CommandEndpoint(Generic[C]):
    """A connection that sends commands: decodes and limits them, and answers refusals."""

    __slots__ = ("_connection", "_counters", "_decode", "_limiter")

    def __init__(
        self,
        connection: Connection,
        decode: Callable[[bytes], C],
        limits: Rate,
        counters: Counters,
    ) -> None:
        self._connection = connection
        self._decode = decode
        self._limiter = CommandLimiter(limits, connection.account, connection.loop.time())
        self._counters = counters

    def on_message(self, text: bytes) -> None:
        """Carry out one message, and ask for the next when it is answered."""
        is_in_time = self._limiter.takes(self._connection.loop.time())
        try:
            command = self._decode(text)
        except BadCommand as bad:
            self._refuse_bad(bad, is_in_time=is_in_time)
        else:
            if is_in_time:
                self._carry_out(command)
            else:
                self._slow_down(command.type, command.id)

    def on_binary(self) -> None:
        """Close: all messages are text."""
        self._connection.dismiss(CloseCode.BINARY_FRAME)

    def _carry_out(self, command: C) -> None:
        """Carry out a command; ask for the next when it is answered."""
        raise NotImplementedError

    def _end_late(self, missing: str, after_s: float) -> None:
        """Close: the first command did not come in time."""
        words = f"no {missing} came within {after_s:g} s"
        self._connection.dismiss(CloseCode.POLICY, words=words)

    def _may_guess(self) -> bool:
        return self._limiter.guesses(self._connection.loop.time())

    def _refuse_bad(self, bad: BadCommand, *, is_in_time: bool) -> None:
        """Refuse a message that is not a command, and ask for the next one."""
        if is_in_time:
            self._refuse(bad.command, bad.id, Refused(bad.code, bad.reason))
            self._connection.receive_next()
        else:
            self._slow_down(bad.command, bad.id)

    def _slow_down(self, type_: str | None, id_: str | None) -> None:
        """Refuse a command over the limit, and ask for the next one; close after too many."""
        if self._limiter.refuses(self._connection.loop.time()):
            self._refuse(type_, id_, Refused(RefusalCode.RATE_LIMITED))
        else:
            self._connection.dismiss(CloseCode.POLICY, words=TOO_MANY)
        self._connection.receive_next()

    def _refuse(
        self, type_: str | None, id_: str | None, refused: Refused, room: RoomState | None = None
    ) -> None:
        """Answer a command with a refusal, which may show the room."""
        self._counters.refusals[refused.code] += 1
        self._connection.tell(
            RefusedMessage(
                command=type_,
                code=refused.code,
                reason=refused.reason,
                id=id_,
                legal=refused.legal,
                room=room,
            )
        )
