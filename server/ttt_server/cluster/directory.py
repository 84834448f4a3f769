"""The public rooms of all servers: this server's own and those of the others."""

from collections.abc import Callable
from collections.abc import Set as AbstractSet

from ttt_protocol.state import RoomName, Summary
from ttt_server.cluster.lease import Lease
from ttt_server.rooms.hub import Hub


class Directory:
    """The rooms of the hub together with the other servers' public rooms."""

    def __init__(self, hub: Hub, lease: Lease) -> None:
        self._hub = hub
        self._lease = lease
        self._others: dict[RoomName, Summary] = {}
        self._subscribers: list[Callable[[RoomName], None]] = []

    @property
    def is_healthy(self) -> bool:
        """Whether the database can be written and the lease holds.

        A server without rooms writes only its lease, so a failed renewal shows first.
        """
        lease = self._lease
        return self._hub.is_healthy and lease.has_session and lease.owner is not None

    def summary(self, name: RoomName) -> Summary | None:
        """Return the listed summary of a room; `None` if no server lists it."""
        return self._hub.summary(name) or self._others.get(name)

    def subscribe(self, call: Callable[[RoomName], None]) -> None:
        """Call `call` with the name of each room whose `summary` may have changed."""
        self._subscribers.append(call)
        self._hub.subscribe(call)

    def follow(
        self, changed: dict[RoomName, Summary | None], there: AbstractSet[RoomName] | None
    ) -> None:
        """Take over what the other servers list.

        Args:
            changed: the rooms that changed; `None` for those no longer public.
            there: all rooms of other servers; `None` if none is gone.
        """
        if there is None and not changed:
            return  # as nearly always
        before = self._others
        merged = before | {name: each for name, each in changed.items() if each is not None}
        gone = {name for name, each in changed.items() if each is None}
        self._others = {
            name: each
            for name, each in merged.items()
            if (there is None or name in there) and name not in gone
        }
        for name in changed.keys() | (before.keys() - self._others.keys()):
            if before.get(name) != self._others.get(name):
                for call in self._subscribers:
                    call(name)
