"""All conversations: what they share, and their end."""

from ttt_protocol.state import RoomName
from ttt_server.allowance import ConnectionLimits
from ttt_server.connection import Common, Conversation
from ttt_server.deadlines import Deadlines
from ttt_server.hub import Hub
from ttt_server.peer import Peer
from ttt_server.tasks import Tasks
from ttt_server.traffic import Traffic


class Conversations:
    """Begins one with each peer that comes to a room."""

    def __init__(
        self, hub: Hub, limits: ConnectionLimits, traffic: Traffic, join_timeout_s: float
    ) -> None:
        self.tasks = Tasks()
        """Those in which something is heard, or the answer to a request is found."""
        latecomers = Deadlines(join_timeout_s, Conversation.be_late)
        self._common = Common(hub, limits, traffic, latecomers, self.tasks)

    def begin(self, peer: Peer, name: RoomName) -> None:
        """Hears what a peer says in a room."""
        Conversation(peer, name, self._common).begin()
