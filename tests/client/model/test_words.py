import pytest

from ttt_client.model import words
from ttt_protocol.codes import CLOSE_REASONS, REASONS, CloseCode, Reason, RefusalCode, Unrated


def test_every_code_of_the_protocol_has_words() -> None:
    assert set(words.REFUSALS) == set(RefusalCode)
    assert set(words.OUTCOMES) == set(Reason)
    assert set(words.UNRATED) == set(Unrated)
    assert set(words.CLOSES) == set(CloseCode)


@pytest.mark.parametrize("code", RefusalCode)
def test_a_refusal_is_told_in_the_players_words(code: RefusalCode) -> None:
    told = words.refusal(code, REASONS[code])
    assert told == words.REFUSALS[code]
    assert "ply" not in told


def test_a_server_may_say_more() -> None:
    said = "wait 12.3 seconds more\x1b[2J"
    assert words.refusal(RefusalCode.TOO_EARLY, said) == "wait 13 seconds more"
    assert words.refusal(RefusalCode.NOT_ALLOWED, "") == words.REFUSALS[RefusalCode.NOT_ALLOWED]


@pytest.mark.parametrize(
    ("reason", "told"),
    [("timeout", "on time"), ("sudden_death\x1b[2J", "sudden death")],
)
def test_an_unknown_reason_of_an_end_is_named(reason: str, told: str) -> None:
    assert words.outcome(reason) == told


@pytest.mark.parametrize(
    ("why", "told"), [("undecided", "nobody has won"), ("a_new_one\x1b[2J", "a new one")]
)
def test_why_a_game_does_not_count(why: str, told: str) -> None:
    assert words.unrated(why) == told


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("depth 7, 0", "sees 7 moves ahead, expects a draw"),
        ("depth 5", "sees 5 moves ahead"),
        ("depth 1, +1", "sees 1 move ahead, expects a win"),
        ("depth 2, -1", "sees 2 moves ahead, expects a loss"),
        ("win", "wins at once"),
        ("corner", "corner"),
        ("a cor\nner", "a cor ner"),
    ],
)
def test_what_an_ai_thinks_is_told_in_words(reason: str, told: str) -> None:
    assert words.thought(reason) == told


def test_a_server_that_closes_says_no_more_than_is_new() -> None:
    assert words.close(CloseCode.BYE, None) == words.CLOSES[CloseCode.BYE]
    for code in CloseCode:
        assert words.close(code, CLOSE_REASONS[code]) == words.CLOSES[code]
    assert (
        words.close(CloseCode.POLICY, "too\x1b[2J much")
        == f"{words.CLOSES[CloseCode.POLICY]}: too much"
    )


def test_seconds_are_whole() -> None:
    assert words.whole_seconds("in 0.2 s, or 2.5 seconds; 3.5 mm") == "in 1 s, or 3 seconds; 3.5 mm"


def test_a_name_that_ends_with_s_gets_no_other_one() -> None:
    assert [words.possessive(name) for name in ("ada", "rules", "MARS")] == [
        "ada's",
        "rules'",
        "MARS'",
    ]
