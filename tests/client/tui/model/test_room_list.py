from dataclasses import replace

import pytest

from tests.client.tui.pictures import room_list
from ttt_client.tui.model.room_list import Choice, RoomList
from ttt_protocol.state import RoomName


def chosen(shown: RoomList, *keys: str) -> tuple[str | None, Choice | None]:
    choice = None
    for key in keys:
        shown, choice = shown.press(key)
    return shown.chosen, choice


@pytest.mark.parametrize(
    ("keys", "name"),
    [
        ([], "room0"),
        (["down"], "room1"),
        (["j", "j", "k"], "room1"),
        (["end"], "room29"),
        (["end", "down"], "room29"),
        (["pagedown", "pagedown", "pageup"], "room10"),
        (["down", "home", "up", "z"], "room0"),
    ],
)
def test_a_room_is_always_selected(keys: list[str], name: str) -> None:
    assert chosen(room_list(30), *keys) == (name, None)


@pytest.mark.parametrize(
    ("keys", "choice"),
    [
        (["enter"], Choice(RoomName("room0"), free=True)),
        (["down", " "], Choice(RoomName("room1"), free=False)),
        (["w"], Choice(RoomName("room0"), free=True, watch=True)),
        (["row:1"], Choice(RoomName("room1"), free=False)),
        (["row:9", "escape", "up", "enter"], Choice(RoomName("room1"), free=False)),
        (
            ["row:2", "a", "b", "backspace", "up", "enter"],
            Choice(RoomName("room2"), free=False, password="a"),
        ),
        (["end", "enter", "enter"], Choice(RoomName("room2"), free=False)),
    ],
)
def test_it_is_opened(keys: list[str], choice: Choice) -> None:
    assert chosen(room_list(), *keys)[1] == choice


def test_a_room_that_goes_leaves_its_place_to_the_next() -> None:
    shown, _ = room_list(30).press("down")
    rooms = shown.rooms or ()
    assert shown.hear(rooms[1:]).chosen == "room1"
    assert shown.hear((rooms[0], *rooms[2:])).chosen == "room2"
    assert shown.hear(rooms[:1]).chosen == "room0"
    assert shown.hear(()).rooms == ()


def test_there_is_nothing_to_choose_from_nothing() -> None:
    assert chosen(RoomList("here"), "down", "enter") == (None, None)
    assert chosen(replace(room_list(0)), "enter", "w", "row:3") == (None, None)
