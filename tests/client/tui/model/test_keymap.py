from dataclasses import replace

import pytest

from tests.client.conftest import build_room
from tests.client.tui.pictures import EMPTY, FOUR, GOMOKU, LINE, away, offered, screen_of
from ttt_client.tui.model.input import InputState, cursor_of
from ttt_client.tui.model.keymap import ENTER_S, WAIT_S, Intent, TypedLine, flush, press
from ttt_client.tui.model.screen import Connecting, Lost, ScreenState
from ttt_client.tui.model.text_field import TextField

PLAYING = screen_of(build_room(moves=(4, 0)))
WATCHING = screen_of(build_room(moves=(4, 0)), None)
OVER = screen_of(build_room(moves=(0, 3, 1, 4, 2), outcome=LINE))
LARGE = screen_of(build_room(rules=GOMOKU))
FALLING = screen_of(build_room(rules=FOUR, moves=(38, 31)))


def type_keys(
    shown: ScreenState, *keys: str, inputs: InputState | None = None
) -> tuple[InputState, list[Intent]]:
    """Return the input state after keys typed at once, and what to carry out."""
    inputs = inputs or InputState()
    wanted: list[Intent] = []
    for key in keys:
        inputs, intent = press(inputs, key, shown, 0.0)
        wanted += [intent] if intent is not None else []
    return inputs, wanted


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
        (screen_of(build_room(outcome=LINE, offers={"rematch": "O"})), ["n"], "rematch"),
        (away(), ["C"], "claim"),
        (away(), ["F", "enter"], "fill minimax:5"),
        (screen_of(build_room(o=None)), ["F", "enter"], "fill minimax:5"),
    ],
)
def test_keys_that_say_something(shown: ScreenState, keys: list[str], line: str) -> None:
    assert type_keys(shown, *keys)[1] == [TypedLine(line)]


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
def test_keys_that_say_nothing(shown: ScreenState, keys: list[str]) -> None:
    assert type_keys(shown, *keys)[1] == []


def test_a_question_is_forgotten_when_the_game_goes_on_by_another_key() -> None:
    inputs, wanted = type_keys(PLAYING, "r", "7")
    assert (inputs.asking, wanted) == (None, [TypedLine("7")])


def test_a_letter_that_is_no_cell_in_time_is_a_key() -> None:
    inputs, wanted = type_keys(LARGE, "d")
    assert (inputs.typed, wanted) == ("d", [])
    assert flush(inputs, LARGE, WAIT_S / 2) == (inputs, None)
    assert flush(inputs, LARGE, WAIT_S) == (replace(inputs, typed=""), TypedLine("draw"))


def test_a_letter_that_moves_the_cursor_has_moved_it_at_once() -> None:
    inputs, _ = type_keys(LARGE, "h")
    assert cursor_of(inputs, LARGE.view) == 179
    assert flush(inputs, LARGE, WAIT_S) == (replace(inputs, typed=""), None)


def test_a_name_that_could_go_on_is_taken_as_it_is_in_time() -> None:
    inputs, wanted = type_keys(LARGE, "a", "1")
    assert wanted == []
    assert flush(inputs, LARGE, WAIT_S)[1] == TypedLine("a1")


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
    shown: ScreenState, name: list[str], cell: int
) -> None:
    inputs, wanted = type_keys(shown, *name, "aim:1", "enter")
    assert wanted == [TypedLine("".join(name))]
    inputs, _ = type_keys(shown, *name)
    assert cursor_of(inputs, shown.view) == cell
    _, late = press(inputs, "enter", shown, ENTER_S)
    _, meant = type_keys(shown, "right", "enter", inputs=inputs)
    assert late is not None
    assert meant not in ([], [late])


def test_a_name_that_is_taken_in_time_has_an_enter_behind_it_too() -> None:
    inputs, _ = type_keys(LARGE, "a", "1")
    inputs, _ = flush(inputs, LARGE, WAIT_S)
    assert press(inputs, "enter", LARGE, WAIT_S + ENTER_S / 2)[1] is None
    inputs, _ = type_keys(LARGE, "a", "1", "enter")
    assert press(inputs, "enter", LARGE, 0.0)[1] == TypedLine("a1"), "that one was the name's own"


def test_a_name_of_no_cell_moves_nothing() -> None:
    inputs, wanted = type_keys(PLAYING, "right", "b", "9")
    assert wanted == [TypedLine("b9")]
    assert cursor_of(inputs, PLAYING.view) == 5


@pytest.mark.parametrize("connection", [Connecting(), Lost("gone", 9.0)])
def test_talk_without_a_connection_stays_to_be_said(connection: Connecting | Lost) -> None:
    alone = replace(PLAYING, connection=connection)
    inputs, wanted = type_keys(alone, "tab", "h", "i", "enter")
    assert wanted == []
    assert type_keys(PLAYING, "enter", inputs=inputs)[1] == [TypedLine("say hi")]
    assert type_keys(alone, ":", *"say ho", "enter")[1] == []
    assert type_keys(alone, ":", *"quit", "enter")[1] == [TypedLine("quit")]


def test_another_key_ends_a_name() -> None:
    assert type_keys(LARGE, "a", "1", "tab")[1] == [TypedLine("a1")]
    inputs, wanted = type_keys(LARGE, "a", "up")
    assert (wanted, cursor_of(inputs, LARGE.view)) == ([], 161)
    assert type_keys(LARGE, "d", "tab")[1] == [TypedLine("draw")]


def test_letters_are_keys_at_once_when_no_cell_can_be_played() -> None:
    theirs = screen_of(build_room(rules=GOMOKU), "O")
    assert type_keys(theirs, "d")[1] == [TypedLine("draw")]


def test_next_is_for_spectators() -> None:
    assert type_keys(replace(WATCHING, television=True), "n")[1] == ["next"]


def test_a_line_has_an_end() -> None:
    inputs, _ = type_keys(PLAYING, "tab", *"x" * 250)
    assert inputs.text_field == TextField("x" * 200)


def test_what_is_pasted_is_one_line() -> None:
    assert TextField("a ").add("b\nc") == TextField("a b c")


def test_the_cursor_of_a_smaller_board_is_on_the_board() -> None:
    assert cursor_of(InputState(cursor=200), PLAYING.view) == 4
    assert cursor_of(InputState(), EMPTY.view) == 0
    assert cursor_of(InputState(), WATCHING.view) == 0
    assert cursor_of(InputState(), screen_of(build_room(), None).view) == 4
