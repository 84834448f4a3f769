"""The list of public rooms, kept as JSON and refreshed at most once a second."""

import asyncio
import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import Final, Protocol

from ttt_protocol.codec import encode_message
from ttt_protocol.state import RoomName, Summary
from ttt_server.lobby.room_pages import Page, PageWish

INTERVAL_S = 1.0
"""The least time between two refreshes."""

STEP = 32
"""Rooms the loop encodes at once, in about 0.5 ms."""

_MOST_MARKS: Final = 5_000
"""Rooms that may have changed before a list without readers is refreshed."""


class RoomSource(Protocol):
    """The rooms, as the list sees them."""

    def summary(self, name: RoomName) -> Summary | None:
        """Return a room's entry; `None` if it is not listed."""

    def subscribe(self, call: Callable[[RoomName], None]) -> None:
        """Call `call` with the name of each room whose summary may have changed."""


_PAGES: Final = 8
"""Pages to keep until the list changes."""


class PublicRooms:
    """The list, by name. A refresh encodes the rooms that may have changed since the last."""

    def __init__(self, source: RoomSource) -> None:
        self._source = source
        self._names: list[RoomName] = []
        """The names of the listed rooms, in order."""
        self._encoded: dict[RoomName, bytes] = {}
        self._marked: set[RoomName] = set()
        """Rooms that may have changed since the last refresh began."""
        self._pending: list[RoomName] = []
        """Rooms that the refresh under way has yet to encode."""
        self._pages: dict[PageWish, Page] = {}
        """Pages of the list as it is."""
        self._waiting: list[Callable[[], None]] = []
        self._subscribers: list[Callable[[], None]] = []
        self._refreshed_at = -math.inf
        """When the last refresh began, on the loop's clock."""
        self._next: asyncio.Handle | None = None
        """The next refresh, or the next step of the one under way."""
        source.subscribe(self._mark)

    async def page(self, wish: PageWish) -> Page:
        """Return a page of the list, less than a second old."""
        await self.fresh()
        page = self._pages.get(wish)
        if page is None:
            first = 0 if wish.after is None else bisect_right(self._names, wish.after)
            names = self._names[first : first + wish.limit + 1]
            rooms = ((name, self._encoded[name]) for name in names)
            page = Page.cut(wish, rooms, len(self._names))
            if len(self._pages) == _PAGES:
                self._pages.clear()
            self._pages[wish] = page
        return page

    def subscribe(self, call: Callable[[], None]) -> None:
        """Call `call` with the first change after a refresh."""
        self._subscribers.append(call)

    def freshen(self, then: Callable[[], None]) -> None:
        """Call `then` once the list is less than a second old, at once if it is."""
        if not self._pending and not self._is_due:
            then()
            return
        self._waiting.append(then)
        if not self._pending:
            self._refresh()

    async def fresh(self) -> None:
        """Wait until the list is less than a second old."""
        is_fresh = asyncio.Event()
        self.freshen(is_fresh.set)
        await is_fresh.wait()

    def close(self) -> None:
        """Stop refreshing."""
        if self._next is not None:
            self._next.cancel()

    @property
    def _is_due(self) -> bool:
        return bool(self._marked) and _now() >= self._refreshed_at + INTERVAL_S

    def _mark(self, name: RoomName) -> None:
        if name in self._marked:
            return  # as nearly always during a game
        self._marked.add(name)
        if len(self._marked) == 1:
            for call in self._subscribers:
                call()
        elif len(self._marked) > _MOST_MARKS and self._next is None:
            loop = asyncio.get_running_loop()
            self._next = loop.call_at(self._refreshed_at + INTERVAL_S, self._refresh)

    def _refresh(self) -> None:
        if self._next is not None:
            self._next.cancel()
        self._refreshed_at = _now()
        self._pending, self._marked = list(self._marked), set()
        self._step()

    def _step(self) -> None:
        """Encode some rooms, and the rest in later rounds of the loop."""
        names, self._pending = self._pending[:STEP], self._pending[STEP:]
        for name in names:
            summary = self._source.summary(name)
            self._put(name, None if summary is None else encode_message(summary))
        if self._pending:
            self._next = asyncio.get_running_loop().call_soon(self._step)
        else:
            self._next = None
            self._finish()

    def _put(self, name: RoomName, encoded: bytes | None) -> None:
        before = self._encoded.get(name)
        if encoded == before:
            return
        if encoded is None:
            del self._encoded[name]
            del self._names[bisect_left(self._names, name)]
        else:
            self._encoded[name] = encoded
            if before is None:
                self._names.insert(bisect_left(self._names, name), name)
        self._pages.clear()

    def _finish(self) -> None:
        waiting, self._waiting = self._waiting, []
        for then in waiting:
            then()


def _now() -> float:
    return asyncio.get_running_loop().time()
