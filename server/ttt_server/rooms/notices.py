"""Who wants to know when rooms change."""

from collections.abc import Callable

from ttt_protocol.state import RoomName
from ttt_server.rooms.live_room import LiveRoom


class Notices:
    """Calls other parts of the server after changes, once members have been told."""

    def __init__(self) -> None:
        self._subscribers: list[Callable[[RoomName], None]] = []
        self._observers: dict[RoomName, Callable[[LiveRoom], None]] = {}
        self._on_end: list[Callable[[LiveRoom], None]] = []

    def subscribe(self, call: Callable[[RoomName], None]) -> None:
        """Call `call` with the name of each room whose summary may have changed."""
        self._subscribers.append(call)

    def observe(self, name: RoomName, call: Callable[[LiveRoom], None]) -> None:
        """Call `call` after each change of one room."""
        self._observers[name] = call

    def ignore(self, name: RoomName) -> None:
        """Stop observing a room."""
        self._observers.pop(name, None)

    def is_observed(self, name: RoomName) -> bool:
        return name in self._observers

    def call_on_end(self, call: Callable[[LiveRoom], None]) -> None:
        """Call `call` with each room in which a game has ended."""
        self._on_end.append(call)

    def changed(self, live: LiveRoom) -> None:
        """Report a change."""
        if self._observers and (observer := self._observers.get(live.room.name)) is not None:
            observer(live)
        for call in self._subscribers:
            call(live.room.name)

    def entered(self, live: LiveRoom) -> None:
        """Report that members came or went, or spectators see more, and nothing else changed."""
        for call in self._subscribers:
            call(live.room.name)

    def ended(self, live: LiveRoom) -> None:
        """Report the end of a game."""
        for call in self._on_end:
            call(live)
