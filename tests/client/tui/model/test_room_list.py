from dataclasses import replace

import pytest

from tests.client.tui.pictures import room_list
from ttt_client.tui.model.room_list import BAD_NAME, ChosenRoom, NewRoom, RoomList
from ttt_protocol.state import BySeat, RoomName


def chosen(shown: RoomList, *keys: str) -> tuple[str | None, ChosenRoom | None]:
    choice = None
    for key in keys:
        shown, choice = shown.press(key)
    return shown.chosen, choice


@pytest.mark.parametrize(
    ("keys", "name"),
    [
        ([], "room0"),
        (["down"], "room3"),
        (["j", "j", "k"], "room3"),
        (["end"], "room29"),
        (["end", "down"], "room29"),
        (["pagedown", "pagedown", "pageup"], "room1"),
        (["down", "home", "up", "z"], "room0"),
    ],
)
def test_a_room_is_always_selected(keys: list[str], name: str) -> None:
    assert chosen(room_list(30), *keys) == (name, None)


@pytest.mark.parametrize(
    ("keys", "choice"),
    [
        (["enter"], ChosenRoom(RoomName("room0"), free=True)),
        (["down", " "], ChosenRoom(RoomName("room1"), free=False)),
        (["w"], ChosenRoom(RoomName("room0"), free=True, watch=True)),
        (["row:1"], ChosenRoom(RoomName("room1"), free=False)),
        (["row:9", "escape", "up", "enter"], ChosenRoom(RoomName("room1"), free=False)),
        (["end", "enter"], ChosenRoom(RoomName("room2"), free=False)),
    ],
)
def test_it_is_opened(keys: list[str], choice: ChosenRoom) -> None:
    assert chosen(room_list(), *keys)[1] == choice


def test_a_room_that_goes_leaves_its_place_to_the_next() -> None:
    shown, _ = room_list(30).press("down")
    rooms = shown.rooms or ()
    assert shown.hear(rooms[1:]).chosen == "room3"
    assert shown.hear((*rooms[:3], *rooms[4:])).chosen == "room6"
    assert shown.hear(rooms[:1]).chosen == "room0"
    assert shown.hear(()).rooms == ()


def test_rooms_where_a_player_waits_come_first_and_deserted_ones_last() -> None:
    rooms = room_list(6).rooms or ()
    deserted = replace(rooms[0], seats=BySeat[str | None](X=None, O=None))
    names = [room.name for room in RoomList("here").hear((deserted, *rooms[1:])).shown]
    assert names == ["room3", "room1", "room4", "room2", "room5", "room0"]


def typed(shown: RoomList, *keys: str) -> tuple[RoomList, ChosenRoom | None]:
    choice = None
    for key in keys:
        shown, choice = shown.press(key)
    return shown, choice


def test_a_filter_is_typed_and_taken_back() -> None:
    shown, _ = typed(room_list(30), "/", *"ROOM2x", "backspace")
    assert (shown.filter, shown.chosen, len(shown.shown)) == ("room2", "room21", 11)
    moved, choice = typed(shown, "down", "enter", "enter")
    assert (moved.filter, choice) == ("room2", ChosenRoom(RoomName("room24"), free=True))
    assert typed(moved, "c-u")[0].filter == ""
    assert typed(shown, "escape")[0].filter == ""
    assert typed(shown, "c-u", "f5")[0].filter == ""
    assert not typed(shown, "x", "enter", "enter")[0].shown
    assert shown.is_typing
    assert len(typed(room_list(6), "/", *"7x6")[0].shown) == 3


def test_a_room_is_made_by_the_name_that_people_type() -> None:
    shown, choice = typed(room_list(0), "c", *"My Room", "enter")
    assert choice == ChosenRoom(RoomName("my-room"), free=True)
    assert not shown.is_typing
    shown, choice = typed(room_list(), "c", *"?!", "enter")
    assert (shown.new and shown.new.fault, choice) == (BAD_NAME, None)
    assert not typed(room_list(), "c", "a", "c-u", "escape")[0].is_typing


def test_pasted_text_goes_into_the_field_that_is_typed() -> None:
    assert room_list().paste("room1").filter == ""
    assert room_list().press("/")[0].paste(" room1\n").filter == "room1"
    shown = room_list().press("c")[0].paste("My\nRoom " + "x" * 40)
    assert shown.new == NewRoom("my-room-" + "x" * 24)
    assert room_list().paste("x") == room_list()


def test_help_is_shown_until_the_next_key() -> None:
    shown, _ = room_list().press("?")
    assert shown.help
    assert not shown.press("w")[0].help


def test_a_page_is_turned_where_there_are_more_rooms() -> None:
    first = room_list(4).hear(room_list(4).rooms or (), 6)
    assert first.has_more
    turned, choice = first.press("n")
    assert (turned.rooms, turned.after, turned.skipped, choice) == (None, "room3", 4, None)
    assert turned.press("n")[0] == turned, "not before the page has come"
    last = turned.hear((room_list(6).rooms or ())[4:], 6)
    assert not last.has_more
    assert last.press("n")[0] == last
    back = last.press("p")[0]
    assert (back.rooms, back.after, back.skipped) == (None, None, 0)
    assert back.press("p")[0] == back
    assert not room_list(4).has_more, "an older server tells no total"
