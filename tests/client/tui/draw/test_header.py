import pytest

from tests.client.conftest import build_room, build_view, build_welcome
from tests.client.tui.pictures import EMPTY, LINE, NOW, screen_of
from ttt_client.model.view import View
from ttt_client.tui.draw.frame import title
from ttt_client.tui.model.screen import ScreenState

OVER = build_room(moves=(0, 3, 1, 4, 2), outcome=LINE)


@pytest.mark.parametrize(
    ("screen", "words"),
    [
        (EMPTY, "room42 - ttt"),
        (screen_of(build_room(o=None)), "den - ttt"),
        (screen_of(build_room()), "your turn in den"),
        (screen_of(build_room(moves=(4,))), "bob's turn in den"),
        (screen_of(build_room(moves=(4,)), None), "bob's turn in den"),
        (screen_of(OVER), "you won in den"),
        (screen_of(OVER, "O"), "you lost in den"),
        (screen_of(OVER, None), "ada (X) won in den"),
        (screen_of(build_room(offers={"draw": "O"})), "draw offered in den"),
    ],
)
def test_the_title_says_what_matters_to_the_reader(screen: ScreenState, words: str) -> None:
    assert title(screen) == words


def test_two_at_one_keyboard_are_called_by_their_names() -> None:
    ada = build_view(build_room())
    both = View(
        you=ada.you, room=ada.room, partner=build_welcome(build_room(), "O").you, is_shared=True
    )
    assert title(ScreenState("den", "here", view=both, heard_at=NOW)) == "ada's turn in den"


@pytest.mark.parametrize(
    ("seat", "words"), [("O", "your choice in den"), ("X", "bob chooses in den")]
)
def test_the_title_tells_a_choice(seat: str, words: str) -> None:
    room = build_room(moves=(4,), opening="pie", choosing="O", choices=("stay", "swap"))
    assert title(screen_of(room, seat)) == words
