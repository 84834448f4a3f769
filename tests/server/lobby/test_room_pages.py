import json
from http import HTTPStatus

import pytest

from tests.server.lobby.test_room_list import Source
from ttt_protocol.state import RoomName
from ttt_server.lobby.room_list import PublicRooms
from ttt_server.lobby.room_pages import MOST_ROOMS, PageWish, page_document
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
    assert PageWish.parse(query) == (limit, after)


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


async def test_a_page_tells_whether_another_follows() -> None:
    source = Source()
    rooms = PublicRooms(source)
    for name in "abc":
        source.change(name, 1)
    await rooms.fresh()
    first = page_document(rooms, PageWish(2))
    assert json.loads(first.body)["after"] == "b"
    last = page_document(rooms, PageWish(2, RoomName("b")))
    (room,) = json.loads(last.body)["rooms"]
    assert room["name"] == "c"
    assert "after" not in json.loads(last.body)
    assert first.tag == last.tag == rooms.tag
