import pytest

from ttt_client.tui.draw.canvas import Size
from ttt_client.tui.draw.room_list import draw_rooms
from ttt_client.tui.model.connection import Live
from ttt_client.tui.model.room_list import RoomList


@pytest.mark.parametrize("keeps_name", [False, True])
def test_rated_is_a_field_for_those_who_keep_a_name(*, keeps_name: bool) -> None:
    rooms = RoomList("here", rooms=(), connection=Live(), keeps_name=keeps_name)
    form, _ = rooms.press("c")
    assert ("rated" in draw_rooms(form, Size(60, 20), 0).text) is keeps_name


def test_the_smallest_window_shows_the_field_that_is_filled_in() -> None:
    rooms, _ = RoomList("here", rooms=(), connection=Live(), keeps_name=True).press("c")
    for field in ("name", "board", "opponent", "clock", "rated", "private"):
        lines = draw_rooms(rooms, Size(20, 8), 0).text.splitlines()
        assert sum(field in line for line in lines[1:6]) == 1
        assert lines[6] == ""
        rooms, _ = rooms.press("down")
