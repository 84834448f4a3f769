from collections.abc import Callable
from functools import partial

import pytest

from ttt_client.model.options import (
    BOARDS,
    InvalidOption,
    parse_ai,
    parse_clock,
    parse_name,
    parse_pair,
    parse_rules,
    parse_start,
    seats_against,
    settings_of,
)
from ttt_protocol.notation import board_name
from ttt_protocol.state import AiSetting, ClockSetting, Mark, Rules, SeatSettings


def test_a_board_is_columns_rows_and_line() -> None:
    assert parse_rules("15x15x5!") == Rules(columns=15, rows=15, in_a_row=5, exact=True)
    assert parse_rules("7x6x4g!").exact
    assert parse_rules("7x6x4g") == Rules(columns=7, rows=6, in_a_row=4, gravity=True)
    assert parse_rules("3X3X3") == Rules()


@pytest.mark.parametrize(
    ("text", "too"),
    [("0+2", "small"), ("10081+2", "large"), (f"{'9' * 400}+2", "large"), ("1+86401", "large")],
)
def test_a_clock_beyond_the_limits_is_told_them(text: str, too: str) -> None:
    limits = "more than 0 and at most 10080 minutes, and at most 86400 seconds a move"
    with pytest.raises(InvalidOption, match=f"^the clock is too {too}: it has {limits}$"):
        parse_clock(text)


def test_a_clock_is_minutes_and_seconds_a_move() -> None:
    assert parse_clock("5+3") == ClockSetting(initial_s=300, increment_s=3)
    assert parse_clock("0.5+1.5") == ClockSetting(initial_s=30, increment_s=1.5)


def test_each_board_that_is_offered_is_one() -> None:
    for text in BOARDS:
        assert board_name(parse_rules(text)) == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cube:5", "there is no board cube:5: did you mean cube:4?"),
        ("misere:3x3", "there is no board misere:3x3: did you mean misere:3x3x3?"),
        ("ultimat", "there is no board ultimat: did you mean ultimate?"),
        ("a b c", "or a variant: ultimate, cube:4, misere:3x3x3"),
        ("33", "or a variant: ultimate, cube:4, misere:3x3x3"),
    ],
)
def test_a_board_that_is_nearly_right(text: str, words: str) -> None:
    with pytest.raises(InvalidOption) as raised:
        parse_rules(text)
    assert words in str(raised.value)


def test_a_plug_in_of_the_server_is_not_refused_here() -> None:
    assert parse_rules("rhombus").variant == "rhombus"


def test_the_start_of_a_cube_names_layers() -> None:
    cube = parse_rules("cube:3")
    assert parse_start("1a12b33c3", cube) == (0, 16, 26)
    for text, words in (("a1b2", "1b21a1"), ("4a1", "off the board"), ("1d1", "off the board")):
        with pytest.raises(InvalidOption, match=words):
            parse_start(text, cube)


def test_an_ai_has_perhaps_a_level() -> None:
    assert parse_ai("rules", Rules()) == AiSetting(strategy="rules")
    assert parse_ai("rules", Rules()).model_fields_set == {"strategy"}
    assert parse_ai("minimax:9", Rules()) == AiSetting(strategy="minimax", level=9)


def test_two_ais_are_x_and_o() -> None:
    pair = parse_pair("rules,minimax:9", Rules())
    assert AiSetting(strategy="rules") == pair.X
    assert AiSetting(strategy="minimax", level=9) == pair.O


def test_three_ais_are_one_too_many() -> None:
    with pytest.raises(InvalidOption, match="two AIs are written"):
        parse_pair("rules,rules,rules", Rules())


def test_a_strength_is_an_ai_of_that_board() -> None:
    assert parse_ai("strong", Rules()) == AiSetting(strategy="rules")
    assert parse_ai("strong", parse_rules("7x6x4g")) == AiSetting(strategy="search", level=9)


ai_on_3x3, pair_on_3x3 = partial(parse_ai, rules=Rules()), partial(parse_pair, rules=Rules())


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        (parse_rules, "3x3"),
        (parse_rules, "2x3x3"),
        (parse_rules, "3x3x4"),
        (parse_rules, "20x20x5"),
        (parse_rules, "3x3x3gg"),
        (parse_rules, "\u0663x3x3"),
        (parse_clock, "5"),
        (parse_clock, "0+3"),
        (parse_clock, "-1+3"),
        (parse_clock, "1+999999"),
        (parse_clock, "1e3+1"),
        (ai_on_3x3, ""),
        (ai_on_3x3, "minimax:"),
        (ai_on_3x3, "minimax:10"),
        (ai_on_3x3, "minimax:x"),
        (ai_on_3x3, "m" * 65),
        (pair_on_3x3, "minimax"),
        (pair_on_3x3, "minimax,"),
        (parse_name, ""),
        (parse_name, "n" * 25),
        (parse_name, "a\x1b[2J"),
    ],
)
def test_impossible_values_are_refused_in_words(parse: Callable[[str], object], text: str) -> None:
    with pytest.raises(InvalidOption, match=r"\w+ \w+ \w+"):
        parse(text)


def test_the_ai_sits_opposite_to_the_wanted_seat() -> None:
    ai = AiSetting(strategy="rules")
    assert seats_against(ai, None) == SeatSettings(O=ai)
    assert seats_against(ai, Mark.X) == SeatSettings(O=ai)
    assert seats_against(ai, Mark.O) == SeatSettings(X=ai)


def test_settings_have_the_given_fields_alone() -> None:
    assert settings_of(public=None, hints=None) is None
    settings = settings_of(public=False, hints=None)
    assert settings is not None
    assert settings.model_fields_set == {"public"}


def test_settings_that_no_room_has_are_refused() -> None:
    with pytest.raises(InvalidOption, match="password"):
        settings_of(password="")


def test_the_moves_of_a_start() -> None:
    board = Rules(columns=12, rows=12, in_a_row=5)
    assert parse_start("B2a12", board) == (13, 132)
    assert parse_start("", board) == ()
    for text, words in (("b2,a1", "one after another"), ("b2a13", "off the board")):
        with pytest.raises(InvalidOption, match=words):
            parse_start(text, board)
