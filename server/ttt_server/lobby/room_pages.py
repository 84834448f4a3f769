"""Pages of the list of public rooms: what may be asked for, and `GET /api/rooms`."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from typing import Final, NamedTuple, Protocol

from ttt_protocol.state import InvalidRoomName, RoomName, parse_room_name
from ttt_server.transport.responses import Document, HttpError

MOST_ROOMS: Final = 1000
"""On one page; also the default."""

MOST_WATCHED: Final = 200
"""On a page that a connection watches; also the default there."""

MOST_BYTES: Final = 49_000
"""Of the rooms on such a page: its message stays below 50 kB."""


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


@lru_cache(maxsize=8)
def page_document(page: Page) -> Document:
    """Return `{"rooms": [SUMMARY], "after": NAME, "total": N}`, the last page without `after`.

    Encoded once for all who read it: an answer is kept until its client has read it.
    """
    # No name has a character that JSON escapes.
    more = b',"after":"%b"' % next(reversed(page.rooms)).encode() if page.has_more else b""
    rooms = b",".join(page.rooms.values())
    return Document.of(b'{"rooms":[%b]%b,"total":%d}' % (rooms, more, page.total))
