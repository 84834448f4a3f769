"""The endpoint of the lobby: it sends the live list of public rooms."""

from dataclasses import dataclass

from ttt_protocol.codes import CloseCode
from ttt_server.lobby.watchers import Lobby
from ttt_server.rooms.live_room import Recipient

NO_COMMANDS = "the lobby takes no messages: send them to a room, to an event or to /ws/play"


@dataclass(eq=False, slots=True)
class LobbyEndpoint:
    """A connection that watches the lobby. It takes no commands."""

    connection: Recipient
    lobby: Lobby

    def on_message(self, text: bytes) -> None:  # noqa: ARG002 - any message
        """Close."""
        self.connection.dismiss(CloseCode.POLICY, words=NO_COMMANDS)

    def on_binary(self) -> None:
        """Close."""
        self.connection.dismiss(CloseCode.BINARY_FRAME)

    def on_close(self) -> None:
        """Leave the lobby."""
        self.lobby.exit(self.connection)
