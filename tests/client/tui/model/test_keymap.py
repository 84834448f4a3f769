from dataclasses import replace

import pytest

from tests.client import variants
from tests.client.conftest import build_room
from tests.client.tui.pictures import (
    EMPTY,
    FIFTEEN,
    FOUR,
    GOMOKU,
    LINE,
    SEARCHING,
    away,
    hosting,
    offered,
    screen_of,
)
from ttt_client.tui.model.connection import Connecting, Lost
from ttt_client.tui.model.input import InputState, TextField
from ttt_client.tui.model.keymap import Intent, TypedLine, TypedPassword, press
from ttt_client.tui.model.screen import ScreenState
from ttt_protocol.messages import AiOffered

PLAYING = screen_of(build_room(moves=(4, 0)))
WATCHING = screen_of(build_room(moves=(4, 0)), None)
OVER = screen_of(build_room(moves=(0, 3, 1, 4, 2), outcome=LINE))
LARGE = screen_of(build_room(rules=GOMOKU))
CUBE = screen_of(build_room(rules=variants.CUBE))
FALLING = screen_of(build_room(rules=FOUR, moves=(38, 31)))


HOST = hosting()
OFFERED_AI = SEARCHING.hear(AiOffered(strategy="lines", level=None), 1.0)


def type_keys(
    shown: ScreenState, *keys: str, inputs: InputState | None = None, now: float = 0.0
) -> tuple[InputState, list[Intent]]:
    """Return the input state after keys typed at once, and what to carry out."""
    inputs = inputs or InputState()
    wanted: list[Intent] = []
    for key in keys:
        inputs, intent = press(inputs, key, shown, now)
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
        (CUBE, ["1", "b", "3"], "1b3"),
        (CUBE, ["3", "c", "3", "enter"], "3c3"),
        (CUBE, ["r", "right", "enter"], "2c2"),
        (CUBE, ["left", "left", "enter"], "1c2"),
        (CUBE, ["cell:26"], "3c3"),
        (LARGE, ["d", "4"], "d4"),
        (LARGE, ["a", "1", "9"], "a19"),
        (LARGE, ["a", "1", "enter"], "a1"),
        (LARGE, ["r", "5"], "r5"),
        (LARGE, ["home", "pageup", "enter"], "a5"),
        (LARGE, ["enter"], "j10"),
        (FALLING, ["left", "up", "up", "enter"], "c6"),
        (FALLING, ["enter"], "d4"),
        (FALLING, ["cell:0"], "a6"),
        (PLAYING, ["d", "y"], "draw"),
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
        (offered(), ["d", "y"], "draw"),
        (screen_of(build_room(outcome=LINE, offers={"rematch": "O"})), ["n"], "rematch"),
        (away(), ["C"], "claim"),
        (away(), ["F", "enter"], "fill fair"),
        (screen_of(build_room(o=None)), ["F", "enter"], "fill fair"),
        (PLAYING, ["H"], "hide"),
        (OFFERED_AI, ["y"], "accept"),
        (replace(WATCHING, hides_chat=True), ["H"], "show"),
        (HOST, ["M", "m", "enter"], "mute eve"),
        (HOST, ["M", "x", "backspace", "enter"], "remove ev"),
        (HOST, ["M", "c", "enter"], "clear"),
        (HOST, ["M", "P", "enter"], "chat players"),
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
        (WATCHING, ["5", "enter", "r", "d", "t", "i", "C", "F", "cell:3", "up"]),
        (LARGE, ["5", "h", "j"]),
        (PLAYING, ["M", "c", "enter"]),
        (SEARCHING, ["y"]),
        (HOST, ["M", "escape", "M", "z", "M", "m", "escape"]),
    ],
)
def test_keys_that_say_nothing(shown: ScreenState, keys: list[str]) -> None:
    assert type_keys(shown, *keys)[1] == []


def test_a_question_is_forgotten_when_the_game_goes_on_by_another_key() -> None:
    inputs, wanted = type_keys(PLAYING, "r", "7")
    assert (inputs.asking, wanted) == (None, [TypedLine("7")])


def test_a_letter_waits_for_a_digit_enter_or_escape() -> None:
    inputs, wanted = type_keys(LARGE, "d")
    assert (inputs.typed, wanted) == ("d", [])
    asked, wanted = type_keys(LARGE, "enter", inputs=inputs)
    assert (asked.typed, asked.asking, wanted) == ("", "draw", [])
    assert type_keys(LARGE, "y", inputs=asked)[1] == [TypedLine("draw")]
    assert type_keys(LARGE, "escape", inputs=inputs) == (InputState(), [])


def test_a_letter_that_moves_the_cursor_has_moved_it_at_once() -> None:
    inputs, wanted = type_keys(LARGE, "h")
    assert (inputs.cursor_in(LARGE.view), wanted) == (179, [])
    assert type_keys(LARGE, "enter", inputs=inputs)[1] == [TypedLine("i10")]


def test_a_name_that_could_go_on_is_played_by_enter() -> None:
    inputs, wanted = type_keys(LARGE, "b", "1")
    assert (inputs.typed, wanted) == ("b1", [])
    assert type_keys(LARGE, "enter", inputs=inputs)[1] == [TypedLine("b1")]
    assert type_keys(LARGE, "2", inputs=inputs)[1] == [TypedLine("b12")]
    inputs, wanted = type_keys(LARGE, "backspace", "backspace", inputs=inputs)
    assert (inputs.typed, wanted) == ("", [])


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
    inputs, wanted = type_keys(shown, *name, "enter")
    assert wanted == [TypedLine("".join(name))]
    assert inputs.cursor_in(shown.view) == cell
    _, meant = type_keys(shown, "enter", inputs=inputs, now=1.0)
    assert len(meant) == 1
    inputs, _ = type_keys(shown, *name)
    _, moved_on = type_keys(shown, "right", "enter", inputs=inputs)
    assert moved_on not in ([], meant)


def test_the_enter_that_ends_a_name_is_the_names_own() -> None:
    inputs, wanted = type_keys(LARGE, "a", "1", "enter")
    assert wanted == [TypedLine("a1")]
    assert press(inputs, "enter", LARGE, 1.0)[1] == TypedLine("a1")


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (["d", "enter"], "d"),
        (["4"], "4"),
        (["d", "2"], "d2"),
        (["cell:3"], "d4"),
    ],
)
def test_where_pieces_fall_a_column_is_enough(keys: list[str], line: str) -> None:
    assert type_keys(FALLING, *keys)[1] == [TypedLine(line)]


def test_the_number_of_a_column_waits_where_another_digit_may_follow() -> None:
    wide = screen_of(build_room(rules={**FOUR, "columns": 12}))
    inputs, wanted = type_keys(wide, "1")
    assert (inputs.typed, wanted) == ("1", [])
    assert type_keys(wide, "2", inputs=inputs)[1] == [TypedLine("12")]
    assert type_keys(wide, "enter", inputs=inputs)[1] == [TypedLine("1")]
    assert type_keys(wide, "2")[1] == [TypedLine("2")]


def test_numbers_of_a_large_board_without_gravity_are_no_cells() -> None:
    assert type_keys(LARGE, "4") == (InputState(), [])


@pytest.mark.parametrize(("key", "line"), [("T", "takeback"), ("I", "hint"), ("N", "rematch")])
def test_a_capital_letter_is_its_act_at_once(key: str, line: str) -> None:
    assert type_keys(LARGE, key)[1] == [TypedLine(line)]


@pytest.mark.parametrize(("key", "asked"), [("R", "resign"), ("D", "draw")])
def test_what_cannot_be_undone_is_asked_and_not_answered_by_enter(key: str, asked: str) -> None:
    inputs, wanted = type_keys(LARGE, key)
    assert (inputs.asking, wanted) == (asked, [])
    assert type_keys(LARGE, "enter", inputs=inputs) == (InputState(), [])
    assert type_keys(LARGE, "y", inputs=inputs)[1] == [TypedLine(asked)]


def test_help_scrolls_and_any_other_key_ends_it() -> None:
    inputs, _ = type_keys(PLAYING, "?", "down", "down", "up")
    assert inputs.help == 1
    assert type_keys(PLAYING, "5", inputs=inputs) == (InputState(), [])


def test_a_lost_connection_is_tried_again_at_once() -> None:
    lost = replace(PLAYING, connection=Lost("gone", 9.0))
    assert type_keys(lost, "c-r")[1] == ["retry"]
    assert type_keys(lost, "tab", "c-r")[1] == ["retry"]
    assert type_keys(PLAYING, "c-r")[1] == []


def test_a_window_shows_the_last_move_until_the_cursor_moves() -> None:
    follow = InputState(cursor=0, follow=True)
    shown = screen_of(build_room(rules=GOMOKU, moves=(180, 200)))
    assert follow.focus_in(shown.view) == 200
    moved_on, _ = type_keys(shown, "right", inputs=follow)
    assert moved_on.focus_in(shown.view) == 1


def test_a_name_of_no_cell_moves_nothing() -> None:
    inputs, wanted = type_keys(PLAYING, "right", "b", "9")
    assert wanted == [TypedLine("b9")]
    assert inputs.cursor_in(PLAYING.view) == 5


@pytest.mark.parametrize("connection", [Connecting(), Lost("gone", 9.0)])
def test_talk_without_a_connection_stays_to_be_said(connection: Connecting | Lost) -> None:
    alone = replace(PLAYING, connection=connection)
    inputs, wanted = type_keys(alone, "tab", "h", "i", "enter")
    assert wanted == []
    assert type_keys(PLAYING, "enter", inputs=inputs)[1] == [TypedLine("say hi")]
    assert type_keys(alone, ":", *"say ho", "enter")[1] == []
    assert type_keys(alone, ":", *"quit", "enter")[1] == [TypedLine("quit")]


def test_another_key_gives_a_name_up() -> None:
    inputs, wanted = type_keys(LARGE, "a", "1", "tab")
    assert (inputs, wanted) == (InputState(text_field=TextField()), [])
    inputs, wanted = type_keys(LARGE, "a", "up")
    assert (wanted, inputs.cursor_in(LARGE.view)) == ([], 161)


def test_letters_are_keys_at_once_when_no_cell_can_be_played() -> None:
    theirs = screen_of(build_room(rules=GOMOKU), "O")
    assert type_keys(theirs, "t")[1] == [TypedLine("takeback")]


def test_next_is_for_spectators() -> None:
    assert type_keys(replace(WATCHING, television=True), "n")[1] == ["next"]


def test_a_line_has_an_end() -> None:
    inputs, _ = type_keys(PLAYING, "tab", *"x" * 250)
    assert inputs.text_field == TextField("x" * 200)


def test_a_line_is_edited_in_its_middle() -> None:
    field: TextField | None = TextField()
    for key in [*"abd", "left", "c", "home", "x", "delete", "end", "!", "left", "backspace"]:
        assert field is not None
        field, _ = field.press(key)
    assert field == TextField("xbc!", behind=1)
    assert field.press("right")[0] == TextField("xbc!")
    assert field.press("c-u")[0] == TextField("!", behind=1)
    assert TextField("a b c", behind=2).press("c-w")[0] == TextField("a  c", behind=2)
    assert TextField("a").press("f5") == (TextField("a"), None)


def test_what_is_pasted_is_one_line() -> None:
    assert TextField("a ").add("b\nc") == TextField("a b c")


def test_the_cursor_of_a_smaller_board_is_on_the_board() -> None:
    assert InputState(cursor=200).cursor_in(PLAYING.view) == 4
    assert InputState().cursor_in(EMPTY.view) == 0
    assert InputState().cursor_in(WATCHING.view) == 0
    assert InputState().cursor_in(screen_of(build_room(), None).view) == 4


def test_a_typed_password_is_given_or_given_up() -> None:
    asked = InputState(text_field=TextField(kind="password"))
    assert type_keys(PLAYING, "s", "3", "enter", inputs=asked)[1] == [TypedPassword("s3")]
    assert type_keys(PLAYING, "escape", inputs=asked)[1] == [TypedPassword(None)]


CHOOSING = build_room(
    moves=(0, 1, 2), rules=GOMOKU, opening="swap2", choosing="O", choices=("stay", "swap", "more")
)


def test_letters_choose_in_an_opening_and_name_no_cell() -> None:
    for key, line in (("s", "stay"), ("w", "swap"), ("m", "more")):
        assert type_keys(screen_of(CHOOSING, "O"), key)[1] == [TypedLine(line)]
        assert type_keys(screen_of(CHOOSING, "X"), key)[1] == []
    inputs, wanted = type_keys(screen_of(CHOOSING, "O"), "R")
    assert (inputs.asking, wanted) == ("resign", [])


ANSWERED = screen_of(build_room(rules=FOUR, moves=(38, 31, 24, 17)))
"""The position after one's own move in FALLING, and the answer."""


@pytest.mark.parametrize("keys", [("4",), ("d", "4"), ("d", "enter")])
def test_the_enter_after_a_typed_column_plays_nothing_however_late(keys: tuple[str, ...]) -> None:
    inputs, wanted = type_keys(FALLING, *keys)
    assert wanted == [TypedLine("".join(keys).removesuffix("enter"))]
    if keys[-1] != "enter":
        inputs, wanted = type_keys(ANSWERED, "enter", inputs=inputs, now=9.0)
        assert wanted == []
    assert type_keys(ANSWERED, "enter", inputs=inputs, now=9.0)[1] != []


def test_the_enter_after_a_typed_cell_of_a_large_board_plays_nothing() -> None:
    inputs, wanted = type_keys(screen_of(build_room(rules=FIFTEEN)), "h", "8")
    assert wanted == [TypedLine("h8")]
    answered = screen_of(build_room(rules=FIFTEEN, moves=(112, 97)))
    assert type_keys(answered, "enter", inputs=inputs, now=5.0)[1] == []


@pytest.mark.parametrize("second", ["cell:0", "cell:3", "enter", " "])
@pytest.mark.parametrize("first", ["cell:3", "enter"])
def test_a_double_click_drops_one_piece(first: str, second: str) -> None:
    inputs, wanted = type_keys(FALLING, first, now=10.0)
    assert len(wanted) == 1
    assert type_keys(ANSWERED, second, inputs=inputs, now=10.39)[1] == []
    assert len(type_keys(ANSWERED, second, inputs=inputs, now=10.41)[1]) == 1


def test_a_click_that_was_no_move_does_not_hold_up_the_next() -> None:
    theirs = screen_of(build_room(rules=FOUR, moves=(38,)))
    inputs, _ = type_keys(theirs, "cell:3", now=10.0)
    assert len(type_keys(FALLING, "cell:3", inputs=inputs, now=10.1)[1]) == 1
    inputs, _ = type_keys(PLAYING, "cell:4", now=10.0)
    assert type_keys(PLAYING, "cell:8", inputs=inputs, now=10.1)[1] == [TypedLine("9")]


def test_enter_answers_questions_and_sends_talk_right_after_a_move() -> None:
    inputs, _ = type_keys(PLAYING, "7", "q", now=1.0)
    assert type_keys(PLAYING, "enter", inputs=inputs, now=1.1)[1] == [TypedLine("quit")]
    inputs, _ = type_keys(PLAYING, "7", "tab", "h", now=1.0)
    assert type_keys(PLAYING, "enter", inputs=inputs, now=1.1)[1] == [TypedLine("say h")]


@pytest.mark.parametrize("line", ["resign", "draw"])
def test_a_typed_line_asks_before_it_resigns_too(line: str) -> None:
    inputs, wanted = type_keys(PLAYING, ":", *line, "enter")
    assert (inputs.asking, wanted) == (line, [])
    assert type_keys(PLAYING, "y", inputs=inputs)[1] == [TypedLine(line)]
    assert type_keys(OVER, ":", *line, "enter")[1] == [TypedLine(line)]
