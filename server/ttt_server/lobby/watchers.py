"""The connections that watch the list of rooms: the whole list first, then what changes."""

import asyncio
from typing import Final

from ttt_server.lobby.room_list import INTERVAL_S, News, RoomList
from ttt_server.rooms.live_room import Recipient

BYTES_A_ROUND: Final = 262_144
"""The bytes of whole lists that are sent in one turn of the loop, one list at the least.

The kernel takes a list of 10 000 rooms, 2 MB, in 1 ms: twenty at once would hold up all rooms.
"""


class Lobby:
    """Sends each listener the list at once, and the changes or the list again after changes."""

    def __init__(self, rooms: RoomList) -> None:
        self._rooms = rooms
        self._coming: dict[Recipient, bool] = {}
        """The listeners without their first list, and whether each wants changes after it."""
        self._listeners: dict[Recipient, bool] = {}
        """The same for those that have it."""
        self._owed: dict[Recipient, None] = {}
        """The listeners that are to be sent the list, the first in line first."""
        self._next: asyncio.Handle | None = None
        """When lists are sent again: in the next round of the loop, or in a second."""
        self._is_round_full = False
        """Whether so much was sent in this round that the rest waits for the next."""
        self._encoded = "", b""
        """The list as it was sent last, and its tag."""
        rooms.subscribe(self._tell)

    def enter(self, listener: Recipient, *, wants_changes: bool = False) -> None:
        """Send the list, and news from now on. With `wants_changes` these are changes alone."""

        def owe() -> None:
            if listener in self._coming:
                self._owed[listener] = None
                self._send_lists()

        self._coming[listener] = wants_changes
        self._rooms.freshen(owe)
        self._rooms.keep_fresh(is_wanted=True)

    def exit(self, listener: Recipient) -> None:
        for listeners in (self._coming, self._listeners, self._owed):
            listeners.pop(listener, None)
        if not self._listeners and not self._coming:
            self._rooms.keep_fresh(is_wanted=False)

    def close(self) -> None:
        """Send no more."""
        if self._next is not None:
            self._next.cancel()

    def _tell(self, news: News) -> None:
        """Tell all listeners what has changed.

        A listener that is behind gets the list when it has read what it was sent: of changes that
        wait for it, some might be dropped.
        """
        changes = _changes(news)
        for listener, wants_changes in self._listeners.items():
            if wants_changes and not listener.is_behind and listener not in self._owed:
                listener.send(changes)
            else:
                self._owed[listener] = None
        self._send_lists()

    def _send_lists(self) -> None:
        """Send the list to those that it is owed to, as far as this round of the loop allows."""
        if not self._is_round_full:
            self.close()
            self._send_some()

    def _send_some(self) -> None:
        sent = 0
        for listener in [each for each in self._owed if not each.is_behind]:
            if sent >= BYTES_A_ROUND:
                break
            del self._owed[listener]
            if listener in self._coming:
                self._listeners[listener] = self._coming.pop(listener)
            payload = self._list()
            listener.send(payload, is_state=not self._listeners[listener])
            sent += len(payload)
        self._is_round_full = sent >= BYTES_A_ROUND
        loop = asyncio.get_running_loop()
        if self._is_round_full:
            self._next = loop.call_soon(self._send_some)
        else:
            self._next = loop.call_later(INTERVAL_S, self._send_some) if self._owed else None

    def _list(self) -> bytes:
        """Return a `Rooms`, encoded anew only after a change."""
        tag = self._rooms.tag
        if self._encoded[0] != tag:
            rooms = b",".join(self._rooms.all())
            self._encoded = tag, b'{"type":"rooms","rooms":[%b]}' % rooms
        return self._encoded[1]


def _changes(news: News) -> bytes:
    """Encode a `RoomsChanged`."""
    rooms = b",".join(room for room in news.values() if room is not None)
    # No name has a character that JSON escapes.
    gone = b",".join(b'"%b"' % name.encode() for name, room in news.items() if room is None)
    return b'{"type":"rooms_changed","rooms":[%b],"gone":[%b]}' % (rooms, gone)
