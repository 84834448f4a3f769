"""The live list of public rooms, for the connections that watch it."""

import asyncio
from collections.abc import Callable
from typing import NamedTuple, Protocol

from ttt_protocol.codec import encode_message
from ttt_protocol.messages import Rooms
from ttt_protocol.state import Summary
from ttt_server.rooms.members import Listener

INTERVAL_S = 1.0
"""The least time between two lists for one listener."""


class _Sent(NamedTuple):
    """The last list that a listener was sent."""

    at: float
    """When, on the loop's clock."""
    payload: bytes


class RoomSource(Protocol):
    """The rooms, as the list sees them."""

    def public_rooms(self) -> tuple[Summary, ...]: ...

    def subscribe(self, call: Callable[[], None]) -> None: ...


class Lobby:
    """Sends each listener the list at once, and again after changes."""

    def __init__(self, hub: RoomSource) -> None:
        self._hub = hub
        self._sent: dict[Listener, _Sent] = {}
        self._timer: asyncio.TimerHandle | None = None
        hub.subscribe(self._changed)

    def enter(self, listener: Listener) -> None:
        """Send the list now, and from now on."""
        self._send(listener, self._list())

    def exit(self, listener: Listener) -> None:
        self._sent.pop(listener, None)

    def close(self) -> None:
        """Drop the timer."""
        if self._timer is not None:
            self._timer.cancel()

    def _list(self) -> bytes:
        return encode_message(Rooms(rooms=self._hub.public_rooms()))

    def _send(self, listener: Listener, payload: bytes) -> None:
        listener.send(payload, is_state=True)
        self._sent[listener] = _Sent(asyncio.get_running_loop().time(), payload)

    def _changed(self) -> None:
        if self._sent and self._timer is None:
            oldest = min(sent.at for sent in self._sent.values())
            self._arm(oldest + INTERVAL_S)

    def _arm(self, at: float) -> None:
        self._timer = asyncio.get_running_loop().call_at(at, self._send_all)

    def _send_all(self) -> None:
        """Send the list to each listener that has another one, at most once a second."""
        self._timer = None
        payload = self._list()
        now = asyncio.get_running_loop().time()
        waiting = [
            (sent.at + INTERVAL_S, listener)
            for listener, sent in self._sent.items()
            if sent.payload != payload
        ]
        for due, listener in waiting:
            if due <= now:
                self._send(listener, payload)
        if later := [due for due, _ in waiting if due > now]:
            self._arm(min(later))
