import json
from http import HTTPStatus

import pytest

from ttt_protocol.state import RoomName
from ttt_server.lobby.room_list import MOST_BYTES, MOST_ROOMS, Page, PageWish, page_document
from ttt_server.lobby.watchers import FIRST
from ttt_server.transport.responses import HttpError


@pytest.mark.parametrize(
    ("query", "limit", "after"),
    [
        ("", MOST_ROOMS, None),
        ("limit=7", 7, None),
        ("after=den", MOST_ROOMS, "den"),
        ("limit=1&after=den-2&page=3&x", 1, "den-2"),
        (f"limit={MOST_ROOMS}", MOST_ROOMS, None),
        ("limit=007", 7, None),
    ],
)
def test_a_page_is_asked_for(query: str, limit: int, after: str | None) -> None:
    assert PageWish.parse(query)[:2] == (limit, after)


@pytest.mark.parametrize(
    "query",
    [
        *("limit=0", "limit=", "limit=-1", "limit=1001", "limit=x", "limit=%31", "limit=\u0661"),
        *("limit=" + "9" * 5000, "after=", "after=../x", "after=" + "a" * 33),
    ],
)
def test_some_pages_cannot_be(query: str) -> None:
    with pytest.raises(HttpError) as caught:
        PageWish.parse(query)
    assert caught.value.status is HTTPStatus.BAD_REQUEST


def rooms_of(count: int, size: int = 10) -> list[tuple[RoomName, bytes]]:
    return [(RoomName(f"r{number:06}"), b"x" * size) for number in range(count)]


@pytest.mark.parametrize(
    ("query", "wish"),
    [
        ("changes=1", FIRST),
        ("limit=1000", FIRST),
        ("limit=7&after=den", PageWish(7, RoomName("den"), MOST_BYTES)),
    ],
)
def test_a_watched_page_is_short(query: str, wish: PageWish) -> None:
    assert PageWish.parse(query).to_watch == wish


def test_a_page_ends_at_its_limit_or_its_size() -> None:
    short = Page.cut(FIRST, rooms_of(FIRST.limit), 200)
    assert (len(short.rooms), short.has_more) == (200, False)
    assert Page.cut(FIRST, rooms_of(FIRST.limit + 1), 100_000).has_more
    heavy = Page.cut(FIRST, rooms_of(201, size=523), 100_000)
    assert sum(len(room) + 1 for room in heavy.rooms.values()) <= MOST_BYTES
    assert (len(heavy.rooms), heavy.has_more) == (87, True)
    huge = Page.cut(PageWish(1, None, 10), rooms_of(2, size=523), 2)
    assert (list(huge.rooms), huge.has_more) == (["r000000"], True), "or nobody comes past it"


def test_the_document_of_a_page() -> None:
    page = Page({RoomName("a"): b'{"name":"a"}', RoomName("b"): b"{}"}, has_more=True, total=7)
    document = page_document(page)
    assert json.loads(document.body) == {"rooms": [{"name": "a"}, {}], "after": "b", "total": 7}
    assert page_document(page) is document
    last = page_document(Page({}, has_more=False, total=7))
    assert json.loads(last.body) == {"rooms": [], "total": 7}
    assert last.tag != document.tag
