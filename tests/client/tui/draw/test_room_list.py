import pytest

from tests.client.tui.pictures import rooms as rooms_on
from ttt_client.tui.model.connection import Live
from ttt_client.tui.model.room_list import RoomList


@pytest.mark.parametrize("keeps_name", [False, True])
def test_rated_is_a_field_for_those_who_keep_a_name(*, keeps_name: bool) -> None:
    rooms = RoomList("here", rooms=(), connection=Live(), keeps_name=keeps_name)
    form, _ = rooms.press("c")
    assert ("rated" in rooms_on(form, 60, 20).text) is keeps_name


def test_the_smallest_window_shows_the_field_that_is_filled_in() -> None:
    rooms, _ = RoomList("here", rooms=(), connection=Live(), keeps_name=True).press("c")
    for field in ("name", "board", "opponent", "clock", "rated", "private"):
        lines = rooms_on(rooms, 20, 8).text.splitlines()
        assert sum(field in line for line in lines[1:6]) == 1
        assert lines[6] == ""
        rooms, _ = rooms.press("down")
