"""The list of public rooms and its pages, kept as JSON and refreshed at most once a second."""

import asyncio
import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from typing import Final, NamedTuple, Protocol

from ttt_protocol.codec import encode_message
from ttt_protocol.state import InvalidRoomName, RoomName, Summary, parse_room_name
from ttt_server.transport.responses import Document, HttpError

INTERVAL_S = 1.0
"""The least time between two refreshes."""

STEP = 32
"""Rooms the loop encodes at once, in about 0.5 ms."""

_MOST_MARKS: Final = 5_000
"""Rooms that may have changed before a list without readers is refreshed."""

_PAGES: Final = 8
"""Pages to keep until the list changes."""

MOST_ROOMS: Final = 1000
"""On one page; also the default."""

MOST_WATCHED: Final = 200
"""On a page that a connection watches; also the default there."""

MOST_BYTES: Final = 46_000
"""Of the rooms on such a page: its message, with what is sought, stays below 50 kB."""


class PageWish(NamedTuple):
    """The page that a client asks for."""

    limit: int = MOST_ROOMS
    after: RoomName | None = None
    """The name after which the page begins; `None` for the first page."""
    most_bytes: int = 1 << 30
    """A page has fewer rooms where they would take more as JSON, but at least one."""

    @classmethod
    def parse(cls, query: str) -> "PageWish":
        """Read `limit=…` and `after=…`, and ignore anything else.

        Raises:
            HttpError: 400 for an impossible number or name.
        """
        given = dict(part.partition("=")[::2] for part in query.split("&"))
        limit, after = given.get("limit", str(MOST_ROOMS)), given.get("after")
        if not (limit.isascii() and limit.isdigit() and 1 <= int(limit[:9]) <= MOST_ROOMS):
            words = f"limit must be a number from 1 to {MOST_ROOMS}"
            raise HttpError(HTTPStatus.BAD_REQUEST, words)
        try:
            return cls(int(limit), None if after is None else parse_room_name(after))
        except InvalidRoomName as error:
            raise HttpError(HTTPStatus.BAD_REQUEST, f"after: {error}") from None

    @property
    def to_watch(self) -> "PageWish":
        """The same for a connection that watches the page."""
        return PageWish(min(self.limit, MOST_WATCHED), self.after, MOST_BYTES)


@dataclass(frozen=True, eq=False, slots=True)
class Page:
    """A part of the list."""

    rooms: dict[RoomName, bytes]
    """Each as JSON, by name."""
    has_more: bool
    """Whether another page follows."""
    total: int
    """The rooms of all pages."""

    @classmethod
    def cut(cls, wish: PageWish, rooms: Iterable[tuple[RoomName, bytes]], total: int) -> "Page":
        """Cut what a wish leaves on its page.

        Args:
            wish: what was asked for.
            rooms: those after `wish.after`, in order, and one more than the limit if there is one.
            total: the rooms of all pages.
        """
        found: dict[RoomName, bytes] = {}
        size = 0
        for name, room in rooms:
            size += len(room) + 1
            if found and (len(found) == wish.limit or size > wish.most_bytes):
                return cls(found, has_more=True, total=total)
            found[name] = room
        return cls(found, has_more=False, total=total)


class RoomPages(Protocol):
    """The list, page by page."""

    def subscribe(self, call: Callable[[], None]) -> None:
        """Call `call` when the rooms of this server have changed since a page was asked for."""

    async def page(self, wish: PageWish) -> Page:
        """Return a page as it was a second ago, or later; the same object while it stays the same.

        Raises:
            StorageFailed: if other servers' rooms cannot be read.
        """


class PublicRooms:
    """The list, by name. A refresh encodes the rooms that may have changed since the last."""

    def __init__(
        self,
        summary: Callable[[RoomName], Summary | None],
        subscribe: Callable[[Callable[[RoomName], None]], None],
    ) -> None:
        """Begin an empty list.

        Args:
            summary: returns a room's entry; `None` if it is not listed.
            subscribe: registers a callback, called with each room whose summary may have changed.
        """
        self._summary = summary
        self._names: list[RoomName] = []
        """The names of the listed rooms, in order."""
        self._encoded: dict[RoomName, bytes] = {}
        self._marked: set[RoomName] = set()
        """Rooms that may have changed since the last refresh began."""
        self._pending: list[RoomName] = []
        """Rooms that the refresh under way has yet to encode."""
        self._pages: dict[PageWish, Page] = {}
        """Pages of the list as it is."""
        self._waiting: list[asyncio.Event] = []
        self._subscribers: list[Callable[[], None]] = []
        self._refreshed_at = -math.inf
        """When the last refresh began, on the loop's clock."""
        self._next: asyncio.Handle | None = None
        """The next refresh, or the next step of the one under way."""
        subscribe(self._mark)

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

    async def fresh(self) -> None:
        """Wait until the list is less than a second old."""
        now = asyncio.get_running_loop().time()
        if self._pending or (self._marked and now >= self._refreshed_at + INTERVAL_S):
            is_fresh = asyncio.Event()
            self._waiting.append(is_fresh)
            if not self._pending:
                self._refresh()
            await is_fresh.wait()

    def close(self) -> None:
        """Stop refreshing."""
        if self._next is not None:
            self._next.cancel()

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
        self._refreshed_at = asyncio.get_running_loop().time()
        self._pending, self._marked = list(self._marked), set()
        self._step()

    def _step(self) -> None:
        """Encode some rooms, and the rest in later rounds of the loop."""
        names, self._pending = self._pending[:STEP], self._pending[STEP:]
        for name in names:
            summary = self._summary(name)
            self._put(name, None if summary is None else encode_message(summary))
        if self._pending:
            self._next = asyncio.get_running_loop().call_soon(self._step)
        else:
            self._next = None
            waiting, self._waiting = self._waiting, []
            for is_fresh in waiting:
                is_fresh.set()

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


@lru_cache(maxsize=8)
def page_document(page: Page) -> Document:
    """Return `{"rooms": [SUMMARY], "after": NAME, "total": N}`, the last page without `after`.

    Encoded once for all who read it: an answer is kept until its client has read it.
    """
    # No name has a character that JSON escapes.
    more = b',"after":"%b"' % next(reversed(page.rooms)).encode() if page.has_more else b""
    rooms = b",".join(page.rooms.values())
    return Document.of(b'{"rooms":[%b]%b,"total":%d}' % (rooms, more, page.total))
