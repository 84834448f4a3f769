import pytest

from ttt_protocol.notices import Notice, NoticeKind
from ttt_protocol.tournament.settings import TournamentName
from ttt_server.people.notices.rules import _TEXTS, text_of


def notice(kind: NoticeKind, **more: object) -> Notice:
    return Notice.model_validate(
        {"id": "x", "kind": kind, "at": 0, "text": "", "path": "rooms/den", **more}
    )


@pytest.mark.parametrize(
    ("told", "text"),
    [
        (notice("turn", opponent="Bo"), "It is your turn against Bo."),
        (notice("challenge", opponent="Bo"), "Bo would like to play with you."),
        (notice("round", round=2, title="Cup"), "Round 2 of Cup has begun."),
        (notice("round", round=2, event=TournamentName("cup")), "Round 2 of cup has begun."),
        (notice("end", opponent="Bo", result="won"), "You won against Bo."),
        (notice("end", opponent="Bo", result="lost"), "You lost against Bo."),
        (notice("end", opponent="Bo", result="drawn"), "Your game against Bo is a draw."),
        (notice("end"), "Your game against ? is over."),
    ],
)
def test_a_notice_says_what_there_is(told: Notice, text: str) -> None:
    assert text_of(told) == text


def test_names_are_no_holes() -> None:
    assert text_of(notice("turn", opponent="{round}")) == "It is your turn against {round}."


def test_every_language_has_the_same_texts() -> None:
    assert set(_TEXTS) == {"en", "de", "fr", "es"}
    assert len({frozenset(texts) for texts in _TEXTS.values()}) == 1
    assert text_of(notice("turn", opponent="Bo"), "de") == "Du bist am Zug gegen Bo."


def test_an_unknown_language_is_english() -> None:
    assert text_of(notice("turn", opponent="Bo"), "") == "It is your turn against Bo."
