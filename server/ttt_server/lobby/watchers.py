"""Connections that watch the list of rooms: the whole list first, then changes."""

import asyncio
from typing import Final

from ttt_server.lobby.room_list import INTERVAL_S, News, PublicRooms
from ttt_server.rooms.live_room import Recipient

BYTES_A_ROUND: Final = 262_144
"""The most bytes of whole lists sent in one round of the loop, but at least one list.

The kernel takes a list of 10 000 rooms, 2 MB, in 1 ms: twenty at once would hold up all rooms.
"""


class Lobby:
    """Sends each listener the list, and later changes or the list again."""

    def __init__(self, rooms: PublicRooms) -> None:
        self._rooms = rooms
        self._coming: dict[Recipient, bool] = {}
        """Listeners without their first list, and whether each wants changes after it."""
        self._listeners: dict[Recipient, bool] = {}
        """The same for listeners that have it."""
        self._owed: dict[Recipient, None] = {}
        """Listeners that are owed the list, in order."""
        self._next: asyncio.Handle | None = None
        """The next time that lists are sent: in the next round of the loop, or in a second."""
        self._is_round_full = False
        """Whether this round has sent so much that the rest waits for the next."""
        self._encoded = "", b""
        """The tag of the list as last sent, and the list."""
        rooms.subscribe(self._tell)

    def enter(self, listener: Recipient, *, wants_changes: bool = False) -> None:
        """Send the list, and news from now on: only changes, or the whole list again."""

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
        """Stop sending."""
        if self._next is not None:
            self._next.cancel()

    def _tell(self, news: News) -> None:
        """Tell all listeners what has changed.

        A listener that is behind gets the whole list once it has caught up, as changes waiting for
        it might be dropped.
        """
        changes = _changes(news)
        for listener, wants_changes in self._listeners.items():
            if wants_changes and not listener.is_behind and listener not in self._owed:
                listener.send(changes)
            else:
                self._owed[listener] = None
        self._send_lists()

    def _send_lists(self) -> None:
        """Send the list to those who are owed it, as far as this round of the loop allows."""
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
