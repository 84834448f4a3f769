"""The owner's side of a shared watch: one connection that stands for another server's spectators.

The messages of the other server are JSON: `{"count": 12, "ask": true}`. `ask` wants a `welcome`.
"""

import json

from ttt_protocol.codec import encode_message
from ttt_protocol.codes import CloseCode, RefusalCode
from ttt_protocol.commands import Join
from ttt_protocol.messages import Refused as RefusedMessage
from ttt_protocol.state import Role, RoomName
from ttt_server.core.errors import Refused
from ttt_server.rooms.hub import Hub
from ttt_server.rooms.members import Member
from ttt_server.transport.connection import Connection

_MOST = 1 << 30
"""More spectators than there are."""


class WatchedEndpoint:
    """A connection of another server that watches a room."""

    def __init__(self, connection: Connection, name: RoomName, hub: Hub) -> None:
        self._connection = connection
        self._hub = hub
        self._member: Member | None = None
        self._is_gone = False
        join = Join(role=Role.SPECTATOR)
        hub.join(name, join, connection, connection.account.source, self._joined)

    def on_message(self, text: bytes) -> None:
        """Take the number of spectators, and the wish for a state."""
        self._connection.receive_next()
        try:
            told = json.loads(text)
            count, is_asking = int(told["count"]), bool(told["ask"])
        except (ValueError, TypeError, KeyError):
            self._connection.dismiss(CloseCode.POLICY)
            return
        if self._member is not None and 0 <= count < _MOST:
            self._hub.stand_for(self._member, count, is_asking=is_asking)

    def on_binary(self) -> None:
        """Close: all messages are text."""
        self._connection.dismiss(CloseCode.BINARY_FRAME)

    def on_close(self) -> None:
        """Leave the room."""
        self._is_gone = True
        if self._member is not None:
            self._hub.exit(self._member)
            self._member = None

    def _joined(self, member: Member | None, error: BaseException | None) -> None:
        if member is not None and self._is_gone:
            self._hub.exit(member)
        elif member is not None:
            self._member = member
        else:
            code = error.code if isinstance(error, Refused) else RefusalCode.STORAGE_FAILED
            refused = RefusedMessage(command="join", code=code, reason=str(error), id=None)
            self._connection.send(encode_message(refused))
