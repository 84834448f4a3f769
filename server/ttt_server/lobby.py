"""The live list of public rooms, for whoever watches it."""

import asyncio

from ttt_protocol.codec import encode_message
from ttt_protocol.messages import Rooms
from ttt_server.hub import Hub
from ttt_server.live import Listener

INTERVAL_S = 1.0
"""The list is sent at most so often."""


class Lobby:
    """Tells its listeners the list at once, and again after changes."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._listeners: set[Listener] = set()
        self._told_at = 0.0
        self._timer: asyncio.TimerHandle | None = None
        hub.on_change = self._changed

    def enter(self, listener: Listener) -> None:
        """Tells the list now, and whenever it changes."""
        self._listeners.add(listener)
        listener.post(self._list(), is_state=True)

    def exit(self, listener: Listener) -> None:
        self._listeners.discard(listener)

    def close(self) -> None:
        """Ends the timer."""
        if self._timer is not None:
            self._timer.cancel()

    def _list(self) -> bytes:
        return encode_message(Rooms(rooms=self._hub.public_rooms()))

    def _changed(self) -> None:
        if self._listeners and self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_at(self._told_at + INTERVAL_S, self._tell)

    def _tell(self) -> None:
        self._timer = None
        self._told_at = asyncio.get_running_loop().time()
        payload = self._list()
        for listener in self._listeners:
            listener.post(payload, is_state=True)
