"""The endpoint of the lobby: it sends the live list of public rooms."""

from ttt_protocol.codes import CloseCode
from ttt_server.lobby.room_list import PageWish
from ttt_server.lobby.watchers import FIRST, Lobby
from ttt_server.rooms.live_room import Recipient

NO_COMMANDS = "the lobby takes no messages: send them to a room, to an event or to /ws/play"


class LobbyEndpoint:
    """A connection that watches the lobby. It takes no commands."""

    __slots__ = ("_connection", "_lobby")

    def __init__(
        self,
        connection: Recipient,
        lobby: Lobby,
        wish: PageWish = FIRST,
        *,
        wants_changes: bool = False,
    ) -> None:
        self._connection = connection
        self._lobby = lobby
        lobby.enter(connection, wish, wants_changes=wants_changes)

    def on_message(self, text: bytes) -> None:  # noqa: ARG002 - any message
        """Close."""
        self._connection.dismiss(CloseCode.POLICY, words=NO_COMMANDS)

    def on_binary(self) -> None:
        """Close."""
        self._connection.dismiss(CloseCode.BINARY_FRAME)

    def on_close(self) -> None:
        """Leave the lobby."""
        self._lobby.exit(self._connection)
