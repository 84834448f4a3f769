"""All conversations: what they share, and their end."""

from ttt_protocol.state import RoomName
from ttt_server.concurrency.deadlines import Deadlines
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.endpoints.room import Common, RoomEndpoint
from ttt_server.limits.commands import CommandLimits
from ttt_server.rooms.hub import Hub
from ttt_server.telemetry.counters import Counters
from ttt_server.transport.connection import Connection


class RoomEndpointContext:
    """Begins one with each peer that comes to a room."""

    def __init__(
        self, hub: Hub, limits: CommandLimits, traffic: Counters, join_timeout_s: float
    ) -> None:
        self.tasks = TaskOwner()
        """Those in which something is heard, or the answer to a request is found."""
        latecomers = Deadlines(join_timeout_s, RoomEndpoint.be_late)
        self._common = Common(hub, limits, traffic, latecomers, self.tasks)

    def begin(self, peer: Connection, name: RoomName) -> None:
        """Hears what a peer says in a room."""
        RoomEndpoint(peer, name, self._common).begin()

    async def drained(self) -> None:
        """Wait until every task of an endpoint has ended."""
        await self.tasks.ended()

    async def close(self) -> None:
        """Cancel every task of an endpoint."""
        await self.tasks.close()
