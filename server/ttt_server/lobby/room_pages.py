"""`GET /api/rooms`: the list of public rooms, page by page."""

from functools import lru_cache
from http import HTTPStatus
from typing import NamedTuple

from ttt_protocol.state import InvalidRoomName, RoomName, parse_room_name
from ttt_server.lobby.room_list import PublicRooms
from ttt_server.transport.responses import Document, HttpError

MOST_ROOMS = 1000
"""On one page; also the default."""


class PageWish(NamedTuple):
    """The page that a query asks for."""

    limit: int = MOST_ROOMS
    after: RoomName | None = None
    """The name after which the page begins; `None` for the first page."""

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


def page_document(rooms: PublicRooms, wish: PageWish) -> Document:
    """Return a page as JSON: `{"rooms": [SUMMARY], "after": NAME}`, the last without `after`."""
    return _encoded(rooms, wish, rooms.tag)


@lru_cache(maxsize=8)
def _encoded(rooms: PublicRooms, wish: PageWish, tag: str) -> Document:
    """Encode a page once for all who read it: an answer is kept until its client has read it."""
    page = rooms.page(wish.after, wish.limit)
    # No name has a character that JSON escapes.
    more = b"" if page.after is None else b',"after":"%b"' % page.after.encode()
    body = b'{"rooms":[%b]%b}' % (b",".join(page.rooms), more)
    return Document(body, "application/json", tag)
