from dataclasses import replace

import pytest

from tests.client.conftest import build_room
from tests.client.tui.pictures import EMPTY, FOUR, GOMOKU, LINE, away, offered, stage
from ttt_client.tui.model.input import Hand, cursor_of
from ttt_client.tui.model.keymap import ENTER_S, WAIT_S, Intent, Line, flush, press
from ttt_client.tui.model.screen import Connecting, Lost, Stage
from ttt_client.tui.model.text_field import Draft

PLAYING = stage(build_room(moves=(4, 0)))
WATCHING = stage(build_room(moves=(4, 0)), None)
OVER = stage(build_room(moves=(0, 3, 1, 4, 2), outcome=LINE))
LARGE = stage(build_room(rules=GOMOKU))
FALLING = stage(build_room(rules=FOUR, moves=(38, 31)))


def type_keys(shown: Stage, *keys: str, hand: Hand | None = None) -> tuple[Hand, list[Intent]]:
    """The hand after these keys, typed at once, and what they want."""
    hand = hand or Hand()
    wanted: list[Intent] = []
    for key in keys:
        hand, intent = press(hand, key, shown, 0.0)
        wanted += [intent] if intent is not None else []
    return hand, wanted


@pytest.mark.parametrize(
    ("shown", "keys", "line"),
    [
        (PLAYING, ["7"], "7"),
        (PLAYING, ["b", "2"], "b2"),
        (PLAYING, ["right", "enter"], "6"),
        (PLAYING, ["h", "k", " "], "1"),
        (PLAYING, ["down", "j", "l", "end", "up", "enter"], "6"),
        (PLAYING, ["cell:8"], "9"),
        (PLAYING, ["aim:2", "enter"], "3"),
        (LARGE, ["d", "4"], "d4"),
        (LARGE, ["a", "1", "9"], "a19"),
        (LARGE, ["a", "1", "enter"], "a1"),
        (LARGE, ["r", "5"], "r5"),
        (LARGE, ["home", "pageup", "enter"], "a5"),
        (LARGE, ["enter"], "j10"),
        (FALLING, ["left", "up", "up", "enter"], "c6"),
        (FALLING, ["enter"], "d4"),
        (FALLING, ["cell:0"], "a6"),
        (PLAYING, ["d"], "draw"),
        (PLAYING, ["t"], "takeback"),
        (PLAYING, ["i"], "hint"),
        (OVER, ["n"], "rematch"),
        (OVER, ["q"], "quit"),
        (PLAYING, ["c-d"], "quit"),
        (WATCHING, ["q"], "quit"),
        (PLAYING, ["r", "y"], "resign"),
        (PLAYING, ["q", "enter"], "quit"),
        (PLAYING, ["tab", "h", "i", "enter"], "say hi"),
        (WATCHING, ["/", "h", "i", "x", "backspace", "enter"], "say hi"),
        (PLAYING, [":", "l", "e", "a", "v", "e", "enter"], "leave"),
        (PLAYING, ["tab", "a", " ", "b", "c-w", "c", "enter"], "say a c"),
        (PLAYING, ["tab", "a", "c-u", "b", "enter"], "say b"),
        (offered(), ["y"], "accept draw"),
        (offered(), ["x"], "decline draw"),
        (offered(), ["n"], "decline draw"),
        (offered(), ["d"], "draw"),
        (stage(build_room(outcome=LINE, offers={"rematch": "O"})), ["n"], "rematch"),
        (away(), ["C"], "claim"),
        (away(), ["F", "enter"], "fill minimax:5"),
        (stage(build_room(o=None)), ["F", "enter"], "fill minimax:5"),
    ],
)
def test_keys_that_say_something(shown: Stage, keys: list[str], line: str) -> None:
    assert type_keys(shown, *keys)[1] == [Line(line)]


@pytest.mark.parametrize(
    ("shown", "keys"),
    [
        (EMPTY, ["5", "enter", "b", "2", "r", "up", "cell:3"]),
        (PLAYING, ["0", "z", "c-x", "escape", "C", "F"]),
        (PLAYING, ["r", "n", "r", "x", "r", "escape", "r", "r"]),
        (PLAYING, ["q", "n"]),
        (PLAYING, ["tab", "up", "escape", "tab", "tab", "tab", "enter", "tab", " ", "enter"]),
        (PLAYING, ["b", "escape", "b", "backspace"]),
        (PLAYING, ["?", "5"]),
        (OVER, ["r", "y"]),
        (WATCHING, ["5", "enter", "r", "d", "t", "i", "C", "F", "cell:3", "up", "aim:2"]),
        (LARGE, ["5", "h", "j"]),
    ],
)
def test_keys_that_say_nothing(shown: Stage, keys: list[str]) -> None:
    assert type_keys(shown, *keys)[1] == []


def test_a_question_is_forgotten_when_the_game_goes_on_by_another_key() -> None:
    hand, wanted = type_keys(PLAYING, "r", "7")
    assert (hand.asking, wanted) == (None, [Line("7")])


def test_a_letter_that_is_no_cell_in_time_is_a_key() -> None:
    hand, wanted = type_keys(LARGE, "d")
    assert (hand.typed, wanted) == ("d", [])
    assert flush(hand, LARGE, WAIT_S / 2) == (hand, None)
    assert flush(hand, LARGE, WAIT_S) == (replace(hand, typed=""), Line("draw"))


def test_a_letter_that_moves_the_cursor_has_moved_it_at_once() -> None:
    hand, _ = type_keys(LARGE, "h")
    assert cursor_of(hand, LARGE.view) == 179
    assert flush(hand, LARGE, WAIT_S) == (replace(hand, typed=""), None)


def test_a_name_that_could_go_on_is_taken_as_it_is_in_time() -> None:
    hand, wanted = type_keys(LARGE, "a", "1")
    assert wanted == []
    assert flush(hand, LARGE, WAIT_S)[1] == Line("a1")


@pytest.mark.parametrize(
    ("shown", "name", "cell"),
    [
        (PLAYING, ["7"], 6),
        (PLAYING, ["b", "3"], 7),
        (LARGE, ["d", "4"], 60),
        (LARGE, ["k", "1", "9"], 352),
        (FALLING, ["a", "1"], 0),
    ],
)
def test_the_enter_behind_a_name_is_not_another_move(
    shown: Stage, name: list[str], cell: int
) -> None:
    hand, wanted = type_keys(shown, *name, "aim:1", "enter")
    assert wanted == [Line("".join(name))]
    hand, _ = type_keys(shown, *name)
    assert cursor_of(hand, shown.view) == cell
    _, late = press(hand, "enter", shown, ENTER_S)
    _, meant = type_keys(shown, "right", "enter", hand=hand)
    assert late is not None
    assert meant not in ([], [late])


def test_a_name_that_is_taken_in_time_has_an_enter_behind_it_too() -> None:
    hand, _ = type_keys(LARGE, "a", "1")
    hand, _ = flush(hand, LARGE, WAIT_S)
    assert press(hand, "enter", LARGE, WAIT_S + ENTER_S / 2)[1] is None
    hand, _ = type_keys(LARGE, "a", "1", "enter")
    assert press(hand, "enter", LARGE, 0.0)[1] == Line("a1"), "that one was the name's own"


def test_a_name_of_no_cell_moves_nothing() -> None:
    hand, wanted = type_keys(PLAYING, "right", "b", "9")
    assert wanted == [Line("b9")]
    assert cursor_of(hand, PLAYING.view) == 5


@pytest.mark.parametrize("connection", [Connecting(), Lost("gone", 9.0)])
def test_what_is_said_to_nobody_stays_to_be_said(connection: Connecting | Lost) -> None:
    alone = replace(PLAYING, connection=connection)
    hand, wanted = type_keys(alone, "tab", "h", "i", "enter")
    assert wanted == []
    assert type_keys(PLAYING, "enter", hand=hand)[1] == [Line("say hi")]
    assert type_keys(alone, ":", *"say ho", "enter")[1] == []
    assert type_keys(alone, ":", *"quit", "enter")[1] == [Line("quit")]


def test_another_key_ends_a_name() -> None:
    assert type_keys(LARGE, "a", "1", "tab")[1] == [Line("a1")]
    hand, wanted = type_keys(LARGE, "a", "up")
    assert (wanted, cursor_of(hand, LARGE.view)) == ([], 161)
    assert type_keys(LARGE, "d", "tab")[1] == [Line("draw")]


def test_letters_are_keys_at_once_when_no_cell_can_be_played() -> None:
    theirs = stage(build_room(rules=GOMOKU), "O")
    assert type_keys(theirs, "d")[1] == [Line("draw")]


def test_next_is_for_those_who_watch() -> None:
    assert type_keys(replace(WATCHING, television=True), "n")[1] == ["next"]


def test_a_line_has_an_end() -> None:
    hand, _ = type_keys(PLAYING, "tab", *"x" * 250)
    assert hand.draft == Draft("x" * 200)


def test_what_is_pasted_is_one_line() -> None:
    assert Draft("a ").add("b\nc") == Draft("a b c")


def test_the_cursor_of_a_smaller_board_is_on_the_board() -> None:
    assert cursor_of(Hand(cursor=200), PLAYING.view) == 4
    assert cursor_of(Hand(), EMPTY.view) == 0
    assert cursor_of(Hand(), WATCHING.view) == 0
    assert cursor_of(Hand(), stage(build_room(), None).view) == 4
