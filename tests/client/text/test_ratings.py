"""Ratings in words."""

from collections.abc import Callable

from ttt_client.text.render import is_counted, points_of_persons, rating_words
from ttt_protocol.state import RoomState

MakeRoom = Callable[..., RoomState]

ADA = {"rating": 1581.74, "deviation": 228, "provisional": True, "games": 3, "change": 81.7}
BOB = {"rating": 1418.2, "deviation": 60, "provisional": False, "games": 90}


def test_a_provisional_one_has_a_question_mark_and_a_game_its_change(room: MakeRoom) -> None:
    state = room()
    assert rating_words(state, {"X": ADA, "O": BOB}) == "ratings: ada 1582? (+82), bob 1418"
    assert rating_words(state, {"O": BOB | {"change": -12.3}}) == "ratings: bob 1418 (-12)"
    assert rating_words(state, {}) == ""


def test_the_points_of_those_who_keep_their_names(room: MakeRoom) -> None:
    ada = {"kind": "human", "id": "ida", "name": "ada", "connected": True, "person": "pa"}
    bob = {"kind": "human", "id": "idb", "name": "bob", "connected": True}
    state = room(seats={"X": ada, "O": bob})
    assert points_of_persons(state, {"X": ADA, "O": BOB}) == {"pa": "1582?"}
    assert points_of_persons(room(o=None), {"O": BOB}) == {}


def test_whether_a_game_is_counted() -> None:
    assert is_counted({"X": ADA, "O": BOB})
    assert not is_counted({"O": BOB})
    assert not is_counted({})
