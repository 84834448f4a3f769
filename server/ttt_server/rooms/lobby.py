"""The live list of public rooms, for whoever watches it."""

import asyncio
from dataclasses import dataclass

from ttt_protocol.codec import encode_message
from ttt_protocol.messages import Rooms
from ttt_server.rooms.hub import Hub
from ttt_server.rooms.live_room import Listener
from ttt_server.transport.frames import text_frame

INTERVAL_S = 1.0
"""Each listener is sent the list at most so often."""


@dataclass(frozen=True, slots=True)
class _Told:
    """When a listener was told which list, on the loop's clock."""

    at: float
    frame: bytes


class Lobby:
    """Tells each listener the list at once, and again when it looks different."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._told: dict[Listener, _Told] = {}
        self._timer: asyncio.TimerHandle | None = None
        hub.on_change = self._changed

    def enter(self, listener: Listener) -> None:
        """Tells the list now, and from now on."""
        self._tell(listener, self._list())

    def exit(self, listener: Listener) -> None:
        self._told.pop(listener, None)

    def close(self) -> None:
        """Ends the timer."""
        if self._timer is not None:
            self._timer.cancel()

    def _list(self) -> bytes:
        return text_frame(encode_message(Rooms(rooms=self._hub.public_rooms())))

    def _tell(self, listener: Listener, frame: bytes) -> None:
        listener.post(frame, True)
        self._told[listener] = _Told(asyncio.get_running_loop().time(), frame)

    def _changed(self) -> None:
        if self._told and self._timer is None:
            oldest = min(told.at for told in self._told.values())
            self._arm(oldest + INTERVAL_S)

    def _arm(self, at: float) -> None:
        self._timer = asyncio.get_running_loop().call_at(at, self._tell_all)

    def _tell_all(self) -> None:
        """Tells whoever was told another list, and not within the last second."""
        self._timer = None
        frame = self._list()
        now = asyncio.get_running_loop().time()
        waiting = [
            (told.at + INTERVAL_S, each) for each, told in self._told.items() if told.frame != frame
        ]
        for due, listener in waiting:
            if due <= now:
                self._tell(listener, frame)
        if later := [due for due, _ in waiting if due > now]:
            self._arm(min(later))
