"""The owner's side of a shared watch: one connection that stands for another server's spectators.

The other server sends `Told` as JSON. The owner answers each `ask` with a `welcome` for all of its
`newcomers`; before it comes `{"type":"removed","members":[…]}` with those that the host has removed
and that the welcome is not for. The same tells at once that the host removes a member.
"""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ttt_protocol.codec import encode_message
from ttt_protocol.codes import CloseCode, RefusalCode
from ttt_protocol.commands import Join
from ttt_protocol.messages import Refused as RefusedMessage
from ttt_protocol.state import Role, RoomName, SessionId
from ttt_server.core.errors import Refused
from ttt_server.rooms.hub import Hub
from ttt_server.rooms.live_room import Member
from ttt_server.rooms.removals import notice
from ttt_server.transport.connection import Connection

_MOST = 1 << 30
"""More spectators than there are."""


class Spectator(BaseModel):
    """A spectator of another server."""

    model_config = ConfigDict(frozen=True, strict=True)

    member: SessionId
    address: str | None
    """The client's; `None` where it is known by a secret of before."""


class Told(BaseModel):
    """The news of the other server about its spectators."""

    model_config = ConfigDict(frozen=True, strict=True)

    count: Annotated[int, Field(ge=0, lt=_MOST)]
    ask: bool = False
    newcomers: list[Spectator] = []
    dismissed: list[Spectator] = []
    """The spectators that it has dismissed, because the host removed them."""


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
        """Take the number of spectators, and the wish of newcomers for a state."""
        self._connection.receive_next()
        try:
            told = Told.model_validate_json(text)
        except ValidationError:
            self._connection.dismiss(CloseCode.POLICY)
            return
        if self._member is not None:
            self._take(told, self._member)

    def on_binary(self) -> None:
        """Close: all messages are text."""
        self._connection.dismiss(CloseCode.BINARY_FRAME)

    def on_close(self) -> None:
        """Leave the room."""
        self._is_gone = True
        if self._member is not None:
            self._hub.exit(self._member)
            self._member = None

    def _take(self, told: Told, member: Member) -> None:
        live = member.live
        for each in told.dismissed:
            live.removals.add_address(each.member, each.address or "")
        removed = [
            each.member
            for each in told.newcomers
            if live.removals.left_s(each.member, each.address) > 0
        ]
        if removed:
            self._connection.send(notice(removed))
        self._hub.stand_for(member, told.count, is_asking=told.ask)

    def _joined(self, member: Member | None, error: BaseException | None) -> None:
        if member is not None and self._is_gone:
            self._hub.exit(member)
        elif member is not None:
            self._member = member
        else:
            code = error.code if isinstance(error, Refused) else RefusalCode.STORAGE_FAILED
            refused = RefusedMessage(command="join", code=code, reason=str(error), id=None)
            self._connection.send(encode_message(refused))
